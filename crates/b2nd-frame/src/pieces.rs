//! [`Pieces`]: a source that holds only the parts that were fetched.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::cell::Lock;
use crate::error::{Error, ErrorKind, Result};
use crate::source::{Source, ends, slice, zeros};

/// A [`Source`] that holds only the fetched parts of a file, for programs that fetch bytes in their own way, for example asynchronously.
///
/// Reading bytes that have not been fetched fails with [`ErrorKind::Missing`], and `Pieces` records the missing ranges. Call
/// [`take_missing`](Pieces::take_missing) to get these ranges, fetch them, add their bytes with [`put`](Pieces::put) or report an error
/// with [`fail`](Pieces::fail), and try the read again.
///
/// ```
/// use b2nd_frame::{Frame, Pieces};
///
/// let remote = std::fs::read("../../tests/data/example.b2nd")?;
/// let pieces = Pieces::with_len(remote.len() as u64);
/// let mut fetched = Vec::new();
/// let nvlmetalayers = loop {
///     let read = Frame::open(&pieces).and_then(|frame| Ok(frame.trailer()?.vlmetalayers().len()));
///     let missing = pieces.take_missing(4096);
///     if missing.is_empty() {
///         break read?;
///     }
///     for range in missing {
///         pieces.put(range.clone(), remote[range.start as usize..range.end as usize].to_vec())?;
///         fetched.push(range);
///     }
/// };
/// assert_eq!(nvlmetalayers, 3);
/// assert_eq!(fetched, [0..4096, 4096..4794]);
/// # Ok::<(), b2nd_frame::Error>(())
/// ```
///
/// All methods take `&self`. With the feature `std`, several threads can read while another thread adds bytes.
#[derive(Default, Debug)]
pub struct Pieces(Lock<Held>);

#[derive(Default, Debug)]
struct Held {
    length: Option<u64>,
    /// The pieces that were fetched, by the position of their first byte. No piece lies inside another piece.
    pieces: BTreeMap<u64, Vec<u8>>,
    /// The ranges that could not be fetched, by start and end, with their errors.
    failed: BTreeMap<(u64, u64), String>,
    missing: Vec<Range<u64>>,
}

impl Pieces {
    /// Creates a source of `length` bytes without pieces.
    #[must_use]
    pub fn with_len(length: u64) -> Pieces {
        let pieces = Pieces::default();
        pieces.0.with(|held| held.length = Some(length));
        pieces
    }

    /// Sets the length of the source. If the length is known already, checks that both lengths are the same. Call this with the length in
    /// each response of a server, to notice if the file's length changes.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Changed`] if another length is known already, or if bytes after this length have been added.
    pub fn set_len(&self, length: u64) -> Result<()> {
        self.0.with(|held| held.set_len(length))
    }

    /// Adds the bytes that were fetched for a range. If `bytes` is shorter than the range, this means that the source ends after these
    /// bytes. If `bytes` is empty, the source may also end before the range. So unless the length is known or the bytes directly before the
    /// range have been added, the length is not set, and reading the range fails. If `bytes` is longer than the range, the additional bytes
    /// are kept too.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Changed`] if the end of these bytes contradicts the known length of the source or bytes that were added before.
    pub fn put(&self, range: Range<u64>, bytes: Vec<u8>) -> Result<()> {
        self.0.with(|held| held.put(range, bytes))
    }

    /// Records that a range could not be fetched. A read then fails with `message`, or with that of another such range, if it needs bytes
    /// of this range that have not been added.
    pub fn fail(&self, range: Range<u64>, message: impl Into<String>) {
        self.0.with(|held| held.failed.insert((range.start, range.end), message.into()));
    }

    /// Returns the total number of bytes that `Pieces` holds.
    pub fn held(&self) -> u64 {
        self.0.with(|held| held.pieces.values().map(|piece| piece.len() as u64).sum())
    }

    /// Removes all bytes, failed ranges and missing ranges, but keeps the length.
    pub fn clear(&self) {
        self.0.with(|held| *held = Held { length: held.length, ..Held::default() });
    }

    /// Returns the missing ranges that were recorded since the last call, in ascending order. Ranges with at most `gap` bytes between them
    /// are merged.
    pub fn take_missing(&self, gap: u64) -> Vec<Range<u64>> {
        join(self.0.with(|held| core::mem::take(&mut held.missing)), gap)
    }
}

impl Held {
    fn set_len(&mut self, length: u64) -> Result<()> {
        if self.length.is_some_and(|known| known != length) || self.end() > length {
            return Err(Error::new(ErrorKind::Changed));
        }
        self.length = Some(length);
        Ok(())
    }

