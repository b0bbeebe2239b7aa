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
    /// Opens the data that an argument names. Also returns whether the user selected rows of a table or values of a list.
    pub(crate) fn open(word: &Path, start: &Start, part: &TablePart, slice: Option<&Slice>) -> Result<(Data, bool)> {
        let table = if start.offset.is_none() { tables::open(word)? } else { None };
        if let Some(mut rows) = table {
            return rows.select(part, slice).map(|is_cut| (Data::Rows(rows), is_cut));
        }
        let (data, is_cut) = Data::in_frame(word, start, part, slice)?;
        let is_array = matches!(data, Data::Array(_));
        if !part.columns.is_empty() || part.objects || is_array && part.rows.is_some() {
            return Err(Error::new(
                "it is not a table: --columns and --objects are only for tables, and --rows only for tables and lists",
            ));
        }
        Ok((data, is_cut))
    }

    /// Opens the array or the list in the frame that an argument names. `part` or `slice` selects the values of a list.
    pub(crate) fn in_frame(word: &Path, start: &Start, part: &TablePart, slice: Option<&Slice>) -> Result<(Data, bool)> {
        let source = source_at(word, start)?;
        let values = SelectedArray::of(source.clone(), start, slice);
        let cells = if values.is_err() && start.offset.is_none() { tables::open_cells(source)? } else { None };
        match cells {
            Some(mut cells) => cells.select(part, slice).map(|is_cut| (Data::Rows(cells), is_cut)),
            None => Ok((Data::Array(values?.into()), false)),
        }
    }
}
