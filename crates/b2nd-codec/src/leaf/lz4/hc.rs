//! LZ4HC: LZ4 with a longer search. At a position, it tries several earlier positions with the same hash of four bytes. The maximum number
//! of tries depends on the level.

use alloc::vec::Vec;

use super::SHORTEST;
use super::encode::{LAST_LITERALS, LAST_MATCH, WINDOW, put, put_last};
use crate::leaf::blosclz::encode::common;

const HASH_BITS: u32 = 15;

/// A match of at least this many bytes is used without searching for a longer one.
const ENOUGH: usize = 1 << 12;

/// The positions of each hash. `last` has the last position of each hash, and `before` has for each of the last 65,536 positions the
/// previous one with the same hash. In both, positions count from 1, and 0 means that there is none.
#[derive(Default)]
pub(in crate::leaf) struct Chains {
    last: Vec<u32>,
    before: Vec<u32>,
    /// The next position to be added, counted from 0.
    next: usize,
}

/// A match: its length, and the earlier position from which it is copied.
type Match = (usize, usize);

impl Chains {
    /// Compresses `bytes`, which must be shorter than 4 GiB, and returns the length of the stream, or `None` if it does not fit into `out`.
    pub(in crate::leaf) fn pack(&mut self, level: u8, bytes: &[u8], out: &mut [u8]) -> Option<usize> {
        self.last.clear();
        self.last.resize(1 << HASH_BITS, 0);
        self.before.clear();
        self.before.resize(WINDOW + 1, 0);
        self.next = 0;
        let tries = 1_usize << level.clamp(1, 9);
        let limit = bytes.len().saturating_sub(LAST_MATCH);
        let (mut at, mut written, mut filled) = (0, 0, 0);
        while at < limit {
            let mut found = self.longest(bytes, at, tries);
            if found.0 < SHORTEST {
                at += 1;
                continue;
            }
            // Prefer a longer match that starts one byte later.
            while found.0 < ENOUGH && at + 1 < limit {
                let later = self.longest(bytes, at + 1, tries);
                if later.0 <= found.0 {
                    break;
                }
                (found, at) = (later, at + 1);
            }
            // Prefer a longer match that contains the end of this one and starts at most three bytes later. Looking for it at the end finds
            // matches whose first bytes have a different hash.
            while found.0 < ENOUGH && at + found.0 < limit {
                let end = at + found.0 - 2;
                let (length, from) = self.longest(bytes, end, tries);
                let back = (0..(end - at).min(from)).take_while(|&back| bytes[end - back - 1] == bytes[from - back - 1]).count();
                if length < SHORTEST || end - back >= at + SHORTEST || length + back <= found.0 {
                    break;
                }
                (found, at) = ((length + back, from - back), end - back);
            }
            let (length, from) = found;
            filled = put(out, filled, bytes.get(written..)?, at - written, at - from, length)?;
            at += length;
            written = at;
        }
        put_last(out, filled, bytes.get(written..)?)
    }

    /// Returns the longest match for the bytes at position `at`, or the first one of at least [`ENOUGH`] bytes. It is searched at the last
    /// `tries` positions with the same hash. The returned length is 0 if there is no match.
    fn longest(&mut self, bytes: &[u8], at: usize, tries: usize) -> Match {
        while self.next < at {
            if let Some(last) = hash(bytes, self.next).and_then(|hash| self.last.get_mut(hash)) {
                let entered = u32::try_from(self.next + 1).unwrap_or(0);
                let earlier = core::mem::replace(last, entered);
                if let Some(before) = self.before.get_mut(self.next & WINDOW) {
                    *before = earlier;
                }
            }
            self.next += 1;
        }
        let end = bytes.len().saturating_sub(LAST_LITERALS);
        let (Some(here), Some(hash)) = (bytes.get(at..end), hash(bytes, at)) else { return (0, 0) };
        let mut best = (0, 0);
        let mut place = self.last.get(hash).copied().unwrap_or(0);
        for _ in 0..tries {
            let from = (place as usize).wrapping_sub(1);
            if place == 0 || from >= at || at - from > WINDOW {
                break;
            }
            // A match can be longer than the best match so far only if the byte after the best length is equal too.
            if bytes.get(from + best.0) == here.get(best.0) {
                let length = common(here, bytes.get(from..).unwrap_or_default());
                if length > best.0 {
                    best = (length, from);
                    if length >= ENOUGH || length == here.len() {
                        break;
                    }
                }
            }
            place = self.before.get(from & WINDOW).copied().unwrap_or(0);
        }
        best
    }
}

fn hash(bytes: &[u8], at: usize) -> Option<usize> {
    let next = u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
    usize::try_from(next.wrapping_mul(0x9e37_79b1) >> (u32::BITS - HASH_BITS)).ok()
}
