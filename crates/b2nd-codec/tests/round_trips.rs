//! Data survives compression and decompression, whether this crate or blosc2-pure-rs writes or reads the chunks.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use b2nd_codec::{ChunkHeader, CodecId, Compressor, Decompressor, Filter, Format, Options, SplitMode, compress};
use blosc2_pure_rs::compress::{CParams, DParams, compress_chunk, decompress_chunk_into_with_dparams};

const CODECS: [CodecId; 5] = [CodecId::BloscLz, CodecId::Lz4, CodecId::Lz4Hc, CodecId::Zlib, CodecId::Zstd];

/// A pseudorandom generator with the same numbers on every run.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below.max(1)
    }

    /// Bytes like those of real data: running sums, runs, repeated parts and noise.
    fn data(&mut self, length: usize, typesize: usize) -> Vec<u8> {
        let mut data = Vec::with_capacity(length + 64);
        let mut sum = 0_u64;
        while data.len() < length {
            match self.next(8) {
                0 => data.resize(data.len() + self.next(400), self.next(3) as u8),
                1 => (0..self.next(60)).for_each(|_| data.push(self.next(256) as u8)),
                2 if data.len() > 10 => {
                    let distance = 1 + self.next(data.len().min(70_000));
                    let from = data.len() - distance;
                    (0..self.next(300)).for_each(|at| data.push(data[from + at]));
                }
                _ => (0..self.next(200)).for_each(|_| {
                    sum += self.next(300) as u64;
                    data.extend(sum.to_le_bytes().into_iter().cycle().take(typesize));
                }),
            }
        }
        data.truncate(length);
        data
    }
}

fn options(
    codec: CodecId,
    level: u8,
    filters: &[(Filter, u8)],
    typesize: usize,
    blocksize: usize,
    split_mode: SplitMode,
) -> Options {
    Options {
        codec,
        level,
        typesize,
        blocksize: blocksize / typesize * typesize,
        filters: filters.to_vec(),
        split_mode,
        ..Options::default()
    }
}

/// Lossless pipelines of filters.
fn pipelines(typesize: u8) -> Vec<Vec<(Filter, u8)>> {
    let (shuffle, bits, delta) = ((Filter::Shuffle, 0), (Filter::BitShuffle, 0), (Filter::Delta, 0));
    let bytedelta = (Filter::Other(35), typesize);
    vec![
        vec![],
        vec![shuffle],
        vec![bits],
        vec![delta],
        vec![bytedelta],
        vec![delta, shuffle],
        vec![delta, bits],
        vec![shuffle, bytedelta],
        vec![(Filter::Shuffle, 3)],
        vec![(Filter::Shuffle, 5), bits],
        vec![delta, shuffle, bits],
    ]
}

/// The decompressors that read all of [`CODECS`].
fn decompressors() -> Vec<Decompressor> {
    vec![
        Decompressor::new(),
        #[cfg(feature = "safe")]
        Decompressor::safe(),
    ]
}

fn theirs(chunk: &[u8], length: usize) -> Vec<u8> {
    let mut data = vec![0; length];
    let written = decompress_chunk_into_with_dparams(chunk, &mut data, &DParams::default());
    assert_eq!(written, Ok(length), "{:?}", ChunkHeader::from_slice(chunk));
    data
}

/// A chunk whose blocks are compressed in up to three parts.
fn in_parts(data: &[u8], options: &Options, random: &mut Random) -> Vec<u8> {
    let compressor = Compressor::new(options).unwrap();
    let blocksize = compressor.blocksize(data.len());
    let fill = |block: usize, place: &mut [u8]| {
        let length = place.len();
        place.copy_from_slice(&data[block * blocksize..][..length]);
    };
    let blocks = data.len().div_ceil(blocksize.max(1));
    let first = (1 + random.next(blocks)).min(blocks);
    let second = first + random.next(blocks - first + 1);
    let parts = [0..first, first..second, second..blocks].into_iter().take(if blocks == 0 { 1 } else { 3 });
    compressor.join(parts.map(|blocks| compressor.part(data.len(), blocks, fill).unwrap()), fill).unwrap()
}

