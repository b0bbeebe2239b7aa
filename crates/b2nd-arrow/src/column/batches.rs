//! [`Batches`]: the cells of a file, that is, the values of its rows. Each chunk is a batch of cells, and each block of a chunk holds
//! several cells.

use std::ops::Range;

use arrow_array::Array;
use b2nd::msgpack::{Cursor, Token};
use b2nd_store::value;

use crate::column::cell_builder::unexpected;
use crate::column::column_file::ColumnFile;
use crate::column::ipc;
use crate::error::{Error, Result};
use crate::live_rows::Selection;

/// The metalayer that describes how cells are stored.
pub(crate) const METALAYER: &str = "batcharray";

/// The vlmetalayer with the number of cells of each chunk.
const LENGTHS: &str = "_batch_array_metadata";

/// A file whose chunks are batches of cells.
pub(crate) struct Batches {
    pub(crate) leaf: ColumnFile,
    /// Whether the cells are Arrow IPC.
    pub(crate) is_arrow: bool,
    /// The schema of the cells, if they are Arrow IPC.
    pub(crate) arrow_schema: Option<Vec<u8>>,
    /// The number of cells in each block except the last block of a chunk, which can have fewer. `None` if the file does not give it.
    items_per_block: Option<u64>,
    /// The number of each chunk's first cell, counted from the start of the file, followed by the total number of cells.
    starts: Vec<u64>,
}

/// A block, and those of its cells that are to be read.
pub(crate) struct BlockCells {
    /// The block's decompressed bytes.
    pub(crate) block: Vec<u8>,
    /// The ranges of the cells to read, in ascending order, counted from the start of the block.
    pub(crate) wanted: Vec<Range<usize>>,
    /// The number of cells that the block must have.
    expected: u64,
}

impl Batches {
    pub(crate) fn open(leaf: ColumnFile) -> Result<Batches> {
        let metalayer = leaf.metalayer(METALAYER).ok_or_else(|| Error::damaged("expected the metalayer \"batcharray\""))?;
        let is_map = matches!(metalayer, [0x80..=0x8f | 0xde | 0xdf, ..]);
        let said = value::read(metalayer)
            .filter(|_| is_map)
            .ok_or_else(|| Error::damaged("the metalayer \"batcharray\" is not a map"))?;
        let is_arrow = said.get("serializer").and_then(|name| name.as_str()) == Some("arrow");
        let items_per_block = said.get("items_per_block").and_then(|count| count.as_u64()).filter(|&count| count > 0);
        let arrow_schema = said.get("arrow_schema").and_then(|schema| schema.as_bytes()).map(<[u8]>::to_vec);
        let mut batches = Batches { leaf, arrow_schema, is_arrow, items_per_block, starts: vec![0] };
        batches.locate()?;
        Ok(batches)
    }