    fn put(&mut self, range: Range<u64>, bytes: Vec<u8>) -> Result<()> {
        let end = range.start.saturating_add(bytes.len() as u64);
        if end < range.end && self.length.is_none_or(|length| end < range.end.min(length)) {
            // An empty response means that the source ends at or before the start of the range, so its length is still unknown.
            if bytes.is_empty() && self.length.is_none() && range.start > self.end() {
                let message = format!("the source ends before byte {}", range.start);
                self.failed.insert((range.start, range.end), message);
                return Ok(());
            }
            self.set_len(end)?;
        }
        if self.length.is_some_and(|length| end > length) {
            return Err(Error::new(ErrorKind::Changed));
        }
        let fetched = range.start..end;
        if bytes.is_empty() || self.gaps(&fetched).is_empty() {
            return Ok(());
        }
        let inside = |(&start, piece): (&u64, &Vec<u8>)| (start + piece.len() as u64 <= end).then_some(start);
        let covered: Vec<u64> = self.pieces.range(fetched).filter_map(inside).collect();
        for start in covered {
            self.pieces.remove(&start);
        }
        self.pieces.insert(range.start, bytes);
        Ok(())
    }

    /// Returns the end of the piece that ends last, or 0 if there are no pieces.
    fn end(&self) -> u64 {
        self.pieces.iter().map(|(start, piece)| start + piece.len() as u64).max().unwrap_or(0)
    }

    /// Returns the parts of a range that the pieces hold, each with its position in the source, in ascending order.
    fn parts(&self, range: Range<u64>) -> impl Iterator<Item = (u64, &[u8])> {
        let before = self.pieces.range(..=range.start).next_back().map_or(range.start, |(start, _)| *start);
        let pieces = self.pieces.range(before..range.end.max(before));
        pieces.map(move |(&start, piece)| {
            let from = range.start.max(start);
            (from, slice(piece, from - start..range.end.saturating_sub(start)))
        })
    }

    /// Truncates a range at the end of the source, if the length of the source is known.
    fn inside(&self, range: Range<u64>) -> Range<u64> {
        let end = self.length.map_or(range.end, |length| range.end.min(length));
        range.start.min(end)..end
    }

    /// Returns the parts of a range that no piece holds, in ascending order.
    fn gaps(&self, range: &Range<u64>) -> Vec<Range<u64>> {
        let (mut gaps, mut at) = (Vec::new(), range.start);
        for (start, part) in self.parts(range.clone()) {
            if start > at {
                gaps.push(at..start);
            }
            at = at.max(start.saturating_add(part.len() as u64));
        }
        if at < range.end {
            gaps.push(at..range.end);
        }
        gaps
    }

    /// Checks that the pieces hold all bytes of a range. If not, returns an error, and records the missing ranges unless one of them could
    /// not be fetched.
    fn check(&mut self, range: &Range<u64>) -> Result<()> {
        let gaps = self.gaps(range);
        if gaps.is_empty() {
            return Ok(());
        }
        let failed = |gap: &Range<u64>| self.failed.range(..(gap.end, 0)).find(|((_, end), _)| *end > gap.start);
        if let Some((_, message)) = gaps.iter().find_map(failed) {
            return Err(Error::custom(message));
        }
        self.missing.extend(gaps);
        Err(Error::new(ErrorKind::Missing { start: range.start, end: range.end }))
    }

    /// Copies the bytes of a range into a buffer. [`check`](Held::check) must have accepted the range before.
    fn copy(&self, range: Range<u64>, buffer: &mut [u8]) {
        for (start, part) in self.parts(range.clone()) {
            let place = usize::try_from(start - range.start).unwrap_or(usize::MAX);
            if let Some(place) = buffer.get_mut(place..place.saturating_add(part.len())) {
                place.copy_from_slice(part);
            }
        }
    }
}

impl Source for Pieces {
    fn len(&self) -> Result<u64> {
        Ok(self.0.with(|held| held.length).unwrap_or(u64::MAX))
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        self.0.with(|held| {
            let range = held.inside(range);
            held.check(&range)?;
            let mut bytes = zeros(range.end - range.start)?;
            held.copy(range, &mut bytes);
            Ok(Cow::Owned(bytes))
        })
    }

    fn read_into(&self, start: u64, buffer: &mut [u8]) -> Result<()> {
        self.0.with(|held| {
            let range = held.inside(start..start.saturating_add(buffer.len() as u64));
            held.check(&range)?;
            let end = range.end;
            let lacking = buffer.len() - usize::try_from(end - range.start).unwrap_or(usize::MAX).min(buffer.len());
            held.copy(range, buffer);
            if lacking == 0 { Ok(()) } else { Err(ends(end, lacking)) }
        })
    }
}

/// Sorts ranges, and merges those with at most `gap` bytes between them.
///
/// ```
/// assert_eq!(b2nd_frame::join(vec![90..95, 0..10, 12..20], 2), [0..20, 90..95]);
/// ```
#[must_use]
pub fn join(mut ranges: Vec<Range<u64>>, gap: u64) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    ranges.dedup_by(|next, last| {
        let near = next.start <= last.end.saturating_add(gap);
        if near {
            last.end = last.end.max(next.end);
        }
        near
    });
    ranges
}
