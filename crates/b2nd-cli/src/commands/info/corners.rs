//! `b2nd info --values`: the values at the corners of an array.

use std::path::Path;

use b2nd_ndarray::Select;
use b2nd_view::Frame;
use b2nd_view::elements::{Corners, LINE};
use b2nd_view::slice::Slice;
use b2nd_view::text::{LABEL, printable, styled};

use crate::error::{Error, Result};
use crate::values::Values;

/// The column at which values start.
const INDENT: usize = 4;

/// Lines for a page: the values of all of an array, or of a slice, as numpy prints them. `None` if the frame has no array.
pub(super) fn lines(frame: &Frame, word: &Path, slice: Option<&Slice>, width: Option<usize>) -> Result<Option<String>> {
    if !matches!(frame.header().array(), Ok(Some(_))) {
        return Ok(None);
    }
    if word == Path::new("-") {
        return Err(Error::new("standard input is read once: b2nd cat - prints its values"));
    }
    let Values { array, selection } = Values::open(word, Some(frame.offset()), slice)?;
    let corners = Corners::new(&selection.lengths(), array.itemsize())?;
    let axes = corners.indices().zip(selection.ranges.iter().zip(&selection.steps));
    let select: Vec<Select> = axes
        .map(|(indices, (range, step))| Select::Indices(indices.iter().map(|index| range.start + index * step).collect()))
        .collect();
    let elements = array.select_bytes(&select)?;
    let width = width.map_or(LINE, |width| width.saturating_sub(INDENT + 1).min(LINE));
    let text = corners.text(array.dtype(), array.itemsize(), &elements, &selection.kept, width);
    let gap = " ".repeat(INDENT);
    let lines: Vec<String> = text.lines().map(|line| format!("{gap}{}\n", printable(line))).collect();
    Ok(Some(format!("  {}\n{}", styled(LABEL, "values"), lines.concat().replace(&format!("{gap}\n"), "\n"))))
}
