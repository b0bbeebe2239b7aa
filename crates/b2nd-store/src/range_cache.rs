//! [`RangeCache`]: reads a remote file by ranges, and caches blocks of it.

use std::borrow::Cow;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, thread};

use b2nd_frame::{FIRST_READ, Fetched, Result, Source, join};
use quick_cache::sync::Cache;

use crate::requests::{AT_ONCE, GAP, requests};

/// The length of a cached block, in bytes. A frame's header is usually in the first block, and its index and trailer in the last.
const BLOCK: u64 = FIRST_READ;

/// The maximum number of blocks that `RangeCache::block` requests together. Metadata is often in a few adjacent blocks.
const AHEAD: u64 = 16;

/// The maximum length, in bytes, of reads that are cached, and of files that are fetched as a whole.
const SHORT: u64 = AHEAD * BLOCK;

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
    /// Creates a source from the length of a file and a function that fetches the bytes in a range of the file.
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

    /// Returns a block. If the block is not cached, fetches it together with the blocks that follow it: up to [`AHEAD`] blocks, but only
    /// those before the next cached block.
    fn block(&self, number: u64) -> io::Result<Arc<[u8]>> {
        self.blocks.get_or_insert_with(&number, || {
            let following = (number.saturating_sub(AHEAD - 1)..number).rev();
            let last = following.take_while(|next| self.blocks.peek(next).is_none()).last().unwrap_or(number);
            let place = self.place(number);
            let mut fetched = self.fetch(place.start..self.place(last).end)?;
            let following = fetched.split_off(fetched.len().min((place.end - place.start) as usize));
            for (next, block) in (last..number).rev().zip(following.chunks(BLOCK as usize)) {
                self.blocks.insert(next, block.into());
            }
            Ok(fetched.into())
        })
    }

    /// Fetches a range, and checks the length of the answer.
    fn fetch(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let (expected, bytes) = (range.end - range.start, (self.fetch)(range.clone())?);
        if bytes.len() as u64 != expected {
            let [expected, found] = [expected, bytes.len() as u64].map(|length| crate::text::count(length, "byte"));
            let message = format!("bytes {}..{}: expected {expected}, found {found}", range.start, range.end);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
        }
        Ok(bytes)
    }

    /// Fetches ranges with up to [`AT_ONCE`] requests at the same time. Passes the index of each range, the range and its bytes to `take`,
    /// in any order.
    fn fetch_all(&self, ranges: &[Range<u64>], take: impl FnMut(usize, &Range<u64>, Vec<u8>) + Send) -> io::Result<()> {
        let (take, next) = (Mutex::new(take), AtomicUsize::new(0));
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(range) = ranges.get(number) else { return Ok(()) };
                // After an error, no thread takes another range.
                let bytes = self.fetch(range.clone()).inspect_err(|_| next.store(ranges.len(), Ordering::Relaxed))?;
                take.lock().unwrap_or_else(PoisonError::into_inner)(number, range, bytes);
            }
        };
        thread::scope(|scope| {
            // If no more threads can be created, those that exist do the work.
            let spawn = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
            let others: Vec<_> = (1..AT_ONCE.min(ranges.len())).map_while(spawn).collect();
            let done = work();
            others.into_iter().fold(done, |done, other| done.and(other.join().unwrap_or_else(|panic| resume_unwind(panic))))
        })
    }

    /// Returns true if reading a short range takes no request, or one that fetches the whole file.
    fn holds(&self, range: &Range<u64>) -> bool {
        self.length <= SHORT
            || range.end <= self.first.len() as u64
            || self.numbers(range).all(|number| self.blocks.peek(&number).is_some())
    }

    /// Returns the indices of the blocks that hold the bytes of a range, in the order of the file.
    fn numbers(&self, range: &Range<u64>) -> impl Iterator<Item = u64> + use<F> {
        let number = |at: u64| self.length.saturating_sub(1).saturating_sub(at) / BLOCK;
        (number(range.end.saturating_sub(1))..=number(range.start)).rev()
    }

    /// Reads ranges. Ranges that are close to each other are read as one range, which is cached if it is short.
    fn read_ranges(&self, ranges: Vec<Range<u64>>) -> Result<Fetched> {
        let (mut fetched, mut short, mut long) = (Vec::new(), Vec::new(), Vec::new());
        for range in join(ranges, GAP) {
            if range.end.saturating_sub(range.start) > SHORT {
                long.push(range);
            } else if self.holds(&range) {
                fetched.push((range.clone(), self.read(range)?.into_owned()));
            } else {
                short.push(range);
            }
        }
        // Only whole blocks can be cached.
        let blocks = |range: &Range<u64>| {
            let places = self.numbers(range).map(|number| self.place(number));
            places.reduce(|first, last| first.start..last.end).unwrap_or_default()
        };
        let wanted: Vec<_> = short.iter().map(blocks).chain(requests(long)).collect();
        self.fetch_all(&wanted, |number, place, mut bytes| {
            let range = short.get(number).unwrap_or(place);
            if number < short.len() {
                for number in self.numbers(place) {
                    let [from, to] = [self.place(number).start, self.place(number).end].map(|at| (at - place.start) as usize);
                    self.blocks.insert(number, bytes.get(from..to).unwrap_or_default().into());
                }
                bytes.drain(..bytes.len().min((range.start - place.start) as usize));
                bytes.truncate((range.end - range.start) as usize);
            }
            fetched.push((range.clone(), bytes));
        })?;
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
        let mut bytes = Vec::new();
        bytes.try_reserve_exact((end - start) as usize).map_err(io::Error::from)?;
        if end - start > SHORT {
            bytes.resize((end - start) as usize, 0);
            self.fetch_all(&requests(std::iter::once(start..end).collect()), |_, part, fetched| {
                let place = (part.start - start) as usize..(part.end - start) as usize;
                bytes.get_mut(place).unwrap_or_default().copy_from_slice(&fetched);
            })?;
            return Ok(Cow::Owned(bytes));
        }
        // A short file is fetched as a whole.
        let first = if self.length <= SHORT { 0 } else { start };
        for number in self.numbers(&(first..end)) {
            let (block, place) = (self.block(number)?, self.place(number));
            let [from, to] = [start, end].map(|at| (at.clamp(place.start, place.end) - place.start) as usize);
            bytes.extend_from_slice(block.get(from..to).unwrap_or_default());
        }
        Ok(Cow::Owned(bytes))
    }

    fn read_many(&self, ranges: Vec<Range<u64>>) -> Option<Result<Fetched>> {
        Some(self.read_ranges(ranges))
    }
}
