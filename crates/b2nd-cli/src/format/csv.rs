//! [`Csv`]: comma-separated values, as RFC 4180 has them but for the ends of lines.

use std::io::{self, Write};

use b2nd::dtype::DType;
use b2nd_view::elements::{cell, in_quotes};
use b2nd_view::text::hex;

use super::{ElementInfo, Format};
use crate::error::{Error, Result};

/// Elements as records. Those of one dimension have one each, structures with a line of names before them; else a record is a line of
/// the last dimension.
pub(super) struct Csv {
    dtype: Option<DType>,
    itemsize: usize,
    /// The number of elements in a record.
    record: u64,
    written: u64,
}

impl Csv {
    pub(super) fn new(layout: ElementInfo) -> Result<Csv> {
        let (lengths, _) = layout.lengths()?;
        let has_fields = layout.dtype.as_ref().is_some_and(|dtype| !dtype.fields().is_empty());
        if has_fields && lengths.len() > 1 {
            let ndim = lengths.len();
            return Err(Error::new(format_args!(
                "structures are records of CSV in one dimension, and these have {ndim}: slice them"
            )));
        }
        let record = if lengths.len() > 1 { lengths.last().copied().unwrap_or(1).max(1) } else { 1 };
        Ok(Csv { dtype: layout.dtype, itemsize: layout.itemsize.max(1), record, written: 0 })
    }
}

impl Format for Csv {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Some(dtype) = self.dtype.as_ref().filter(|dtype| !dtype.fields().is_empty()) else { return Ok(()) };
        let names: Vec<_> = dtype.fields().iter().map(|field| in_quotes(field.name())).collect();
        writeln!(out, "{}", names.join(","))
    }

    fn put(&mut self, elements: &[u8], out: &mut dyn Write) -> io::Result<()> {
        for item in elements.chunks(self.itemsize) {
            let cells = self.dtype.as_ref().map_or_else(|| hex(item, ""), |dtype| cells(dtype, item));
            self.written += 1;
            let after = if self.written % self.record == 0 { "\n" } else { "," };
            write!(out, "{cells}{after}")?;
        }
        Ok(())
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

fn cells(dtype: &DType, bytes: &[u8]) -> String {
    let cells = dtype.fields().iter().map(|field| {
        let place = field.offset()..field.offset() + field.dtype().itemsize();
        cell(field.dtype(), bytes.get(place).unwrap_or_default())
    });
    if dtype.fields().is_empty() { cell(dtype, bytes) } else { cells.collect::<Vec<_>>().join(",") }
}
