//! Counts allocations with the crate `allocation-counter`: the sum of all bytes allocated, including bytes that are freed again.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use allocation_counter::{AllocationInfo, measure};
use b2nd_frame::{Chunk, ChunkHeader, File, Frame, Header, Trailer};

/// Decoding allocates at most this many bytes for each byte of input.
const PER_BYTE: usize = 32;

/// An error's message may allocate this many bytes in addition.
const FOR_AN_ERROR: usize = 2048;

/// Runs a function and returns its result and what it allocated.
fn allocated<T>(run: impl FnOnce() -> T) -> (T, AllocationInfo) {
    let mut result = None;
    let info = measure(|| result = Some(run()));
    (result.unwrap(), info)
}

/// Runs a function on `input` and checks that it allocates no more than the length of `input` allows.
#[track_caller]
fn proportionate<T>(input: &[u8], run: impl FnOnce(&[u8]) -> T) {
    let (_, info) = allocated(|| run(input));
    let limit = PER_BYTE * input.len() + FOR_AN_ERROR;
    assert!(info.bytes_total as usize <= limit, "{} bytes of input, {} allocated", input.len(), info.bytes_total);
}

/// The bytes unchanged, every prefix of them, and the bytes with a large number written over each position.
fn lies(whole: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let large: [&[u8]; 6] =
        [b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f", b"\x00\x01\x00\x00", b"\xff\xff", b"\x9f"];
    let overwritten = (0..whole.len()).flat_map(move |position| {
        large.into_iter().map(move |large| {
            let mut lie = whole.to_vec();
            let end = whole.len().min(position + large.len());
            lie[position..end].copy_from_slice(&large[..end - position]);
            lie
        })
    });
    let cut = (0..whole.len()).map(|length| whole[..length].to_vec());
    overwritten.chain(cut).chain([whole.to_vec()])
}

/// Every fourth file in `tests/data` that is a frame and has less than 800 bytes.
fn frames() -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    for path in common::files("../../tests/data") {
        let bytes = std::fs::read(path).unwrap();
        if bytes.len() < 800 && Frame::from_slice(&bytes).is_ok() {
            frames.push(bytes);
        }
    }
    assert!(frames.len() > 40, "{} frames", frames.len());
    frames.into_iter().step_by(4).collect()
}

#[test]
fn headers_trailers_and_indexes_take_no_more_than_their_bytes_can_fill() {
    for frame in frames() {
        for lie in lies(&frame) {
            proportionate(&lie, Header::from_slice);
            proportionate(&lie, Trailer::from_tail);
            proportionate(&lie, |lie| {
                let Ok(frame) = Frame::from_slice(lie) else { return };
                let _ = frame.header().array();
                for number in (0..frame.offsets().unwrap().len()).take(4) {
                    let _ = frame.chunk(number);
                }
            });
        }
    }
}

