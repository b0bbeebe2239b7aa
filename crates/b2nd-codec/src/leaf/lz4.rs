//! LZ4's block format. The crate lz4_flex is not used, because it needs many small copies for a match that overlaps its own output.
//! Shuffled data has many such matches.

use super::blosclz::decode::copy_match;
use crate::deadline::{Deadline, PACE};
use crate::error::Result;
use crate::ids::CodecId;

use super::failed;

mod encode;
mod hc;

pub(super) use encode::Places;
pub(super) use hc::Chains;

/// The length of the shortest match.
const SHORTEST: usize = 4;

/// Up to this many literals are copied in one step, if input and output both have that many bytes left.
const WIDE: usize = 16;

/// The matches of short sequences are copied in steps of this many bytes. A match with a smaller distance cannot be copied in such steps,
/// since its bytes repeat within a step.
const NARROW: usize = 8;

/// A short sequence is decompressed in one step only if at least this many bytes are left in the stream, since the step may read more bytes
/// than the sequence has.
const STREAM: usize = 32;

/// A short sequence is decompressed in one step only if at least this many bytes are left in the output, since the step may write more
/// bytes than the sequence has.
const OUTPUT: usize = 64;

/// Decompresses a stream to `output`, and returns the length of the data. With `is_front`, decompression stops when the output is full.
pub(super) fn expand(
    dictionary: Option<&[u8]>,
    stream: &[u8],
    output: &mut [u8],
    is_front: bool,
    deadline: Deadline,
) -> Result<usize> {
    let Some(dictionary) = dictionary else { return expand_after(0, stream, output, is_front, deadline) };
    let mut both = dictionary.to_vec();
    both.try_reserve_exact(output.len()).map_err(|_| crate::Error::out_of_memory(output.len()))?;
    both.resize(dictionary.len() + output.len(), 0);
    let end = expand_after(dictionary.len(), stream, &mut both, is_front, deadline)?;
    output.copy_from_slice(&both[dictionary.len()..]);
    Ok(end - dictionary.len())
}

/// Decompresses a stream to `output`, starting at position `filled`. Matches may refer to the bytes before this position. Returns the
/// position in `output` at which the decompressed data ends.
fn expand_after(mut filled: usize, stream: &[u8], output: &mut [u8], is_front: bool, deadline: Deadline) -> Result<usize> {
    let ends = || failed(CodecId::Lz4, "the stream ends too early");
    let too_long = || failed(CodecId::Lz4, "the stream has more data than expected");
    let mut at = 0;
    // The end of the part of the stream that is decompressed before the deadline is checked again. The inner loop need not check the
    // deadline: a short sequence fills at most six bytes for each byte of the stream.
    let mut pause = 0;
    loop {
        if at + STREAM > pause {
            deadline.check()?;
            pause = stream.len().min(at + PACE / 8);
        }
        let part = stream.get(..pause).unwrap_or_default();
        while let Some((taken, written)) = short(part.get(at..).unwrap_or_default(), output, filled) {
            at += taken;
            filled += written;
        }
        let token = usize::from(*stream.get(at).ok_or_else(ends)?);
        at += 1;
        let mut literals = token >> 4;
        if literals == 15 {
            literals += more(stream, &mut at).ok_or_else(ends)?;
        }
        let (from, to) = (stream.get(at..).ok_or_else(ends)?, output.get_mut(filled..).ok_or_else(too_long)?);
        match (from.first_chunk::<WIDE>(), to.first_chunk_mut::<WIDE>()) {
            // This copies a fixed number of bytes, which may be too many. Later steps overwrite the surplus.
            (Some(from), Some(to)) if literals <= WIDE => *to = *from,
            _ => {
                let room = to.len();
                if literals > room && !is_front {
                    return Err(too_long());
                }
                let from = from.get(..literals.min(room)).ok_or_else(ends)?;
                to[..from.len()].copy_from_slice(from);
                if literals > room {
                    return Ok(filled + room);
                }
            }
        }
        at += literals;
        filled += literals;
        if at == stream.len() {
            return Ok(filled);
        }
        let distance = stream.get(at..).and_then(|stream| stream.first_chunk()).ok_or_else(ends)?;
        let distance = usize::from(u16::from_le_bytes(*distance));
        at += 2;
        let mut length = (token & 15) + SHORTEST;
        if token & 15 == 15 {
            length += more(stream, &mut at).ok_or_else(ends)?;
        }
        let room = output.len().saturating_sub(filled);
        let is_cut = is_front && length > room;
        if !copy_match(output, filled, distance, if is_cut { room } else { length }) {
            return Err(failed(CodecId::Lz4, format_args!("a match of {length} bytes at distance {distance} is not valid")));
        }
        if is_cut {
            return Ok(filled + room);
        }
        filled += length;
    }
}

/// Decompresses a sequence (literals, then a match) if the sequence is short: both lengths fit the token, the match has a distance of at
/// least 8, and the sequence is far from the ends of the stream and the output. Returns the numbers of bytes read and written, or `None` if
/// the sequence is not short or not valid.
#[inline(always)]
fn short(stream: &[u8], output: &mut [u8], filled: usize) -> Option<(usize, usize)> {
    let sequence = stream.first_chunk::<STREAM>()?;
    let (literals, length) = (usize::from(sequence[0] >> 4), usize::from(sequence[0] & 15));
    let distance = usize::from(u16::from_le_bytes([sequence[1 + literals], sequence[2 + literals]]));
    if literals == 15 || length == 15 || distance < NARROW {
        return None;
    }
    let from = (filled + literals).checked_sub(distance)?;
    let place = output.get_mut(filled..)?.first_chunk_mut::<OUTPUT>()?;
    place[..WIDE].copy_from_slice(&sequence[1..=WIDE]);
    for step in [0, NARROW, 2 * NARROW] {
        let piece: [u8; NARROW] = *output.get(from + step..)?.first_chunk()?;
        let place = output.get_mut(filled..)?.first_chunk_mut::<OUTPUT>()?;
        place[literals + step..][..NARROW].copy_from_slice(&piece);
    }
    Some((3 + literals, literals + length + SHORTEST))
}

/// Reads the rest of a length: the sum of any number of bytes with the value 255 and of a smaller byte. Returns `None` if the stream ends
/// early.
fn more(stream: &[u8], at: &mut usize) -> Option<usize> {
    let mut length = 0_usize;
    loop {
        let byte = *stream.get(*at)?;
        *at += 1;
        length = length.checked_add(byte.into())?;
        if byte != 255 {
            return Some(length);
        }
    }
}
