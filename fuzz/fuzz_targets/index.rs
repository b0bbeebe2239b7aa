//! The streams of a compressed index: they are rejected, or give an offset for each chunk. More bytes after them do not
//! change the result.
#![no_main]

use b2nd_frame::{Header, Offset, Offsets, Sizes};
use libfuzzer_sys::fuzz_target;

/// Enough for several blocks of the sizes below, with little memory.
const MOST: u16 = 5000;

fuzz_target!(|input: &[u8]| {
    let Some((&[low, high, blocksize, is_split], streams)) = input.split_first_chunk() else { return };
    let nchunks = 1 + u16::from_le_bytes([low, high]) % MOST;
    let header = header(nchunks.into());
    let mut tail = chunk(i32::from(nchunks) * 8, 8 * (1 + i32::from(blocksize)), is_split % 2 == 0, streams);
    let offsets = match Offsets::from_tail(&header, &tail) {
        Ok(offsets) => offsets,
        Err(error) => {
            assert!(!error.is_eof(), "the chunk is whole: {error}");
            // Offsets in errors are relative to the start of the frame.
            let end = header.header_len() + tail.len();
            assert!(error.offset().is_none_or(|offset| offset <= end), "{error}");
            return;
        }
    };
    assert_eq!(offsets.len(), u64::from(nchunks));
    assert_eq!(offsets.iter().len(), usize::from(nchunks));
    let mut files: Vec<u64> =
        offsets.iter().filter_map(|offset| if let Offset::At(file) = offset { Some(file) } else { None }).collect();
    let count = files.len();
    files.sort_unstable();
    files.dedup();
    assert_eq!(files.len(), count, "two chunks are one file");
    for length in [0, 15, 31, tail.len() - 1] {
        let error = Offsets::from_tail(&header, &tail[..length]).expect_err("a chunk that is cut off");
        assert!(error.is_eof() && error.needed().is_some_and(|needed| needed <= tail.len() - length), "{length} bytes: {error}");
    }
    tail.extend(b"a trailer");
    assert_eq!(Offsets::from_tail(&header, &tail).as_ref().ok(), Some(&offsets));
});

/// The header of a sparse frame with this number of chunks and room for a long index.
fn header(nchunks: u64) -> Header {
    let sizes = Sizes { typesize: 1, chunksize: 1, blocksize: 1 };
    let mut bytes = Header::new(sizes).and_then(|header| Ok(b2nd::to_vec(&header)?)).expect("sizes of 1");
    // These fields are frame_len, the type of the frame, and nbytes.
    bytes[0x10..0x18].copy_from_slice(&(1u64 << 40).to_be_bytes());
    bytes[0x1a] = 1;
    bytes[0x1e..0x26].copy_from_slice(&nchunks.to_be_bytes());
    Header::from_slice(&bytes).expect("a header with other sizes")
}

/// A chunk with BloscLZ after a byte shuffle of 8-byte elements. Each block is split into 8 streams if `is_split` is true.
fn chunk(nbytes: i32, blocksize: i32, is_split: bool, streams: &[u8]) -> Vec<u8> {
    let mut chunk = vec![5, 1, if is_split { 0x05 } else { 0x15 }, 8];
    chunk.extend(nbytes.to_le_bytes());
    chunk.extend(blocksize.min(nbytes).to_le_bytes());
    chunk.extend((32 + streams.len() as i32).to_le_bytes());
    chunk.extend([0, 0, 0, 0, 0, 1]);
    chunk.extend([0; 10]);
    chunk.extend(streams);
    chunk
}
