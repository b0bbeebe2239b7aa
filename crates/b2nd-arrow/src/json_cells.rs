//! [`JsonCells`]: the values of a `.b2b` file as JSON.

use std::ops::Range;

use b2nd_frame::Frame;
use b2nd_store::Bytes;

use crate::cell_reader::cells_in;
use crate::column::cell_builder::json;
use crate::column::cells::{CellFormat, Cells};
use crate::column::ipc;
use crate::error::Result;
use crate::live_rows::Selection;

/// The values of an object array, a batch array or a list array of python-blosc2, as JSON text in the form of `b2nd::Value`. No Arrow
/// arrays are built, which keeps programs small.
///
/// ```
/// use std::sync::Arc;
/// use b2nd_arrow::JsonCells;
///
/// let file = std::fs::File::open("tests/data/list.b2b")?;
/// let cells = JsonCells::new(Arc::new(file))?;
/// assert_eq!(cells.count()?, 4);
/// println!("{}", cells.read(&[0..4])?.join("\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct JsonCells(Cells);

impl JsonCells {
    /// Opens the frame in a source.
    ///
    /// # Errors
    ///
    /// Fails if the source cannot be read, holds a sparse frame, or is not an object array, a batch array or a list array
    /// ([`NotFound`](crate::ErrorKind::NotFound)).
    pub fn new(source: Bytes) -> Result<JsonCells> {
        cells_in(Frame::open(source)?).map(JsonCells)
    }

    /// Returns the number of values.
    ///
    /// # Errors
    ///
    /// Fails if the index of the frame cannot be read.
    pub fn count(&self) -> Result<u64> {
        self.0.len()
    }

    /// Reads the values in `ranges`, which must be in ascending order. Values are counted from 0. Null is `null`; times in Arrow IPC are
    /// numbers in the unit of their Arrow type.
    ///
    /// # Errors
    ///
    /// Fails if there are fewer values than a range requests, or if the values cannot be read. The row of an error is an index in the
    /// requested values.
    pub fn read(&self, ranges: &[Range<u64>]) -> Result<Vec<String>> {
        let selection = Selection { runs: ranges.to_vec(), first: 0, rows: 0 };
        let mut texts = Vec::new();
        match &self.0.format {
            CellFormat::Arrow(schema) => self.0.each_block(&selection, |part| {
                let values = ipc::values(&part.block, schema.as_deref())?;
                part.check(values.len())?;
                for place in part.wanted {
                    texts.extend(values.get(place).into_iter().flatten().map(ToString::to_string));
                }
                Ok(())
            })?,
            _ => self.0.each(&selection, |pack| {
                texts.push(json(pack.entry()?)?);
                Ok(())
            })?,
        }
        Ok(texts)
    }
}
