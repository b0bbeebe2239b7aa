//! Compresses to LZ4's block format. At a position, only the newest earlier position with the same hash is tried. While the search
//! finds no match, its steps get longer.
//!
//! For data of at least 256 bytes, tables, hashes and steps are the same as in `LZ4_compress_fast`, so the streams are equal. A test in
//! `tests/c-blosc2` compares them.

use alloc::vec::Vec;

use super::SHORTEST;
use crate::leaf::blosclz::encode::common;

/// The number of bytes at the end of the data that must be literals.
pub(super) const LAST_LITERALS: usize = 5;

/// A match starts at least this number of bytes before the end of the data.
pub(super) const LAST_MATCH: usize = 12;

/// The longest distance of a match.
pub(super) const WINDOW: usize = 0xffff;

/// The number of entries in the hash table for data of less than 256 bytes.
const FEW: usize = 1 << 9;

/// The number of entries in the hash table for data of 256 to [`LONGEST_NEAR`] bytes.
const NEAR: usize = 1 << 13;

/// The number of entries in the hash table for longer data.
const FAR: usize = 1 << 12;

/// The maximum length of data for which the hash table stores positions in 16 bits.
const LONGEST_NEAR: usize = WINDOW + LAST_MATCH - 1;

/// The length of the search's steps is a fixed-point number with this number of fractional bits.
const FRACTION: u32 = 6;

/// At most 14 literals, whose number fits the token, are copied by one copy of 16 bytes. Bytes that are written later overwrite the
/// surplus, or it lies after the end of the stream.
const WIDE: usize = 16;

/// The hash tables, which contain the newest position of each hash: `near` for data of at most [`LONGEST_NEAR`] bytes, `far`
/// for longer data.
#[derive(Default)]
pub(in crate::leaf) struct Places {
    near: Vec<u16>,
    far: Vec<u32>,
}

impl Places {
    /// Compresses bytes, and returns the length of the stream, or `None` if it does not fit into `out`. A higher acceleration is faster and
    /// compresses less.
    pub(in crate::leaf) fn pack(&mut self, bytes: &[u8], acceleration: usize, out: &mut [u8]) -> Option<usize> {
        match bytes.len() {
            0..256 => pack(bytes, acceleration, out, newest::<_, FEW>(&mut self.near, |at| at as u16)?),
            256..=LONGEST_NEAR => pack(bytes, acceleration, out, newest::<_, NEAR>(&mut self.near, |at| at as u16)?),
            _ => pack(bytes, acceleration, out, newest::<_, FAR>(&mut self.far, |at| at as u32)?),
        }
    }
}

/// Clears a table, and returns a function that looks up words in it. The function returns the last position of a word with the same hash (0
/// if there is none), and replaces it in the table by the position of the given word. The hash is computed from the first four bytes of the
/// word, or from the first five for long data.
#[inline(always)]
fn newest<P, const ENTRIES: usize>(table: &mut Vec<P>, narrow: fn(usize) -> P) -> Option<impl FnMut(u64, usize) -> usize>
where
    P: Copy + Default + Into<u32>,
{
    table.resize(table.len().max(ENTRIES), P::default());
    let table = table.first_chunk_mut::<ENTRIES>()?;
    table.fill(P::default());
    Some(move |word: u64, at: usize| {
        let hash = if ENTRIES == FAR {
            (word << 24).wrapping_mul(0xcf_1bbc_dcbb) >> (u64::BITS - FAR.ilog2())
        } else {
            u64::from((word as u32).wrapping_mul(0x9e37_79b1) >> (u32::BITS - ENTRIES.ilog2()))
        };
        core::mem::replace(&mut table[hash as usize % ENTRIES], narrow(at)).into() as usize
    })
}

fn pack(bytes: &[u8], acceleration: usize, out: &mut [u8], mut newest: impl FnMut(u64, usize) -> usize) -> Option<usize> {
    let (mut written, mut filled) = (0, 0);
    if bytes.len() > LAST_MATCH {
        // The end of the positions at which a match may start.
        let limit = bytes.len() - LAST_MATCH + 1;
        let end = bytes.len() - LAST_LITERALS;
        // No match can start at the first byte.
        let mut at = 1;
        'search: loop {
            let mut tries = acceleration << FRACTION;
            let mut step = 1;
            let mut from;
            loop {
                if at + step > limit {
                    break 'search;
                }
                let here = word(bytes, at)?;
                from = newest(here, at);
                if at - from <= WINDOW && word32(bytes, from)? == here as u32 {
                    break;
                }
                at += step;
                step = tries >> FRACTION;
                tries += 1;
            }
            // Extend the match backwards, to bytes before it that are equal too.
            let mut literals = at - written - equal_before(bytes, at, from, at - written);
            loop {
                let start = written + literals;
                let distance = at - from;
                at += SHORTEST + equal_after(bytes.get(..end)?, at + SHORTEST, from + SHORTEST);
                filled = put(out, filled, bytes.get(written..)?, literals, distance, at - start)?;
                written = at;
                if at >= limit {
                    break 'search;
                }
                newest(word(bytes, at - 2)?, at - 2);
                let here = word(bytes, at)?;
                from = newest(here, at);
                if at - from > WINDOW || word32(bytes, from)? != here as u32 {
                    break;
                }
                literals = 0;
            }
            at += 1;
        }
    }
    put_last(out, filled, bytes.get(written..)?)
}

