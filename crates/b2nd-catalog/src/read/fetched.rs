//! [`Fetched`]: a remote file as a source of bytes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use b2nd_frame::{ErrorKind, FIRST_READ, Pieces};
use b2nd_view::Source;
use futures::{StreamExt, stream};
use object_store::ObjectStore;
use object_store::path::Path;

use crate::remote::{Answer, CHANGED, Found, HELD, get};
use crate::row::CatalogRow;

/// If several ranges are missing, shorter ranges are extended to this number of bytes, except the start of the file. This is usually enough
/// for the local header of a zip member and the first 4 KiB of its frame.
const OF_MEMBER: u64 = FIRST_READ + 1024;

/// Two ranges with a gap of at most this number of bytes are fetched as one range, unless the joined range is longer than [`MOST`].
const GAP: u64 = FIRST_READ;

/// The maximum length of a range that is made by joining ranges or extending a read.
const MOST: u64 = 1 << 20;

/// The maximum number of parts of a file, or of files of a store, that are fetched at the same time.
pub(super) const FETCHED: usize = 64;

/// A remote file of which some parts have been fetched. Reading bytes outside these parts fails until [`fetch`](Fetched::fetch) has fetched
/// them.
pub(super) struct Fetched {
    store: Arc<dyn ObjectStore>,
    path: Path,
    at_least: u64,
    pieces: Pieces,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The size, ETag and time of the file according to the listing or, without a listing, the first answer of the server.
    found: Option<Found>,
    /// The size, ETag and time according to the first answer, with which later answers are compared. They are kept separately, since the
    /// listing may have a different ETag, and a time with a different precision.
    answered: Option<Found>,
    /// The length of each range that was fetched, by the end of the range. Used to detect that a file is read in order.
    ends: HashMap<u64, u64>,
}

impl Fetched {
    /// Creates a file of which nothing has been fetched yet. If only one range is missing, and it is not the start of the file,
    /// [`fetch`](Fetched::fetch) extends it to at least `at_least` bytes, as far as the file has them.
    pub(super) fn new(store: Arc<dyn ObjectStore>, path: Path, found: Option<Found>, at_least: u64) -> Fetched {
        let pieces = found.as_ref().map_or_else(Pieces::default, |found| Pieces::with_len(found.size));
        let state = State { found, ..State::default() };
        Fetched { store, path, at_least, pieces, state: Mutex::new(state) }
    }

    /// Fills in the columns of a row that are known from the listing or the first answer: size, ETag and time.
    pub(super) fn identify(&self, row: &mut CatalogRow) {
        let state = self.state();
        let Some(found) = &state.found else { return };
        row.size = found.size.try_into().ok();
        row.etag = row.etag.take().or_else(|| found.etag.clone());
        row.modified = found.modified.or(row.modified);
    }

    /// Returns the number of bytes in memory.
    pub(super) fn held(&self) -> u64 {
        self.pieces.held()
    }

    /// Drops the bytes in memory, which are fetched again if they are needed.
    pub(super) fn forget(&self) {
        self.state().ends.clear();
        self.pieces.clear();
    }

    /// Fetches the bytes for which reads have failed. Returns false if no bytes are missing.
    pub(super) async fn fetch(&self) -> bool {
        let asked = self.pieces.take_missing(0);
        if asked.is_empty() {
            return false;
        }
        let known = self.state().found.clone();
        let ranges = self.ranges(asked, known.as_ref());
        let gets: Vec<_> = ranges.iter().map(|range| get(&self.store, &self.path, known.as_ref(), range.clone())).collect();
        let answers: Vec<_> = stream::iter(gets).buffered(FETCHED).collect().await;
        for (range, answer) in ranges.into_iter().zip(answers) {
            if let Err(message) = answer.and_then(|answer| self.put(&range, answer)) {
                // As long as the length of the file is unknown, nothing can be read, so the error is recorded for all bytes of the file.
                let range = if self.state().found.is_some() { range } else { 0..u64::MAX };
                self.pieces.fail(range, message);
            }
        }
        true
    }

    fn put(&self, range: &Range<u64>, Answer { found, bytes, .. }: Answer) -> Result<(), String> {
        let mut state = self.state();
        if state.is_changed(&found) {
            return Err(CHANGED.to_owned());
        }
        let end = range.start + bytes.len() as u64;
        let put = self.pieces.set_len(found.size).and_then(|()| self.pieces.put(range.start..end, bytes));
        put.map_err(|_| CHANGED.to_owned())?;
        state.ends.insert(end, end - range.start);
        state.answered.get_or_insert_with(|| found.clone());
        state.found.get_or_insert(found);
        Ok(())
    }

    /// Returns the ranges to fetch for the missing ranges `asked`. Ranges that are close to each other are joined. Ranges beyond
    /// the limit of bytes per file are not fetched, and are recorded as errors.
    fn ranges(&self, asked: Vec<Range<u64>>, known: Option<&Found>) -> Vec<Range<u64>> {
        // As long as the length of the file is unknown, only its start is requested. The answer contains the length.
        let Some(known) = known else { return std::iter::once(0..FIRST_READ).collect() };
        let at_least = if asked.len() == 1 { self.at_least } else { OF_MEMBER };
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for range in asked {
            let range = self.widened(range, known.size, at_least);
            match ranges.last_mut() {
                Some(last) if range.start <= last.end.saturating_add(GAP) && range.end.saturating_sub(last.start) <= MOST => {
                    last.end = last.end.max(range.end);
                }
                _ => ranges.push(range),
            }
        }
        let mut left = HELD.saturating_sub(self.held());
        ranges.retain(|range| {
            let length = range.end - range.start;
            let fits = length <= left;
            if fits {
                left -= length;
            } else {
                self.pieces.fail(range.clone(), too_much());
            }
            fits
        });
        ranges
    }

    /// Extends a range by the bytes that will probably be read next: the bytes that follow it or, at the end of the file, the bytes before
    /// it.
    fn widened(&self, range: Range<u64>, size: u64, at_least: u64) -> Range<u64> {
        if range.start == 0 && range.end <= FIRST_READ {
            return 0..FIRST_READ.min(size);
        }
        if range.end == size {
            return range.start.min(size.saturating_sub(at_least))..range.end;
        }
        // If the range follows a range that was fetched, a longer range is fetched, so that a long list is read in parts of growing length.
        let read = self.state().ends.get(&range.start).copied().unwrap_or(0);
        let at_least = at_least.max((4 * read).min(MOST));
        range.start..range.end.max(range.start.saturating_add(at_least)).min(size)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns true if an answer shows that the file has changed since the listing or earlier answers. This check is necessary because
    /// some servers ignore the condition of a request.
    fn is_changed(&self, now: &Found) -> bool {
        self.found.as_ref().is_some_and(|found| found.size != now.size)
            || self.answered.as_ref().is_some_and(|first| first != now)
    }
}

impl Source for Fetched {
    fn len(&self) -> b2nd_frame::Result<u64> {
        self.pieces.len()
    }

    fn read(&self, range: Range<u64>) -> b2nd_frame::Result<Cow<'_, [u8]>> {
        // A failed request must not look like an error in the file.
        self.pieces.read(range).map_err(|error| match error.kind() {
            ErrorKind::Missing { .. } => error,
            _ => io::Error::other(error.to_string()).into(),
        })
    }
}

/// Returns the error for a file of which more than [`HELD`] bytes would be read.
pub(super) fn too_much() -> String {
    format!("reading the metadata would take more than {HELD} bytes of the file")
}
