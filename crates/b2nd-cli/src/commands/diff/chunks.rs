//! Compares the data of frames without an array.

use std::path::Path;

use b2nd_frame::Frame;
use b2nd_store::{Bytes, Kind};
use b2nd_view::text::{count, thousands};

use crate::differences::{Differing, Tolerance};
use crate::error::Result;
use crate::values::{self, source};

/// Returns lines that describe how the data of two frames differ, or nothing if the data are equal.
pub(super) fn compare(a: &Path, b: &Path, tolerance: &Tolerance) -> Result<Vec<String>> {
    let [one, other] = [Frame::open(source(a)?)?, Frame::open(source(b)?)?];
    // Each chunk can be a value of its own.
    let is_list = |frame: &Frame<Bytes>| {
        let kind = Kind::of(frame.header(), frame.trailer().ok());
        frame.header().has_variable_chunks() || matches!(kind, Kind::ObjectArray | Kind::BatchArray | Kind::ListArray)
    };
    if !is_list(&one) && !is_list(&other) {
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
