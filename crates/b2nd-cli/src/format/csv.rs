//! Writes comma-separated values as in RFC 4180, except that lines end in `\n` instead of `\r\n`.

use std::io::Write;

use b2nd::dtype::DType;
use b2nd_view::elements::{cell, in_quotes};
use b2nd_view::text::hex;
use indicatif::ProgressBar;

use crate::error::{Error, Result};
use crate::values::{SelectedArray, fields};

/// Writes a record for each element of a one-dimensional array, or for each row of the last dimension of other arrays. If elements are
/// structures, the first line contains the names of the fields.
pub(super) fn write(values: &SelectedArray, out: &mut dyn Write, bar: &ProgressBar) -> Result<()> {
    let (dtype, shape) = (values.array.dtype(), values.selection.shape());
    let names: Vec<_> = dtype.into_iter().flat_map(DType::fields).map(|field| in_quotes(field.name())).collect();
    let has_fields = !names.is_empty();
    if has_fields && shape.len() > 1 {
        let ndim = shape.len();
        return Err(Error::new(format_args!(
            "structures can be written as CSV only in one dimension, but these have {ndim}: use indices, as in 0,:"
        )));
    }
    if has_fields {
        writeln!(out, "{}", names.join(",")).map_err(Error::Write)?;
    }
    let record = if shape.len() > 1 { shape.last().copied().unwrap_or(1).max(1) } else { 1 };
    let mut written = 0;
    values.each(bar, |item| {
        let cells = match dtype {
            Some(dtype) if has_fields => fields(dtype, item, cell).join(","),
            Some(dtype) => cell(dtype, item),
            None => hex(item, ""),
        };
        // Some readers, such as pandas, skip a blank line.
        let cells = if cells.is_empty() && record == 1 { "\"\"" } else { &cells };
        written += 1;
        let after = if written % record == 0 { "\n" } else { "," };
        write!(out, "{cells}{after}")
    })
}