#[test]
fn a_file_takes_no_more_than_its_bytes_can_fill() {
    let path = std::env::temp_dir().join(format!("b2nd-allocations-{}.b2nd", std::process::id()));
    // There are six changes for each position. With every seventh change, six of seven positions are changed once.
    for lie in frames().iter().step_by(6).flat_map(|frame| lies(frame).step_by(7)) {
        std::fs::write(&path, &lie).unwrap();
        // Even for a short file, the buffers for reading take a few KiB.
        let (_, info) = allocated(|| File::open(&path).map(|file| drop((file.trailer(), file.chunk(0)))));
        assert!(info.bytes_total < 64 * 1024, "{} bytes of file, {} allocated", lie.len(), info.bytes_total);
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_chunk_that_claims_2_gib_takes_none() {
    let mut chunk = Chunk::store(b"data", 1).unwrap().into_bytes();
    chunk[2] &= !0x02;
    chunk[4..8].copy_from_slice(&i32::MAX.to_le_bytes());
    proportionate(&chunk, ChunkHeader::from_slice);
    proportionate(&chunk, |chunk| {
        let chunk = Chunk::from_slice(chunk).unwrap();
        assert_eq!(chunk.header().nbytes(), 0x7fff_ffff);
        assert!(chunk.data().is_err());
        assert!(chunk.into_data().is_err());
    });
    // The chunk has eight blocks and an unknown codec.
    (chunk[2], chunk[22]) = (0xc5, 200);
    chunk[8..12].copy_from_slice(&(1_i32 << 28).to_le_bytes());
    proportionate(&chunk, |chunk| assert!(Chunk::from_slice(chunk).unwrap().data().is_err()));
}

#[test]
fn an_index_that_claims_2_gib_takes_none() {
    let index = common::frames::INDEX;
    let mut frame = common::frames::small();
    frame[index + 2] = 0x05;
    frame[index + 4..index + 8].copy_from_slice(&i32::to_le_bytes(i32::MAX - 7));
    proportionate(&frame, |frame| assert!(Frame::from_slice(frame).is_err()));
    // If chunks vary in length, the header does not determine their number.
    frame[0x19] = 0x53;
    frame[0x3a..0x3e].fill(0);
    proportionate(&frame, |frame| assert!(Frame::from_slice(frame).is_err()));
}

/// Writes a file that consists of `parts` at their offsets, with holes in between that take no space on the disk.
fn with_holes(path: &std::path::Path, length: u64, parts: &[(u64, &[u8])]) {
    use std::io::{Seek, SeekFrom, Write};

    let mut file = std::fs::File::create(path).unwrap();
    for (at, part) in parts {
        file.seek(SeekFrom::Start(*at)).unwrap();
        file.write_all(part).unwrap();
    }
    file.set_len(length).unwrap();
}

#[test]
fn a_read_takes_what_is_read_and_not_what_lies_around_it() {
    let path = std::env::temp_dir().join(format!("b2nd-holes-{}.b2nd", std::process::id()));
    let frame = common::frames::small();
    let (index, trailer) = (common::frames::INDEX, common::frames::TRAILER);
    let frame_len = |length: u64| [&frame[..0x10], &length.to_be_bytes(), &frame[0x18..]].concat();

    // A hole of 3 GiB between the index and the trailer represents older trailers.
    let hole = 3 << 30;
    let length = frame.len() as u64 + hole;
    let bytes = frame_len(length);
    with_holes(&path, length, &[(0, &bytes[..trailer]), (trailer as u64 + hole, &bytes[trailer..])]);
    let read = |path: &std::path::Path| {
        let file = File::open(path).unwrap();
        assert_eq!(
            (file.chunk(0).unwrap().stored(), file.chunk(1).unwrap().stored()),
            (Some(&b"chunk  0"[..]), Some(&b"chunk  1"[..]))
        );
        assert_eq!(file.trailer().unwrap().vlmetalayers().len(), 1);
    };
    let (_, info) = allocated(|| read(&path));
    assert!(info.bytes_total < 64 * 1024, "{} allocated", info.bytes_total);
    let (_, info) = allocated(|| File::edit(&path).unwrap().set_vlmetalayer_bytes("more", b"value").unwrap());
    assert!(info.bytes_total < 64 * 1024, "{} allocated", info.bytes_total);
    assert!(std::fs::metadata(&path).unwrap().len() < 1024, "the older trailers are gone");

    // There are 5 GiB between two chunks, so the offset of the second one and cbytes are larger by 5 GiB.
    let hole = 5 << 30;
    let length = frame.len() as u64 + hole;
    let mut bytes = frame_len(length);
    bytes[0x27..0x2f].copy_from_slice(&(80 + hole).to_be_bytes());
    bytes[index + 40..index + 48].copy_from_slice(&(40 + hole).to_le_bytes());
    with_holes(&path, length, &[(0, &bytes[..168]), (168 + hole, &bytes[168..])]);
    let (_, info) = allocated(|| read(&path));
    assert!(info.bytes_total < 64 * 1024, "{} allocated", info.bytes_total);

    // Both at once: the index is far from the start, and there is a long gap before the trailer.
    let dead = 3 << 30;
    let length = frame.len() as u64 + hole + dead;
    bytes[0x10..0x18].copy_from_slice(&length.to_be_bytes());
    let parts = [(0, &bytes[..168]), (168 + hole, &bytes[168..trailer]), (trailer as u64 + hole + dead, &bytes[trailer..])];
    with_holes(&path, length, &parts);
    let (_, info) = allocated(|| read(&path));
    assert!(info.bytes_total < 64 * 1024, "{} allocated", info.bytes_total);

    // A header that claims 2 GiB in a file of 8 KiB.
    let mut bytes = frame.clone();
    bytes[0x0b..0x0f].copy_from_slice(&i32::MAX.to_be_bytes());
    bytes.resize(8192, 0);
    std::fs::write(&path, &bytes).unwrap();
    let (error, info) = allocated(|| File::open(&path).unwrap_err().to_string());
    assert_eq!(error, "unexpected end of input at byte 4096: the frame's header needs 2147479551 more bytes");
    assert!(info.bytes_total < 64 * 1024, "{} allocated", info.bytes_total);
    std::fs::remove_file(path).unwrap();
}
