//! [`ArrayReader`]: an array as record batches.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, Date32Array, FixedSizeListArray, StructArray};
use arrow_schema::Field;
use b2nd::dtype::DType;
use b2nd_ndarray::Array;

use crate::column::element;
use crate::column::nulls::{not_nat, some_nulls};
use crate::column::rows::MAX_ROW;
use crate::error::{Error, ErrorKind, Result};
use crate::live_rows::signed;
use crate::schema::numpy_dtype::{data_type, is_time};
use crate::schema::spec::item;
use crate::single_column::{NAME, OneColumn, ReadRows};

/// The rows of an array along its first dimension, as batches, which are read one at a time. If the elements are structures and the array
/// has at most one dimension, each field is a column. Otherwise, the only column is `values`; the other dimensions are nested
/// `FixedSizeList`s.
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

/// Reads the bytes of rows, in C order.
type ReadBytes = Box<dyn Fn(Range<u64>) -> Result<Vec<u8>> + Send>;

/// The rows of an array.
pub struct ArrayRows {
    dtype: DType,
    /// The lengths of the dimensions after the first.
    inner: Vec<i32>,
    read: ReadBytes,
}

impl ArrayReader {
    /// Creates a reader of an open array.
    ///
    /// # Errors
    ///
    /// Fails if the array's dtype is missing or cannot be parsed. Also returns the errors of [`with`](ArrayReader::with).
    pub fn new(array: Array) -> Result<ArrayReader> {
        let (shape, dtype) = (array.geometry().shape().to_vec(), array.dtype().cloned());
        let dtype = dtype.ok_or_else(|| Error::new(ErrorKind::Refused, "the array's dtype is missing or cannot be parsed"))?;
        ArrayReader::with(dtype, &shape, move |rows| {
            let mut slice = array.whole();
            if let Some(first) = slice.first_mut() {
                *first = signed(rows);
            }
            array.read_bytes(&slice)
        })
    }

    /// Creates a reader of elements that `read` returns for a range of rows, such as a slice of an array.
    ///
    /// # Errors
    ///
    /// Fails if the rows are empty or longer than 64 MiB, or if the elements have no Arrow type.
    pub fn with<E: Into<Error>>(
        dtype: DType,
        shape: &[i64],
        read: impl Fn(Range<u64>) -> Result<Vec<u8>, E> + Send + 'static,
    ) -> Result<ArrayReader> {
        let refused = |why: String| Error::new(ErrorKind::Refused, why);
        let (rows, inner) = shape.split_first().map_or((1, shape), |(&rows, inner)| (rows, inner));
        let inner: Option<Vec<i32>> = inner.iter().map(|&length| i32::try_from(length).ok()).collect();
        let inner = inner.ok_or_else(|| refused(format!("expected rows of 1 byte to 64 MiB, found the shape {shape:?}")))?;
        let items = inner.iter().fold(1, |items: usize, &length| items.saturating_mul(usize::try_from(length).unwrap_or(0)));
        let width = match items.saturating_mul(dtype.itemsize()) {
            0 => return Err(refused("its rows have 0 bytes each: expected rows of 1 byte to 64 MiB".to_owned())),
            width @ ..=MAX_ROW => width,
            _ => return Err(refused(format!("expected rows of up to 64 MiB, found the row shape {inner:?} of {dtype}"))),
        };
        let empty = lists(values(&dtype, Vec::new(), &|_| 0)?, &inner)?;
        let field = Field::new(NAME, empty.data_type().clone(), true);
        let read: ReadBytes = Box::new(move |rows| read(rows).map_err(Into::into));
        let rows = OneColumn::of(ArrayRows { dtype, inner, read }, field, u64::try_from(rows).unwrap_or(0), width as u64);
        Ok(rows.with_fields())
    }
}

impl ReadRows for ArrayRows {
    fn read(&self, rows: Range<u64>) -> Result<ArrayRef> {
        let items = self.inner.iter().fold(1, |items: u64, &length| items.saturating_mul(u64::from(length.unsigned_abs())));
        let row = |at: usize| rows.start.saturating_add((at as u64).checked_div(items).unwrap_or(0));
        let values = values(&self.dtype, (self.read)(rows.clone())?, &row)?;
        lists(values, &self.inner)
    }
}

/// Puts values into lists of lists.
fn lists(values: ArrayRef, lengths: &[i32]) -> Result<ArrayRef> {
    lengths.iter().rev().try_fold(values, |values, &length| {
        let count = values.len().checked_div(usize::try_from(length).unwrap_or(0)).unwrap_or(0);
        let field = Arc::new(item(values.data_type().clone()));
        Ok(Arc::new(FixedSizeListArray::try_new_with_length(field, length, values, None, count)?) as ArrayRef)
    })
}

/// Converts elements to an Arrow array. `row` returns the row of an element.
fn values(dtype: &DType, bytes: Vec<u8>, row: &dyn Fn(usize) -> u64) -> Result<ArrayRef> {
    if !dtype.fields().is_empty() {
        if dtype.itemsize() == 0 {
            return Err(Error::new(ErrorKind::Refused, format_args!("structures of 0 bytes are not supported: {dtype}")));
        }
        let column = |field: &b2nd::dtype::Field| {
            let place = field.offset()..field.offset() + field.dtype().itemsize();
            let part = bytes.chunks_exact(dtype.itemsize()).filter_map(|item| item.get(place.clone())).flatten();
            let values = values(field.dtype(), part.copied().collect(), row)?;
            Ok((Field::new(field.name(), values.data_type().clone(), true), values))
        };
        let (fields, columns): (Vec<_>, Vec<_>) = dtype.fields().iter().map(column).collect::<Result<_>>()?;
        return Ok(Arc::new(StructArray::try_new(fields.into(), columns, None)?));
    }
    if !dtype.shape().is_empty() {
        let items = dtype.shape().iter().product::<usize>().max(1);
        let lengths: Vec<_> = dtype.shape().iter().map(|&length| i32::try_from(length).unwrap_or(i32::MAX)).collect();
        return lists(values(dtype.base(), bytes, &|at| row(at / items))?, &lengths);
    }
    let name = dtype.to_string();
    if name == "<M8[D]" {
        let day = |(at, day): (usize, &[u8])| {
            let day = day.try_into().map_or(i64::MIN, i64::from_le_bytes);
            let far = || Error::new(ErrorKind::Refused, format_args!("day {day} does not fit an Arrow date")).at_row(row(at));
            if day == i64::MIN { Ok(None) } else { i32::try_from(day).map(Some).map_err(|_| far()) }
        };
        return Ok(Arc::new(bytes.chunks_exact(8).enumerate().map(day).collect::<Result<Date32Array>>()?));
    }
    let of = data_type(&name).map_err(|why| Error::new(ErrorKind::Refused, why))?;
    let nat = is_time(&of).then(|| not_nat(&bytes));
    element::array(&of, bytes, dtype.itemsize(), nat.and_then(some_nulls), row)
}
