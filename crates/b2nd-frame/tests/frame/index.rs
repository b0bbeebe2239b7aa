//! The index: indexes compressed by C-Blosc2 are read without a codec, and most damaged ones are rejected.

use b2nd_frame::{Buffer, Chunk, File, Frame, Header, Offset, Offsets, Sizes, Special, Writer};

use crate::common::{blosclz, message};

const THIRTY: &str = "../../tests/data/c-blosc2-3.3.5/clib-frame__thirty.b2frame";

/// The header of a sparse frame with this number of chunks and room for a long index.
fn header(nchunks: i64) -> Header {
    let mut bytes = crate::common::frames::small();
    bytes[0x1a] = 1;
    bytes[0x10..0x18].copy_from_slice(&(1u64 << 40).to_be_bytes());
    let chunksize = Header::from_slice(&bytes).unwrap().chunksize();
    bytes[0x1e..0x26].copy_from_slice(&(nchunks * i64::from(chunksize)).to_be_bytes());
    Header::from_slice(&bytes).unwrap()
}

/// A chunk of one block, whose bytes follow the offset of the block.
fn chunk(nbytes: i32, flags: u8, filters: [u8; 6], block: &[u8]) -> Vec<u8> {
    let mut chunk = vec![5, 1, flags, 8];
    chunk.extend(nbytes.to_le_bytes());
    chunk.extend(nbytes.to_le_bytes());
    chunk.extend((36 + block.len() as i32).to_le_bytes());
    chunk.extend(filters);
    chunk.extend([0; 10]);
    chunk.extend(36i32.to_le_bytes());
    chunk.extend(block);
    chunk
}

const SHUFFLE: [u8; 6] = [0, 0, 0, 0, 0, 1];
const SPLIT: u8 = 0x05;
const WHOLE: u8 = 0x15;

/// A stream, with its length in front.
fn stream(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as i32).to_le_bytes(), bytes].concat()
}

/// The entries of an index with one block that is not split.
#[track_caller]
fn entries(nchunks: i64, stream: &[u8]) -> Vec<u64> {
    let chunk = chunk(nchunks as i32 * 8, WHOLE, SHUFFLE, stream);
    let offsets = Offsets::from_tail(&header(nchunks), &chunk).unwrap();
    let number = |offset| match offset {
        Offset::At(at) => at,
        other => panic!("{other:?}"),
    };
    offsets.iter().map(number).collect()
}

#[test]
fn an_index_of_c_blosc2_needs_no_codec() {
    let bytes = std::fs::read(THIRTY).unwrap();
    let frame = Frame::from_slice(&bytes).unwrap();
    let (header, offsets) = (frame.header(), frame.offsets().unwrap());
    let tail = &bytes[header.tail_range().start as usize..];
    let index = Chunk::from_slice(tail).unwrap();
    let mut data = vec![0; index.header().nbytes()];
    blosclz::decompress(index.bytes(), &mut data).unwrap();
    assert_eq!(index.data().unwrap(), data);
    let expected: Vec<Offset> = data.chunks_exact(8).map(|raw| Offset::At(u64::from_le_bytes(raw.try_into().unwrap()))).collect();
    assert_eq!(offsets.iter().collect::<Vec<_>>(), expected);
    assert_eq!(File::open(THIRTY).unwrap().offsets().unwrap(), offsets);
    for number in 0..30 {
        let range = offsets.range(number).unwrap();
        let found = Chunk::from_slice(&bytes[range.start as usize..range.end as usize]).unwrap();
        assert_eq!(found.bytes().len() as u64, range.end - range.start, "a frame that was not edited has no gaps");
        assert_eq!(frame.chunk(number).unwrap(), found);
        assert_eq!(File::open(THIRTY).unwrap().chunk(number).unwrap(), found);
    }
    assert_eq!(offsets.range(30), None);
}

#[test]
fn ranges_are_of_bytes_in_the_frame() {
    let special = File::open("../../tests/data/example.b2nd").unwrap();
    let offsets = special.offsets().unwrap();
    assert_eq!((offsets.range(1), offsets.range(4), offsets.range(8)), (Some(0x140 + 1507..0x140 + 2072), None, None));
    let scratch = crate::common::scratch::Scratch::new();
    crate::common::frames::sparse(&scratch.join("s.b2nd"));
    let sparse = File::open(scratch.join("s.b2nd")).unwrap();
    assert_eq!((sparse.offsets().unwrap().get(2), sparse.offsets().unwrap().range(2)), (Some(Offset::At(2)), None));
}

