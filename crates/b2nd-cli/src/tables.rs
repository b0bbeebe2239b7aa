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
use std::path::Path;

use b2nd_store::{Location, Store, is_store_directory};
use b2nd_view::slice::Slice;
use clap::Args;
use indicatif::ProgressBar;

use crate::error::Result;
use crate::format::OutputFormat;
use crate::report::Report;
use crate::screen::Cut;

pub(crate) use implementation::{cells, compare, open, open_cells, rows, write_array};

/// The rows of a table. The values of an object array, a batch array or a list array are the rows of a table with one column.
pub(crate) trait TableRows {
    /// Returns the number of selected rows.
    fn len(&self) -> u64;

    /// Selects the columns and rows of `part`, or the rows of `slice`. Rows must not have a step. Returns true if rows are selected.
    fn select(&mut self, part: &TablePart, slice: Option<&Slice>) -> Result<bool>;

    /// Selects the first or last rows.
    fn cut(&mut self, cut: Cut);

    /// Returns a sentence for each column that is left out, unless columns were chosen.
    fn left_out(&self) -> Vec<String>;

    /// Computes statistics of each column, with quantiles if requested.
    fn count(self: Box<Self>, has_quantiles: bool) -> Result<Vec<Report>>;

    /// Prints the rows as text. If `width` is given, rows that are longer are shortened.
    fn print(self: Box<Self>, width: Option<usize>, out: &mut dyn Write) -> Result<()>;

    /// Writes the rows in a file format.
    fn write(self: Box<Self>, form: OutputFormat, out: &mut (dyn Write + Send), bar: &ProgressBar) -> Result<()>;
}

/// Finds the table that an argument names: by its key, or by a store that is a table or has a table as its only leaf. Returns the store and
/// the table's key, or `None` if no table is found.
pub(crate) fn find(word: &Path) -> Result<Option<(Store, String)>> {
    let location = Location::new(word.as_os_str());
    // A URL without a key probably names an array, unless it ends in `.b2z`. Not opening it as a store saves a request.
    if location.path().is_none() && location.key().is_none() && !location.place().ends_with(".b2z") {
        return Ok(None);
    }
    // An ordinary directory is not a table, even if it contains a table.
    if location.path().is_some_and(|path| path.is_dir() && !is_store_directory(path)) {
        return Ok(None);
    }
    let Ok(store) = Store::of(location.place(), location.open()?) else { return Ok(None) };
    let Ok(mut tables) = store.tables() else { return Ok(None) };
    let wanted = location.key().map(|key| format!("/{}", key.trim_matches('/')));
    // A table in a store must be named by its key, unless it is the only leaf.
    let may_be_only = wanted.is_none() && tables.len() == 1 && tables != ["/"];
    let is_only = may_be_only && store.list().is_ok_and(|listing| listing.leaves.len() == 1);
    tables.retain(|table| wanted.as_ref().map_or(is_only || table == "/", |wanted| table == wanted));
    Ok(tables.pop().map(|key| (store, key)))
}

/// Options for a part of a table.
#[derive(Args, Default)]
pub(crate) struct TablePart {
    /// Rows of a table or values of a list, written as in Python: 100:120.
    #[arg(long, value_name = "A:B", allow_hyphen_values = true, conflicts_with = "slice")]
    pub(crate) rows: Option<Slice>,

    /// Columns of a table, by name.
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,

    /// Include object columns, as JSON text.
    #[arg(long)]
    pub(crate) objects: bool,
}
