//! [`Text`]: a line for each of the last dimension, broken between values where it has more characters than a terminal has columns, an empty
//! one between planes.

use std::io::{self, Write};

use b2nd::dtype::DType;
use b2nd_view::elements;
use b2nd_view::text::hex;

use super::{Format, Layout};
use crate::error::Result;

/// Elements as lines of text.
pub(super) struct Text {
    dtype: Option<DType>,
    itemsize: usize,
    row: u64,
    plane: u64,
    items: u64,
    printed: u64,
    width: Option<usize>,
    /// The characters that stand on the line already.
    column: usize,
}

impl Text {
    pub(super) fn new(layout: Layout) -> Result<Text> {
        let (lengths, items) = layout.lengths()?;
        let row = lengths.last().copied().unwrap_or(1).max(1);
        let plane = lengths.iter().rev().nth(1).copied().unwrap_or(u64::MAX).saturating_mul(row).max(1);
        Ok(Text {
            dtype: layout.dtype,
            itemsize: layout.itemsize.max(1),
            row,
            plane,
            items,
            printed: 0,
            width: layout.width,
            column: 0,
        })
    }
}

impl Format for Text {
    fn start(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn put(&mut self, elements: &[u8], out: &mut dyn Write) -> io::Result<()> {
        for item in elements.chunks(self.itemsize) {
            let text = self.dtype.as_ref().map_or_else(|| hex(item, ""), |dtype| elements::text(dtype, item));
            let length = if self.width.is_some() { text.chars().count() } else { 0 };
            let before = match self.printed {
                0 => "",
                printed if printed % self.plane == 0 => "\n\n",
                printed if printed % self.row == 0 => "\n",
                _ if self.width.is_some_and(|width| self.column + 2 + length > width) => "\n  ",
                _ => "  ",
            };
            self.column = if before == "  " { self.column } else { 0 } + before.trim_start_matches('\n').len() + length;
            write!(out, "{before}{text}")?;
            self.printed += 1;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.items != 0 { writeln!(out) } else { Ok(()) }
    }
}
