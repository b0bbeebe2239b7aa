//! [`LiveRows`]: which physical rows (the rows in the files) are live, that is, neither deleted nor only space for later rows.

use std::ops::Range;

use b2nd_ndarray::Array;

use crate::column::column_file::ColumnFile;
use crate::error::{Error, Result};

/// The maximum number of physical rows in a [`Segment`] with rows that are not live. The part of `_valid_rows.b2nd` for such a segment is
/// read again each time its rows are read.
const SEGMENT: u64 = 1 << 16;

/// The live rows of a table, from its file `_valid_rows.b2nd`.
pub(crate) struct LiveRows {
    array: Array,
    /// The number of physical rows.
    pub(crate) length: u64,
    /// The number of live rows.
    pub(crate) rows: u64,
    segments: Vec<Segment>,
}

/// A range of physical rows, and its live rows.
#[derive(Clone, Debug)]
struct Segment {
    physical: Range<u64>,
    /// The index of the first live row in the range, counted in live rows from the start of the table.
    first: u64,
    /// The number of live rows in the range.
    count: u64,
}

/// Live rows that are read together.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    /// Ranges of physical rows, or of the cells of a file, in ascending order.
    pub(crate) runs: Vec<Range<u64>>,
    /// The index of the first selected row. In a table, only live rows are counted.
    pub(crate) first: u64,
    /// The number of selected rows. `JsonCells` does not set it.
    pub(crate) rows: usize,
}

impl LiveRows {
    pub(crate) fn open(leaf: &ColumnFile) -> Result<LiveRows> {
        let array = leaf.array()?;
        let (shape, dtype) = (array.geometry().shape(), leaf.dtype()?);
        let (&[length], "|b1") = (shape, dtype.as_str()) else {
            return Err(Error::damaged(format_args!(
                "expected one dimension and the dtype |b1, found the shape {shape:?} and the dtype {dtype:?}"
            )));
        };
        let length = u64::try_from(length).unwrap_or(0);
        let mut live = LiveRows { array, length, rows: 0, segments: Vec::new() };
        let chunk = live.array.geometry().chunkshape().first().and_then(|&rows| u64::try_from(rows).ok());
        let Some(chunk @ 1..) = chunk.filter(|_| length > 0) else { return Ok(live) };
        if length.div_ceil(chunk) > leaf.nchunks()? {
            return Err(Error::damaged(format_args!("the chunks in the file have fewer than {length} rows")));
        }
        for number in 0..length.div_ceil(chunk) {
            let rows = number * chunk..((number + 1) * chunk).min(length);
            match live.array.repeated(&[signed(rows.clone())]).as_deref() {
                Some([0]) => {}
                Some(_) => live.push(rows.clone(), rows.end - rows.start),
                None => {
                    for start in rows.clone().step_by(SEGMENT as usize) {
                        let part = start..(start + SEGMENT).min(rows.end);
                        let bytes = live.bytes(part.clone())?;
                        let count = bytes.iter().filter(|&&byte| byte != 0).count() as u64;
                        live.push(part, count);
                    }
                }
            }
        }
        Ok(live)
    }

    fn push(&mut self, physical: Range<u64>, count: u64) {
        if count == 0 {
            return;
        }
        let is_full = count == physical.end - physical.start;
        match self.segments.last_mut() {
            Some(last) if is_full && last.is_full() && last.physical.end == physical.start => {
                last.physical.end = physical.end;
                last.count += count;
            }
            _ => self.segments.push(Segment { physical, first: self.rows, count }),
        }
        self.rows += count;
    }

    fn bytes(&self, rows: Range<u64>) -> Result<Vec<u8>> {
        Ok(self.array.read_bytes(&[signed(rows)])?)
    }

