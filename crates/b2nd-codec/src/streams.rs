//! Reads the streams of a block, with any codec.
//!
//! ```text
//! chunk:  header | start of each block (int32) | blocks
//! block:  a stream for each byte of an element, or one for all of them
//! stream: length (int32), bytes
//! ```

use crate::error::{Error, Result};
use crate::header::ChunkHeader;

/// The bit that marks a run, a stream whose bytes are all equal. It is in the token, the byte after the stream's negative length.
const IS_RUN: u8 = 0x01;

/// Returns the position in the chunk at which a block starts, according to the block table. `front` is the whole chunk, or its first bytes
/// up to the end of the table. Returns `None` if `front` ends before the block's entry, or the block starts outside the chunk.
pub(crate) fn block_start(header: &ChunkHeader, front: &[u8], block: usize) -> Option<usize> {
    let at = header.header_len().saturating_add(block.saturating_mul(4));
    let (start, _) = int32(front, at).ok()?;
    usize::try_from(start).ok().filter(|&start| start < header.cbytes())
}

/// Returns the number of streams of a block whose data has this length.
pub(crate) fn stream_count(header: &ChunkHeader, length: usize) -> usize {
    // A shorter block at the end of a chunk is never split.
    if header.is_split() && length == header.blocksize() { header.typesize() } else { 1 }
}

/// Reads the streams of a block. Their data must fill `block` exactly. `expand` decompresses a stream.
///
/// Only the first `needed` bytes of the data of each stream have to be decompressed.
///
/// # Errors
///
/// Fails if the block's length is not a multiple of the number of streams, a stream is cut off, a run is not valid, or `expand` fails.
/// Offsets in errors count from the start of `bytes`.
pub(crate) fn read_streams(
    bytes: &[u8],
    block: &mut [u8],
    streams: usize,
    needed: usize,
    mut expand: impl FnMut(&[u8], &mut [u8]) -> Result<()>,
) -> Result<()> {
    let (streams, mut at) = (streams.max(1), 0);
    if block.len() % streams != 0 {
        let why = alloc::format!("a block of {} bytes cannot be divided into {streams} equal streams", block.len());
        return Err(refused(&why, at));
    }
    let length = (block.len() / streams).max(1);
    for stream in block.chunks_mut(length) {
        let start = at;
        let (length, rest) = int32(bytes, at)?;
        at += 4;
        let Ok(stored) = usize::try_from(length) else {
            // A negative length marks a run: it is the value of the repeated byte with the sign changed, and a token follows it.
            let byte = u8::try_from(length.unsigned_abs())
                .map_err(|_| refused(&alloc::format!("the value of a run: expected -255 to 0, found {length}"), start))?;
            let token = rest.first().ok_or_else(|| cut_off(at))?;
            if token & IS_RUN == 0 {
                return Err(refused(&alloc::format!("the token of a run: expected bit 0 to be set, found {token:#04x}"), at));
            }
            at += 1;
            let needed = needed.min(stream.len());
            stream[..needed].fill(byte);
            continue;
        };
        let content = rest.get(..stored).ok_or_else(|| cut_off(at))?;
        let needed = needed.min(stream.len());
        match stored {
            0 => stream[..needed].fill(0),
            _ if stored == stream.len() => stream[..needed].copy_from_slice(&content[..needed]),
            _ => expand(content, stream).map_err(|error| error.shifted(at))?,
        }
        at += stored;
    }
    Ok(())
}

/// Returns the number at this position, and the bytes that follow it.
pub(crate) fn int32(bytes: &[u8], at: usize) -> Result<(i32, &[u8])> {
    let number = bytes.get(at..).and_then(|bytes| bytes.split_first_chunk());
    number.map(|(number, rest)| (i32::from_le_bytes(*number), rest)).ok_or_else(|| cut_off(at))
}

#[cold]
fn cut_off(at: usize) -> Error {
    refused("the block ends too early", at)
}

#[cold]
pub(crate) fn refused(what: &str, at: usize) -> Error {
    Error::custom(what).at(at)
}
