//! [`OneColumn`]: rows as record batches of one column.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};

use crate::error::Result;
use crate::reader::BATCH_SIZE;
use crate::table::BATCH_BYTES;

/// The name of the column.
pub(crate) const NAME: &str = "values";

/// The rows that have not been read yet; none after an error.
pub(crate) struct OneColumn {
    schema: SchemaRef,
    rows: Range<u64>,
    batch_size: u64,
}

impl OneColumn {
    /// Creates the batches of all rows of a column. A row takes about `row_bytes` bytes.
    pub(crate) fn new(field: Field, rows: u64, row_bytes: u64) -> OneColumn {
        let batch_size = (BATCH_BYTES / row_bytes.max(1)).clamp(1, BATCH_SIZE as u64);
        OneColumn { schema: Arc::new(Schema::new(vec![field])), rows: 0..rows, batch_size }
    }

    /// Keeps only the rows in this range. The part of the range after the last row is ignored.
    pub(crate) fn slice(&mut self, rows: Range<u64>) {
        let end = rows.end.min(self.rows.end);
        self.rows = rows.start.min(end)..end;
    }

    pub(crate) fn remaining(&self) -> u64 {
        self.rows.end - self.rows.start
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Reads the next batch. `read` returns the values of its rows.
    pub(crate) fn next(&mut self, read: impl FnOnce(Range<u64>) -> Result<ArrayRef>) -> Option<Result<RecordBatch, ArrowError>> {
        if self.rows.is_empty() {
            return None;
        }
        let end = self.rows.start.saturating_add(self.batch_size).min(self.rows.end);
        let values = read(self.rows.start..end).map_err(ArrowError::from);
        let batch = values.and_then(|values| RecordBatch::try_new(self.schema.clone(), vec![values]));
        self.rows.start = if batch.is_ok() { end } else { self.rows.end };
        Some(batch)
    }
}
