//! `b2nd cat` and `b2nd head`: values of an array, or rows of a table, as text.

use std::io;
use std::path::PathBuf;

use b2nd_store::Bytes;
use b2nd_view::slice::Slice;
use b2nd_view::text::parse_offset;
use clap::Args;
use indicatif::ProgressBar;

use crate::error::{Error, Result};
use crate::format::Form;
use crate::output::{Output, terminal};
use crate::tables::{Cells, Part, Rows, no_table};
use crate::values::{Values, source};

/// The lines of an array that `head` prints where there is no terminal.
const LINES: i64 = 10;

/// The lines that a terminal has for values.
fn lines() -> i64 {
    terminal().map_or(LINES, |(_, lines)| (lines as i64 - 2).max(1))
}

/// Prints the values of an array: a line for each of the last dimension, an empty one between planes; and the first rows of a table, of
/// objects, of batches or of lists.
#[derive(Args)]
pub(crate) struct Cat {
    /// An array or a table; as `b2nd info` takes it.
    file: PathBuf,

    /// A part of it: 0:10,5,::2 as in Python; rows of a table.
    #[arg(allow_hyphen_values = true)]
    slice: Option<Slice>,

    /// Print comma-separated values.
    #[arg(long)]
    csv: bool,

    /// Print nested lists of JSON.
    #[arg(long, conflicts_with = "csv")]
    json: bool,

    /// The byte at which the frame starts in its file, in decimal or as 0x….
    #[arg(long, value_name = "N", value_parser = parse_offset)]
    offset: Option<u64>,

    #[command(flatten)]
    part: Part,
}

impl Cat {
    /// `is_head`: no more rows than the terminal has lines.
    pub(crate) fn run(&self, output: &mut Output, is_head: bool) -> io::Result<bool> {
        let form = match self {
            Cat { csv: true, .. } => Form::Csv,
            Cat { json: true, .. } => Form::Json,
            _ => Form::Text,
        };
        if let Some(done) = self.table(form, is_head, output).transpose() {
            return Ok(output.settle(&self.file, done)?.is_some());
        }
        let source = source(&self.file);
        let same = source.as_ref().ok().cloned();
        let values = source.and_then(|source| Values::of(source, self.offset, self.slice.as_ref()));
        if values.is_err() {
            if let Some(done) = self.instead(same, form, is_head, output).transpose() {
                return Ok(output.settle(&self.file, done)?.is_some());
            }
        }
        let done = values.and_then(|mut values| {
            if is_head {
                values.first(lines());
            }
            let width = terminal().map(|(columns, _)| columns);
            values.write(form, width, &mut output.out, &ProgressBar::hidden())
        });
        Ok(output.settle(&self.file, done)?.is_some())
    }

    /// Prints what is no array.
    fn instead(&self, source: Option<Bytes>, form: Form, is_head: bool, output: &mut Output) -> Result<Option<()>> {
        if let Some(source) = source {
            return self.cells(source, form, is_head);
        }
        // It has been tried as a table already where no slice was given.
        let may_be_table = self.slice.is_some() || self.offset.is_some();
        let rows = if may_be_table { Rows::instead(&self.file, self.offset)? } else { None };
        rows.map(|rows| self.rows(rows, form, is_head, output)).transpose()
    }

    /// Prints the values of an object array, a batch array or a list array, if it is one.
    fn cells(&self, source: Bytes, form: Form, is_head: bool) -> Result<Option<()>> {
        let is_one = self.offset.is_none() && self.part.columns.is_empty() && !self.part.objects;
        let Some(mut cells) = is_one.then(|| Cells::of(source)).transpose()?.flatten() else { return Ok(None) };
        match self.part.rows.as_ref().or(self.slice.as_ref()) {
            Some(slice) => cells = cells.slice(slice)?,
            None if is_head || form == Form::Text => cells = cells.first(),
            None => {}
        }
        let mut out = io::BufWriter::new(io::stdout());
        cells.write(form, &mut out)?;
        io::Write::flush(&mut out).map(Some).map_err(Error::Write)
    }

    /// Prints a table, if it is one.
    fn table(&self, form: Form, is_head: bool, output: &mut Output) -> Result<Option<()>> {
        // With a slice alone it is an array more often.
        let is_table = self.offset.is_none() && (self.slice.is_none() || !self.part.columns.is_empty() || self.part.objects);
        let Some(rows) = is_table.then(|| Rows::open(&self.file)).transpose()?.flatten() else {
            if self.part.rows.is_some() && !self.file.is_dir() {
                if let Some(done) = self.cells(source(&self.file)?, form, is_head)? {
                    return Ok(Some(done));
                }
            }
            if self.part.rows.is_some() || !self.part.columns.is_empty() {
                return Err(no_table());
            }
            if self.part.objects {
                return Err(Error::new("it is no table: --objects is for tables"));
            }
            return Ok(None);
        };
        self.rows(rows, form, is_head, output).map(Some)
    }

    /// Prints rows of a table.
    fn rows(&self, mut rows: Rows, form: Form, is_head: bool, output: &mut Output) -> Result<()> {
        let is_cut = self.part.cut(&mut rows, self.slice.as_ref())?;
        // A person sees the beginning, a program all.
        if !is_cut && (is_head || form == Form::Text) {
            rows.first();
        }
        match form {
            Form::Text => rows.print(&mut *output.out),
            form => rows.write(form, io::BufWriter::new(io::stdout()), &ProgressBar::hidden()),
        }
    }
}
