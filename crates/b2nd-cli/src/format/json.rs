//! Writes nested lists. NaN and infinities are written as null, times as text, and complex numbers, and bytes that are not text, as objects
//! with one key.

use std::io::Write;

use b2nd_view::elements;
use b2nd_view::json::write_text;
use b2nd_view::text::hex;
use indicatif::ProgressBar;
use serde_json::json;

use crate::error::{Error, Result};
use crate::values::SelectedArray;

/// Writes elements as JSON lists, nested like the dimensions. With `has_lines`, each element of the outermost list is a line of its own.
pub(super) fn write(values: &SelectedArray, has_lines: bool, out: &mut dyn Write, bar: &ProgressBar) -> Result<()> {
    // For each level of nesting, starting with the outermost, the number of elements in a list of that level.
    let mut lists = values.selection.shape();
    for level in (1..lists.len()).rev() {
        lists[level - 1] = lists[level - 1].saturating_mul(lists[level]);
    }
    // An array without elements is written as one empty list, or as no lines.
    if lists.contains(&0) {
        return if has_lines { Ok(()) } else { writeln!(out, "[]").map_err(Error::Write) };
    }
    if has_lines && !lists.is_empty() {
        lists.remove(0);
    }
    let mut written = 0;
    values.each(bar, |item| {
        let opened = lists.iter().filter(|&&list| written % list == 0).count();
        if written != 0 {
            let separator = match opened {
                _ if has_lines && opened == lists.len() => "\n",
                0 => ",",
                _ if has_lines => ",",
                _ => ",\n",
            };
            write!(out, "{separator}")?;
        }
        write!(out, "{}", "[".repeat(opened))?;
        let value = values.array.dtype().map_or_else(|| json!({ "bytes": hex(item, "") }), |dtype| elements::json(dtype, item));
        write_text(out, &value)?;
        written += 1;
        write!(out, "{}", "]".repeat(lists.iter().filter(|&&list| written % list == 0).count()))
    })?;
    writeln!(out).map_err(Error::Write)
}
