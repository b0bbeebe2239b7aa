//! Reads slices in parallel: divides the view of the result along chunks and blocks, without unsafe code, and fills the parts on all
//! threads.

use std::ops::Range;
use std::sync::Arc;

use b2nd_frame::{ChunkHeader, Fetched, FrameType, Pieces, Source};
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

/// The approximate length, decompressed, of the chunks whose bytes are fetched and held together.
const FETCHED: u64 = 64 << 20;

/// A chunk with at most this many bytes is fetched in one request. Fetching only some of its blocks would take two rounds of requests, since
/// the block table comes first: while one round waits for an answer over the internet, some 30 ms, a fast line carries as many bytes.
const SHORT: u64 = 1 << 20;

/// If blocks have fewer bytes than this, and most of them are needed, the whole chunk is read in one call.
const SMALL_BLOCK: i64 = 8 << 10;

impl Array {
    /// Fills a view with the elements of a slice, which has been checked and is not empty.
    ///
    /// If `wanted` is not empty, only the wanted elements along each axis are read, and the view has one more axis, which holds the bytes
    /// of an element. `zeroed` is true if the view contains only zeros, so that zeros need not be written.
    pub(crate) fn decode(&self, slice: Area, wanted: &[Wanted<'_>], view: BytesMut<'_>, zeroed: bool) -> Result<()> {
        // The chunks of a sparse frame are files of their own, which `read_many` cannot read.
        let is_sparse = self.header().frame_type() == FrameType::Sparse;
        if is_sparse || self.store.source().read_many(Vec::new()).is_none() {
            return self.decode_held(slice, wanted, view, zeroed);
        }
        // The index is needed in any case, and is kept for the next read.
        self.store.offsets()?;
        let cells = FETCHED.checked_div(self.chunk_len()).unwrap_or(1).max(1) as i64;
        let origin = vec![0; slice.len()];
        let parts = Tiles { cells, ..self.tiles(&origin, self.grid.chunkshape(), wanted, false) };
        parts.each(slice, view, &|area, view| self.fetch_and_decode(area, wanted, view, zeroed))
    }

    /// Fetches the bytes that an area needs, and fills a view with its elements. Decoding the area from the bytes fetched so far shows which
    /// are missing: first the chunks' block tables, or short chunks as a whole, then the blocks.
    fn fetch_and_decode(&self, area: Area, wanted: &[Wanted<'_>], mut view: BytesMut<'_>, zeroed: bool) -> Result<()> {
        let source = self.store.source();
        let pieces = Arc::new(Pieces::with_len(source.len()?));
        let array = self.with_pieces(pieces.clone());
        loop {
            let decoded = array.decode_held(area.clone(), wanted, view.view_mut(), zeroed);
            let (missing, held) = (pieces.take_missing(0), pieces.held());
            let Some(first) = missing.first().cloned() else { return decoded };
            let read = |range: Range<u64>| Ok((range.clone(), source.read(range)?.into_owned()));
            let fetched = source.read_many(missing.clone());
            let fetched: b2nd_frame::Result<Fetched> = fetched.unwrap_or_else(|| missing.iter().cloned().map(read).collect());
            fetched?.into_iter().try_for_each(|(range, bytes)| pieces.put(range, bytes))?;
            if pieces.held() == held {
                let message =
                    format!("bytes {} to {} were requested, but the source did not return them", first.start, first.end);
                return Err(b2nd_frame::Error::custom(message).into());
            }
        }
    }

    fn decode_held(&self, slice: Area, wanted: &[Wanted<'_>], view: BytesMut<'_>, zeroed: bool) -> Result<()> {
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
        // chunk is read. If each read takes a request, the whole chunk is read also if it is short.
        let most = (tiles.count(&area) as u64).saturating_mul(4) >= grid.blocks_per_chunk().saturating_mul(3);
        let table = grid.blocks_per_chunk().saturating_mul(4).saturating_add(ChunkHeader::MAX_LEN as u64);
        let front = match self.is_fetched {
            true if most || self.stored_len(number)? <= SHORT => Some(table.saturating_add(self.chunk_len())),
            false if most && self.block_len() < SMALL_BLOCK => None,
            _ => Some(table),
        };
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

    /// Returns the length of a decompressed chunk in bytes.
    fn chunk_len(&self) -> u64 {
        u64::try_from(self.grid.extchunknitems()).unwrap_or(0).saturating_mul(self.itemsize() as u64)
    }

    /// Returns the number of bytes between the starts of this chunk and the next, or 0 if the frame has no bytes of the chunk or is sparse.
    pub(crate) fn stored_len(&self, number: u64) -> Result<u64> {
        Ok(self.store.offsets()?.range(number).map_or(0, |range| range.end.saturating_sub(range.start)))
    }

    fn tiles<'a>(&self, origin: &'a [i64], lengths: &'a [i64], wanted: &'a [Wanted<'a>], parallel: bool) -> Tiles<'a> {
        Tiles { origin, lengths, scale: if wanted.is_empty() { self.itemsize() } else { 1 }, wanted, parallel, cells: 1 }
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
    /// The maximum number of cells in a part of the area, usually 1.
    pub(crate) cells: i64,
}

impl Tiles<'_> {
    /// Calls `fill` for each cell, or group of at most `cells` cells, that holds a wanted element. The arguments are the part of the area in
    /// these cells, and the corresponding part of the view. The first element of the area must be wanted.
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
        let left = self.each(before, left, fill);
        match left {
            // Of an array of fetched ranges, the other parts add to the list of missing ranges.
            Err(error) if error.is_missing() => self.each(after, right, fill).and(Err(error)),
            left => left.and_then(|()| self.each(after, right, fill)),
        }
    }

    /// Returns an axis along which the wanted elements lie in several cells, and the coordinate at which one of these cells ends and the
    /// next starts. Returns `None` if all wanted elements lie in one cell, or in at most `cells` cells.
    fn cut(&self, area: &[Range<i64>]) -> Option<(usize, i64)> {
        if self.cells > 1 && self.count(area) <= self.cells {
            return None;
        }
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
