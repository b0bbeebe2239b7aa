//! [`RangeCache`]: reads a remote file by ranges, and caches blocks of it.

use std::borrow::Cow;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{io, thread};

use b2nd_frame::{FIRST_READ, Fetched, Result, Source};
use quick_cache::sync::Cache;

use crate::requests::{AT_ONCE, requests};

/// The length of a cached block, in bytes. A frame's header is usually in the first block, and its index and trailer in the last.
const BLOCK: u64 = FIRST_READ;

/// The number of blocks that are requested together, if the file has that many before its end. Metadata is often in a few adjacent blocks.
const AHEAD: u64 = 16;

/// The maximum number of blocks in the cache.
const KEPT: usize = 4096;

/// A remote file as a [`Source`]. A function fetches ranges of the file. Recently read parts of the file are cached,
/// except for reads of more than 64 KiB, which are usually the values of an array.
///
/// Asynchronous clients use [`Pieces`](b2nd_frame::Pieces) instead.
///
/// ```
/// use b2nd_store::{Frame, RangeCache, Source};
///
/// let remote = std::fs::read("../../tests/data/example.b2nd")?;
/// let length = remote.len() as u64;
/// let fetch = move |range: std::ops::Range<u64>| Ok(remote[range.start as usize..range.end as usize].to_vec());
/// let file = RangeCache::new(length, fetch);
/// assert_eq!(Frame::open(&file)?.trailer()?.vlmetalayers().len(), 3);
/// # Ok::<(), b2nd_frame::Error>(())
/// ```
pub struct RangeCache<F> {
    length: u64,
    fetch: F,
    /// The first bytes of the file.
    first: Vec<u8>,
    /// The cached blocks, numbered from the end of the file. So the block at the start of the file can be shorter.
    blocks: Cache<u64, Arc<[u8]>>,
}

impl<F: Fn(Range<u64>) -> io::Result<Vec<u8>> + Sync> RangeCache<F> {
    /// Creates a source from the length of a file and a function that fetches all bytes of a range inside it.
    pub fn new(length: u64, fetch: F) -> RangeCache<F> {
        RangeCache { length, fetch, first: Vec::new(), blocks: Cache::new(KEPT) }
    }

    /// Adds the first bytes of the file. They are often known already from the request for the file's length.
    #[must_use]
    pub fn with_first(self, first: Vec<u8>) -> RangeCache<F> {
        RangeCache { first, ..self }
    }

    /// Returns the range of a block.
    fn place(&self, number: u64) -> Range<u64> {
        let end = self.length.saturating_sub(number.saturating_mul(BLOCK));
        end.saturating_sub(BLOCK)..end
    }

    /// Returns a block. If the block is not cached, fetches the block and those that follow it, up to the next cached block.
    fn block(&self, number: u64) -> io::Result<Arc<[u8]>> {
        self.blocks.get_or_insert_with(&number, || {
            let following = (number.saturating_sub(AHEAD - 1)..number).rev();
            let last = following.take_while(|next| self.blocks.peek(next).is_none()).last().unwrap_or(number);
            let place = self.place(number);
            let mut fetched = (self.fetch)(place.start..self.place(last).end)?;
            let following = fetched.split_off(fetched.len().min((place.end - place.start) as usize));
            for (next, block) in (last..number).rev().zip(following.chunks(BLOCK as usize)) {
                self.blocks.insert(next, block.into());
            }
            Ok(fetched.into())
        })
    }

    /// Fetches ranges with up to [`AT_ONCE`] requests at the same time, in the order of the file.
    fn fetch_all(&self, ranges: Vec<Range<u64>>) -> io::Result<Fetched> {
        let (ranges, next) = (requests(ranges), AtomicUsize::new(0));
        let work = || {
            let mut fetched = Vec::new();
            while let Some(range) = ranges.get(next.fetch_add(1, Ordering::Relaxed)) {
                // After an error, no more requests are sent.
                let bytes = (self.fetch)(range.clone()).inspect_err(|_| next.store(ranges.len(), Ordering::Relaxed))?;
                fetched.push((range.clone(), bytes));
            }
            Ok::<_, io::Error>(fetched)
        };
        let mut fetched = thread::scope(|scope| {
            let others: Vec<_> = (1..AT_ONCE.min(ranges.len())).map(|_| scope.spawn(work)).collect();
            let mut fetched = work()?;
            for other in others {
                fetched.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic))?);
            }
            Ok::<_, io::Error>(fetched)
        })?;
        fetched.sort_unstable_by_key(|(range, _)| range.start);
        Ok(fetched)
    }
}

impl<F: Fn(Range<u64>) -> io::Result<Vec<u8>> + Sync> Source for RangeCache<F> {
    fn len(&self) -> Result<u64> {
        Ok(self.length)
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let end = range.end.min(self.length);
        let start = range.start.min(end);
        if start == end || end <= self.first.len() as u64 {
            return Ok(Cow::Borrowed(self.first.get(start as usize..end as usize).unwrap_or_default()));
        }
        if end - start > AHEAD * BLOCK {
            let parts = self.fetch_all(std::iter::once(start..end).collect())?;
            return Ok(Cow::Owned(parts.into_iter().flat_map(|(_, bytes)| bytes).collect()));
        }
        // A short file is fetched as a whole.
        let first = if self.length <= AHEAD * BLOCK { 0 } else { start };
        let number = |at: u64| (self.length - 1).saturating_sub(at) / BLOCK;
        let mut bytes = Vec::new();
        for number in (number(end.saturating_sub(1))..=number(first)).rev() {
            let (block, place) = (self.block(number)?, self.place(number));
            let [from, to] = [start, end].map(|at| (at.clamp(place.start, place.end) - place.start) as usize);
            bytes.extend_from_slice(block.get(from..to).unwrap_or_default());
        }
        Ok(Cow::Owned(bytes))
    }

    fn read_many(&self, ranges: Vec<Range<u64>>) -> Option<Result<Fetched>> {
        Some(self.fetch_all(ranges).map_err(Into::into))
    }
}
