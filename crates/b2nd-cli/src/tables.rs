//! Selects the code for tables: `tables/read.rs` with the feature `arrow`, `tables/absent.rs` without it.

#[cfg(feature = "arrow")]
mod compare;
#[cfg(feature = "arrow")]
mod count;
#[cfg(feature = "arrow")]
#[path = "tables/read.rs"]
mod implementation;
#[cfg(not(feature = "arrow"))]
#[path = "tables/absent.rs"]
mod implementation;

use std::io::Write;

use b2nd_view::slice::Slice;
use clap::Args;
use indicatif::ProgressBar;

use crate::error::Result;
use crate::format::OutputFormat;
use crate::report::Report;
use crate::screen::Cut;

pub(crate) use implementation::{cells, compare, open, open_cells, rows, write_array};

/// The maximum number of values in the histogram of a column. The first values of the column are used.
pub(crate) const SAMPLE: usize = 1 << 20;

/// The rows of a table. The values of an object array, a batch array or a list array are the rows of a table with one column.
pub(crate) trait TableRows {
    /// Returns the key of the table in its store, which is `/` if the store itself is the table.
    fn key(&self) -> &str;

    /// Returns the number of selected rows.
    fn len(&self) -> u64;

    /// Selects the columns and rows of `part`, or the rows of `slice`, which must not have a step. Returns true if rows are selected.
    fn select(&mut self, part: &TablePart, slice: Option<&Slice>) -> Result<bool>;

    /// Selects the first or last rows.
    fn cut(&mut self, cut: Cut);

    /// Returns a sentence for each column that cannot be read.
    fn left_out(&self) -> Vec<String>;

    /// Computes statistics of each column, with quantiles if requested.
    fn count(self: Box<Self>, has_quantiles: bool) -> Result<Vec<Report>>;

    /// Returns the name and the values of each column of numbers, at most [`SAMPLE`] values of each.
    fn numbers(self: Box<Self>) -> Result<Vec<(String, Vec<f64>)>>;

    /// Returns rows of texts: a heading, and a row with statistics for each column.
    fn summary(self: Box<Self>) -> Result<Vec<Vec<String>>>;

    /// Prints the rows as text, in lines of at most `width` characters.
    fn print(self: Box<Self>, width: Option<usize>, out: &mut dyn Write) -> Result<()>;

    /// Writes the rows in a file format.
    fn write(self: Box<Self>, form: OutputFormat, out: &mut (dyn Write + Send), bar: &ProgressBar) -> Result<()>;
}

/// Options for a part of a table.
#[derive(Args, Default)]
pub(crate) struct TablePart {
    /// Rows of a table: 100:120 as in Python.
    #[arg(long, value_name = "A:B", allow_hyphen_values = true, conflicts_with = "slice")]
    pub(crate) rows: Option<Slice>,

    /// Columns of a table, by name.
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,

    /// Include object columns, as JSON text.
    #[arg(long)]
    pub(crate) objects: bool,
}
