//! [`OneColumn`]: rows as record batches of one column, or of a column for each field of a structure.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use crate::error::Result;
use crate::reader::BATCH_SIZE;
use crate::schema::numpy_dtype::is_complex;
use crate::table::BATCH_BYTES;

/// The name of the column, unless the columns are the fields of a structure.
pub(crate) const NAME: &str = "values";

/// A source of rows for [`OneColumn`].
pub trait ReadRows {
    /// Reads the values of these rows, which must exist.
    ///
    /// # Errors
    ///
    /// Fails if the values cannot be read.
    fn read(&self, rows: Range<u64>) -> Result<ArrayRef>;
}

/// The rows of a source as batches of one column, `values`, or of a column for each field of a structure. Batches are read one at a time.
/// The iterator ends after an error.
pub struct OneColumn<S> {
    source: S,
    schema: SchemaRef,
    /// The rows that have not been read yet.
    rows: Range<u64>,
    batch_size: u64,
}

impl<S> OneColumn<S> {
    /// Creates the batches of a source that has `rows` rows of about `row_bytes` bytes each. `field` describes the only column.
    pub(crate) fn of(source: S, field: Field, rows: u64, row_bytes: u64) -> OneColumn<S> {
        let batch_size = (BATCH_BYTES / row_bytes.max(1)).clamp(1, BATCH_SIZE as u64);
        OneColumn { source, schema: Arc::new(Schema::new(vec![field])), rows: 0..rows, batch_size }
    }

    /// Makes a column of each field, if the values are structures other than complex numbers.
    pub(crate) fn with_fields(mut self) -> OneColumn<S> {
        if let DataType::Struct(fields) = self.schema.field(0).data_type() {
            if !is_complex(self.schema.field(0).data_type()) {
                self.schema = Arc::new(Schema::new(fields.clone()));
            }
        }
        self
    }

    /// Replaces the range of rows to read, which at first has all rows. Rows are counted from the first row of the source. The new range
    /// ends at the end of the old one at the latest.
    #[must_use]
    pub fn slice(mut self, rows: Range<u64>) -> Self {
        let end = rows.end.min(self.rows.end);
        self.rows = rows.start.min(end)..end;
        self
    }

    /// Returns the number of rows that have not been read yet, or 0 after an error.
    pub fn remaining(&self) -> u64 {
        self.rows.end - self.rows.start
    }
}

impl<S: ReadRows> Iterator for OneColumn<S> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rows.is_empty() {
            return None;
        }
        let end = self.rows.start.saturating_add(self.batch_size).min(self.rows.end);
        let values = self.source.read(self.rows.start..end).map_err(ArrowError::from);
        let columns = |values: ArrayRef| match values.as_struct_opt() {
            Some(structs) if structs.fields() == self.schema.fields() => structs.columns().to_vec(),
            _ => vec![values],
        };
        let batch = values.and_then(|values| RecordBatch::try_new(self.schema.clone(), columns(values)));
        self.rows.start = if batch.is_ok() { end } else { self.rows.end };
        Some(batch)
    }
}

impl<S: ReadRows> RecordBatchReader for OneColumn<S> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
