//! Computes which elements a chunk or block covers, and which chunks and blocks a slice touches.

use core::fmt;
use core::ops::Range;

use super::{Dims, Grid, cells, coords, number};
use crate::error::{Error, Result};

impl Grid {
    /// Returns the elements of the array that a chunk covers, as a range in each dimension. Returns `None` if the array has no such chunk.
    ///
    /// ```
    /// let grid = b2nd::Geometry::new(&[10, 10], &[3, 5], &[2, 3])?.grid()?;
    /// assert_eq!(*grid.chunk_extent(6).unwrap(), [9..10, 0..5]);
    /// assert_eq!(grid.chunk_extent(8), None);
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn chunk_extent(&self, chunk: u64) -> Option<Dims<Range<i64>>> {
        let coords = self.chunk_coords(chunk)?;
        Some(Dims::from_fn(coords.len(), |index| {
            let (start, length) = (coords[index] * self.chunkshape[index], self.chunkshape[index]);
            start..self.shape[index].min(start + length)
        }))
    }

    /// Returns the elements of the array that a block covers, without padding, as a range in each dimension. If the whole block is padding,
    /// at least one range is empty. Returns `None` if the array has no such chunk or the chunk has no such block.
    ///
    /// ```
    /// let grid = b2nd::Geometry::new(&[10, 10], &[3, 5], &[2, 3])?.grid()?;
    /// assert_eq!(*grid.block_extent(1, 3).unwrap(), [2..3, 8..10]);
    /// assert!(grid.block_extent(7, 3).unwrap()[0].is_empty());
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn block_extent(&self, chunk: u64, block: u64) -> Option<Dims<Range<i64>>> {
        let chunk = self.chunk_extent(chunk)?;
        let coords = coords(&self.blocks, block)?;
        Some(Dims::from_fn(coords.len(), |index| {
            // Limit the range before adding the chunk's start: positions in the padding of the last chunk may not fit an int64.
            let (Range { start, end }, length) = (chunk[index].clone(), self.blockshape[index]);
            let first = coords[index] * length;
            start + first.min(end - start)..start + (first + length).min(end - start)
        }))
    }

    /// Returns the indices of the chunks that a slice touches, in ascending order. `slice` has one range for each dimension. If a range is
    /// empty, the slice touches no chunk.
    ///
    /// The iterator computes each index on demand. Counting and skipping take constant time.
    ///
    /// # Errors
    ///
    /// Fails if `slice` does not have one range per dimension, a range is not inside the array or ends before it starts, or the number of
    /// chunks does not fit a `usize` (2³² or more on a 32-bit machine; divide the slice into parts in this case).
    ///
    /// ```
    /// let grid = b2nd::Geometry::new(&[10, 10], &[3, 5], &[2, 3])?.grid()?;
    /// let chunks = grid.chunks_in(&[2..7, 8..9])?;
    /// assert_eq!(chunks.len(), 3);
    /// assert_eq!(chunks.collect::<Vec<_>>(), [1, 3, 5]);
    ///
    /// let error = grid.chunks_in(&[2..7, 8..11]).unwrap_err();
    /// assert_eq!(error.to_string(), "slice[1]: expected 0 <= start <= stop <= 10, found 8..11");
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn chunks_in(&self, slice: &[Range<i64>]) -> Result<impl ExactSizeIterator<Item = u64> + Clone + fmt::Debug + use<>> {
        self.check_slice(slice)?;
        Numbers::new(self.chunks, |index| parts(slice[index].clone(), self.chunkshape[index]))
    }

