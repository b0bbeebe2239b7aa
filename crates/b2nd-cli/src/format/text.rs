//! Writes a line for each row of the last dimension, aligned in columns, and an empty line between planes. In one dimension, each
//! structure is on its own line. So is every other value, unless the output is a terminal. On a terminal, long lines are wrapped.

use std::io::{self, Write};

use b2nd::dtype::DType;
use b2nd_view::elements;
use b2nd_view::text::{hex, printable};
use indicatif::ProgressBar;

use crate::error::{Error, Result};
use crate::values::{SelectedArray, fields};

/// The number of cells (texts of elements or fields) that are collected before they are printed, so that they can be aligned. Rows with
/// more cells than this are not aligned.
const HELD: usize = 1 << 16;

/// Rows of cells. They are printed together, since the columns may be aligned.
struct Rows {
    /// The number of cells in a row.
    row: usize,
    /// The number of rows in a plane.
    plane: usize,
    /// The width of the terminal, if there is one.
    width: Option<usize>,
    /// The width of each column, or nothing if the cells are not aligned.
    widths: Vec<usize>,
    /// The cells that are not printed yet.
    cells: Vec<String>,
    /// The number of cells that were printed so far.
    printed: usize,
    /// The number of characters on the current line.
    column: usize,
}

/// Writes elements as lines of text. `width` is the width of the terminal, if there is one.
pub(super) fn write(values: &SelectedArray, width: Option<usize>, out: &mut dyn Write, bar: &ProgressBar) -> Result<()> {
    let (dtype, shape) = (values.array.dtype(), values.selection.shape());
    let names: Vec<_> = dtype.into_iter().flat_map(DType::fields).map(|field| printable(field.name())).collect();
    let is_record = !names.is_empty() && shape.len() < 2;
    // Programs read one value from each line. A terminal shows the values of one dimension in as few lines as possible.
    let is_list = !is_record && shape.len() == 1 && width.is_none();
    let lengths = shape.iter().map(|&length| usize::try_from(length)).collect::<Result<Vec<_>, _>>()?;
    let row = match lengths.last() {
        _ if is_record => names.len(),
        Some(&last) if !is_list => last.max(1),
        _ => 1,
    };
    let has_one_row = lengths.iter().rev().skip(1).all(|&length| length == 1);
    let is_aligned = row <= HELD && !is_list && (is_record || !has_one_row);
    let plane = lengths.iter().rev().nth(1).copied().unwrap_or(usize::MAX).max(1);
    let widths = vec![0; if is_aligned { row } else { 0 }];
    let mut rows = Rows { row, plane, width, widths, cells: Vec::new(), printed: 0, column: 0 };
    if is_record {
        rows.cells = names;
    } else if !names.is_empty() {
        writeln!(out, "({})", names.join(", ")).map_err(Error::Write)?;
    }
    values.each(bar, |item| {
        match dtype {
            Some(dtype) if is_record => rows.cells.extend(fields(dtype, item, elements::text)),
            Some(dtype) => rows.cells.push(elements::text(dtype, item)),
            None => rows.cells.push(hex(item, "")),
        }
        let is_full = rows.cells.len() >= HELD && (!is_aligned || rows.cells.len() % row == 0);
        if is_full { rows.print(out) } else { Ok(()) }
    })?;
    rows.print(out).and_then(|()| if rows.printed != 0 { writeln!(out) } else { Ok(()) }).map_err(Error::Write)
}

impl Rows {
    /// Prints the cells that are not printed yet.
    fn print(&mut self, out: &mut dyn Write) -> io::Result<()> {
        for row in self.cells.chunks(self.row) {
            for (width, cell) in self.widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        for cell in self.cells.drain(..) {
            let (line, place) = (self.printed / self.row, self.printed % self.row);
            let length = self.widths.get(place).copied().unwrap_or_else(|| cell.chars().count());
            let before = match (place, line) {
                (0, 0) => "",
                (0, line) if line % self.plane == 0 => "\n\n",
                (0, _) => "\n",
                _ if self.width.is_some_and(|width| self.column + 2 + length > width) => "\n  ",
                _ => "  ",
            };
            self.column = if before == "  " { self.column } else { 0 } + before.trim_start_matches('\n').len() + length;
            write!(out, "{before}{cell:>length$}")?;
            self.printed += 1;
        }
        Ok(())
    }
}
