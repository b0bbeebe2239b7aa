//! What the encoder makes is read by the expander here and by lz4_flex, and ends as the format asks.

use alloc::vec;
use alloc::vec::Vec;

use super::{Places, expand};

/// Numbers that are the same on every run.
fn noise(length: usize, mask: u8) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8 & mask
    };
    (0..length).map(|_| next()).collect()
}

/// Runs, matches near and far, noise, in one stream after the other with the same tables.
fn contents() -> Vec<Vec<u8>> {
    let mut contents = Vec::new();
    for length in (0..300).chain([1 << 12, 65_534, 65_535, 65_536, 65_537, 70_000, 200_000]) {
        contents.push(vec![7; length]);
        contents.push(noise(length, 0xff));
        contents.push(noise(length, 0x03));
        contents.push((0..length).map(|at| (at / 9) as u8).collect());
        let part = noise(length / 3 + 1, 0xff);
        contents.push(part.iter().chain(&part).chain(&part).take(length).copied().collect());
    }
    // A match as far away as one can be, and one byte farther.
    for between in [65_535 - 64, 65_536 - 64] {
        let part = noise(64, 0xff);
        contents.push([&part[..], &vec![0; between], &part, &[1; 20]].concat());
    }
    contents
}

#[test]
fn both_expanders_give_back_what_was_compressed() {
    let mut places = Places::default();
    for content in contents() {
        for acceleration in [1, 5, 9] {
            let mut stream = vec![0; content.len() + content.len() / 255 + 16];
            let length = places.pack(&content, acceleration, &mut stream).expect("there is room");
            stream.truncate(length);
            let mut ours = vec![0; content.len()];
            assert_eq!(expand(None, &stream, &mut ours, false).unwrap(), content.len());
            assert!(ours == content, "{} bytes, acceleration {acceleration}", content.len());
            assert!(lz4_flex::block::decompress(&stream, content.len()).unwrap() == content);
            check_end(&stream, content.len());
            // The same bytes from new tables, and nothing where one byte of room is missing.
            assert_eq!(Places::default().pack(&content, acceleration, &mut vec![0; length]), Some(length));
            assert_eq!(places.pack(&content, acceleration, &mut vec![0; length - 1]), None);
        }
    }
}

/// The last five bytes are literals, and the last match starts at least twelve bytes before the end.
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
    let mut out = vec![0; content.len()];
    assert_eq!(expand(Some(&dictionary), &stream, &mut out, false).unwrap(), content.len());
    assert!(out == content);
}
