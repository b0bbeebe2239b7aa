//! Opens an array, and describes its values.

use std::sync::Arc;

use b2nd::dtype::{DType, ScalarType};
use b2nd_frame::{Error, Result};
use b2nd_ndarray::Array;
use b2nd_store::{Bytes, Folder, Leaf, SPARSE_FRAME, Store, find, is_of_source};
use b2nd_view::elements::{Column, Number, columns, no_objects, reader};
use serde_json::{Value, json};

use super::is_drawable;
use crate::pieces::{Files, SparseFrame};

/// Opens the array in the file itself, or in the leaf of a store with this key. Also returns the source of its bytes, and its columns.
pub fn open(files: &Arc<Files>, key: Option<&str>) -> Result<(Bytes, Array, Vec<Column>)> {
    let source = source(files, key)?;
    let array = Array::from_source(source.clone(), 0).map_err(Error::custom)?;
    array.dtype().map_or(Ok(()), no_objects)?;
    let columns = columns(array.dtype(), array.itemsize())?;
    Ok((source, array, columns))
}

pub fn source(files: &Arc<Files>, key: Option<&str>) -> Result<Bytes> {
    if let Some(frame) = files.get(SPARSE_FRAME) {
        return Ok(Arc::new(SparseFrame { frame: frame.clone(), files: files.clone() }));
    }
    match (files.get(""), key) {
        (Some(file), None) => Ok(file.clone()),
        (None, None) => Err(Error::custom("this folder has no Blosc2 frame and no store")),
        (_, Some(key)) => store(files)?.leaf(key),
    }
}

fn store(files: &Arc<Files>) -> Result<Store> {
    match files.get("") {
        Some(file) => Store::from_source("", file.clone()),
        None => Ok(Store::from_folder("", files.clone())),
    }
}

/// Returns true if the store can be listed, but has no leaf with this key or does not contain the leaf's file.
pub fn is_missing(files: &Arc<Files>, key: &str) -> bool {
    let Ok(store) = store(files) else { return false };
    let (Err(error), Ok(listing)) = (store.leaf(key), store.list()) else { return false };
    let is_absent = |leaf: Leaf| leaf.member.is_some_and(|member| matches!(store.member(&member), Ok(None)));
    !is_of_source(&error) && find(&listing.leaves, &store, key).map_or(true, is_absent)
}

/// Describes the shape, the chunks and the columns of an array, and how the columns can be drawn.
pub fn describe(array: &Array, columns: &[Column]) -> Value {
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
    let is_complex = read.is_some_and(|read| matches!(read(&[0; 16]), Number::Complex(..)));
    json!({
        "name": column.name, "dtype": column.dtype.as_ref().map(DType::to_string),
        "drawable": is_drawable(column), "complex": is_complex,
    })
}
