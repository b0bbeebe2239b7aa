//! [`ColumnFiles`]: the files of a column.

use crate::column::column_file::ColumnFile;
use crate::error::{Error, ErrorKind, Result};
use b2nd_store::Store;

/// The location of the files of a column.
pub(crate) struct ColumnFiles<'a> {
    pub(crate) store: &'a Store,
    /// The path of the table's folder in the store, which ends in `/`, or an empty string for the root of the store.
    pub(crate) folder: &'a str,
    pub(crate) name: &'a str,
    /// The number of physical rows of the table.
    pub(crate) rows: u64,
    /// The approximate maximum number of decompressed bytes in memory at the same time.
    pub(crate) most: u64,
}

impl ColumnFiles<'_> {
    /// Opens the column's file with this ending, which must exist.
    pub(crate) fn leaf(&self, end: &str) -> Result<ColumnFile> {
        let missing = || Error::new(ErrorKind::NotFound, format_args!("its file {:?} is missing", self.file(end)));
        self.optional(end)?.ok_or_else(missing)
    }

    /// Opens the column's file with this ending, if it exists.
    pub(crate) fn optional(&self, end: &str) -> Result<Option<ColumnFile>> {
        // The second path is the one that python-blosc2 4.2.0 wrote, which does not escape names.
        for file in [self.file(end), format!("{}_cols/{}{end}", self.folder, self.name)] {
            if let Some(leaf) = ColumnFile::open(self.store, &file, self.most)? {
                return Ok(Some(leaf));
            }
        }
        Ok(None)
    }

    pub(crate) fn file(&self, end: &str) -> String {
        format!("{}_cols/{}{end}", self.folder, b2nd_store::Table::file_name(self.name))
    }
}