#[test]
fn frames_and_files_are_shared_by_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Frame<Buffer<&[u8]>>>();
    shared::<File>();
    shared::<Offsets>();
    let file = File::open(THIRTY).unwrap();
    let expected = file.chunk(7).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..200).for_each(|_| assert_eq!(file.chunk(7).unwrap(), expected)));
        }
    });
}

#[test]
fn each_kind_of_stream() {
    // Two entries, 1 | 1 << 56 and 0x205 | 1 << 56, in eight planes of one byte of each entry.
    let mut block = stream(&[1, 5]);
    block.extend(stream(&[0, 2]));
    // A stream of length 0 means zeros, and a negative length means a repeated byte.
    (0..5).for_each(|_| block.extend(0i32.to_le_bytes()));
    block.extend([(-1i32).to_le_bytes().as_slice(), &[1]].concat());
    let split = chunk(16, SPLIT, SHUFFLE, &block);
    let offsets = Offsets::from_tail(&header(2), &split).unwrap();
    let expected = [1 | 1 << 56, 0x205 | 1 << 56].map(Offset::At);
    assert_eq!(offsets.iter().collect::<Vec<_>>(), expected);

    // One stream for the whole block, first stored, then compressed: 4 literals (coded as 3), and a match of the byte before
    // (its distance is coded as 0, and its length is 7 + 2 + 3 = 12).
    let stored: Vec<u8> = (1..=16).collect();
    assert_eq!(entries(2, &stream(&stored)).len(), 2);
    let expanded = entries(2, &stream(&[3, 1, 2, 0, 0, 7 << 5, 3, 0]));
    assert_eq!(expanded, [1, 2]);
    // A match that overlaps its own output: 1 2 3 1 2 3 ...
    let itself = entries(2, &stream(&[2, 1, 2, 3, 7 << 5, 4, 2]));
    assert_eq!(itself, u64s(&[1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1]));
}

/// Undoes the shuffle and returns the numbers.
fn u64s(shuffled: &[u8]) -> Vec<u64> {
    let count = shuffled.len() / 8;
    let entry = |index| (0..8).map(|byte| u64::from(shuffled[byte * count + index]) << (8 * byte)).sum();
    (0..count).map(entry).collect()
}

#[test]
fn a_match_far_away() {
    // 9,000 random bytes in literals of 32, then a match at a distance of 8,192 + 300 bytes.
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8 & 0x7f
    };
    let mut bytes: Vec<u8> = (0..9000).map(|_| next()).collect();
    let mut packed = Vec::new();
    for literals in bytes.chunks(32) {
        packed.push(literals.len() as u8 - 1);
        packed.extend(literals);
    }
    packed.extend([7 << 5 | 31, 255, 255, 36, 255]);
    packed.extend(300u16.to_be_bytes());
    let from = bytes.len() - 8192 - 300;
    bytes.extend_from_within(from..from + 9 + 255 + 255 + 36);
    while bytes.len() % 8 != 0 {
        bytes.push(9);
        packed.extend([0, 9]);
    }
    assert_eq!(entries(bytes.len() as i64 / 8, &stream(&packed)), u64s(&bytes));
}

#[test]
fn streams_that_do_not_fill_their_block() {
    let refused = |block: &[u8], expected: &str| {
        let index = chunk(16, WHOLE, SHUFFLE, block);
        assert_eq!(message(Offsets::from_tail(&header(2), &index)), expected);
    };
    let start = header(2).header_len();
    let at = |position: usize| format!(" at byte {}", start + position);
    refused(&[9, 0, 0], &format!("index: the block ends too early{}", at(36)));
    refused(&[9, 0, 0, 0, 1], &format!("index: the block ends too early{}", at(40)));
    refused(&[255, 255, 255, 255, 2], &format!("index: the token of a run: expected bit 0 to be set, found 0x02{}", at(40)));
    refused(&(-256i32).to_le_bytes(), &format!("index: the value of a run: expected -255 to 0, found -256{}", at(36)));
    refused(&stream(&[1, 2, 3]), &format!("index: the stream has 2 of 16 expected bytes of data{}", at(43)));
    refused(&stream(&[1, 2, 3, 7 << 5, 9, 0]), &format!("index: the stream has more data than expected{}", at(43)));
    refused(
        &stream(&[1, 2, 3, 1 << 5, 2]),
        &format!("index: the data so far is shorter than the distance of the match{}", at(43)),
    );
    refused(&stream(&[1, 2]), &format!("index: the stream ends too early{}", at(41)));
    refused(&stream(&[0, 1, 7 << 5]), &format!("index: the stream ends too early{}", at(43)));
}

