//! [`RangeCache`]: reads a remote file by ranges, and caches blocks of it.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use b2nd_frame::{Result, Source};
use quick_cache::sync::Cache;

/// The length of a cached block, in bytes. Most headers, trailers and indexes fit in one block.
pub const BLOCK: u64 = 1 << 16;

/// The maximum number of blocks in the cache.
const KEPT: usize = 256;

/// The maximum length of one request, in bytes. Reads that are longer than a block are not cached, because they are usually the values of
/// an array, which are read only once.
const LONGEST: u64 = 1 << 23;

/// A remote file as a [`Source`]. A function fetches ranges of the file. Recently read blocks are cached, and threads that need the same
/// block wait for a single request.
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
    /// The cached blocks by their number.
    blocks: Cache<u64, Arc<[u8]>>,
}

impl<F: Fn(Range<u64>) -> io::Result<Vec<u8>>> RangeCache<F> {
    /// Creates a source from the length of a file and a function that fetches all bytes of a range inside it.
    pub fn new(length: u64, fetch: F) -> RangeCache<F> {
        RangeCache { length, fetch, blocks: Cache::new(KEPT) }
    }

    /// Adds the first [`BLOCK`] bytes of the file to the cache, or all bytes of a shorter file. They are often known already from the
    /// request for the file's length.
    #[must_use]
    pub fn with_first(self, first: Vec<u8>) -> RangeCache<F> {
        self.blocks.insert(0, first.into());
        self
    }

    fn block(&self, number: u64) -> io::Result<Arc<[u8]>> {
        let start = number.saturating_mul(BLOCK);
        let fetch = || (self.fetch)(start..start.saturating_add(BLOCK).min(self.length)).map(Arc::from);
        self.blocks.get_or_insert_with(&number, fetch)
    }
}

impl<F: Fn(Range<u64>) -> io::Result<Vec<u8>>> Source for RangeCache<F> {
    fn len(&self) -> Result<u64> {
        Ok(self.length)
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let end = range.end.min(self.length);
        let start = range.start.min(end);
        let mut bytes = Vec::new();
        if end - start > BLOCK {
            for at in (start..end).step_by(LONGEST as usize) {
                bytes.extend((self.fetch)(at..end.min(at + LONGEST))?);
            }
            return Ok(Cow::Owned(bytes));
        }
        for number in start / BLOCK..end.div_ceil(BLOCK) {
            let block = self.block(number)?;
            let place =
                |at: u64| usize::try_from(at.saturating_sub(number * BLOCK)).map_or(block.len(), |at| at.min(block.len()));
            bytes.extend_from_slice(block.get(place(start)..place(end)).unwrap_or_default());
        }
        Ok(Cow::Owned(bytes))
    }
}
