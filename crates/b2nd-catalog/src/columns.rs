//! The columns of the catalogue: [`Row`]s as Arrow's record batches.

use std::sync::{Arc, LazyLock};

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use arrow::error::ArrowError;
use arrow::json::ReaderBuilder;

use crate::row::Row;

/// Column by column what [`Row`] has, under the same names.
pub static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let list = |item| DataType::List(Arc::new(Field::new_list_field(item, true)));
    let strings = || list(DataType::Utf8);
    let integers = || list(DataType::Int64);
    let columns = [
        ("url", DataType::Utf8),
        ("key", DataType::Utf8),
        ("kind", DataType::Utf8),
        ("error", DataType::Utf8),
        ("size", DataType::Int64),
        ("etag", DataType::Utf8),
        ("modified", DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))),
        ("member", DataType::Utf8),
        ("offset", DataType::Int64),
        ("ndim", DataType::Int32),
        ("shape", integers()),
        ("chunkshape", integers()),
        ("blockshape", integers()),
        ("dtype", DataType::Utf8),
        ("itemsize", DataType::Int64),
        ("nbytes", DataType::Int64),
        ("cbytes", DataType::Int64),
        ("ratio", DataType::Float64),
        ("codec", DataType::Utf8),
        ("level", DataType::Int32),
        ("filters", strings()),
        ("nchunks", DataType::Int64),
        ("layout", DataType::Utf8),
        ("frame_type", DataType::Utf8),
        ("frame_version", DataType::Int32),
        ("metalayers", strings()),
        ("attributes", DataType::Utf8),
        ("dims", strings()),
        ("units", DataType::Utf8),
        ("long_name", DataType::Utf8),
    ];
    let fields: Fields = columns.into_iter().map(|(name, kind)| Field::new(name, kind, name != "url")).collect();
    Arc::new(Schema::new(fields))
});

/// Rows as a batch.
///
/// # Errors
///
/// None that rows can cause.
pub fn batch(rows: &[Row]) -> Result<RecordBatch, ArrowError> {
    let mut decoder =
        ReaderBuilder::new(SCHEMA.clone()).with_batch_size(rows.len().max(1)).with_strict_mode(true).build_decoder()?;
    decoder.serialize(rows)?;
    Ok(decoder.flush()?.unwrap_or_else(|| RecordBatch::new_empty(SCHEMA.clone())))
}
