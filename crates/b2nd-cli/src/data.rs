//! [`Data`]: the array, table or list of values that an argument of the command line names.

use std::path::Path;

use b2nd_view::slice::Slice;

use crate::error::{Error, Result};
use crate::tables::{self, TablePart, TableRows};
use crate::values::{SelectedArray, Start, source_at};

/// An open array, table or list, and the part of it to read. A list is an object array, a batch array or a list array.
pub(crate) enum Data {
    Array(Box<SelectedArray>),
    Rows(Box<dyn TableRows>),
}

impl Data {
    /// Opens the data that an argument names. Also returns whether only some rows of a table or values of a list are selected.
    pub(crate) fn open(word: &Path, start: &Start, part: &TablePart, slice: Option<&Slice>) -> Result<(Data, bool)> {
        let select = |mut rows: Box<dyn TableRows>| rows.select(part, slice).map(|is_cut| (Data::Rows(rows), is_cut));
        let asks_for_table = !part.columns.is_empty() || part.objects;
        if start.offset.is_none() {
            if let Some(rows) = tables::open(word)? {
                return select(rows);
            }
        }
        let source = source_at(word, start)?;
        let values = SelectedArray::of(source.clone(), start, slice);
        if values.is_err() && start.offset.is_none() && !asks_for_table {
            if let Some(cells) = tables::open_cells(source)? {
                return select(cells);
            }
        }
        let values = values?;
        if part.rows.is_some() || asks_for_table {
            return Err(Error::new("it is not a table: --rows, --columns and --objects are only for tables"));
        }
        Ok((Data::Array(values.into()), false))
    }
}
