//! The columns of the catalogue. Converts [`CatalogRow`]s to record batches of Arrow.

use std::sync::{Arc, LazyLock};

use arrow::array::{
    ArrayRef, ListArray, ListBuilder, PrimitiveArray, RecordBatch, StringArray, StringBuilder, TimestampMicrosecondArray,
};
use arrow::datatypes::{ArrowPrimitiveType, Field, Fields, Float64Type, Int32Type, Int64Type, Schema, SchemaRef};
use arrow::error::ArrowError;

use crate::row::CatalogRow;

/// The columns of a catalogue. Each has the name of a field of [`CatalogRow`].
pub static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let field = |(name, column): (&str, ArrayRef)| Field::new(name, column.data_type().clone(), name != "url");
    Arc::new(Schema::new(columns(&[]).map(field).into_iter().collect::<Fields>()))
});

/// Converts rows to a batch.
///
/// # Errors
///
/// Returns the errors of Arrow. None is expected, because the columns have the types in [`SCHEMA`].
pub fn batch(rows: &[&CatalogRow]) -> Result<RecordBatch, ArrowError> {
    RecordBatch::try_new(SCHEMA.clone(), columns(rows).map(|(_, column)| column).to_vec())
}

fn columns(rows: &[&CatalogRow]) -> [(&'static str, ArrayRef); 30] {
    let modified: TimestampMicrosecondArray = rows.iter().map(|row| row.modified).collect();
    [
        ("url", texts(rows, |row| Some(&row.url))),
        ("key", texts(rows, |row| row.key.as_deref())),
        ("kind", texts(rows, |row| row.kind)),
        ("error", texts(rows, |row| row.error.as_deref())),
        ("size", numbers::<Int64Type>(rows, |row| row.size)),
        ("etag", texts(rows, |row| row.etag.as_deref())),
        ("modified", Arc::new(modified.with_timezone("UTC"))),
        ("member", texts(rows, |row| row.member.as_deref())),
        ("offset", numbers::<Int64Type>(rows, |row| row.offset)),
        ("ndim", numbers::<Int32Type>(rows, |row| row.ndim)),
        ("shape", lists(rows, |row| row.shape.as_deref())),
        ("chunkshape", lists(rows, |row| row.chunkshape.as_deref())),
        ("blockshape", lists(rows, |row| row.blockshape.as_deref())),
        ("dtype", texts(rows, |row| row.dtype.as_deref())),
        ("itemsize", numbers::<Int64Type>(rows, |row| row.itemsize)),
        ("nbytes", numbers::<Int64Type>(rows, |row| row.nbytes)),
        ("cbytes", numbers::<Int64Type>(rows, |row| row.cbytes)),
        ("ratio", numbers::<Float64Type>(rows, |row| row.ratio)),
        ("codec", texts(rows, |row| row.codec.as_deref())),
        ("level", numbers::<Int32Type>(rows, |row| row.level)),
        ("filters", text_lists(rows, |row| row.filters.as_deref())),
        ("nchunks", numbers::<Int64Type>(rows, |row| row.nchunks)),
        ("layout", texts(rows, |row| row.layout)),
        ("frame_type", texts(rows, |row| row.frame_type)),
        ("frame_version", numbers::<Int32Type>(rows, |row| row.frame_version)),
        ("metalayers", text_lists(rows, |row| row.metalayers.as_deref())),
        ("attributes", texts(rows, |row| row.attributes.as_deref())),
        ("dims", text_lists(rows, |row| row.dims.as_deref())),
        ("units", texts(rows, |row| row.units.as_deref())),
        ("long_name", texts(rows, |row| row.long_name.as_deref())),
    ]
}

fn texts(rows: &[&CatalogRow], value: impl Fn(&CatalogRow) -> Option<&str>) -> ArrayRef {
    Arc::new(rows.iter().copied().map(value).collect::<StringArray>())
}

fn numbers<T: ArrowPrimitiveType>(rows: &[&CatalogRow], value: impl Fn(&CatalogRow) -> Option<T::Native>) -> ArrayRef {
    Arc::new(rows.iter().copied().map(value).collect::<PrimitiveArray<T>>())
}

fn lists(rows: &[&CatalogRow], value: impl Fn(&CatalogRow) -> Option<&[i64]>) -> ArrayRef {
    let values = rows.iter().map(|row| value(row).map(|list| list.iter().copied().map(Some)));
    Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(values))
}

fn text_lists(rows: &[&CatalogRow], value: impl Fn(&CatalogRow) -> Option<&[String]>) -> ArrayRef {
    let mut lists = ListBuilder::new(StringBuilder::new());
    for row in rows {
        lists.append_option(value(row).map(|list| list.iter().map(Some)));
    }
    Arc::new(lists.finish())
}
