//! Reads slices in parallel: divides the view of the result along chunks and blocks, without unsafe code, and fills the parts on all
//! threads.

use std::ops::Range;
use std::sync::Arc;

use b2nd_frame::{ChunkHeader, Fetched, FrameType, Pieces, Source};
use ndarray::{ArrayViewMut, Axis, IxDyn};

use crate::array::Array;
use crate::error::{Error, Result};
use crate::frame;
use crate::read::along::Along;
use crate::read::buffers::BytesMut;
use crate::read::open_chunk::{OpenChunk, repeat, repeated};
use crate::threads::threads;

/// A slice whose blocks have at most this many bytes together, decompressed, is usually decoded by one thread.
const SMALL: i64 = 256 << 10;

/// The approximate maximum length, decompressed, of the chunks whose bytes are fetched and held together.
const FETCHED: u64 = 64 << 20;

/// A chunk with at most this many bytes is usually fetched as a whole. Fetching only some of its blocks would take two rounds of requests,
/// because the block table is needed first. In the time of one round over the internet, about 30 ms, a fast line carries this many bytes.
const SHORT: u64 = 1 << 20;

/// If blocks have fewer bytes than this, and most of them are needed, the whole chunk is read.
const SMALL_BLOCK: i64 = 8 << 10;

impl Array {
    /// Fills a view with selected elements. The selection has been checked and is not empty. `zeroed` is true if the view contains only
    /// zeros, so that zeros need not be written.
    pub(crate) fn decode(&self, selected: Vec<Along>, view: BytesMut<'_>, zeroed: bool) -> Result<()> {
        // The chunks of a sparse frame are files of their own, which `read_many` cannot read.
        let is_sparse = self.header().frame_type() == FrameType::Sparse;
        if is_sparse || self.store.source().read_many(Vec::new()).is_none() {
            return self.decode_held(selected, view, zeroed);
        }
        // The index is needed in any case, and is kept for the next read.
        self.store.offsets()?;
        let cells = FETCHED.checked_div(self.chunk_len()).unwrap_or(1).max(1) as i64;
        let origin = vec![0; selected.len()];
        let parts = Tiles { origin: &origin, lengths: self.grid.chunkshape(), parallel: false, cells };
        parts.each(selected, view, &|selected, view| self.fetch_and_decode(selected, view, zeroed))
    }

    /// Fetches the bytes of selected elements, and fills a view with the elements. Decoding from the bytes fetched so far shows which are
    /// missing: first the chunks' block tables, or short chunks as a whole, then the blocks.
    fn fetch_and_decode(&self, selected: Vec<Along>, mut view: BytesMut<'_>, zeroed: bool) -> Result<()> {
        let source = self.store.source();
        let pieces = Arc::new(Pieces::with_len(source.len()?));
        let array = self.with_pieces(pieces.clone());
        loop {
            let decoded = array.decode_held(selected.clone(), view.view_mut(), zeroed);
            let (missing, held) = (pieces.take_missing(0), pieces.held());
            let Some(first) = missing.first().cloned() else { return decoded };
            let read = |range: Range<u64>| Ok((range.clone(), source.read(range)?.into_owned()));
            let fetched = source.read_many(missing.clone());
            let fetched: b2nd_frame::Result<Fetched> = fetched.unwrap_or_else(|| missing.iter().cloned().map(read).collect());
            fetched?.into_iter().try_for_each(|(range, bytes)| pieces.put(range, bytes))?;
            if pieces.held() == held {
                return Err(Error::custom(format_args!("bytes {first:?} were requested, but the source did not return them")));
            }
        }
    }

    fn decode_held(&self, selected: Vec<Along>, view: BytesMut<'_>, zeroed: bool) -> Result<()> {
        if let Some(flat) = &self.flat {
            return self.decode_flat(flat, &selected, view);
        }
        let origin = vec![0; selected.len()];
        let blocks = Tiles { origin: &origin, lengths: self.grid.blockshape(), parallel: false, cells: 1 };
        let large = blocks.count(&selected).saturating_mul(self.block_len()) > SMALL;
        let chunks = Tiles { lengths: self.grid.chunkshape(), parallel: large && threads() > 1, ..blocks };
        // The chunks of a large slice are decoded in parallel. If there are few, the blocks of each chunk are too.
        let few = chunks.parallel && chunks.count(&selected) < 2 * threads() as i64;
        chunks.each(selected, view, &|selected, view| self.decode_chunk(selected, view, zeroed, few))
    }

