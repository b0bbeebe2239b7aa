//! Selects the code for tables. This is the only file that depends on whether the feature `arrow` is enabled.

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

use b2nd_view::slice::Slice;
use clap::Args;

use crate::error::Result;

pub(crate) use implementation::{Cells, Rows, cells, compare, rows, verify, verify_cells, write_array};

/// Options for a part of a table.
#[derive(Args)]
pub(crate) struct Part {
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

impl Part {
    /// Selects this part of a table. A slice selects rows. Returns true if only some rows are selected.
    pub(crate) fn cut(&self, rows: &mut Rows, slice: Option<&Slice>) -> Result<bool> {
        if self.objects {
            rows.objects()?;
        }
        if !self.columns.is_empty() {
            rows.columns(&self.columns)?;
        }
        let slice = self.rows.as_ref().or(slice);
        slice.map(|slice| rows.slice(slice)).transpose().map(|cut| cut.is_some())
    }
}
