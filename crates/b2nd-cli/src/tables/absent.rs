//! Replaces the code for tables and lists of values in builds without the feature `arrow`. Opening a table or a list is an error that names
//! the command which installs the feature.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use b2nd_store::{Bytes, Frame, Kind, Store};

use super::{TableRows, find};
use crate::differences::{Lines, Tolerance};
use crate::error::{Error, INSTALL, Result};
use crate::format::OutputFormat;
use crate::values::SelectedArray;

/// Fails if the argument names a table, otherwise returns `None`.
pub(crate) fn open(word: &Path) -> Result<Option<Box<dyn TableRows>>> {
    // Errors are ignored, because they are reported when the argument is opened as an array.
    if matches!(find(word), Ok(Some(_))) { Err(without("a table")) } else { Ok(None) }
}

/// Fails if the frame is an object array, a batch array or a list array, otherwise returns `None`.
pub(crate) fn open_cells(source: Bytes) -> Result<Option<Box<dyn TableRows>>> {
    let Ok(frame) = Frame::open(&*source) else { return Ok(None) };
    match Kind::of(frame.header(), None) {
        Kind::ObjectArray => Err(without("an object array")),
        Kind::BatchArray => Err(without("a batch array")),
        Kind::ListArray => Err(without("a list array")),
        _ => Ok(None),
    }
}

pub(crate) fn write_array(_: SelectedArray, _: OutputFormat, _: &mut (dyn Write + Send)) -> Result<()> {
    Err(Error::new(format_args!("this build of b2nd cannot write Arrow or Parquet: {INSTALL}")))
}

pub(crate) fn cells(_: &Arc<Store>, _: &str) -> Result<Option<Vec<Vec<String>>>> {
    Ok(None)
}

pub(crate) fn rows(_: &Arc<Store>, _: &str) -> Option<u64> {
    None
}

pub(crate) fn compare(_: &str, _: &Path, _: &Path, _: &Tolerance, _: &mut Lines) -> Result<()> {
    Err(without("a table"))
}

fn without(what: &str) -> Error {
    Error::new(format_args!("it is {what}, which this build of b2nd cannot read: {INSTALL}"))
}