// The codec and the filter are those of C-Blosc2's environment variables, if these are set.
#[cfg(feature = "codecs")]
#[test]
fn an_index_can_have_any_codec_and_filter() {
    use b2nd_frame::{CodecId, Filter};

    let entries: Vec<u8> = (0..64_u64).flat_map(|entry| (1000 * entry).to_le_bytes()).collect();
    for (codec, filter) in
        [(CodecId::Lz4, Filter::Shuffle), (CodecId::Zlib, Filter::BitShuffle), (CodecId::BloscLz, Filter::BitShuffle)]
    {
        let options = b2nd_codec::Options { codec, filters: vec![(filter, 0)], typesize: 8, ..b2nd_codec::Options::default() };
        let index = b2nd_codec::compress(&entries, &options).unwrap();
        assert!(!Chunk::from_slice(&index).unwrap().header().is_stored());
        let offsets = Offsets::from_tail(&header(64), &index).unwrap();
        assert!(offsets.iter().eq((0..64).map(|entry| Offset::At(1000 * entry))), "{codec} {filter}");
    }
}

#[test]
fn a_short_tail_says_what_it_lacks() {
    let bytes = std::fs::read(THIRTY).unwrap();
    let header = Header::from_slice(&bytes).unwrap();
    let tail = &bytes[header.tail_range().start as usize..];
    let cbytes = Chunk::from_slice(tail).unwrap().bytes().len();
    for length in 0..cbytes {
        let error = Offsets::from_tail(&header, &tail[..length]).unwrap_err();
        let whole = if length < 3 {
            16
        } else if length < 32 {
            32
        } else {
            cbytes
        };
        assert_eq!(error.needed(), Some(whole - length), "{length} bytes: {error}");
    }
    assert_eq!(Offsets::from_tail(&header, &tail[..cbytes]).unwrap(), Offsets::from_tail(&header, tail).unwrap());
}

#[test]
fn every_changed_byte_of_a_compressed_index_is_refused_or_read() {
    let good = std::fs::read(THIRTY).unwrap();
    let frame = Frame::from_slice(&good).unwrap();
    let start = frame.header().tail_range().start as usize;
    let (mut refused, mut read) = (0, 0);
    for at in start..good.len() - frame.trailer().unwrap().trailer_len() {
        for change in 1..=255 {
            let mut bytes = good.clone();
            bytes[at] ^= change;
            match Frame::from_slice(&bytes) {
                Ok(frame) => {
                    assert_eq!(frame.offsets().unwrap().len(), 30);
                    (0..30).for_each(|number| drop(frame.chunk(number)));
                    read += 1;
                }
                Err(error) => {
                    assert!(!error.is_eof(), "byte {at} ^ {change:#x}: {error}");
                    refused += 1;
                }
            }
        }
    }
    println!("{refused} refused, {read} read");
    assert!(refused > 10_000 && read > 100);
}

/// A frame with chunks of eight bytes, and the data of the chunks. The generator decides whether a chunk is stored, zeros or NaN.
fn written(nchunks: u64, kinds: u64) -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut writer = Writer::new(Header::new(Sizes { typesize: 8, chunksize: 8, blocksize: 8 }).unwrap());
    let mut values = Vec::new();
    for number in 0..nchunks {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        match (state >> 33) % kinds {
            0 => {
                values.push(number.to_le_bytes().to_vec());
                writer.append(&Chunk::store(&number.to_le_bytes(), 8).unwrap()).unwrap();
            }
            1 => {
                values.push(vec![0; 8]);
                writer.append_special(Special::Zeros, 8).unwrap();
            }
            _ => {
                values.push(f64::NAN.to_le_bytes().to_vec());
                writer.append_special(Special::Nan, 8).unwrap();
            }
        }
    }
    (writer.finish().unwrap(), values)
}

