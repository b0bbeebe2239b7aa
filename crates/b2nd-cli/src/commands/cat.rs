//! `b2nd cat`, `b2nd head` and `b2nd tail` print values of an array, or rows of a table.

use std::io::{self, Write};
use std::path::PathBuf;

use b2nd_view::slice::Slice;
use clap::Args;
use indicatif::ProgressBar;

use crate::data::Data;
use crate::error::Result;
use crate::format::OutputFormat;
use crate::output::{Output, stdout, terminal};
use crate::screen::{self, Cut};
use crate::tables::TablePart;
use crate::values::{End, Start};

/// `b2nd cat`.
#[derive(Args)]
pub(crate) struct Cat {
    /// An array or a table: a path, a URL, - or STORE::KEY, as for `b2nd info`.
    file: PathBuf,

    /// A slice of the array, written as in Python (such as `0:10,5,::2`), or rows of a table.
    #[arg(allow_negative_numbers = true)]
    slice: Option<Slice>,

    /// Print comma-separated values.
    #[arg(long)]
    csv: bool,

    /// Print JSON: nested lists, or for a table an object for each row.
    #[arg(long, conflicts_with = "csv")]
    json: bool,

    #[command(flatten)]
    start: Start,

    #[command(flatten)]
    part: TablePart,
}

/// `b2nd head` and `b2nd tail`.
#[derive(Args)]
pub(crate) struct Excerpt {
    #[command(flatten)]
    cat: Cat,

    /// The number of rows.
    #[arg(short = 'n', long = "lines", value_name = "N", conflicts_with = "rows")]
    count: Option<u64>,
}

impl Excerpt {
    pub(crate) fn run(mut self, end: End, output: &mut Output) -> io::Result<bool> {
        // In `head` and `tail`, `--rows 3` is a number of rows, not an index.
        let rows = self.count.or_else(|| self.cat.part.rows.as_ref().and_then(Slice::as_count));
        if rows.is_some() {
            self.cat.part.rows = None;
        }
        self.cat.print(output, Some(Cut { end, rows }))
    }
}

impl Cat {
    /// Prints the values. With `cut`, prints only the first or last rows: the number of rows that the user gave, or as many rows as fit the
    /// screen. Returns false if there was an error.
    pub(crate) fn print(&self, output: &mut Output, cut: Option<Cut>) -> io::Result<bool> {
        let form = match self {
            Cat { csv: true, .. } => OutputFormat::Csv,
            Cat { json: true, .. } => OutputFormat::Json,
            _ => OutputFormat::Text,
        };
        let data = Data::open(&self.file, &self.start, &self.part, self.slice.as_ref());
        let done = data.and_then(|(data, is_cut)| write(data, form, cut, is_cut, &mut *output.out));
        Ok(output.settle(&self.file, done)?.is_some())
    }
}

/// Prints data. With `cut`, prints only the first or last rows. If the user selected rows of a table (`is_cut`), prints all of these rows
/// even with `cut`.
fn write(data: Data, form: OutputFormat, cut: Option<Cut>, is_cut: bool, out: &mut dyn Write) -> Result<()> {
    // With `cut`, the lines of a table are not longer than a line of the screen.
    let width = cut.map(|_| screen::size().0);
    let rows_cut = cut.filter(|_| !is_cut);
    match data {
        Data::Array(mut values) => {
            match cut {
                Some(cut) if form == OutputFormat::Text => return screen::print(&mut values, cut, 0, out),
                Some(cut) => values.cut(cut.end, cut.rows(2)),
                None => {}
            }
            let width = terminal().map(|(columns, _)| columns);
            form.write(&values, width, out, &ProgressBar::hidden())
        }
        Data::Rows(mut rows) => {
            if let Some(cut) = rows_cut {
                rows.cut(cut);
            }
            match form {
                OutputFormat::Text => rows.print(width, out),
                form => rows.write(form, &mut io::BufWriter::new(stdout()), &ProgressBar::hidden()),
            }
        }
    }
}
