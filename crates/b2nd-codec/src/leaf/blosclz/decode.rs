//! Decompresses a stream of BloscLZ.

use super::FAR;
use crate::deadline::{Deadline, PACE};
use crate::error::{Error, Result};
use crate::streams::refused;

/// Up to this many literals are copied in one step, if at least this many bytes are left in the output and in the stream. So is a match of
/// up to this many bytes, if its distance is at least this number, and at least this many bytes are left in the output.
const WIDE: usize = 32;

/// For each distance from 1 to 7, its smallest multiple that is at least 8. A match with the distance `d` repeats every `d` bytes, and so
/// also every `ROUND[d]` bytes. It can therefore be copied from `ROUND[d]` bytes back, 8 bytes at a time. The entries for the distances 0
/// and 1 are not used.
const ROUND: [usize; 8] = [0, 8, 8, 9, 8, 10, 12, 14];

/// Decompresses a stream, which must fill `output`, and returns the length of `output`. With `is_front`, decompression stops when the
/// output is full.
///
/// # Errors
///
/// Fails if the stream ends early, has too few or too many bytes for the output, or refers to bytes before the start of the output, or the
/// deadline has passed. Offsets in errors count from the start of the stream.
pub(crate) fn expand(stream: &[u8], output: &mut [u8], is_front: bool, deadline: Deadline) -> Result<usize> {
    let mut input = Input { bytes: stream, at: 0 };
    // The position in the output at which the deadline is checked next, when a match is copied. It is not checked for literals, which are
    // fast, since they have the same length in the stream and in the output.
    let (mut filled, mut pause) = (0, output.len().min(PACE));
    // The upper 3 bits of the first byte are a marker, which C-Blosc2 ignores too.
    let mut control = usize::from(input.byte()? & 31);
    loop {
        let start = input.at - 1;
        if control < 32 {
            let length = control + 1;
            match (stream.get(input.at..).and_then(<[u8]>::first_chunk::<WIDE>), wide(output, filled)) {
                // This copies a fixed number of bytes, which may be too many. Later steps overwrite the surplus.
                (Some(literals), Some(place)) => {
                    *place = *literals;
                    input.at += length;
                }
                _ => {
                    let room = output.len().saturating_sub(filled);
                    if length > room && !is_front {
                        return Err(too_long(start));
                    }
                    let place = &mut output[filled..][..length.min(room)];
                    place.copy_from_slice(input.take(place.len())?);
                    if length > room {
                        return Ok(filled + room);
                    }
                }
            }
            filled += length;
        } else {
            let (length, distance) = input.read_match(control)?;
            let mut fits = length;
            if filled + length > pause {
                deadline.check()?;
                pause = output.len().min(filled + length + PACE);
                fits = length.min(output.len() - filled);
                if fits < length && !is_front {
                    return Err(too_long(start));
                }
            }
            if !copy_match(output, filled, distance, fits) {
                return Err(refused("the data so far is shorter than the distance of the match", start));
            }
            filled += fits;
            if fits < length {
                return Ok(filled);
            }
        }
        if input.at == stream.len() {
            let short = || alloc::format!("the stream has {filled} of {} expected bytes of data", output.len());
            return if filled == output.len() { Ok(filled) } else { Err(refused(&short(), input.at)) };
        }
        control = input.byte()?.into();
    }
}

/// Returns the next `WIDE` bytes of the output, which start at `filled`, or `None` if fewer bytes are left.
#[inline(always)]
fn wide(output: &mut [u8], filled: usize) -> Option<&mut [u8; WIDE]> {
    output.get_mut(filled..)?.first_chunk_mut()
}

/// Copies a match of `length` bytes to position `filled` of `output`. The source starts `distance` bytes before this position, and may
/// overlap the match. Bytes after the match may be overwritten too. Returns false if `distance` is 0, or if the source or the match is not
/// inside `output`.
#[inline]
pub(crate) fn copy_match(output: &mut [u8], filled: usize, distance: usize, length: usize) -> bool {
    let Some(from) = filled.checked_sub(distance) else { return false };
    let Some(end) = filled.checked_add(length).filter(|&end| end <= output.len()) else { return false };
    if distance >= WIDE && length <= WIDE {
        let piece = output.get(from..).and_then(<[u8]>::first_chunk::<WIDE>).copied();
        if let (Some(piece), Some(place)) = (piece, wide(output, filled)) {
            *place = piece;
            return true;
        }
    }
    match distance {
        0 => return false,
        1 => {
            let byte = output[from];
            output[filled..end].fill(byte);
        }
        2..WIDE if output.len() - end >= 16 => match distance {
            2..8 => {
                let area = &mut output[from..];
                repeat(area, distance);
                copy_steps::<8>(area, ROUND[distance], distance + 8, end - from);
            }
            8..16 => copy_steps::<8>(&mut output[from..], distance, distance, end - from),
            _ => copy_steps::<16>(&mut output[from..], distance, distance, end - from),
        },
        _ => {
            // Each copied piece makes more bytes available for the next copy.
            let mut at = filled;
            while at < end {
                let piece = (at - from).min(end - at);
                output.copy_within(from..from + piece, at);
                at += piece;
            }
        }
    }
    true
}

/// Fills the 8 bytes after the first `distance` bytes (fewer than 8) with copies of these `distance` bytes.
#[inline(always)]
fn repeat(area: &mut [u8], distance: usize) {
    let bits = 8 * distance;
    let mut word = [0; 8];
    word.copy_from_slice(&area[..8]);
    let mut word = u64::from_le_bytes(word) & ((1 << bits) - 1);
    word |= word << bits;
    if bits < 32 {
        word |= word << (2 * bits);
    }
    area[distance..distance + 8].copy_from_slice(&word.to_le_bytes());
}

/// Fills `area` from position `at` to position `end`, in steps of `N` bytes. Each byte is a copy of the byte that is `back` positions
/// before it. `back` must be at least `N`. The last step may write bytes after `end`.
#[inline(always)]
fn copy_steps<const N: usize>(area: &mut [u8], back: usize, mut at: usize, end: usize) {
    let mut piece = [0; N];
    while at < end {
        piece.copy_from_slice(&area[at - back..at - back + N]);
        area[at..at + N].copy_from_slice(&piece);
        at += N;
    }
}

#[cold]
fn too_long(at: usize) -> Error {
    refused("the stream has more data than expected", at)
}

/// The bytes of a stream, and the position of the next byte.
struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at + length).ok_or_else(|| refused("the stream ends too early", self.at))?;
        self.at += length;
        Ok(taken)
    }

    #[inline(always)]
    fn byte(&mut self) -> Result<u8> {
        let byte = *self.bytes.get(self.at).ok_or_else(|| refused("the stream ends too early", self.at))?;
        self.at += 1;
        Ok(byte)
    }

    /// Reads the length and the distance of a match.
    #[inline(always)]
    fn read_match(&mut self, control: usize) -> Result<(usize, usize)> {
        let mut length = (control >> 5) + 2;
        if control >> 5 == 7 {
            loop {
                let more = self.byte()?;
                length += usize::from(more);
                if more != 255 {
                    break;
                }
            }
        }
        let distance = match (control & 31, self.byte()?) {
            (31, 255) => FAR + usize::from(u16::from_be_bytes([self.byte()?, self.byte()?])),
            (high, low) => high << 8 | usize::from(low),
        };
        Ok((length, distance + 1))
    }
}