#[test]
fn a_written_index_says_where_its_chunks_are() {
    // One block of an index holds 2,048 offsets.
    for nchunks in [1, 2, 9, 10, 11, 300, 2047, 2048, 2049, 4096, 5001] {
        for kinds in 1..=3 {
            let (bytes, values) = written(nchunks, kinds);
            let frame = Frame::from_slice(&bytes).unwrap();
            assert_eq!(frame.offsets().unwrap().len(), nchunks);
            for (number, value) in (0..).zip(&values) {
                assert_eq!(&*frame.chunk(number).unwrap().data().unwrap(), value, "chunk {number} of {nchunks}");
            }
        }
    }
}

#[test]
fn a_written_index_is_compressed_where_that_is_shorter() {
    let length = |nchunks: u64, kinds| {
        let bytes = written(nchunks, kinds).0;
        let header = Header::from_slice(&bytes).unwrap();
        Chunk::from_slice(&bytes[header.tail_range().start as usize..]).unwrap().header().cbytes()
    };
    assert_eq!([length(3, 1), length(4, 1)], [32 + 24, 51], "C-Blosc2 stores what is shorter than 32 bytes");
    // Both lists of offsets take 40,000 bytes uncompressed: offsets at equal distances, and offsets mixed with special chunks.
    assert_eq!([length(5_000, 1), length(5_000, 2)], [3_220, 10_148]);
}

#[test]
fn a_block_starts_inside_its_chunk() {
    for start in [-1, 44, i32::MAX] {
        let mut chunk = chunk(8, WHOLE, SHUFFLE, &stream(&[0; 4]));
        chunk[32..36].copy_from_slice(&start.to_le_bytes());
        let header = header(1);
        let found = message(Offsets::from_tail(&header, &chunk));
        assert_eq!(found, format!("index: block 0: expected a start in bytes 36..44 of the chunk, found {start}"));
    }
}

#[test]
fn a_split_block_is_a_whole_number_of_streams() {
    let start = header(2).header_len() + 36;
    for typesize in [3, 17, 255] {
        let mut index = chunk(16, SPLIT, SHUFFLE, &[0; 16]);
        index[3] = typesize;
        let refused = message(Offsets::from_tail(&header(2), &index));
        assert_eq!(
            refused,
            format!("index: a block of 16 bytes cannot be divided into {typesize} equal streams at byte {start}")
        );
    }
}

#[test]
fn an_index_is_whole_offsets() {
    let header = header(1);
    let byte = header.tail_range().start + 4;
    for nbytes in [7, 12] {
        let index = chunk(nbytes, WHOLE, SHUFFLE, &stream(&[0; 4]));
        let refused = message(Offsets::from_tail(&header, &index));
        assert_eq!(refused, format!("index.nbytes: expected a multiple of 8, found {nbytes} at byte {byte}"));
    }
}

#[test]
fn beyond_the_last_chunk_there_is_none() {
    // The index is a chunk that repeats one value, which follows the header.
    let mut index = vec![5, 1, 0x07, 8];
    [40i32, 40, 40].iter().for_each(|length| index.extend(length.to_le_bytes()));
    index.extend([0; 15]);
    index.push(0x30);
    index.extend([0, 0, 0, 0, 0, 0, 0, 0x82]);
    let offsets = Offsets::from_tail(&header(5), &index).unwrap();
    assert_eq!((offsets.len(), offsets.get(4), offsets.get(5)), (5, Some(Offset::Special(Special::Nan)), None));
}

#[test]
fn an_index_is_no_longer_than_its_bytes_can_say() {
    // A million special chunks in one block: seven streams of zeros and a stream with a repeated byte.
    let count = 1 << 20;
    let block = [&[0; 7 * 4][..], &(-0x81i32).to_le_bytes(), &[1]].concat();
    let index = chunk(count * 8, SPLIT, SHUFFLE, &block);
    let refused = message(Offsets::from_tail(&header(count.into()), &index));
    assert_eq!(refused, "index: expected at most 17664 offsets in a chunk of 69 bytes, found 1048576");

    let offsets = Offsets::from_tail(&header(17_664), &chunk(17_664 * 8, SPLIT, SHUFFLE, &block)).unwrap();
    assert!(offsets.iter().all(|offset| offset == Offset::Special(Special::Zeros)));
}
