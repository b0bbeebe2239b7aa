//! [`Parts`]: a source that has the bytes that were fetched for it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{PoisonError, RwLock};

use b2nd::frame::{Pieces, Source, join};

use crate::array::Array;
use crate::error::Result;
use crate::frame;
use crate::read::select::Select;

/// The bytes of a remote frame that have been fetched: for clients that fetch in their own way, asynchronous ones too.
///
/// Reading other bytes fails, and [`missing`](Parts::missing) returns their range: fetch it and try again. This happens for the
/// header and for the index; [`Array::byte_ranges`] then returns all that a slice needs, to be fetched at once.
///
/// ```
/// use std::sync::Arc;
/// use b2nd_ndarray::{Array, Parts};
///
/// let remote = std::fs::read("../../tests/data/grid/i4_2d.b2nd")?;
/// let fetch = |range: std::ops::Range<u64>| remote[range.start as usize..range.end as usize].to_vec();
///
/// let parts = Arc::new(Parts::new(remote.len() as u64));
/// let array = loop {
///     match (Array::from_source(parts.clone(), 0), parts.missing()) {
///         (Err(_), Some(range)) => parts.add(range.start, fetch(range)),
///         (done, _) => break done?,
///     }
/// };
/// let slice = [0..2, 0..3];
/// let ranges = loop {
///     match (array.byte_ranges(&slice, 4096), parts.missing()) {
///         (Err(_), Some(range)) => parts.add(range.start, fetch(range)),
///         (done, _) => break done?,
///     }
/// };
/// for range in ranges {
///     parts.add(range.start, fetch(range));
/// }
/// assert_eq!(array.read::<i32>(&slice)?.shape(), [2, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Parts(RwLock<Pieces>);

impl Parts {
    /// Makes an empty collection for a source of `length` bytes.
    pub fn new(length: u64) -> Parts {
        Parts(RwLock::new(Pieces::with_len(length)))
    }

    /// Adds the bytes from `offset` on.
    pub fn add(&self, offset: u64, bytes: Vec<u8>) {
        let range = offset..offset.saturating_add(bytes.len() as u64);
        // What does not fit into the source is not asked for.
        let _ = self.0.write().unwrap_or_else(PoisonError::into_inner).put(range, bytes);
    }

    /// Takes the first range that was asked for and is not there. `None` if nothing was missing since the last call.
    pub fn missing(&self) -> Option<Range<u64>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).take_missing(0).into_iter().next()
    }
}

impl Source for Parts {
    fn len(&self) -> b2nd::Result<u64> {
        self.0.len()
    }

    fn read(&self, range: Range<u64>) -> b2nd::Result<Cow<'_, [u8]>> {
        Source::read(&self.0, range)
    }

    fn read_into(&self, start: u64, buffer: &mut [u8]) -> b2nd::Result<()> {
        self.0.read_into(start, buffer)
    }
}

impl Array {
    /// The bytes of the source that hold the chunks of a slice, in order: neighbours with at most `gap` bytes between them are one
    /// range. Chunks that take no bytes are in none, and neither are those of a sparse frame.
    ///
    /// # Errors
    ///
    /// The slice is not inside the array, or the index cannot be read.
    pub fn byte_ranges(&self, slice: &[Range<i64>], gap: u64) -> Result<Vec<Range<u64>>> {
        self.ranges_of(self.grid().chunks_in(slice)?, gap)
    }

    /// The bytes of the source that hold the chunks of a selection, as [`byte_ranges`](Array::byte_ranges) has those of a slice.
    ///
    /// # Errors
    ///
    /// Those of [`select`](Array::select) about the selection, or the index cannot be read.
    pub fn byte_ranges_of(&self, selection: &[Select], gap: u64) -> Result<Vec<Range<u64>>> {
        let chosen = self.chosen(selection)?;
        let slice = chosen.ranges();
        self.check(&slice)?;
        self.ranges_of(self.chunks_of(&slice, &chosen.wanted()), gap)
    }

    pub(crate) fn ranges_of(&self, numbers: impl IntoIterator<Item = u64>, gap: u64) -> Result<Vec<Range<u64>>> {
        let mut ranges = Vec::new();
        for number in numbers {
            ranges.extend(frame::range(&self.store, number)?);
        }
        Ok(join(ranges, gap))
    }
}
