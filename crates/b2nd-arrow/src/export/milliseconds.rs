//! [`Milliseconds`]: converts timestamps in seconds to milliseconds for Parquet, which has no timestamps in seconds.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, UInt64Array, new_null_array};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, FieldRef, Schema, SchemaRef, TimeUnit};

use super::text;
use crate::error::{Error, ErrorKind, Result};

/// A schema without timestamps in seconds, to which batches are converted.
pub(crate) struct Milliseconds {
    schema: SchemaRef,
    /// The number of rows of all previous batches.
    rows: u64,
}

impl Milliseconds {
    pub(crate) fn new(schema: &Schema) -> Milliseconds {
        let fields: Vec<_> = schema.fields().iter().map(field).collect();
        Milliseconds { schema: Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())), rows: 0 }
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Converts the next batch.
    ///
    /// # Errors
    ///
    /// Fails if a time is too far from 1970. The error names the time's column and row.
    pub(crate) fn next(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let columns = self.schema.fields().iter().zip(batch.columns()).map(|(field, column)| {
            if field.data_type() == column.data_type() {
                return Ok(column.clone());
            }
            self.cast(column, field.data_type()).map_err(|error| error.in_column(field.name()))
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        self.rows = self.rows.saturating_add(batch.num_rows() as u64);
        Ok(RecordBatch::try_new(self.schema.clone(), columns)?)
    }

    fn cast(&self, column: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
        let cast = |column: &ArrayRef| cast_with_options(column, to, &CastOptions { safe: false, ..CastOptions::default() });
        if let Ok(column) = cast(column) {
            return Ok(column);
        }
        // Casts row by row, to find the row whose time does not fit. Nulls are not cast, because the array holds arbitrary values for them.
        let row = |row: u64| -> Result<ArrayRef> {
            if column.is_null(row as usize) {
                return Ok(new_null_array(to, 1));
            }
            let cell = arrow_select::take::take(column, &UInt64Array::from(vec![row]), None)?;
            cast(&cell).map_err(|_| {
                let options = text::options("null");
                let shown = text::formatter(&cell, &options).map_or_else(|_| String::new(), |text| text.value(0).to_string());
                let what = format!("a time is too far from 1970 for Parquet, whose limit is {} milliseconds: {shown}", i64::MAX);
                Error::new(ErrorKind::Refused, what).at_row(self.rows.saturating_add(row))
            })
        };
        let cells = (0..column.len() as u64).map(row).collect::<Result<Vec<_>>>()?;
        Ok(arrow_select::concat::concat(&cells.iter().map(|cell| &**cell).collect::<Vec<_>>())?)
    }
}

fn field(field: &FieldRef) -> FieldRef {
    let data_type = data_type(field.data_type());
    if data_type == *field.data_type() { field.clone() } else { Arc::new(field.as_ref().clone().with_data_type(data_type)) }
}

fn data_type(of: &DataType) -> DataType {
    match of {
        DataType::Timestamp(TimeUnit::Second, zone) => DataType::Timestamp(TimeUnit::Millisecond, zone.clone()),
        DataType::List(item) => DataType::List(field(item)),
        DataType::LargeList(item) => DataType::LargeList(field(item)),
        DataType::FixedSizeList(item, length) => DataType::FixedSizeList(field(item), *length),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field).collect()),
        DataType::Dictionary(key, value) => DataType::Dictionary(key.clone(), Box::new(data_type(value))),
        other => other.clone(),
    }
}
