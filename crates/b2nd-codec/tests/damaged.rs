//! Damaged chunks are rejected or decoded without a panic, including panics in codecs of other crates.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::time::{Duration, Instant};

use b2nd::{B2ndMeta, Geometry};
use b2nd_codec::{Blocks, CodecId, Decompressor, Filter, Options, compress};
use b2nd_frame::{Chunk, Frame, Header, Writer};

fn options(codec: CodecId, filter: Filter, meta: u8) -> Options {
    Options { codec, level: 5, typesize: 4, blocksize: 2800, filters: vec![(filter, meta)], ..Options::default() }
}

#[test]
fn damaged_chunks_are_refused_or_read() {
    let mut state = 1_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    let data: Vec<u8> = (0..3000_u32).flat_map(|index| (index * index / 7).to_le_bytes()).collect();
    let mut decompressors = [
        Decompressor::new(),
        #[cfg(feature = "safe")]
        Decompressor::safe(),
    ];
    let mut refused = 0;
    for codec in [CodecId::BloscLz, CodecId::Lz4, CodecId::Lz4Hc, CodecId::Zlib, CodecId::Zstd] {
        for filter in [(Filter::Shuffle, 0), (Filter::BitShuffle, 0), (Filter::Delta, 0), (Filter::Other(35), 4)] {
            let chunk = compress(&data, &options(codec, filter.0, filter.1)).unwrap();
            for _ in 0..300 {
                let mut damaged = chunk.clone();
                for _ in 0..=random(3) {
                    // Bytes 3 to 15, the sizes in the header, are not changed.
                    let at = [16 + random(damaged.len() - 16), random(3)][usize::from(random(8) == 0)];
                    damaged[at] = [random(256) as u8, 0, 0xff, damaged[at] ^ 1 << random(8)][random(4)];
                }
                let mut read = decompressors.iter_mut().map(|decompressor| {
                    let mut place = vec![0; data.len()];
                    match decompressor.chunk(&damaged, &mut place) {
                        Err(error) if error.to_string().contains("panicked") => panic!("{codec} {filter:?}: {error}"),
                        Err(_) => refused += 1,
                        Ok(()) => return Some(place),
                    }
                    None
                });
                let (first, others) = (read.next().unwrap(), read.collect::<Vec<_>>());
                // The safe Zstandard decoder rejects more, such as bits after the last symbol, but never decodes different data.
                let agree = others.iter().all(|other| other.is_none() || *other == first);
                assert!(agree || codec != CodecId::Zstd, "{filter:?}: only the safe decoder reads it, or other data");
                if let Ok(blocks) = Blocks::new(&damaged) {
                    (0..=blocks.count().min(9)).for_each(|block| drop(blocks.range(block)));
                }
            }
        }
    }
    assert!(refused > 1000, "{refused}");
}

#[test]
fn a_front_that_ends_early_says_how_much_it_lacks() {
    let data: Vec<u8> = (0..3000_u32).flat_map(u32::to_le_bytes).collect();
    let chunk = compress(&data, &options(CodecId::Zstd, Filter::Shuffle, 0)).unwrap();
    let front = 32 + 5 * 4;
    for length in 32..front {
        assert_eq!(Blocks::new(&chunk[..length]).unwrap_err().needed(), Some(front - length));
    }
    let blocks = Blocks::new(&chunk[..front]).unwrap();
    assert_eq!((blocks.count(), blocks.data_len(0), blocks.data_len(4)), (5, Some(2800), Some(800)));
    assert_eq!(blocks.range(0).unwrap().start, front);
    assert!(blocks.range(5).is_err());
}

#[test]
fn the_front_that_is_read_of_a_chunk_ends_with_its_dictionary() {
    let meta = B2ndMeta::of::<u32>(Geometry::new(&[3000], &[3000], &[700]).unwrap());
    let header = Header::for_array(&meta).unwrap().with_codec(CodecId::Zstd).unwrap().with_level(5).unwrap();
    let data: Vec<u8> = (0..3500_u32).flat_map(u32::to_le_bytes).collect();
    let plain = header.compressor().unwrap().chunk(&data).unwrap();
    let table_end = 32 + 5 * 4;
    for length in [0_usize, 1, 100, 5000] {
        let mut chunk = plain.clone();
        if length > 0 {
            chunk.splice(table_end..table_end, (length as u32).to_le_bytes().into_iter().chain(vec![7; length]));
            let longer = length as u32 + 4;
            for place in std::iter::once(12).chain((32..table_end).step_by(4)) {
                let number = u32::from_le_bytes(chunk[place..place + 4].try_into().unwrap()) + longer;
                chunk[place..place + 4].copy_from_slice(&number.to_le_bytes());
            }
            chunk[31] |= 1;
        }
        let mut writer = Writer::new(header.clone());
        writer.append(&Chunk::from_slice(&chunk).unwrap()).unwrap();
        let frame = Frame::open(writer.finish().unwrap()).unwrap();
        let reader = frame.chunk_reader(0, 0).unwrap();
        let front = reader.read_block_table().unwrap();
        assert_eq!(front.len(), table_end + if length > 0 { length + 4 } else { 0 });
        assert_eq!(Blocks::new(&front).unwrap().range(0).unwrap().start, front.len());
    }
}

