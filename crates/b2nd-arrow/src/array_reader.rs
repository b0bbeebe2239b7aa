//! [`ArrayReader`]: an array of one or two dimensions as record batches.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, FixedSizeListArray};
use arrow_schema::{DataType, Field};
use b2nd_ndarray::Array;

use crate::column::element;
use crate::column::nulls::{not_nat, some_nulls};
use crate::column::rows::MAX_ROW;
use crate::error::{Error, ErrorKind, Result};
use crate::live_rows::signed;
use crate::schema::numpy_dtype::{data_type, is_time};
use crate::schema::spec::item;
use crate::single_column::{NAME, OneColumn, ReadRows};

/// The rows of an array as batches of one column, `values`. For an array of one dimension, the column holds the elements. For an array of
/// two dimensions, it holds a `FixedSizeList` for each row. Only one batch is in memory at a time.
///
/// ```
/// use b2nd_arrow::{ArrayReader, RecordBatchReader};
/// use b2nd_ndarray::Array;
///
/// let reader = ArrayReader::new(Array::open("../../tests/data/grid/i4_2d.b2nd")?)?;
/// println!("{:?}", reader.schema());
/// let rows: Result<usize, _> = reader.map(|batch| Ok::<_, arrow_schema::ArrowError>(batch?.num_rows())).sum();
/// assert_eq!(rows?, 17);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type ArrayReader = OneColumn<ArrayRows>;

/// The rows of an array.
pub struct ArrayRows {
    array: Array,
    element: DataType,
    /// The number of elements in a row, if the array has two dimensions.
    columns: Option<i32>,
}

impl ArrayReader {
    /// Creates a reader of an open array.
    ///
    /// # Errors
    ///
    /// Fails if the array does not have one or two dimensions, or has empty rows, rows longer than 64 MiB or elements without an Arrow
    /// type.
    pub fn new(array: Array) -> Result<ArrayReader> {
        let refused = |why: String| Error::new(ErrorKind::Refused, why);
        let (rows, columns) = match *array.geometry().shape() {
            [rows] => (rows, None),
            [rows, columns] => (rows, Some(columns)),
            ref shape => return Err(refused(format!("expected one or two dimensions, found {}", shape.len()))),
        };
        let meta = array.header().array()?.ok_or_else(|| Error::damaged("the frame holds no array"))?;
        let element = data_type(meta.dtype().unwrap_or_default()).map_err(refused)?;
        let width = usize::try_from(columns.unwrap_or(1)).ok().and_then(|columns| columns.checked_mul(array.itemsize()));
        let width = match width {
            Some(0) => return Err(refused("its rows are empty: expected rows of 1 byte to 64 MiB".to_owned())),
            Some(width @ ..=MAX_ROW) => width,
            _ => {
                let (columns, itemsize) = (columns.unwrap_or(1), array.itemsize());
                let found = format!("found {columns} elements of {itemsize} bytes");
                return Err(refused(format!("its rows are too long: expected rows of 1 byte to 64 MiB, {found}")));
            }
        };
        let columns = columns.map(|columns| i32::try_from(columns).unwrap_or(i32::MAX));
        let data_type = match columns {
            Some(columns) => DataType::FixedSizeList(Arc::new(item(element.clone())), columns),
            None => element.clone(),
        };
        let field = Field::new(NAME, data_type, true);
        let source = ArrayRows { array, element, columns };
        Ok(OneColumn::of(source, field, u64::try_from(rows).unwrap_or(0), width as u64))
    }
}

impl ReadRows for ArrayRows {
    fn read(&self, rows: Range<u64>) -> Result<ArrayRef> {
        let count = usize::try_from(rows.end - rows.start).unwrap_or(usize::MAX);
        let mut slice = self.array.whole();
        if let Some(first) = slice.first_mut() {
            *first = signed(rows.clone());
        }
        let bytes = self.array.read_bytes(&slice)?;
        let items = self.columns.map_or(1, |columns| u64::try_from(columns).unwrap_or(1));
        let row = |at: usize| rows.start.saturating_add((at as u64).checked_div(items).unwrap_or(0));
        let nat = is_time(&self.element).then(|| not_nat(&bytes));
        let values = element::array(&self.element, bytes, self.array.itemsize(), nat.and_then(some_nulls), row)?;
        let Some(columns) = self.columns else { return Ok(values) };
        let field = Arc::new(item(values.data_type().clone()));
        Ok(Arc::new(FixedSizeListArray::try_new_with_length(field, columns, values, None, count)?))
    }
}
