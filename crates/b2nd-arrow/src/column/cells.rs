//! [`Cells`]: the cells of a `.b2b` file, that is, its values, which can differ in length.

use std::ops::Range;

use arrow_array::{Array, ArrayRef, new_empty_array};
use arrow_schema::DataType;
use b2nd::msgpack::{Cursor, Token};
use b2nd_store::{text, value};

use crate::column::cast::conform;
use crate::column::cell_builder::{CellBuilder, unexpected};
use crate::column::column_file::ColumnFile;
use crate::column::ipc;
use crate::error::{Error, ErrorKind, Result};
use crate::live_rows::Selection;
use crate::schema::spec::Spec;

/// The metalayer that describes how batches of cells are stored.
pub(crate) const METALAYER: &str = "batcharray";

/// The vlmetalayer with the number of cells of each chunk.
const LENGTHS: &str = "_batch_array_metadata";

/// The cells of a file.
pub(crate) struct Cells {
    pub(crate) leaf: ColumnFile,
    pub(crate) format: CellFormat,
    /// The index of each chunk's first cell, counted from the start of the file, followed by the total number of cells. Empty if each
    /// chunk is a cell.
    starts: Vec<u64>,
    /// The number of cells in each block except the last of a chunk, which can have fewer. `None` if the file gives no number above 0.
    items_per_block: Option<u64>,
}

/// The form in which the cells of a file are stored.
pub(crate) enum CellFormat {
    /// Each chunk is a cell of MessagePack.
    Chunks,
    /// Each chunk is a batch of cells, and each of its blocks is a MessagePack array of cells.
    Arrays,
    /// Each chunk is a batch of cells, and each of its blocks is Arrow IPC. The schema is this one, if the blocks do not contain it.
    Arrow(Option<Vec<u8>>),
}

/// A block, and those of its cells that are to be read. A chunk that is a cell counts as a block.
pub(crate) struct BlockCells {
    /// The block's decompressed bytes.
    pub(crate) block: Vec<u8>,
    /// The ranges of the cells to read, in ascending order, counted from the start of the block.
    pub(crate) wanted: Vec<Range<usize>>,
    /// The number of cells that the block must have.
    expected: u64,
}

impl Cells {
    /// Opens a file that has one chunk for each cell.
    pub(crate) fn chunks(leaf: ColumnFile) -> Cells {
        Cells { leaf, format: CellFormat::Chunks, starts: Vec::new(), items_per_block: None }
    }

    /// Opens a file whose chunks are batches of cells.
    pub(crate) fn batches(leaf: ColumnFile) -> Result<Cells> {
        let metalayer = leaf.metalayer(METALAYER).ok_or_else(|| Error::damaged("the metalayer \"batcharray\" is missing"))?;
        let is_map = matches!(metalayer, [0x80..=0x8f | 0xde | 0xdf, ..]);
        let said = value::read(metalayer)
            .filter(|_| is_map)
            .ok_or_else(|| Error::damaged("the metalayer \"batcharray\" cannot be read as a MessagePack map"))?;
        let format = match said.get("serializer").and_then(|name| name.as_str()) {
            Some("arrow") => CellFormat::Arrow(said.get("arrow_schema").and_then(|schema| schema.as_bytes()).map(<[u8]>::to_vec)),
            _ => CellFormat::Arrays,
        };
        let items_per_block = said.get("items_per_block").and_then(|count| count.as_u64()).filter(|&count| count > 0);
        let mut cells = Cells { leaf, format, starts: vec![0], items_per_block };
        cells.locate()?;
        Ok(cells)
    }

