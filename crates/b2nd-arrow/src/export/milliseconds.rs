//! [`Milliseconds`]: converts times in seconds to milliseconds for Parquet, which has no times in seconds.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampSecondType;
use arrow_array::{Array, ArrayRef, RecordBatch, UInt64Array};
use arrow_schema::{DataType, FieldRef, Schema, SchemaRef, TimeUnit};

use crate::error::{Error, ErrorKind, Result};

/// The number of milliseconds in a second.
const SCALE: i64 = 1000;

/// A schema without times in seconds, to which batches are converted.
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
            self.fits(column).map_err(|error| error.in_column(field.name()))?;
            Ok(arrow_cast::cast(column, field.data_type())?)
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        self.rows = self.rows.saturating_add(batch.num_rows() as u64);
        Ok(RecordBatch::try_new(self.schema.clone(), columns)?)
    }

    fn fits(&self, column: &ArrayRef) -> Result<()> {
        if too_far(column).is_none() {
            return Ok(());
        }
        // The numbers that are stored for nulls are arbitrary, and are ignored.
        for row in (0..column.len()).filter(|&row| column.is_valid(row)) {
            let alone = arrow_select::take::take(column, &UInt64Array::from(vec![row as u64]), None)?;
            if let Some(seconds) = too_far(&alone) {
                let what = format!("the time {seconds} s after 1970 is too large for Parquet, which counts milliseconds");
                return Err(Error::new(ErrorKind::Refused, what).at_row(self.rows.saturating_add(row as u64)));
            }
        }
        Ok(())
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

/// Returns the first time in seconds that is too far from 1970 for 64-bit milliseconds.
fn too_far(array: &dyn Array) -> Option<i64> {
    match array.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => {
            let seconds = array.as_primitive::<TimestampSecondType>();
            seconds.iter().flatten().find(|seconds| seconds.checked_mul(SCALE).is_none())
        }
        DataType::List(_) => too_far(array.as_list::<i32>().values()),
        DataType::LargeList(_) => too_far(array.as_list::<i64>().values()),
        DataType::FixedSizeList(..) => too_far(array.as_fixed_size_list().values()),
        DataType::Struct(_) => array.as_struct().columns().iter().find_map(|column| too_far(column)),
        DataType::Dictionary(..) => too_far(array.as_any_dictionary().values()),
        _ => None,
    }
}
