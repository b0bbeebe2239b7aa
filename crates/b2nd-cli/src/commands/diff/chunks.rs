//! Compares the data of frames without an array.

use std::path::Path;

use b2nd_frame::Frame;
use b2nd_ndarray::Array;
use b2nd_view::text::{count, thousands};

use crate::differences::{Differing, Tolerance};
use crate::error::Result;
use crate::values::{self, source};

/// Returns lines that describe how the data in two frames differs, or an empty list if no difference is found. Elements are compared if
/// possible, otherwise chunks.
pub(super) fn compare(a: &Path, b: &Path, tolerance: &Tolerance) -> Result<Vec<String>> {
    let sources = [source(a)?, source(b)?];
    let [one, other] = [Frame::open(sources[0].clone())?, Frame::open(sources[1].clone())?];
    let is_flat = sources.map(|source| Array::from_source(source, 0).map(|array| array.is_flat()));
    // If chunks differ in length, each chunk may be a value of its own.
    let has_values = [&one, &other].iter().any(|frame| frame.header().has_variable_chunks());
    if matches!(is_flat, [Ok(one), Ok(other)] if one == other) && !has_values {
        return values::compare(a, b, tolerance);
    }
    let [chunks, others] = [one.offsets()?.len(), other.offsets()?.len()];
    if chunks != others {
        return Ok(vec![format!("{} in the first, {} in the second", count(chunks, "chunk"), thousands(others))]);
    }
    let mut differing = Differing::default();
    for number in 0..chunks {
        if one.chunk(number)?.data()? != other.chunk(number)?.data()? {
            differing.add(|| vec![format!("[{number}]")]);
        }
    }
    Ok(differing.lines("chunk"))
}
