//! [`Json`] writes nested lists. NaN and infinities are written as null, other values that JSON lacks as objects with one key.

use std::io::{self, Write};

use b2nd::dtype::DType;
use b2nd_view::elements;
use b2nd_view::json::write_text;
use b2nd_view::text::hex;
use serde_json::json;

use super::{ElementInfo, Format};
use crate::error::Result;

/// Writes elements as JSON lists, nested like the dimensions.
pub(super) struct Json {
    dtype: Option<DType>,
    itemsize: usize,
    /// For each level of nesting, from the outermost on, the number of elements in a list of that level.
    lists: Vec<u64>,
    items: u64,
    written: u64,
    /// Whether each element of the outermost list is a line of its own.
    has_lines: bool,
}

impl Json {
    pub(super) fn new(layout: ElementInfo, has_lines: bool) -> Result<Json> {
        let (lengths, items) = layout.lengths()?;
        let mut lists = if items == 0 { Vec::new() } else { lengths };
        for level in (1..lists.len()).rev() {
            lists[level - 1] *= lists[level];
        }
        if has_lines && !lists.is_empty() {
            lists.remove(0);
        }
        Ok(Json { dtype: layout.dtype, itemsize: layout.itemsize.max(1), lists, items, written: 0, has_lines })
    }
}

impl Format for Json {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        // An array without elements is written as one empty list.
        if self.items == 0 && !self.has_lines { write!(out, "[]") } else { Ok(()) }
    }

    fn put(&mut self, elements: &[u8], out: &mut dyn Write) -> io::Result<()> {
        for item in elements.chunks(self.itemsize) {
            let opened = self.lists.iter().filter(|&&list| self.written % list == 0).count();
            if self.written != 0 {
                let separator = match opened {
                    _ if self.has_lines && opened == self.lists.len() => "\n",
                    0 => ",",
                    _ if self.has_lines => ",",
                    _ => ",\n",
                };
                write!(out, "{separator}")?;
            }
            write!(out, "{}", "[".repeat(opened))?;
            let value =
                self.dtype.as_ref().map_or_else(|| json!({ "bytes": hex(item, "") }), |dtype| elements::json(dtype, item));
            write_text(out, &value)?;
            self.written += 1;
            write!(out, "{}", "]".repeat(self.lists.iter().filter(|&&list| self.written % list == 0).count()))?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.items == 0 && self.has_lines { Ok(()) } else { writeln!(out) }
    }
}
