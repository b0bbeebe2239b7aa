//! Reads slices in parallel: divides the view of the result along chunks and blocks, without unsafe code, and fills the parts on all
//! threads.

use std::ops::Range;

use b2nd_frame::ChunkHeader;
use ndarray::{ArrayViewMut, Axis, IxDyn};

use crate::array::Array;
use crate::error::{Error, Result};
use crate::frame;
use crate::read::area::Area;
use crate::read::axis_selection::Wanted;
use crate::read::buffers::BytesMut;
use crate::read::open_chunk::{OpenChunk, repeat, repeated};
use crate::threads::threads;

/// A slice whose blocks have at most this many bytes together, decompressed, is decoded by one thread.
const SMALL: i64 = 256 << 10;

/// If blocks have fewer bytes than this, and most of them are needed, the whole chunk is read in one call.
const SMALL_BLOCK: i64 = 8 << 10;

impl Array {
    /// Fills a view with the elements of a slice, which has been checked and is not empty.
    ///
    /// If `wanted` is not empty, only the wanted elements along each axis are read, and the view has one more axis, which holds the bytes
    /// of an element. `zeroed` is true if the view contains only zeros, so that zeros need not be written.
    pub(crate) fn decode(&self, slice: Area, wanted: &[Wanted<'_>], view: BytesMut<'_>, zeroed: bool) -> Result<()> {
        if let Some(flat) = &self.flat {
            return self.decode_flat(flat, &slice, wanted, view);
        }
        let origin = vec![0; slice.len()];
        let blocks = self.tiles(&origin, self.grid.blockshape(), wanted, false).count(&slice);
        let large = blocks.saturating_mul(self.block_len()) > SMALL;
        let chunks = self.tiles(&origin, self.grid.chunkshape(), wanted, large && threads() > 1);
        // Chunks are decoded in parallel. If there are few chunks, the blocks of each chunk are also decoded in parallel.
        let few = chunks.parallel && chunks.count(&slice) < 2 * threads() as i64;
        chunks.each(slice, view, &|area, view| self.decode_chunk(area, wanted, view, zeroed, few))
    }

    fn decode_chunk(&self, area: Area, wanted: &[Wanted<'_>], view: BytesMut<'_>, zeroed: bool, parallel: bool) -> Result<()> {
        let grid = &self.grid;
        let start: Vec<_> = area.iter().map(|range| range.start).collect();
        let number = grid.chunk_index(&start).unwrap_or(u64::MAX);
        let in_chunk = |error| Error::in_chunk(number, error);
        let origin: Vec<_> = start.iter().zip(grid.chunkshape()).map(|(at, length)| at / length * length).collect();
        let tiles = self.tiles(&origin, grid.blockshape(), wanted, parallel);
        // Blocks are read one by one, so that no buffer holds a whole chunk. If blocks are small and most of them are wanted, the whole
        // chunk is read.
        let most = (tiles.count(&area) as u64).saturating_mul(4) >= grid.blocks_per_chunk().saturating_mul(3);
        let front = grid.blocks_per_chunk().saturating_mul(4).saturating_add(ChunkHeader::MAX_LEN as u64);
        let front = if self.block_len() < SMALL_BLOCK && most { None } else { Some(front) };
        let mut bytes = frame::chunk(&self.store, number, front)?;
        if let Some(special) = self.check_chunk(&mut bytes).map_err(in_chunk)? {
            repeat(&repeated(special, &mut bytes, self.itemsize()).map_err(in_chunk)?, view, zeroed);
            return Ok(());
        }
        let chunk = OpenChunk::new(self, &origin, &bytes).map_err(in_chunk)?;
        tiles.each(area, view, &|area, view| chunk.decode_block(&area, wanted, view)).map_err(in_chunk)
    }

    /// Returns the length of a block in bytes.
    pub(crate) fn block_len(&self) -> i64 {
        self.grid.blocknitems().saturating_mul(self.itemsize() as i64)
    }

    fn tiles<'a>(&self, origin: &'a [i64], lengths: &'a [i64], wanted: &'a [Wanted<'a>], parallel: bool) -> Tiles<'a> {
        Tiles { origin, lengths, scale: if wanted.is_empty() { self.itemsize() } else { 1 }, wanted, parallel }
    }
}

/// A grid of cells, such as chunks or blocks, which divides an area and the view of the area's elements into parts.
pub(crate) struct Tiles<'a> {
    /// The coordinates in the array at which the first cell starts.
    pub(crate) origin: &'a [i64],
    /// The length of a cell in each dimension, in elements.
    pub(crate) lengths: &'a [i64],
    /// How many entries an element takes along the view's axis that corresponds to the last axis of the area: the length of the element in
    /// bytes if the view has the bytes of the elements along this axis. It is 1 if the bytes have an axis of their own, or if the entries
    /// of the view are whole elements.
    pub(crate) scale: usize,
    /// The wanted elements along each axis. If empty, all elements are wanted.
    pub(crate) wanted: &'a [Wanted<'a>],
    /// Whether the parts of the view are filled in parallel.
    pub(crate) parallel: bool,
}

impl Tiles<'_> {
    /// Calls `fill` for each cell that holds a wanted element. The arguments are the part of the area in that cell, and the corresponding
    /// part of the view. The first element of the area must be wanted.
    pub(crate) fn each<A: Send, F>(&self, area: Area, view: ArrayViewMut<'_, A, IxDyn>, fill: &F) -> Result<()>
    where
        F: Fn(Area, ArrayViewMut<'_, A, IxDyn>) -> Result<()> + Sync,
    {
        let Some((axis, at)) = self.cut(&area) else { return fill(self.within(area), view) };
        let (count, next) = self.along(axis).split(&area[axis], at);
        let scale = if axis + 1 == area.len() { self.scale } else { 1 };
        let (left, right) = view.split_at(Axis(axis), usize::try_from(count).unwrap_or(0) * scale);
        let (mut before, mut after) = (area.clone(), area);
        (before[axis].end, after[axis].start) = (at, next);
        #[cfg(feature = "rayon")]
        if self.parallel {
            let (left, right) = rayon::join(|| self.each(before, left, fill), || self.each(after, right, fill));
            return left.and(right);
        }
        self.each(before, left, fill)?;
        self.each(after, right, fill)
    }

    /// Returns an axis along which the wanted elements lie in several cells, and the coordinate at which one of these cells ends and the
    /// next starts. Returns `None` if all wanted elements lie in one cell.
    fn cut(&self, area: &[Range<i64>]) -> Option<(usize, i64)> {
        area.iter().enumerate().find_map(|(axis, range)| {
            let (origin, length) = (*self.origin.get(axis)?, *self.lengths.get(axis)?);
            let first = (range.start - origin).checked_div(length)?;
            let last = (self.along(axis).last(range) - origin).checked_div(length)?;
            (first < last).then(|| (axis, origin + (first + (last - first).div_euclid(2) + 1) * length))
        })
    }

    /// Shortens the area so that it ends after the last wanted element along each axis.
    fn within(&self, mut area: Area) -> Area {
        for (axis, range) in area.iter_mut().enumerate().take(self.wanted.len()) {
            range.end = self.along(axis).last(range) + 1;
        }
        area
    }

    fn along(&self, axis: usize) -> Wanted<'_> {
        self.wanted.get(axis).copied().unwrap_or(Wanted::Each(1))
    }

    /// Returns the number of cells that hold a wanted element of the area.
    pub(crate) fn count(&self, area: &[Range<i64>]) -> i64 {
        let cells = area.iter().zip(self.origin.iter().zip(self.lengths)).enumerate();
        cells.map(|(axis, (range, (origin, length)))| self.along(axis).count_cells(range, *origin, *length)).product()
    }
}
