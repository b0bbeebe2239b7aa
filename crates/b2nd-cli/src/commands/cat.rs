//! `b2nd cat`, `b2nd head` and `b2nd tail` print values of an array, or rows of a table.

use std::io::{self, Write};
use std::path::PathBuf;

use b2nd_view::slice::Slice;
use clap::Args;
use indicatif::ProgressBar;

use crate::data::Data;
use crate::error::Result;
use crate::format::OutputFormat;
use crate::output::{stdout, terminal};
use crate::screen::{self, Cut};
use crate::tables::TablePart;
use crate::values::{End, Start};

/// `b2nd cat`.
#[derive(Args)]
pub(crate) struct Cat {
    /// An array or a table: a path, a URL, - or STORE::KEY, as for `b2nd info`.
    pub(super) file: PathBuf,

    /// A slice of the array, written as in Python (such as `0:10,5,::2`), or rows of a table.
    #[arg(allow_negative_numbers = true)]
    slice: Option<Slice>,

    /// Print comma-separated values.
    #[arg(long)]
    csv: bool,

    /// Print JSON: nested lists for an array, otherwise an object for each row.
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
    pub(super) cat: Cat,

    /// The maximum number of rows, or of elements if the array has one dimension.
    #[arg(short = 'n', long = "lines", value_name = "N", conflicts_with = "rows")]
    count: Option<u64>,
}

impl Excerpt {
    pub(crate) fn run(&mut self, end: End, out: &mut dyn Write) -> Result<u8> {
        // In `head` and `tail`, `--rows 3` is a number of rows, not an index.
        let rows = self.count.or_else(|| self.cat.part.rows.as_ref().and_then(Slice::as_count));
        if rows.is_some() {
            self.cat.part.rows = None;
        }
        self.cat.print(Some(Cut { end, rows }), out)
    }
}

impl Cat {
    /// Prints the values. With `cut`, prints only the first or last rows: the number of rows that the user gave, or as many rows as fit the
    /// screen.
    pub(crate) fn print(&self, cut: Option<Cut>, out: &mut dyn Write) -> Result<u8> {
        let form = match self {
            Cat { csv: true, .. } => OutputFormat::Csv,
            Cat { json: true, .. } => OutputFormat::Json,
            _ => OutputFormat::Text,
        };
        match Data::open(&self.file, &self.start, &self.part, self.slice.as_ref())? {
            (Data::Array(mut values), _) => match cut {
                Some(cut) if form == OutputFormat::Text => screen::print(&mut values, cut, 0, out)?,
                _ => {
                    cut.inspect(|cut| values.cut(cut.end, cut.rows(2)));
                    form.write(&values, terminal().map(|(columns, _)| columns), out, &ProgressBar::hidden())?;
                }
            },
            (Data::Rows(mut rows), is_cut) => {
                // If the user selected rows, the size of the screen does not limit them.
                cut.filter(|cut| !is_cut || cut.rows.is_some()).inspect(|&cut| rows.cut(cut));
                match form {
                    // With `cut`, the lines of a table are fitted to the width of the screen.
                    OutputFormat::Text => rows.print(cut.map(|_| screen::size().0), out)?,
                    form => rows.write(form, &mut io::BufWriter::new(stdout()), &ProgressBar::hidden())?,
                }
            }
        }
        Ok(0)
    }
}
