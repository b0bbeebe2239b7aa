//! Opens an array, and describes its values.

use b2nd::dtype::{DType, ScalarType};
use b2nd_frame::{Error, Result};
use b2nd_ndarray::Array;
use b2nd_store::Bytes;
use b2nd_view::elements::{Column, Number, columns, no_objects, reader};
use serde_json::{Value, json};

/// Opens the array in a frame. Also returns its columns.
pub(crate) fn open(source: &Bytes) -> Result<(Array, Vec<Column>)> {
    let array = Array::from_source(source.clone(), 0).map_err(Error::custom)?;
    array.dtype().map_or(Ok(()), no_objects)?;
    let columns = columns(array.dtype(), array.itemsize())?;
    Ok((array, columns))
}

/// Describes the shape, the chunks and the columns of an array, and which columns can be drawn.
pub(crate) fn describe(array: &Array, columns: &[Column]) -> Value {
    let geometry = array.geometry();
    let columns: Vec<Value> = columns.iter().map(describe_column).collect();
    let is_byte = |scalar: &ScalarType| *scalar == ScalarType::UInt8;
    let is_image = matches!(array.dtype(), Some(DType::Scalar(scalar)) if is_byte(&scalar.scalar_type()));
    let channels = geometry.shape().last().filter(|&&last| is_image && geometry.shape().len() > 2 && matches!(last, 3 | 4));
    let fields: Vec<&str> =
        array.dtype().map_or_else(Vec::new, |dtype| dtype.fields().iter().map(|field| field.name()).collect());
    json!({
        "shape": geometry.shape(), "chunkshape": geometry.chunkshape(), "dtype": array.dtype().map(DType::to_string),
        "columns": columns, "fields": fields, "channels": channels,
    })
}

fn describe_column(column: &Column) -> Value {
    let read = column.dtype.as_ref().and_then(reader);
    // A column can be drawn if it has exactly one number in each element.
    let is_drawable = column.offsets.len() == 1 && read.is_some();
    let is_complex = read.is_some_and(|read| matches!(read(&[0; 16]), Number::Complex(..)));
    json!({
        "name": column.name, "dtype": column.dtype.as_ref().map(DType::to_string),
        "drawable": is_drawable, "complex": is_complex,
    })
}