#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|word| u64::from_le_bytes(*word))
}

#[inline(always)]
fn word32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word))
}

/// Returns the number of equal bytes before two positions, at most `most`.
///
/// The processor cannot predict how many bytes are equal, so the nearest eight bytes are compared without branches. [`equal_after`] does
/// the same with the first 16.
#[inline(always)]
fn equal_before(bytes: &[u8], at: usize, from: usize, most: usize) -> usize {
    match (bytes[..at].last_chunk(), bytes[..from].last_chunk()) {
        (Some(one), Some(other)) if one != other => {
            let difference = u64::from_le_bytes(*one) ^ u64::from_le_bytes(*other);
            most.min(difference.leading_zeros() as usize / 8)
        }
        _ => {
            let before = bytes[at - most..at].iter().rev().zip(bytes[..from].iter().rev());
            before.take_while(|(one, other)| one == other).count()
        }
    }
}

/// Returns the number of equal bytes at and after two positions.
#[inline(always)]
fn equal_after(bytes: &[u8], at: usize, from: usize) -> usize {
    let words = |at: usize| {
        let both = bytes.get(at..)?.first_chunk::<16>()?;
        Some([word(both, 0)?, word(both, 8)?])
    };
    if let (Some(one), Some(other)) = (words(at), words(from)) {
        let (low, high) = (one[0] ^ other[0], one[1] ^ other[1]);
        if low | high != 0 {
            return (u128::from(low) | u128::from(high) << 64).trailing_zeros() as usize / 8;
        }
    }
    common(&bytes[at..], &bytes[from..])
}

/// Appends the literals at the end of a stream. Returns the stream's length, or `None` if `out` is too short.
pub(super) fn put_last(out: &mut [u8], at: usize, literals: &[u8]) -> Option<usize> {
    let at = put_token(out, at, literals.len(), 0)?;
    let end = at + literals.len();
    out.get_mut(at..end)?.copy_from_slice(literals);
    Some(end)
}

/// Appends the first `literals` bytes of `from`, and a match. Returns the position after the match, or `None` if `out` is too short.
#[inline(always)]
pub(super) fn put(out: &mut [u8], at: usize, from: &[u8], literals: usize, distance: usize, length: usize) -> Option<usize> {
    let more = length - SHORTEST;
    let distance = (distance as u16).to_le_bytes();
    let end = match (out.get_mut(at..at + WIDE + 4), from.first_chunk::<WIDE>()) {
        // This copies a fixed number of bytes, which may be too many (see `WIDE`).
        (Some(place), Some(from)) if literals < 15 => {
            place[0] = (literals << 4 | more.min(15)) as u8;
            place[1..=WIDE].copy_from_slice(from);
            place[1 + literals..3 + literals].copy_from_slice(&distance);
            at + 1 + literals
        }
        _ => {
            let at = put_token(out, at, literals, more)?;
            let end = at + literals;
            out.get_mut(at..end)?.copy_from_slice(from.get(..literals)?);
            out.get_mut(end..end + 2)?.copy_from_slice(&distance);
            end
        }
    };
    put_rest(out, end + 2, more)
}

/// Appends a token, and the rest of the number of literals if it does not fit the token. `more` is the match's length minus 4.
#[inline(always)]
fn put_token(out: &mut [u8], at: usize, literals: usize, more: usize) -> Option<usize> {
    *out.get_mut(at)? = (literals.min(15) << 4 | more.min(15)) as u8;
    put_rest(out, at + 1, literals)
}

/// Appends the rest of a length, if it does not fit the token.
#[inline(always)]
fn put_rest(out: &mut [u8], mut at: usize, length: usize) -> Option<usize> {
    let Some(mut rest) = length.checked_sub(15) else { return Some(at) };
    // The rest usually takes one byte, for which `fill` would be slow.
    while rest >= 255 {
        *out.get_mut(at)? = 255;
        at += 1;
        rest -= 255;
    }
    *out.get_mut(at)? = rest as u8;
    Some(at + 1)
}