    /// Determines the first cell of each chunk from the vlmetalayer if it has a number for each chunk, otherwise from the blocks.
    fn locate(&mut self) -> Result<()> {
        let nchunks = self.leaf.nchunks()?;
        let said = self.leaf.vlmetalayer(LENGTHS)?.and_then(|lengths| lengths_of(&lengths));
        let said = said.filter(|said| said.len() as u64 == nchunks);
        let mut end = 0_u64;
        for number in 0..nchunks {
            let cells = match &said {
                Some(said) => said[number as usize],
                None => self.cells_of(number).map_err(|why| Error::new(why.kind(), format_args!("chunk {number}: {why}")))?,
            };
            end = end.checked_add(cells).ok_or_else(|| Error::damaged("the batches have 2^64 or more cells in total"))?;
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
        match &self.format {
            CellFormat::Arrow(schema) => ipc::count(block, schema.as_deref()),
            _ => Ok(array_len(&mut Cursor::new(block))? as u64),
        }
    }

    /// Returns the number of cells.
    pub(crate) fn len(&self) -> Result<u64> {
        self.starts.last().map_or_else(|| self.leaf.nchunks(), |&cells| Ok(cells))
    }

    /// Returns the Arrow type of the cells, or `None` if the cells are not Arrow IPC or the file has no chunks.
    pub(crate) fn data_type(&self) -> Result<Option<DataType>> {
        let CellFormat::Arrow(schema) = &self.format else { return Ok(None) };
        if self.leaf.nchunks()? == 0 {
            return Ok(None);
        }
        let first = self.leaf.blocks(0)?.data(0..1)?;
        let block = first.first().ok_or_else(|| Error::damaged("chunk 0 has no block"))?;
        Ok(Some(ipc::column(block, schema.as_deref())?.data_type().clone()))
    }

    /// Calls `work` with each block that holds cells of a selection, in order.
    pub(crate) fn each_block(&self, selection: &Selection, mut work: impl FnMut(BlockCells) -> Result<()>) -> Result<()> {
        let count = self.len()?;
        if selection.end() > count {
            let message = format!("expected {} or more cells, found {count}", selection.end());
            return Err(Error::damaged(message).at_row(selection.row_of(count)));
        }
        if let CellFormat::Chunks = self.format {
            let mut rows = selection.runs.iter().cloned().flatten().enumerate();
            return rows.try_for_each(|(done, row)| {
                let cell = |block| work(BlockCells { block, wanted: std::iter::once(0..1).collect(), expected: 1 });
                self.leaf.data(row).and_then(cell).map_err(|error| error.at_row(selection.row(done)))
            });
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

    /// Does the work of [`each_block`](Cells::each_block) for one chunk. `cells` are the cells of the chunk, and `wanted` those to read,
    /// both counted from the start of the file.
    fn chunk(
        &self,
        number: u64,
        cells: Range<u64>,
        wanted: &[Range<u64>],
        work: &mut impl FnMut(BlockCells) -> Result<()>,
    ) -> Result<()> {
        let blocks = self.leaf.blocks(number)?;
        let total = cells.end - cells.start;
        // Without `items_per_block`, only the blocks themselves contain their numbers of cells.
        let mut held = if self.items_per_block.is_none() { blocks.data(0..blocks.len())? } else { Vec::new() };
        let lengths: Vec<u64> = match self.items_per_block {
            Some(items) if total.div_ceil(items) == blocks.len() as u64 => {
                (0..blocks.len() as u64).map(|block| items.min(total - block * items)).collect()
            }
            Some(items) => {
                let (found, expected) = (blocks.len(), text::count(total.div_ceil(items), "block"));
                let message = format!("chunk {number}: expected {expected} for {}, found {found}", text::count(total, "cell"));
                return Err(Error::damaged(message));
            }
            None => held.iter().map(|block| self.cells_in(block)).collect::<Result<_>>()?,
        };
        let (mut end, mut ranges) = (cells.start, Vec::with_capacity(lengths.len()));
        for length in lengths {
            ranges.push(end..end.saturating_add(length));
            end = end.saturating_add(length);
        }
        if end != cells.end {
            let (expected, found) = (text::count(total, "cell"), end - cells.start);
            return Err(Error::damaged(format_args!("chunk {number}: expected {expected}, found {found}")));
        }
        let needed = (0..ranges.len()).filter(|&block| !inside(wanted, ranges[block].clone()).is_empty());
        for run in needed.collect::<Vec<_>>().chunk_by(|one, next| next - one == 1) {
            let data = match held.is_empty() {
                true => blocks.data(run[0]..run[0] + run.len())?,
                false => run.iter().map(|&block| std::mem::take(&mut held[block])).collect(),
            };
            run.iter().zip(data).try_for_each(|(&at, block)| work(BlockCells::new(block, ranges[at].clone(), wanted)))?;
        }
        Ok(())
    }

    /// Calls `push` for each selected cell of MessagePack. `push` must read exactly that cell.
    pub(crate) fn each(&self, selection: &Selection, mut push: impl FnMut(&mut Cursor) -> Result<()>) -> Result<()> {
        let (mut held, mut done) = (0, 0);
        self.each_block(selection, |part| {
            let mut cursor = Cursor::new(&part.block);
            let count = if let CellFormat::Chunks = self.format { 1 } else { array_len(&mut cursor)? };
            part.check(count)?;
            let mut wanted = part.wanted.iter().cloned().flatten().peekable();
            for number in 0..count {
                if wanted.next_if_eq(&number).is_none() {
                    cursor.entry()?;
                    continue;
                }
                let before = cursor.rest().len();
                push(&mut cursor).map_err(|error| error.at_row(selection.row(done)))?;
                done += 1;
                held += (before - cursor.rest().len()) as u64;
                self.leaf.allow(held)?;
            }
            match cursor.rest() {
                [] => Ok(()),
                rest => Err(Error::damaged(format_args!("expected no bytes after the last cell, found {}", rest.len()))),
            }
        })
    }

    pub(crate) fn read(&self, spec: &Spec, selection: &Selection) -> Result<ArrayRef> {
        let refused = |why| Error::new(ErrorKind::Refused, why);
        let CellFormat::Arrow(schema) = &self.format else {
            let mut cells = CellBuilder::new(spec).map_err(refused)?;
            self.each(selection, |cursor| cells.push(cursor))?;
            return cells.finish();
        };
        let data_type = spec.data_type().map_err(refused)?;
        let mut parts: Vec<ArrayRef> = Vec::new();
        self.each_block(selection, |part| {
            let array = ipc::column(&part.block, schema.as_deref())?;
            part.check(array.len())?;
            let array = conform(&array, &data_type)?;
            parts.extend(part.wanted.into_iter().map(|place| array.slice(place.start, place.len())));
            Ok(())
        })?;
        match parts.as_slice() {
            [] => Ok(new_empty_array(&data_type)),
            [one] => Ok(one.clone()),
            parts => Ok(arrow_select::concat::concat(&parts.iter().map(|part| &**part).collect::<Vec<_>>())?),
        }
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
            false => Err(Error::damaged(format_args!("a block: expected {}, found {found}", text::count(self.expected, "cell")))),
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
fn array_len(cursor: &mut Cursor) -> Result<usize> {
    match cursor.token()? {
        Token::Array(count) => Ok(count),
        token => Err(unexpected("an array of the cells of a block", &token)),
    }
}

/// Reads the list with the key `batch_lengths` from a MessagePack map.
fn lengths_of(bytes: &[u8]) -> Option<Vec<u64>> {
    value::read(bytes)?.get("batch_lengths")?.elements().map(|length| length.as_u64()).collect()
}
