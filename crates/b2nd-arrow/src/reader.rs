//! [`TableReader`]: the batches of a table, one after the other.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::error::Result;
use crate::open_table::OpenTable;

/// The default number of rows of a batch, which is also the default of `iter_arrow_batches()` in python-blosc2.
pub const BATCH_SIZE: usize = 1 << 16;

/// The batches of a table, read on demand: a [`RecordBatchReader`]. The iterator ends after an error.
pub struct TableReader {
    pub(crate) table: Arc<OpenTable>,
    pub(crate) projection: Vec<usize>,
    pub(crate) schema: SchemaRef,
    pub(crate) rows: Range<u64>,
    pub(crate) batch_size: usize,
    /// The maximum number of rows that are read as one range. It keeps the memory below the limits.
    pub(crate) most: usize,
    /// The maximum number of physical rows per block of the columns, if the values of any column have a fixed width.
    pub(crate) block: Option<u64>,
    pub(crate) ready: VecDeque<Result<RecordBatch>>,
    /// The number of ranges of rows that are read in parallel.
    pub(crate) parallel: usize,
}

impl TableReader {
    /// Sets how many batches (or blocks, if these are longer) are read in parallel and held in memory. The default is the number of
    /// threads. If several readers run at the same time, set this number to 1.
    ///
    /// ```
    /// use b2nd_arrow::Table;
    ///
    /// let table = Table::open("tests/data/kinds.b2z")?;
    /// let rows = table.read(&[0], 0..6, 2)?.parallel(1).map(|batch| batch.map(|batch| batch.num_rows()));
    /// assert_eq!(rows.collect::<Result<Vec<_>, _>>()?, [2, 2, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn parallel(self, parts: usize) -> TableReader {
        TableReader { parallel: parts.max(1), ..self }
    }

    /// Returns the number of rows that the iterator has not returned yet, or 0 if it has returned an error.
    pub fn remaining(&self) -> u64 {
        let ready = self.ready.iter().flatten().map(|batch| batch.num_rows() as u64);
        self.rows.end.saturating_sub(self.rows.start).saturating_add(ready.sum())
    }

    /// Reads up to `parallel` ranges of rows in parallel, and adds their batches to `ready`.
    fn fill(&mut self) {
        let mut parts = Vec::new();
        while !self.rows.is_empty() && parts.len() < self.parallel {
            let end = self.end();
            parts.push(self.rows.start..end);
            self.rows.start = end;
        }
        let read = |rows: Range<u64>| self.table.batch(&self.projection, &self.schema, rows);
        let parts: Vec<_> = parts.into_par_iter().map(|rows| (read(rows.clone()), rows)).collect();
        let size = self.batch_size as u64;
        for (part, rows) in parts {
            if rows.end - rows.start <= size {
                self.ready.push_back(part);
                continue;
            }
            for start in rows.clone().step_by(self.batch_size) {
                let end = start.saturating_add(size).min(rows.end);
                let batch = match &part {
                    Ok(part) => Ok(part.slice((start - rows.start) as usize, (end - start) as usize)),
                    // The batches are read again one by one, so that those before the error are returned.
                    Err(_) => read(start..end),
                };
                let is_last = batch.is_err();
                self.ready.push_back(batch);
                if is_last {
                    break;
                }
            }
        }
    }

    /// Returns the end of the next range of rows: the end of a block if possible, since a block that lies in two ranges is decompressed
    /// twice.
    fn end(&self) -> u64 {
        let (start, length, most) = (self.rows.start, self.batch_size as u64, self.most as u64);
        let whole = self.block.map(|block| self.table.live.whole_blocks(start, length, block));
        let end = match whole {
            Some(Ok(Some(end))) if end > start && end - start <= most => end,
            // If the end of a block cannot be determined, an error is returned when the rows that cause it are read.
            _ => start.saturating_add(length),
        };
        end.min(self.rows.end)
    }

    /// Reads the next batch. Unlike `Iterator::next`, it returns this crate's error type.
    pub(crate) fn next_batch(&mut self) -> Option<Result<RecordBatch>> {
        if self.ready.is_empty() {
            self.fill();
        }
        let next = self.ready.pop_front()?;
        if next.is_err() {
            self.ready.clear();
            self.rows = 0..0;
        }
        Some(next)
    }
}

impl Iterator for TableReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().map(|next| next.map_err(ArrowError::from))
    }
}

impl RecordBatchReader for TableReader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
