//! [`Array::byte_ranges`]: the byte ranges that hold a slice, for clients that fetch the bytes themselves.

use std::ops::Range;

use b2nd_frame::join;

use crate::array::Array;
use crate::error::Result;
use crate::frame;

impl Array {
    /// Returns the byte ranges of the source that hold the chunks in a slice, in ascending order. Ranges with at most `gap` bytes between
    /// them are merged. Chunks without stored bytes and the chunks of sparse frames have no ranges.
    ///
    /// This method is for clients that fetch the bytes themselves, for example asynchronously. [`Pieces`](b2nd_frame::Pieces) stores the
    /// bytes that were fetched, and lists the ranges that are still missing.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use b2nd_frame::Pieces;
    /// use b2nd_ndarray::Array;
    ///
    /// let remote = std::fs::read("../../tests/data/grid/i4_2d.b2nd")?;
    /// let fetch = |range: &std::ops::Range<u64>| remote[range.start as usize..range.end as usize].to_vec();
    ///
    /// let pieces = Arc::new(Pieces::with_len(remote.len() as u64));
    /// let (array, ranges) = loop {
    ///     let asked = Array::from_source(pieces.clone(), 0).and_then(|array| {
    ///         let ranges = array.byte_ranges(&[0..2, 0..3], 4096)?;
    ///         Ok((array, ranges))
    ///     });
    ///     let missing = pieces.take_missing(4096);
    ///     if missing.is_empty() {
    ///         break asked?;
    ///     }
    ///     for range in missing {
    ///         pieces.put(range.clone(), fetch(&range))?;
    ///     }
    /// };
    /// for range in ranges {
    ///     pieces.put(range.clone(), fetch(&range))?;
    /// }
    /// assert_eq!(array.read::<i32>(&[0..2, 0..3])?.shape(), [2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the slice has a different number of dimensions than the array or is not inside it, or if the index of chunks cannot be
    /// read.
    pub fn byte_ranges(&self, slice: &[Range<i64>], gap: u64) -> Result<Vec<Range<u64>>> {
        let numbers = || -> Result<Vec<u64>> {
            let touched = self.grid().chunks_in(slice)?;
            let byte = |index: i64| index.unsigned_abs().saturating_mul(self.itemsize as u64);
            Ok(match (&self.flat, slice) {
                (None, _) => touched.collect(),
                (Some(_), _) if touched.len() == 0 => Vec::new(),
                (Some(flat), [range]) => (flat.chunk_at(byte(range.start))..=flat.chunk_at(byte(range.end) - 1)).collect(),
                // If a frame without an array metalayer is read as an array of several dimensions, its chunks do not follow the grid. So
                // the ranges of all chunks are returned.
                (Some(_), _) => (0..self.store.offsets()?.len()).collect(),
            })
        };
        self.with_path(|| {
            let ranges = numbers()?.into_iter().filter_map(|number| frame::range(&self.store, number).transpose());
            Ok(join(ranges.collect::<Result<_>>()?, gap))
        })
    }
}