    /// Finds the physical rows of a range of live rows.
    pub(crate) fn select(&self, rows: Range<u64>) -> Result<Selection> {
        let rows = rows.start.min(self.rows)..rows.end.min(self.rows);
        let count = rows.end.saturating_sub(rows.start);
        let count = usize::try_from(count).map_err(|_| Error::damaged("too many rows"))?;
        let mut selection = Selection { runs: Vec::new(), first: rows.start, rows: count };
        let from = self.segments.partition_point(|segment| segment.first + segment.count <= rows.start);
        for segment in self.segments.iter().skip(from).take_while(|segment| segment.first < rows.end) {
            let skip = rows.start.saturating_sub(segment.first);
            let take = (rows.end - segment.first).min(segment.count) - skip;
            if segment.is_full() {
                let start = segment.physical.start + skip;
                selection.push(start..start + take);
                continue;
            }
            let bytes = self.bytes(segment.physical.clone())?;
            let live = bytes.iter().zip(segment.physical.clone()).filter(|(byte, _)| **byte != 0).map(|(_, row)| row);
            let (skip, take) = (usize::try_from(skip).unwrap_or(usize::MAX), usize::try_from(take).unwrap_or(usize::MAX));
            live.skip(skip).take(take).for_each(|row| selection.push(row..row + 1));
        }
        Ok(selection)
    }

    /// Returns the live row before which a read from the live row `start` should stop, so that blocks of `block` physical rows are read as
    /// a whole. This is the end of the last block that ends within `length` physical rows of the start. If no block ends there, it is the
    /// end of the first block. Returns `None` if `start` is past the last row.
    pub(crate) fn whole_blocks(&self, start: u64, length: u64, block: u64) -> Result<Option<u64>> {
        let selection = self.select(start..start.saturating_add(1))?;
        let Some(first) = selection.runs.first().map(|run| run.start) else { return Ok(None) };
        let last = first.saturating_add(length) / block;
        self.before(last.max(first / block + 1).saturating_mul(block)).map(Some)
    }

    /// Counts the live rows before a physical row.
    pub(crate) fn before(&self, row: u64) -> Result<u64> {
        let at = self.segments.partition_point(|segment| segment.physical.end <= row);
        let Some(segment) = self.segments.get(at) else { return Ok(self.rows) };
        if row <= segment.physical.start {
            return Ok(segment.first);
        }
        if segment.is_full() {
            return Ok(segment.first + (row - segment.physical.start));
        }
        let bytes = self.bytes(segment.physical.start..row)?;
        Ok(segment.first + bytes.iter().filter(|&&byte| byte != 0).count() as u64)
    }
}

impl Segment {
    fn is_full(&self) -> bool {
        self.count == self.physical.end - self.physical.start
    }
}

impl Selection {
    fn push(&mut self, run: Range<u64>) {
        match self.runs.last_mut() {
            Some(last) if last.end == run.start => last.end = run.end,
            _ => self.runs.push(run),
        }
    }

    /// Groups runs that have at most `gap` rows between them. Each group consists of the range to read, and the runs inside it.
    pub(crate) fn groups(&self, gap: u64) -> Vec<(Range<u64>, &[Range<u64>])> {
        let parts = self.runs.chunk_by(|one, next| next.start - one.end <= gap);
        parts.filter_map(|runs| Some((runs.first()?.start..runs.last()?.end, runs))).collect()
    }

    /// Returns the index of a selected row, counted like `first`. `place` is the index of the row in the selection.
    pub(crate) fn row(&self, place: usize) -> u64 {
        self.first.saturating_add(place as u64)
    }

    /// Returns the index of the live row that is at the physical row `row`. If that row is not selected, returns the index of the next
    /// selected live row.
    pub(crate) fn row_of(&self, row: u64) -> u64 {
        let before = self.runs.iter().map(|run| row.clamp(run.start, run.end) - run.start);
        self.first + before.sum::<u64>()
    }

    /// Returns the physical row after the last selected row, or 0 if no row is selected.
    pub(crate) fn end(&self) -> u64 {
        self.runs.last().map_or(0, |run| run.end)
    }
}

pub(crate) fn signed(rows: Range<u64>) -> Range<i64> {
    let signed = |row| i64::try_from(row).unwrap_or(i64::MAX);
    signed(rows.start)..signed(rows.end)
}