#[test]
fn parts_of_another_chunk_or_in_another_order_are_refused() {
    let compressor = Compressor::new(&options(CodecId::BloscLz, 5, &[], 1, 100, SplitMode::Auto)).unwrap();
    let part = |nbytes, blocks| compressor.part(nbytes, blocks, |_, place: &mut [u8]| place.fill(1)).unwrap();
    for parts in [
        vec![],
        vec![part(300, 1..3)],
        vec![part(300, 0..2)],
        vec![part(300, 2..3), part(300, 0..2)],
        vec![part(300, 0..2), part(400, 2..3)],
        vec![part(300, 0..2), part(300, 1..2)],
        vec![part(300, 0..0), part(300, 0..3)],
    ] {
        let error = compressor.join(parts, |_, place: &mut [u8]| place.fill(1)).unwrap_err();
        assert_eq!(error.to_string(), "expected each block of one chunk once, in order, and block 0 in the first part");
    }
}

#[test]
fn what_is_written_here_is_read_here_and_by_blosc2_pure_rs() {
    let mut random = Random(1);
    let mut decompressors = decompressors();
    for typesize in [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, 32, 255] {
        for filters in pipelines(typesize as u8) {
            for codec in CODECS {
                let level = [0, 1, 3, 5, 6, 8, 9][random.next(if codec == CodecId::Zstd { 6 } else { 7 })];
                let split = [SplitMode::Always, SplitMode::Never, SplitMode::Auto, SplitMode::ForwardCompat][random.next(4)];
                let blocksize = typesize * (1 + random.next(3000));
                let length = typesize * random.next(9000) + if random.next(4) == 0 { random.next(typesize) } else { 0 };
                let data = random.data(length, typesize);
                let options = options(codec, level, &filters, typesize, blocksize, split);
                let chunk = compress(&data, &options).unwrap();
                assert!(chunk.len() <= data.len() + 32);
                let case = format!("{codec} {level} {filters:?} {typesize} {blocksize} {length} {split}");
                assert!(in_parts(&data, &options, &mut random) == chunk, "{case}");
                for decompressor in &mut decompressors {
                    let mut ours = vec![7; data.len()];
                    decompressor.chunk(&chunk, &mut ours).unwrap_or_else(|error| panic!("{case}: {error}"));
                    assert!(ours == data, "{case}");
                }
                // blosc2-pure-rs decodes the end wrongly if the size is not a multiple of the typesize.
                if length % typesize == 0 {
                    assert!(theirs(&chunk, data.len()) == data, "{case}");
                }
            }
        }
    }
}

