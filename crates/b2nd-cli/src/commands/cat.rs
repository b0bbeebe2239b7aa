//! `b2nd cat` and `b2nd head`: values of an array, or rows of a table, as text.

use std::io;
use std::path::PathBuf;

use b2nd_store::Bytes;
use b2nd_view::slice::Slice;
use clap::Args;
use indicatif::ProgressBar;

use crate::error::{Error, Result};
use crate::format::OutputFormat;
use crate::output::{Output, stdout, terminal};
use crate::screen::{self, Cut};
use crate::tables::{Cells, Part, Rows, no_table};
use crate::values::{End, Start, Values, source};

/// `b2nd cat`.
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

    #[command(flatten)]
    start: Start,

    #[command(flatten)]
    part: Part,
}

/// `b2nd head` and `b2nd tail`.
#[derive(Args)]
pub(crate) struct Excerpt {
    #[command(flatten)]
    cat: Cat,

    /// The number of rows.
    #[arg(short = 'n', long = "lines", value_name = "N", conflicts_with = "rows")]
    count: Option<u64>,

    /// Print all of it, as `b2nd cat` does.
    #[arg(long, conflicts_with = "count")]
    all: bool,
}

impl Excerpt {
    pub(crate) fn run(mut self, end: End, output: &mut Output) -> io::Result<bool> {
        // 3 is a number of rows here, not the row with this index.
        let rows = self.count.or_else(|| self.cat.part.rows.as_ref().and_then(Slice::as_count));
        if rows.is_some() {
            self.cat.part.rows = None;
        }
        self.cat.print(output, (!self.all).then_some(Cut { end, rows }))
    }
}

impl Cat {
    pub(crate) fn run(&self, output: &mut Output) -> io::Result<bool> {
        self.print(output, None)
    }

    fn print(&self, output: &mut Output, cut: Option<Cut>) -> io::Result<bool> {
        let form = match self {
            Cat { csv: true, .. } => OutputFormat::Csv,
            Cat { json: true, .. } => OutputFormat::Json,
            _ => OutputFormat::Text,
        };
        if let Some(done) = self.table(form, cut, output).transpose() {
            return Ok(output.settle(&self.file, done)?.is_some());
        }
        let source = source(&self.file);
        let same = source.as_ref().ok().cloned();
        let values = source.and_then(|source| Values::of(source, &self.start, self.slice.as_ref()));
        if values.is_err() {
            if let Some(done) = self.instead(same, form, cut, output).transpose() {
                return Ok(output.settle(&self.file, done)?.is_some());
            }
        }
        let done = values.and_then(|mut values| {
            match cut {
                Some(cut) if form == OutputFormat::Text => return screen::print(&mut values, cut, 0, &mut output.out),
                Some(cut) => values.cut(cut.end, cut.rows(2)),
                None => {}
            }
            let width = terminal().map(|(columns, _)| columns);
            values.write(form, width, &mut output.out, &ProgressBar::hidden())
        });
        Ok(output.settle(&self.file, done)?.is_some())
    }

    /// Prints what is no array.
    fn instead(&self, source: Option<Bytes>, form: OutputFormat, cut: Option<Cut>, output: &mut Output) -> Result<Option<()>> {
        if let Some(source) = source {
            return self.cells(source, form, cut);
        }
        // It has been tried as a table already where no slice was given.
        let may_be_table = self.slice.is_some() || self.start.offset.is_some();
        let rows = if may_be_table { Rows::instead(&self.file, self.start.offset)? } else { None };
        rows.map(|rows| self.rows(rows, form, cut, output)).transpose()
    }

    /// Prints the values of an object array, a batch array or a list array, if it is one.
    fn cells(&self, source: Bytes, form: OutputFormat, cut: Option<Cut>) -> Result<Option<()>> {
        let is_one = self.start.offset.is_none() && self.part.columns.is_empty() && !self.part.objects;
        let Some(mut cells) = is_one.then(|| Cells::of(source)).transpose()?.flatten() else { return Ok(None) };
        match self.part.rows.as_ref().or(self.slice.as_ref()) {
            Some(slice) => cells = cells.slice(slice)?,
            None => {
                if let Some(cut) = cut {
                    cells = cells.cut(cut);
                }
            }
        }
        let mut out = io::BufWriter::new(stdout());
        cells.write(form, width(cut), &mut out)?;
        io::Write::flush(&mut out).map(Some).map_err(Error::Write)
    }

    /// Prints a table, if it is one.
    fn table(&self, form: OutputFormat, cut: Option<Cut>, output: &mut Output) -> Result<Option<()>> {
        // With a slice alone it is an array more often.
        let is_table =
            self.start.offset.is_none() && (self.slice.is_none() || !self.part.columns.is_empty() || self.part.objects);
        let Some(rows) = is_table.then(|| Rows::open(&self.file)).transpose()?.flatten() else {
            if self.part.rows.is_some() && !self.file.is_dir() {
                if let Some(done) = self.cells(source(&self.file)?, form, cut)? {
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
        self.rows(rows, form, cut, output).map(Some)
    }

    /// Prints rows of a table.
    fn rows(&self, mut rows: Rows, form: OutputFormat, cut: Option<Cut>, output: &mut Output) -> Result<()> {
        let is_cut = self.part.cut(&mut rows, self.slice.as_ref())?;
        if let Some(cut) = cut.filter(|_| !is_cut) {
            rows.cut(cut);
        }
        match form {
            OutputFormat::Text => rows.print(width(cut), &mut *output.out),
            form => rows.write(form, io::BufWriter::new(stdout()), &ProgressBar::hidden()),
        }
    }
}

/// The width of lines that are cut to the screen.
fn width(cut: Option<Cut>) -> Option<usize> {
    cut.map(|_| screen::size().0)
}
