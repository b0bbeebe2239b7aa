//! [`FixedColumn`]: a column of fixed-width values, or of arrays of such values.

use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, FixedSizeListArray};
use arrow_buffer::BooleanBuffer;
use arrow_schema::DataType;

use crate::column::element;
use crate::column::files::ColumnFiles;
use crate::column::nulls::{Nulls, Valid, differ, not_nat, some_nulls};
use crate::column::rows::RowArray;
use crate::error::{Error, Result};
use crate::live_rows::{LiveRows, Selection};
use crate::schema::numpy_dtype::{is_stored_as, is_time};
use crate::schema::spec::item;

/// The number of live rows that python-blosc2 exports in one batch by default.
const EXPORTED: u64 = 1 << 16;

pub(crate) struct FixedColumn {
    rows: RowArray,
    element: DataType,
    itemsize: usize,
    /// Whether the values are bools with the dtype |u1, so that a number other than 0 and 1 can mark nulls.
    is_widened: bool,
    /// The shape of a row, if the values are arrays.
    shape: Option<Vec<u64>>,
    pub(crate) valid: Valid,
}

impl FixedColumn {
    /// Opens a column. `shape` is the shape of a row, if the values are arrays.
    pub(crate) fn open(place: &ColumnFiles, element: &DataType, shape: Option<&[u64]>, nulls: &Nulls) -> Result<FixedColumn> {
        let valid = Valid::open(place, nulls)?;
        let leaf = place.leaf(".b2nd")?;
        let dtype = leaf.dtype()?;
        let rows = RowArray::open(leaf)?;
        let found = rows.array.geometry().shape().get(1..).unwrap_or_default();
        let expected = shape.unwrap_or_default();
        if !is_stored_as(element, &dtype) {
            return Err(Error::damaged(format_args!("expected a little-endian dtype for {element}, found {dtype:?}")));
        }
        if !found.iter().map(|&axis| u64::try_from(axis).ok()).eq(expected.iter().map(|&axis| Some(axis))) {
            return Err(Error::damaged(format_args!("expected rows of the shape {expected:?}, found {found:?}")));
        }
        let itemsize = rows.array.itemsize();
        if itemsize == 0 {
            return Err(Error::damaged("expected values of at least 1 byte, found 0 bytes"));
        }
        let is_widened = *element == DataType::Boolean && dtype == "|u1";
        let (element, shape) = (element.clone(), shape.map(<[u64]>::to_vec));
        Ok(FixedColumn { rows, element, itemsize, is_widened, shape, valid })
    }

    /// Returns the number of rows per block.
    pub(crate) fn block(&self) -> Option<u64> {
        let rows = self.rows.array.geometry().blockshape().first()?;
        u64::try_from(*rows).ok().filter(|&rows| rows > 0)
    }

    pub(crate) fn sizes(&self) -> (u64, u64) {
        let (mut packed, plain) = self.rows.sizes();
        packed += self.valid.file().map_or(0, |mask| mask.sizes().0);
        (packed, plain)
    }

    pub(crate) fn read(&self, selection: &Selection, live: &LiveRows) -> Result<ArrayRef> {
        let bytes = self.rows.read(selection)?;
        let mask = self.valid.mask(selection)?;
        let Some(shape) = &self.shape else {
            let valid = match (&self.valid, &self.element) {
                (Valid::Mask(_), DataType::Timestamp(..)) => Some(self.times(mask, &bytes, selection, live)?),
                (_, DataType::Timestamp(..)) => Some(not_nat(&bytes)),
                // Bools with the dtype |b1 have no value that could mark a null; bools with the dtype |u1 do.
                (Valid::Unlike(_), DataType::Boolean) if !self.is_widened => None,
                (Valid::Unlike(sentinel), of) => differ(of, &bytes, self.itemsize, sentinel),
                (_, _) => mask,
            };
            return element::array(&self.element, bytes, self.itemsize, valid.and_then(some_nulls), |at| selection.row(at));
        };
        let items = self.rows.width.checked_div(self.itemsize).unwrap_or(0);
        let nat = is_time(&self.element).then(|| not_nat(&bytes));
        let row = |at: usize| selection.row(at.checked_div(items).unwrap_or(0));
        let valid = match &self.valid {
            Valid::Unlike(sentinel) => differ(&self.element, &bytes, self.itemsize, sentinel).map(|unlike| {
                // A row is null if all of its elements equal the sentinel.
                BooleanBuffer::collect_bool(selection.rows, |at| unlike.slice(at * items, items).count_set_bits() > 0)
            }),
            _ => mask,
        };
        let values = element::array(&self.element, bytes, self.itemsize, nat.and_then(some_nulls), row)?;
        let length = i32::try_from(items)
            .map_err(|_| Error::damaged(format_args!("a row of the shape {shape:?} has more than 2^31 - 1 elements")))?;
        let field = Arc::new(item(values.data_type().clone()));
        let nulls = valid.and_then(some_nulls);
        Ok(Arc::new(FixedSizeListArray::try_new_with_length(field, length, values, nulls, selection.rows)?))
    }

    /// Returns which times of a column with a mask are valid. A NaT that the mask calls valid is null, unless the mask has a null among the
    /// rows that python-blosc2 exports together with the row of the NaT.
    fn times(&self, mask: Option<BooleanBuffer>, bytes: &[u8], selection: &Selection, live: &LiveRows) -> Result<BooleanBuffer> {
        let nats = not_nat(bytes);
        let mask = mask.unwrap_or_else(|| BooleanBuffer::new_set(nats.len()));
        // If none of the values that the mask calls valid is NaT, the mask needs no correction.
        if (&mask & &nats).count_set_bits() == mask.count_set_bits() {
            return Ok(mask);
        }
        let mut batch = None;
        let mut valid = Vec::with_capacity(nats.len());
        for (at, (is_valid, is_time)) in mask.iter().zip(nats.iter()).enumerate() {
            let number = selection.row(at) / EXPORTED;
            if is_valid && !is_time && batch.is_none_or(|(found, _)| found != number) {
                let rows = live.select(number * EXPORTED..(number + 1).saturating_mul(EXPORTED))?;
                let has_nulls = self.valid.mask(&rows)?.is_some_and(|mask| mask.count_set_bits() < mask.len());
                batch = Some((number, has_nulls));
            }
            valid.push(is_valid && (is_time || batch.is_some_and(|(_, has_nulls)| has_nulls)));
        }
        Ok(valid.into_iter().collect())
    }
}