    /// Returns the number of cells.
    pub(crate) fn len(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Returns the Arrow type of the cells, or `None` if the cells are not Arrow IPC or the file has no chunks.
    pub(crate) fn data_type(&self) -> Result<Option<arrow_schema::DataType>> {
        if !self.is_arrow || self.leaf.nchunks()? == 0 {
            return Ok(None);
        }
        let first = self.leaf.blocks(0)?.data(0..1)?;
        let block = first.first().ok_or_else(|| Error::damaged("chunk 0 has no block"))?;
        let cells = ipc::column(block, self.arrow_schema.as_deref())?;
        Ok(Some(cells.data_type().clone()))
    }

    /// Determines the first cell of each chunk from the vlmetalayer, or from the blocks if the vlmetalayer does not list all chunks.
    fn locate(&mut self) -> Result<()> {
        let nchunks = self.leaf.nchunks()?;
        let said = self.leaf.vlmetalayer(LENGTHS)?.and_then(|lengths| lengths_of(&lengths));
        let said = said.filter(|said| said.len() as u64 == nchunks);
        for number in 0..nchunks {
            let cells = match (&said, usize::try_from(number)) {
                (Some(said), Ok(at)) => said.get(at).copied().unwrap_or(0),
                _ => self.cells_of(number).map_err(|error| Error::damaged(format_args!("chunk {number}: {error}")))?,
            };
            let end =
                self.len().checked_add(cells).ok_or_else(|| Error::damaged("its batches have more than 2^64 cells in all"))?;
            self.starts.push(end);
        }
        Ok(())
    }

    /// Counts the cells of a chunk from the chunk's blocks.
    fn cells_of(&self, number: u64) -> Result<u64> {
        let blocks = self.leaf.blocks(number)?;
        let last = blocks.len().saturating_sub(1);
        let from = if self.items_per_block.is_some() { last } else { 0 };
        let mut cells = self.items_per_block.unwrap_or(0).saturating_mul(from as u64);
        for block in blocks.data(from..blocks.len())? {
            cells = cells.saturating_add(self.cells_in(&block)?);
        }
        Ok(cells)
    }

    fn cells_in(&self, block: &[u8]) -> Result<u64> {
        if self.is_arrow {
            return ipc::count(block, self.arrow_schema.as_deref());
        }
        Ok(cells_in(&mut Cursor::new(block))? as u64)
    }

    /// Calls `work` with each block that holds cells of a selection, in order. If `items_per_block` is not known, `work` also gets the
    /// other blocks of the same chunks.
    pub(crate) fn each(&self, selection: &Selection, mut work: impl FnMut(BlockCells) -> Result<()>) -> Result<()> {
        if selection.end() > self.len() {
            let message = format!("the file ends after {} cells", self.len());
            return Err(Error::damaged(message).at_row(selection.row_of(self.len())));
        }
        let Some(first) = selection.runs.first() else { return Ok(()) };
        let from = self.starts.partition_point(|&start| start <= first.start).saturating_sub(1);
        for (chunk, places) in self.starts.windows(2).enumerate().skip(from) {
            let cells = places[0]..places[1];
            if cells.start >= selection.end() {
                break;
            }
            let wanted = inside(&selection.runs, cells.clone());
            let Some(row) = wanted.first().map(|run| selection.row_of(run.start)) else { continue };
            self.chunk(chunk as u64, cells, &wanted, &mut work).map_err(|error| error.at_row(row))?;
        }
        Ok(())
    }

    /// Does the work of [`each`](Batches::each) for one chunk. `cells` are the cells of the chunk, and `wanted` those to read, both counted
    /// from the start of the file.
    fn chunk(
        &self,
        number: u64,
        cells: Range<u64>,
        wanted: &[Range<u64>],
        work: &mut impl FnMut(BlockCells) -> Result<()>,
    ) -> Result<()> {
        let blocks = self.leaf.blocks(number)?;
        let (Some(first), Some(last)) = (wanted.first(), wanted.last()) else { return Ok(()) };
        let total = cells.end - cells.start;
        let Some(per_block) = self.items_per_block else {
            // Only the blocks themselves contain their numbers of cells, so all blocks of the chunk are read.
            let mut start = cells.start;
            for block in blocks.data(0..blocks.len())? {
                let end = start.saturating_add(self.cells_in(&block)?);
                work(BlockCells::new(block, start..end, wanted))?;
                start = end;
            }
            return if start == cells.end { Ok(()) } else { Err(count(number, total, start - cells.start)) };
        };
        if total.div_ceil(per_block) != blocks.len() as u64 {
            let (found, expected) = (blocks.len(), total.div_ceil(per_block));
            return Err(Error::damaged(format_args!(
                "chunk {number}: expected {expected} blocks for {total} cells, found {found}"
            )));
        }
        let range = |block: u64| {
            let start = cells.start + block * per_block;
            start..start.saturating_add(per_block).min(cells.end)
        };
        let block_of = |cell: u64| (cell - cells.start) / per_block;
        // Blocks without a selected cell are skipped.
        let numbers = block_of(first.start)..=block_of(last.end - 1);
        let numbers: Vec<u64> = numbers.filter(|&block| !inside(wanted, range(block)).is_empty()).collect();
        for run in numbers.chunk_by(|one, next| next - one == 1) {
            let place = |block: Option<&u64>| block.and_then(|&block| usize::try_from(block).ok()).unwrap_or(usize::MAX);
            let data = blocks.data(place(run.first())..place(run.last()).saturating_add(1))?;
            run.iter().zip(data).try_for_each(|(&block, data)| work(BlockCells::new(data, range(block), wanted)))?;
        }
        Ok(())
    }
}

impl BlockCells {
    /// Creates the part for a block. `cells` are the cells of the block, and `wanted` those to read, both counted from the start of the
    /// file.
    fn new(block: Vec<u8>, cells: Range<u64>, wanted: &[Range<u64>]) -> BlockCells {
        let place = |cell: u64| usize::try_from(cell - cells.start).unwrap_or(usize::MAX);
        let wanted = inside(wanted, cells.clone()).into_iter().map(|run| place(run.start)..place(run.end)).collect();
        BlockCells { block, wanted, expected: cells.end - cells.start }
    }

    /// Returns an error if `found`, the number of cells in the block, is not the expected number.
    pub(crate) fn check(&self, found: usize) -> Result<()> {
        match self.expected == found as u64 {
            true => Ok(()),
            false => Err(Error::damaged(format_args!("a block has {found} cells, expected {}", self.expected))),
        }
    }
}

/// Returns the parts of the ranges that lie inside `outer`.
fn inside(ranges: &[Range<u64>], outer: Range<u64>) -> Vec<Range<u64>> {
    let from = ranges.partition_point(|range| range.end <= outer.start);
    let inner = ranges.iter().skip(from).take_while(|range| range.start < outer.end);
    inner.map(|range| range.start.max(outer.start)..range.end.min(outer.end)).collect()
}

/// Reads the start of a block of cells, which is an array, and returns the number of cells.
pub(crate) fn cells_in(cursor: &mut Cursor) -> Result<usize> {
    match cursor.token()? {
        Token::Array(count) => Ok(count),
        token => Err(unexpected("a block to be an array", &token)),
    }
}

fn count(number: u64, expected: u64, found: u64) -> Error {
    Error::damaged(format_args!("chunk {number}: expected {expected} cells, found {found}"))
}

/// Reads the list with the key `batch_lengths` from a MessagePack map.
fn lengths_of(bytes: &[u8]) -> Option<Vec<u64>> {
    value::read(bytes)?.get("batch_lengths")?.elements().map(|length| length.as_u64()).collect()
}
