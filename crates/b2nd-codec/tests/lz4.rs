//! LZ4 and LZ4HC streams are decoded by this crate and by lz4_flex, and end as the format requires.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::thread;

use b2nd_codec::{ChunkHeader, CodecId, Options, SplitMode, compress, decompress};

/// The number of bytes before the stream of a chunk's only block: the header, the block table, and the stream's length.
const BEFORE: usize = ChunkHeader::MAX_LEN + 4 + 4;

/// Pseudorandom bytes, the same on every run.
fn noise(length: usize, mask: u8) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8 & mask
    };
    (0..length).map(|_| next()).collect()
}

/// Short repetitions, runs that end, near and far matches, and noise of few values.
fn contents() -> Vec<Vec<u8>> {
    let mut contents = Vec::new();
    for length in (32..300).chain([1 << 12, 65_534, 65_535, 65_536, 65_537, 70_000, 200_000]) {
        contents.push([vec![7; length], vec![8; 1]].concat());
        contents.push(noise(length, 0x03));
        contents.push((0..length).map(|at| (at / 9) as u8).collect());
        let part = noise(length / 3 + 1, 0xff);
        contents.push(part.iter().chain(&part).chain(&part).take(length).copied().collect());
    }
    // A match at the largest possible distance, and one that is a byte too far.
    for between in [65_535 - 64, 65_536 - 64] {
        let part = noise(64, 0xff);
        contents.push([&part[..], &vec![0; between], &part, &[1; 20]].concat());
    }
    contents
}

#[test]
fn streams_are_read_here_and_by_lz4_flex() {
    let mut compressed = 0;
    for content in contents() {
        for (codec, level) in [CodecId::Lz4, CodecId::Lz4Hc].into_iter().flat_map(|codec| [1, 5, 9].map(|level| (codec, level))) {
            let (typesize, blocksize, split_mode) = (1, content.len(), SplitMode::Never);
            let options = Options { codec, level, typesize, blocksize, filters: Vec::new(), split_mode, ..Options::default() };
            let chunk = compress(&content, &options).unwrap();
            assert!(decompress(&chunk).unwrap() == content, "{} bytes, {codec}, level {level}", content.len());
            if ChunkHeader::from_slice(&chunk).unwrap().is_stored() || chunk.len() == BEFORE + content.len() {
                continue;
            }
            compressed += 1;
            let stream = &chunk[BEFORE..];
            assert!(lz4_flex::block::decompress(stream, content.len()).unwrap() == content);
            check_end(stream, content.len());
            if content.len() % 50 == 0 {
                // The result does not depend on the tables that earlier streams left.
                let again = thread::scope(|scope| scope.spawn(|| compress(&content, &options).unwrap()).join().unwrap());
                assert!(again == chunk);
            }
        }
    }
    assert!(compressed > 5000, "{compressed}");
}

/// Checks that the last five bytes are literals, and that the last match starts at least twelve bytes before the end.
fn check_end(stream: &[u8], length: usize) {
    let more = |at: &mut usize, nibble: u8| {
        let mut rest = stream[*at..].iter().take(if nibble == 15 { stream.len() } else { 0 });
        let full = rest.clone().take_while(|&&byte| byte == 255).count();
        let last = rest.nth(full).inspect(|_| *at += full + 1);
        usize::from(nibble) + 255 * full + last.map_or(0, |&byte| byte.into())
    };
    let (mut at, mut filled, mut last) = (0, 0, None);
    loop {
        let token = stream[at];
        at += 1;
        let literals = more(&mut at, token >> 4);
        (at, filled) = (at + literals, filled + literals);
        if at == stream.len() {
            assert!(last.is_none_or(|start| literals >= 5 && length - start >= 12), "{length} bytes");
            return;
        }
        last = Some(filled);
        at += 2;
        filled += 4 + more(&mut at, token & 15);
    }
}

#[test]
fn a_stream_may_refer_to_a_dictionary() {
    let dictionary = noise(500, 0xff);
    let content = [&dictionary[100..400], &[3; 40], &dictionary[..200]].concat();
    let stream = lz4_flex::block::compress_with_dict(&content, &dictionary);
    let start = (BEFORE + dictionary.len()) as u32;
    // The chunk has one block that is not split, the codec LZ4, and a dictionary (the last byte of the header).
    let mut chunk = vec![5, 1, 0x35, 1];
    for number in [content.len(), content.len(), BEFORE + dictionary.len() + 4 + stream.len()] {
        chunk.extend((number as u32).to_le_bytes());
    }
    chunk.extend([0; 6]);
    chunk.push(CodecId::Lz4.code());
    chunk.extend([0; 8]);
    chunk.push(1);
    chunk.extend(start.to_le_bytes());
    chunk.extend((dictionary.len() as u32).to_le_bytes());
    chunk.extend(&dictionary);
    chunk.extend((stream.len() as u32).to_le_bytes());
    chunk.extend(&stream);
    assert!(decompress(&chunk).unwrap() == content);
}