    /// Returns the indices of the blocks of a chunk that hold an element of the slice, in ascending order. If the slice does not touch the
    /// chunk, the iterator is empty.
    ///
    /// # Errors
    ///
    /// Fails if the array has no such chunk, `slice` does not have one range per dimension, or a range is not inside the array or ends
    /// before it starts.
    ///
    /// ```
    /// let grid = b2nd::Geometry::new(&[10, 10], &[3, 5], &[2, 3])?.grid()?;
    /// let slice = [2..7, 8..9];
    /// let mut touched = Vec::new();
    /// for chunk in grid.chunks_in(&slice)? {
    ///     for block in grid.blocks_in(chunk, &slice)? {
    ///         touched.push((chunk, block));
    ///     }
    /// }
    /// assert_eq!(touched, [(1, 3), (3, 1), (3, 3), (5, 1)]);
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn blocks_in(
        &self,
        chunk: u64,
        slice: &[Range<i64>],
    ) -> Result<impl ExactSizeIterator<Item = u64> + Clone + fmt::Debug + use<>> {
        self.check_slice(slice)?;
        let Some(extent) = self.chunk_extent(chunk) else {
            let nchunks = self.nchunks();
            return Err(Error::custom(format_args!("chunk {chunk} is out of range: the number of chunks is {nchunks}")));
        };
        Numbers::new(self.blocks, |index| {
            let (wanted, chunk) = (&slice[index], &extent[index]);
            let (start, end) = (wanted.start.max(chunk.start), wanted.end.min(chunk.end));
            parts(start - chunk.start..end - chunk.start, self.blockshape[index])
        })
    }

    pub(super) fn check_slice(&self, slice: &[Range<i64>]) -> Result<()> {
        let (ranges, ndim) = (slice.len(), self.shape.len());
        if ranges != ndim {
            return Err(Error::custom(format_args!("slice: expected one range per dimension ({ndim}), found {ranges}")));
        }
        for (index, (range, &length)) in slice.iter().zip(self.shape.iter()).enumerate() {
            if range.start < 0 || range.start > range.end || range.end > length {
                return Err(Error::custom(format_args!(
                    "slice[{index}]: expected 0 <= start <= stop <= {length}, found {range:?}"
                )));
            }
        }
        Ok(())
    }
}

/// Returns the indices of the parts (chunks or blocks) that a range touches, if the dimension is divided into parts of this length. If the
/// range is empty, `length` may be 0.
fn parts(range: Range<i64>, length: i64) -> Range<i64> {
    if range.is_empty() { 0..0 } else { range.start / length..(range.end - 1) / length + 1 }
}

/// An iterator over the chunks or blocks that a slice touches. They are the cells of a smaller box (`inner`) inside the box of all chunks
/// or blocks (`outer`). The iterator yields their row-major indices in the larger box.
#[derive(Clone, Debug)]
struct Numbers {
    outer: Dims<i64>,
    first: Dims<i64>,
    inner: Dims<i64>,
    /// The cells that have not been yielded, as row-major indices in the smaller box.
    cells: Range<usize>,
}

impl Numbers {
    fn new(outer: Dims<i64>, span: impl Fn(usize) -> Range<i64>) -> Result<Numbers> {
        let first = Dims::from_fn(outer.len(), |index| span(index).start);
        let inner = Dims::from_fn(outer.len(), |index| span(index).end - first[index]);
        let count = cells(&inner);
        let too_many =
            |_| Error::custom(format_args!("the slice touches {count} chunks or blocks; at most {} can be counted", usize::MAX));
        Ok(Numbers { outer, first, inner, cells: 0..usize::try_from(count).map_err(too_many)? })
    }

    fn number(&self, cell: usize) -> Option<u64> {
        let cell = coords(&self.inner, u64::try_from(cell).ok()?)?;
        Some(number(&self.outer, |index| self.first[index] + cell[index]).unsigned_abs())
    }
}

impl Iterator for Numbers {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.cells.next().and_then(|cell| self.number(cell))
    }

    fn nth(&mut self, skipped: usize) -> Option<u64> {
        self.cells.nth(skipped).and_then(|cell| self.number(cell))
    }

    fn last(mut self) -> Option<u64> {
        self.cells.next_back().and_then(|cell| self.number(cell))
    }

    fn count(self) -> usize {
        self.cells.len()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.cells.size_hint()
    }
}

impl ExactSizeIterator for Numbers {}