    fn decode_chunk(&self, selected: Vec<Along>, view: BytesMut<'_>, zeroed: bool, parallel: bool) -> Result<()> {
        let grid = &self.grid;
        let start: Vec<_> = selected.iter().map(|along| along.get(0)).collect();
        let number = grid.chunk_index(&start).unwrap_or(u64::MAX);
        let in_chunk = |error| Error::in_chunk(number, error);
        let origin: Vec<_> = start.iter().zip(grid.chunkshape()).map(|(at, length)| at / length * length).collect();
        let tiles = Tiles { origin: &origin, lengths: grid.blockshape(), parallel, cells: 1 };
        // Usually, blocks are read one by one, so that no buffer holds a whole chunk. But the whole chunk is read if most of its blocks are
        // wanted, and they are small or each read takes a request. It is also read if each read takes a request and the chunk is short.
        let most = (tiles.count(&selected) as u64).saturating_mul(4) >= grid.blocks_per_chunk().saturating_mul(3);
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
        tiles.each(selected, view, &|selected, view| chunk.decode_block(&selected, view)).map_err(in_chunk)
    }

    /// Returns the length of a block in bytes.
    pub(crate) fn block_len(&self) -> i64 {
        self.grid.blocknitems().saturating_mul(self.itemsize() as i64)
    }

    /// Returns the length of a decompressed chunk in bytes.
    fn chunk_len(&self) -> u64 {
        u64::try_from(self.grid.extchunknitems()).unwrap_or(0).saturating_mul(self.itemsize() as u64)
    }

    /// Returns the number of bytes from the start of this chunk to the next chunk or the index, or 0 if the frame has no bytes of the chunk
    /// or is sparse.
    pub(crate) fn stored_len(&self, number: u64) -> Result<u64> {
        Ok(self.store.offsets()?.range(number).map_or(0, |range| range.end.saturating_sub(range.start)))
    }
}

/// A grid of cells, such as chunks or blocks, which divides a selection and the view of its elements into parts.
#[derive(Clone, Copy)]
pub(crate) struct Tiles<'a> {
    /// The coordinates in the array at which the first cell starts.
    pub(crate) origin: &'a [i64],
    /// The length of a cell in each dimension, in elements.
    pub(crate) lengths: &'a [i64],
    /// Whether the parts of the view are filled in parallel.
    pub(crate) parallel: bool,
    /// The maximum number of cells in a part, usually 1.
    pub(crate) cells: i64,
}

impl Tiles<'_> {
    /// Calls `fill` for each cell, or group of at most `cells` cells, that holds a selected element. The arguments are the part of the
    /// selection in these cells, and the corresponding part of the view.
    pub(crate) fn each<A: Send, F>(&self, selected: Vec<Along>, view: ArrayViewMut<'_, A, IxDyn>, fill: &F) -> Result<()>
    where
        F: Fn(Vec<Along>, ArrayViewMut<'_, A, IxDyn>) -> Result<()> + Sync,
    {
        let Some((axis, at)) = self.cut(&selected) else { return fill(selected, view) };
        let (mut before, mut after) = (selected.clone(), selected);
        (before[axis], after[axis]) = before[axis].split(at);
        let (left, right) = view.split_at(Axis(axis), before[axis].len());
        #[cfg(feature = "rayon")]
        if self.parallel {
            let (left, right) = rayon::join(|| self.each(before, left, fill), || self.each(after, right, fill));
            return left.and(right);
        }
        match self.each(before, left, fill) {
            // In an array of fetched ranges, the other parts add to the list of missing ranges.
            Err(error) if error.is_missing() => self.each(after, right, fill).and(Err(error)),
            left => left.and_then(|()| self.each(after, right, fill)),
        }
    }

    /// Returns an axis along which the selected elements are in several cells, and the coordinate at which to divide them, where a cell
    /// starts. Returns `None` if all selected elements are in one cell, or in at most `cells` cells.
    fn cut(&self, selected: &[Along]) -> Option<(usize, i64)> {
        if self.cells > 1 && self.count(selected) <= self.cells {
            return None;
        }
        selected.iter().enumerate().find_map(|(axis, along)| {
            let (origin, length) = (*self.origin.get(axis)?, *self.lengths.get(axis)?);
            let first = (along.get(0) - origin).checked_div(length)?;
            let last = (along.last() - origin).checked_div(length)?;
            (first < last).then(|| (axis, origin + (first + (last - first).div_euclid(2) + 1) * length))
        })
    }

    /// Returns the number of cells that hold a selected element.
    pub(crate) fn count(&self, selected: &[Along]) -> i64 {
        let cells = selected.iter().zip(self.origin.iter().zip(self.lengths));
        cells.map(|(along, (origin, length))| along.count_cells(*origin, *length)).product()
    }
}