/// The tests of b2nd-zarr read such chunks with C-Blosc.
#[test]
fn chunks_of_blosc_1_come_back() {
    let mut random = Random(4);
    let mut decompressors = decompressors();
    let codecs = CODECS.into_iter().chain(cfg!(feature = "snappy").then_some(CodecId::SNAPPY));
    for codec in codecs {
        for (filters, flags) in [(vec![], 0), (vec![(Filter::Shuffle, 0)], 1), (vec![(Filter::BitShuffle, 0)], 4)] {
            for typesize in [1, 2, 7, 8, 17] {
                // The first is too short to be compressed. The number of elements in the second is not a multiple of eight.
                for length in [127, 131 * typesize, 90_000 + random.next(200_000)] {
                    let data = random.data(length, typesize);
                    let options = options(codec, 5, &filters, typesize, 0, SplitMode::ForwardCompat);
                    let options = Options { format: Format::Blosc1, ..options };
                    let chunk = compress(&data, &options).unwrap();
                    let (header, case) = (ChunkHeader::from_slice(&chunk).unwrap(), format!("{options:?} of {length} bytes"));
                    assert_eq!((header.version(), header.header_len(), header.raw_flags() & 5), (2, 16, flags), "{case}");
                    assert_eq!(header.cbytes(), chunk.len(), "{case}");
                    assert!(chunk.len() <= data.len() + 16 && header.is_stored() == (chunk.len() == data.len() + 16), "{case}");
                    assert!(length > 127 || header.is_stored(), "{case}");
                    assert!(in_parts(&data, &options, &mut random) == chunk, "{case}");
                    // There is no safe decoder for Snappy.
                    let count = if codec == CodecId::SNAPPY { 1 } else { decompressors.len() };
                    for decompressor in &mut decompressors[..count] {
                        let mut ours = vec![7; data.len()];
                        decompressor.chunk(&chunk, &mut ours).unwrap_or_else(|error| panic!("{case}: {error}"));
                        assert!(ours == data, "{case}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_zstandard_frame_has_the_length_and_the_checksum_of_its_data() {
    use b2nd_codec::zstd;
    let data = Random(5).data(300_000, 4);
    for level in [-5, 0, 3, 19] {
        let [plain, mut checked] = [false, true].map(|checksum| zstd::compress(&data, level, checksum).unwrap());
        assert_eq!(checked.len(), plain.len() + 4);
        assert!(zstd::decompress(&plain, None).unwrap() == data && zstd::decompress(&checked, Some(data.len())).unwrap() == data);
        assert!(
            zstd::decompress(&plain, Some(data.len() - 1)).is_err() && zstd::decompress(&plain, Some(data.len() + 1)).is_err()
        );
        *checked.last_mut().unwrap() ^= 1;
        assert!(zstd::decompress(&checked, None).is_err());
    }
    // A Zstandard frame of a few bytes that claims 2^40 bytes of data.
    let claims = [&b"\x28\xb5\x2f\xfd\xe0"[..], &(1_u64 << 40).to_le_bytes(), &[1, 0, 0]].concat();
    assert_eq!(
        zstd::decompress(&claims, None).unwrap_err().to_string(),
        "zstd: a frame of length 16 holds at most 524288 bytes, not 1099511627776"
    );
}

/// Planes of shuffled numbers are compressed with another search, which gives shorter streams if they have few values: see
/// `leaf/zstd.rs`.
#[test]
fn planes_with_few_values_are_shorter_than_the_same_bytes_without_a_shuffle() {
    let mut random = Random(7);
    let planes: [Vec<u8>; 2] = [0, 1].map(|_| (0..1 << 16).map(|_| [0, 0, 0, 3, 5, 90][random.next(6)]).collect());
    let numbers: Vec<u8> = planes[0].iter().zip(&planes[1]).flat_map(|(low, high)| [*low, *high]).collect();
    let shuffle = [(Filter::Shuffle, 0)];
    let of = |data: &[u8], typesize| options(CodecId::Zstd, 5, &shuffle, typesize, data.len(), SplitMode::ForwardCompat);
    let length = |data: &[u8], typesize| compress(data, &of(data, typesize)).unwrap().len();
    let separate = length(&planes[0], 1) + length(&planes[1], 1);
    assert!(length(&numbers, 2) * 100 < separate * 99, "{} and {separate}", length(&numbers, 2));
}

#[test]
fn what_blosc2_pure_rs_writes_is_read_here() {
    let mut random = Random(2);
    let mut decompressors = decompressors();
    for typesize in [1, 2, 3, 4, 8, 12, 16] {
        for filters in pipelines(typesize as u8) {
            for codec in CODECS {
                let blocksize = typesize * (40 + random.next(3000));
                let length = typesize * (10 + random.next(9000));
                let data = random.data(length, typesize);
                let (mut codes, mut metas) = ([0; 6], [0; 6]);
                for (slot, (filter, meta)) in filters.iter().enumerate() {
                    (codes[slot], metas[slot]) = (filter.code(), *meta);
                }
                let params = CParams {
                    compcode: codec.code(),
                    clevel: 1 + random.next(8) as u8,
                    typesize: typesize as i32,
                    blocksize: blocksize as i32,
                    splitmode: 1 + random.next(4) as i32,
                    filters: codes,
                    filters_meta: metas,
                    use_dict: random.next(3) == 0 && !matches!(codec, CodecId::BloscLz | CodecId::Zlib),
                    ..CParams::default()
                };
                let Ok(chunk) = compress_chunk(&data, &params) else { continue };
                let read = theirs(&chunk, data.len());
                let header = ChunkHeader::from_slice(&chunk).unwrap();
                let case = format!("{header:?} {filters:?} {typesize}");
                for decompressor in &mut decompressors {
                    let mut ours = vec![7; data.len()];
                    decompressor.chunk(&chunk, &mut ours).unwrap_or_else(|error| panic!("{case}: {error}"));
                    assert!(ours == read, "{case}");
                }
            }
        }
    }
}

#[test]
fn truncated_elements_keep_their_highest_bits() {
    let mut random = Random(3);
    let data: Vec<u8> = (0..4000).flat_map(|_| (random.next(1 << 20) as f64 / 3.0).to_le_bytes()).collect();
    for (filters, mask) in [
        (vec![(Filter::TruncPrec, 20), (Filter::Shuffle, 0)], u64::MAX << 32),
        (vec![(Filter::TruncPrec, -8_i8 as u8), (Filter::BitShuffle, 0)], u64::MAX << 8),
        (vec![(Filter::Other(36), 40)], u64::MAX << 24),
        // Delta uses the truncated first block, because that is what a reader has.
        (vec![(Filter::TruncPrec, 20), (Filter::Delta, 0), (Filter::Shuffle, 0)], u64::MAX << 32),
    ] {
        let options = options(CodecId::Zstd, 5, &filters, 8, 4000, SplitMode::Auto);
        let chunk = compress(&data, &options).unwrap();
        let mut read = vec![0; data.len()];
        Decompressor::new().chunk(&chunk, &mut read).unwrap();
        let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
        let expected: Vec<u64> = data.chunks(8).map(|element| number(element) & mask).collect();
        assert!(read.chunks(8).map(number).eq(expected), "{filters:?}");
    }
    let refused = |filters: &[(Filter, u8)], typesize| {
        let error = Compressor::new(&options(CodecId::Lz4, 5, filters, typesize, 4096, SplitMode::Auto)).unwrap_err();
        error.to_string()
    };
    assert_eq!(refused(&[(Filter::TruncPrec, 3)], 2), "trunc_prec: expected a typesize of 4 or 8 in the header, found 2");
    let message = "trunc_prec: expected a parameter of 1 to 23, the bits to keep, or -22 to -1, the bits to clear, found 24";
    assert_eq!(refused(&[(Filter::TruncPrec, 24)], 4), message);
}

#[test]
fn an_automatic_block_is_as_long_as_that_of_blosc2_pure_rs() {
    for codec in CODECS {
        // The highest levels of Zstandard are slow.
        for level in [1, 3, 5, 6, 8, 9].into_iter().filter(|&level| level < 8 || codec != CodecId::Zstd) {
            for (typesize, split_mode) in
                [1, 7, 20].into_iter().flat_map(|size| [(size, SplitMode::ForwardCompat), (size, SplitMode::Never)])
            {
                for length in [100, 40_000, 700_000] {
                    let length = length / typesize * typesize;
                    // This data is compressible with any of the options.
                    let data: Vec<u8> = (0..length).map(|at| (at / 1000) as u8).collect();
                    let options =
                        Options { blocksize: 0, ..options(codec, level, &[(Filter::Shuffle, 0)], typesize, 0, split_mode) };
                    let params = CParams {
                        compcode: codec.code(),
                        clevel: level,
                        typesize: typesize as i32,
                        blocksize: 0,
                        splitmode: split_mode.code().into(),
                        filters: [0, 0, 0, 0, 0, Filter::Shuffle.code()],
                        filters_meta: [0; 6],
                        ..CParams::default()
                    };
                    let [ours, theirs] = [compress(&data, &options).unwrap(), compress_chunk(&data, &params).unwrap()]
                        .map(|chunk| ChunkHeader::from_slice(&chunk).unwrap());
                    if ours.is_stored() == theirs.is_stored() {
                        assert_eq!(ours.blocksize(), theirs.blocksize(), "{options:?} of {length} bytes");
                    }
                }
            }
        }
    }
}

/// C-Blosc2 reads such chunks, with the filters that the flags give.
#[test]
fn a_header_of_16_bytes_can_have_delta() {
    let data: Vec<_> = (0..4000_u64).flat_map(|n| (n * 3).to_le_bytes()).collect();
    let filters = vec![(Filter::Delta, 0), (Filter::Shuffle, 0)];
    let options = Options { codec: CodecId::BloscLz, blocksize: 8000, filters: filters.clone(), ..Options::default() };
    let chunk = b2nd_codec::compress(&data, &options).unwrap();
    assert!(chunk.len() < data.len());
    let length = |at: usize| i32::from_le_bytes(chunk[at..at + 4].try_into().unwrap()) - 16;
    let mut short = chunk[..16].to_vec();
    short[2] = short[2] & !0x05 | 0x01;
    short[12..].copy_from_slice(&length(12).to_le_bytes());
    (32..48).step_by(4).for_each(|at| short.extend(length(at).to_le_bytes()));
    short.extend(&chunk[48..]);
    assert!(ChunkHeader::from_slice(&short).unwrap().filters().eq(filters));
    assert_eq!(b2nd_codec::decompress(&short).unwrap(), data);
    assert_eq!(theirs(&short, data.len()), data);
}
