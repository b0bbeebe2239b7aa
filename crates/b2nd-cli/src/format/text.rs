//! [`Text`] writes a line for each row of the last dimension, aligned in columns, and an empty line between planes. In one dimension, each
//! structure is on a line of its own, and each other value too unless it is printed on a terminal. On a terminal, long lines are wrapped.

use std::io::{self, Write};

use b2nd::dtype::DType;
use b2nd_view::elements;
use b2nd_view::text::{hex, printable};

use super::{ElementInfo, Format, fields};
use crate::error::Result;

/// The number of cells (texts of elements or fields) that are collected before they are printed, so that they can be aligned. Rows with
/// more cells than this are not aligned.
const HELD: usize = 1 << 16;

/// Writes elements as lines of text.
pub(super) struct Text {
    dtype: Option<DType>,
    itemsize: usize,
    /// The number of cells (texts of elements or fields) in a row.
    row: usize,
    /// Whether each structure is printed on a line of its own.
    is_record: bool,
    /// The number of rows in a plane.
    plane: u64,
    /// The number of cells that were printed so far.
    printed: u64,
    width: Option<usize>,
    cells: Vec<String>,
    widths: Vec<usize>,
    /// The number of characters on the current line.
    column: usize,
}

impl Text {
    pub(super) fn new(info: ElementInfo) -> Result<Text> {
        let (lengths, items) = info.lengths()?;
        let fields = info.dtype.as_ref().map_or(0, |dtype| dtype.fields().len());
        let is_record = fields != 0 && lengths.len() < 2;
        // Programs read one value from each line. A terminal shows the values of one dimension in as few lines as possible.
        let is_list = !is_record && lengths.len() == 1 && info.width.is_none();
        let row = match lengths.last() {
            _ if is_record => fields as u64,
            Some(&last) if !is_list => last.max(1),
            _ => 1,
        };
        let is_one = is_list || !is_record && items == row;
        let mut text = Text {
            dtype: info.dtype,
            itemsize: info.itemsize.max(1),
            row: usize::try_from(row)?,
            is_record,
            plane: lengths.iter().rev().nth(1).copied().unwrap_or(u64::MAX).max(1),
            printed: 0,
            width: info.width,
            cells: Vec::new(),
            widths: vec![0; if row > HELD as u64 || is_one { 0 } else { row as usize }],
            column: 0,
        };
        if is_record {
            text.cells = text.names();
        }
        Ok(text)
    }

    fn names(&self) -> Vec<String> {
        let fields = self.dtype.iter().flat_map(DType::fields);
        fields.map(|field| printable(field.name())).collect()
    }

    fn print(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if !self.widths.is_empty() {
            for row in self.cells.chunks(self.row) {
                for (width, cell) in self.widths.iter_mut().zip(row) {
                    *width = cell.chars().count().max(*width);
                }
            }
        }
        for cell in std::mem::take(&mut self.cells) {
            let place = self.printed % self.row as u64;
            let length = self.widths.get(place as usize).copied().unwrap_or_else(|| cell.chars().count());
            let before = match (place, self.printed / self.row as u64) {
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

impl Format for Text {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if !self.is_record && self.dtype.as_ref().is_some_and(|dtype| !dtype.fields().is_empty()) {
            writeln!(out, "({})", self.names().join(", "))?;
        }
        Ok(())
    }

    fn put(&mut self, elements: &[u8], out: &mut dyn Write) -> io::Result<()> {
        for item in elements.chunks(self.itemsize) {
            match &self.dtype {
                Some(dtype) if self.is_record => self.cells.extend(fields(dtype, item, elements::text)),
                Some(dtype) => self.cells.push(elements::text(dtype, item)),
                None => self.cells.push(hex(item, "")),
            }
            if self.cells.len() >= HELD && (self.widths.is_empty() || self.cells.len() % self.row == 0) {
                self.print(out)?;
            }
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.print(out)?;
        if self.printed != 0 { writeln!(out) } else { Ok(()) }
    }
}
