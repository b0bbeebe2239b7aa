//! [`RowArray`]: an array of a table, read along its first dimension.

use b2nd_ndarray::Array;

use crate::column::column_file::ColumnFile;
use crate::error::{Error, Result};
use crate::live_rows::{Selection, signed};

/// Selected rows with at most this many rows between them are read together.
const GAP: u64 = 1 << 10;

/// The maximum length of a row, in bytes.
pub(crate) const MAX_ROW: usize = 1 << 26;

/// An array that is read along its first dimension. Its rows are usually those of the table.
pub(crate) struct RowArray {
    pub(crate) array: Array,
    pub(crate) leaf: ColumnFile,
    /// The length of a row in bytes.
    pub(crate) width: usize,
}

impl RowArray {
    /// Opens an array that has at least one dimension.
    pub(crate) fn open(leaf: ColumnFile) -> Result<RowArray> {
        let array = leaf.array()?;
        let row = array.geometry().shape().get(1..).ok_or_else(|| Error::damaged("expected at least 1 dimension, found 0"))?;
        let width = row.iter().fold(array.itemsize(), |all, &axis| all.saturating_mul(axis.try_into().unwrap_or(usize::MAX)));
        let long = || Error::damaged(format_args!("a row of the shape {row:?} is longer than 64 MiB"));
        let width = Some(width).filter(|&width| width <= MAX_ROW).ok_or_else(long)?;
        Ok(RowArray { array, leaf, width })
    }

    pub(crate) fn len(&self) -> u64 {
        self.array.geometry().shape().first().and_then(|&rows| u64::try_from(rows).ok()).unwrap_or(0)
    }

    pub(crate) fn sizes(&self) -> (u64, u64) {
        (self.leaf.frame_len(), self.leaf.data_len())
    }

    /// Reads the bytes of consecutive rows, which must exist.
    pub(crate) fn range(&self, rows: std::ops::Range<u64>) -> Result<Vec<u8>> {
        let bytes = (rows.end - rows.start).saturating_mul(self.width as u64);
        self.leaf.allow(bytes)?;
        let mut slice = self.array.whole();
        if let Some(first) = slice.first_mut() {
            *first = signed(rows);
        }
        Ok(self.array.read_bytes(&slice)?)
    }

    pub(crate) fn read(&self, selection: &Selection) -> Result<Vec<u8>> {
        if selection.end() > self.len() {
            let message = format!("expected {} or more rows, found {}", selection.end(), self.len());
            return Err(Error::damaged(message).at_row(selection.row_of(self.len())));
        }
        let bytes = (selection.rows as u64).saturating_mul(self.width as u64);
        self.leaf.allow(bytes)?;
        if let [run] = selection.runs.as_slice() {
            return self.range(run.clone());
        }
        let mut bytes = Vec::new();
        for (span, runs) in selection.groups(GAP) {
            let start = span.start;
            let read = self.range(span)?;
            for run in runs {
                let place = |row: u64| usize::try_from(row - start).unwrap_or(usize::MAX).saturating_mul(self.width);
                bytes.extend_from_slice(read.get(place(run.start)..place(run.end)).unwrap_or_default());
            }
        }
        Ok(bytes)
    }
}