/// A Zstandard dictionary with one symbol in each table for sequences, and eight bytes of content. Its third repeated offset
/// is `offset`, which the chunk does not use.
fn dictionary(offset: u32) -> Vec<u8> {
    let huffman = [0x80, 0x10];
    let sequences = [0xf0, 0x03].repeat(3);
    let offsets = [8, 8, offset].map(u32::to_le_bytes).concat();
    [&[0x37, 0xa4, 0x30, 0xec, 1, 0, 0, 0][..], &huffman, &sequences, &offsets, b"12345678"].concat()
}

/// A chunk with 24 bytes of data, compressed with such a dictionary: eight matches of three bytes at its first two offsets.
fn of_dictionary(offset: u32) -> Vec<u8> {
    let stream = [0x28, 0xb5, 0x2f, 0xfd, 0x21, 1, 24, 0x2d, 0, 0, 0, 8, 0xfc, 0, 0x80];
    let dictionary = dictionary(offset);
    let mut chunk = vec![5, 1, 0x95, 1];
    let (start, length) = (40 + dictionary.len() as u32, stream.len() as u32);
    [24, 24, start + 4 + length].iter().for_each(|number: &u32| chunk.extend(number.to_le_bytes()));
    chunk.extend([0; 15]);
    chunk.push(1);
    [start, dictionary.len() as u32].iter().for_each(|number| chunk.extend(number.to_le_bytes()));
    chunk.extend(dictionary);
    chunk.extend(length.to_le_bytes());
    chunk.extend(stream);
    chunk
}

#[test]
fn a_dictionary_whose_offsets_lie_outside_of_it_is_refused() {
    for mut decompressor in [
        Decompressor::new(),
        #[cfg(feature = "safe")]
        Decompressor::safe(),
    ] {
        let mut place = [0; 24];
        decompressor.chunk(&of_dictionary(8), &mut place).unwrap();
        assert_eq!(&place, b"123456781234567812345678");
        for offset in [0, 9, u32::MAX] {
            let error = decompressor.chunk(&of_dictionary(offset), &mut place).unwrap_err();
            assert!(error.to_string().to_lowercase().contains("dictionary"), "{error}");
        }
    }
    #[cfg(feature = "safe")]
    assert_eq!(
        Decompressor::safe().chunk(&of_dictionary(9), &mut [0; 24]).unwrap_err().to_string(),
        "zstd: an offset in the dictionary: expected 1 to 8, found 9"
    );
}

#[test]
fn a_deadline_ends_a_long_block_of_every_safe_codec() {
    // The data has short repetitions. Runs and long matches would be decoded too fast for the deadline.
    let words: Vec<[u8; 8]> = (1..65_u64).map(|word| word.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()).collect();
    let mut state = 1_u64;
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        words[(state >> 58) as usize]
    };
    let mut data = Vec::new();
    (0..2 << 20).for_each(|_| data.extend_from_slice(&word()));
    let codecs = [CodecId::BloscLz, CodecId::Lz4, CodecId::Zlib, CodecId::Zstd];
    for codec in codecs.into_iter().filter(|codec| cfg!(feature = "safe") || *codec != CodecId::Zstd) {
        let options = Options { blocksize: data.len(), level: 1, filters: Vec::new(), ..options(codec, Filter::None, 0) };
        let chunk = compress(&data, &options).unwrap();
        assert_eq!(Blocks::new(&chunk).unwrap().count(), 1);
        let mut place = vec![0; data.len()];
        let mut decompressor = Decompressor::safe();
        decompressor.stop_at(Some(Instant::now() + Duration::from_millis(1)));
        let error = decompressor.chunk(&chunk, &mut place).expect_err(&format!("{codec}"));
        assert_eq!(error.to_string(), "the time limit was reached", "{codec}");
        assert!(place.ends_with(&[0; 1 << 20]), "{codec}: the end of the block was decoded");
        decompressor.stop_at(None);
        decompressor.chunk(&chunk, &mut place).unwrap();
        assert!(place == data, "{codec}");
    }
}
