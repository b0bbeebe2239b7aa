//! Zstandard, with zrip, which has no `unsafe` code. It is used for untrusted input, and on 32-bit platforms.

use alloc::format;
use std::io::Read;

use zrip::{Dictionary, FrameDecoder};

use super::failed;
use crate::deadline::Deadline;
use crate::error::Result;
use crate::guard::guarded;
use crate::ids::CodecId;

/// Decompresses a stream, and returns the length of the data.
pub(super) fn zstd(dictionary: Option<&[u8]>, stream: &[u8], place: &mut [u8], deadline: Deadline) -> Result<usize> {
    guarded("zrip", || {
        let mut decoder = match dictionary {
            Some(dictionary) => FrameDecoder::with_dict_and_limit(stream, parsed(dictionary)?, place.len()),
            None => FrameDecoder::with_limit(stream, place.len()),
        };
        let mut filled = 0;
        loop {
            deadline.check()?;
            // When the buffer is full, this reads to the end of the stream, because a checksum may follow the data.
            let mut end = [0];
            let room = if filled < place.len() { &mut place[filled..] } else { &mut end[..] };
            match decoder.read(room).map_err(|error| failed(CodecId::Zstd, error))? {
                0 => return Ok(filled),
                read => filled += read,
            }
        }
    })?
}

/// Parses a dictionary. An offset outside of the dictionary's content is an error, as in Zstandard's own decoder.
fn parsed(dictionary: &[u8]) -> Result<Dictionary> {
    let parsed = Dictionary::from_bytes(dictionary).map_err(|error| failed(CodecId::Zstd, error))?;
    let most = parsed.content().len();
    match parsed.rep_offsets().iter().find(|&&offset| usize::try_from(offset).is_ok_and(|offset| offset > most)) {
        Some(offset) => Err(failed(CodecId::Zstd, format!("an offset in the dictionary: expected 1 to {most}, found {offset}"))),
        None => Ok(parsed),
    }
}
