//! [`FixedColumn`]: a column of values of fixed width, or of arrays of them.

use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, FixedSizeListArray};
use arrow_buffer::BooleanBuffer;
use arrow_schema::DataType;
use b2nd_ndarray::Array;

use crate::column::column_file::ColumnFile;
use crate::column::element::{self, Sentinel, is_nat, is_time};
use crate::column::files::ColumnFiles;
use crate::error::{Error, Result};
use crate::live_rows::{LiveRows, Selection, signed};
use crate::msgpack::builder::some_nulls;
use crate::schema::spec::{Kind, Nulls, Spec, item};

/// Selected rows with at most this many rows between them are read together.
const GAP: u64 = 1 << 10;

/// The longest row in bytes.
pub(crate) const MAX_ROW: usize = 1 << 26;

/// The number of live rows that python-blosc2 exports at once.
const EXPORTED: u64 = 1 << 16;

/// An array whose first dimension is the rows.
pub(crate) struct Rows {
    array: Array,
    leaf: ColumnFile,
    /// The bytes of a row.
    pub(crate) width: usize,
}

/// Which values of a column are not null.
pub(crate) enum Valid {
    All,
    Mask(Box<Rows>),
    Unlike(Sentinel),
}

/// A column of fixed width.
pub(crate) struct FixedColumn {
    rows: Rows,
    element: DataType,
    itemsize: usize,
    /// True if bools are bytes, of which one value marks nulls.
    is_widened: bool,
    /// The shape of a row, if the values are arrays.
    shape: Option<Vec<u64>>,
    valid: Valid,
}

impl Rows {
    /// Opens an array that has at least one dimension.
    pub(crate) fn open(leaf: ColumnFile) -> Result<Rows> {
        let array = leaf.array()?;
        let row = array.geometry().shape().get(1..).ok_or_else(|| Error::damaged("the array has no dimensions"))?;
        let items = row.iter().try_fold(1_usize, |items, &axis| items.checked_mul(usize::try_from(axis).ok()?));
        let width = items.and_then(|items| items.checked_mul(array.itemsize())).filter(|&width| width <= MAX_ROW);
        let width = width.ok_or_else(|| Error::damaged(format_args!("a row of {row:?} values is too long")))?;
        Ok(Rows { array, leaf, width })
    }

    pub(crate) fn len(&self) -> u64 {
        self.array.geometry().shape().first().and_then(|&rows| u64::try_from(rows).ok()).unwrap_or(0)
    }

    pub(crate) fn sizes(&self) -> (u64, u64) {
        (self.leaf.frame_len(), self.leaf.data_len())
    }

    /// Returns an error if more bytes would be held at once than allowed.
    pub(crate) fn allow(&self, bytes: u64) -> Result<()> {
        self.leaf.allow(bytes)
    }

    /// Reads the bytes of consecutive rows, which must exist.
    pub(crate) fn range(&self, rows: std::ops::Range<u64>) -> Result<Vec<u8>> {
        let bytes = (rows.end - rows.start).saturating_mul(self.width as u64);
        self.allow(bytes)?;
        let mut slice = self.array.whole();
        if let Some(first) = slice.first_mut() {
            *first = signed(rows);
        }
        Ok(self.array.read_bytes(&slice)?)
    }

    /// Reads the bytes of the rows of a selection.
    pub(crate) fn read(&self, selection: &Selection) -> Result<Vec<u8>> {
        if selection.end() > self.len() {
            let message = format!("the file ends after {} rows", self.len());
            return Err(Error::damaged(message).at_row(selection.row_of(self.len())));
        }
        let bytes = (selection.rows as u64).saturating_mul(self.width as u64);
        self.allow(bytes)?;
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

impl Valid {
    /// Finds the mask of a column, if it has one.
    pub(crate) fn open(place: &ColumnFiles, nulls: &Nulls) -> Result<Valid> {
        Ok(match nulls {
            Nulls::None => Valid::All,
            Nulls::Sentinel(sentinel) => Valid::Unlike(sentinel.clone()),
            Nulls::Mask => match place.optional(".notnull.b2nd")? {
                // A column without nulls has no mask.
                None => Valid::All,
                Some(leaf) => {
                    let dtype = leaf.dtype()?;
                    let rows = Rows::open(leaf)?;
                    if rows.len() != place.rows || rows.width != 1 || dtype != "|b1" {
                        let (found, expected) = (rows.len(), place.rows);
                        return Err(Error::damaged(format_args!(
                            "its mask of nulls: expected {expected} values of |b1, found {found} of {dtype:?}"
                        )));
                    }
                    Valid::Mask(rows.into())
                }
            },
        })
    }

    /// Returns the file of the mask.
    pub(crate) fn file(&self) -> Option<&Rows> {
        if let Valid::Mask(rows) = self { Some(rows) } else { None }
    }

    /// Reads the mask of nulls of a selection, if the column has a file for it.
    pub(crate) fn mask(&self, selection: &Selection) -> Result<Option<BooleanBuffer>> {
        let Valid::Mask(rows) = self else { return Ok(None) };
        let bytes = rows.read(selection)?;
        Ok(Some(BooleanBuffer::collect_bool(bytes.len(), |at| bytes.get(at) != Some(&0))))
    }
}

impl FixedColumn {
    pub(crate) fn open(place: &ColumnFiles, spec: &Spec) -> Result<FixedColumn> {
        let (element, shape) = match &spec.kind {
            Kind::NdArray(element, shape) => (element.clone(), Some(shape.clone())),
            Kind::Element(element) => (element.clone(), None),
            kind => return Err(Error::damaged(format_args!("{kind:?} has no fixed width"))),
        };
        FixedColumn::new(place, element, shape, Valid::open(place, &spec.nulls)?)
    }

    /// The codes of a dictionary.
    pub(crate) fn codes(place: &ColumnFiles) -> Result<FixedColumn> {
        FixedColumn::new(place, DataType::Int32, None, Valid::All)
    }

    fn new(place: &ColumnFiles, element: DataType, shape: Option<Vec<u64>>, valid: Valid) -> Result<FixedColumn> {
        let leaf = place.leaf(".b2nd")?;
        let dtype = leaf.dtype()?;
        let rows = Rows::open(leaf)?;
        let found = rows.array.geometry().shape().get(1..).unwrap_or_default();
        let expected = shape.as_deref().unwrap_or_default();
        if !element::is_stored_as(&element, &dtype) {
            return Err(Error::damaged(format_args!("expected values for {element}, found the dtype {dtype:?}")));
        }
        if !found.iter().map(|&axis| u64::try_from(axis).ok()).eq(expected.iter().map(|&axis| Some(axis))) {
            return Err(Error::damaged(format_args!("expected rows of the shape {expected:?}, found {found:?}")));
        }
        let itemsize = rows.array.itemsize();
        if itemsize == 0 {
            return Err(Error::damaged("values of no bytes"));
        }
        let is_widened = element == DataType::Boolean && dtype == "|u1";
        Ok(FixedColumn { rows, element, itemsize, is_widened, shape, valid })
    }

    /// The rows of a block.
    pub(crate) fn block(&self) -> Option<u64> {
        let rows = self.rows.array.geometry().blockshape().first()?;
        u64::try_from(*rows).ok().filter(|&rows| rows > 0)
    }

    pub(crate) fn mask(&self) -> Option<&Rows> {
        self.valid.file()
    }

    pub(crate) fn sizes(&self) -> (u64, u64) {
        let (mut packed, plain) = self.rows.sizes();
        if let Valid::Mask(mask) = &self.valid {
            packed += mask.sizes().0;
        }
        (packed, plain)
    }

    pub(crate) fn read(&self, selection: &Selection, live: &LiveRows) -> Result<ArrayRef> {
        let bytes = self.rows.read(selection)?;
        let mask = self.valid.mask(selection)?;
        let Some(shape) = &self.shape else {
            let valid = match (&self.valid, &self.element) {
                (Valid::Mask(_), DataType::Timestamp(..)) => Some(self.times(mask, &bytes, selection, live)?),
                (_, DataType::Timestamp(..)) => Some(not_nat(&bytes)),
                // A bool that is not stored as a byte cannot represent null.
                (Valid::Unlike(_), DataType::Boolean) if !self.is_widened => None,
                (Valid::Unlike(sentinel), of) => element::differ(of, &bytes, self.itemsize, sentinel),
                (_, _) => mask,
            };
            return element::array(&self.element, &bytes, self.itemsize, valid.and_then(some_nulls), |at| selection.row(at));
        };
        let items = self.rows.width.checked_div(self.itemsize).unwrap_or(0);
        let nat = is_time(&self.element).then(|| not_nat(&bytes));
        let row = |at: usize| selection.row(at.checked_div(items).unwrap_or(0));
        let values = element::array(&self.element, &bytes, self.itemsize, nat.and_then(some_nulls), row)?;
        let valid = match &self.valid {
            Valid::Unlike(sentinel) => element::differ(&self.element, &bytes, self.itemsize, sentinel).map(|unlike| {
                // A row is null if all of its elements are.
                BooleanBuffer::collect_bool(selection.rows, |at| unlike.slice(at * items, items).count_set_bits() > 0)
            }),
            _ => mask,
        };
        let length = i32::try_from(items).map_err(|_| Error::damaged(format_args!("a row of the shape {shape:?}")))?;
        let field = Arc::new(item(values.data_type().clone()));
        let nulls = valid.and_then(some_nulls);
        Ok(Arc::new(FixedSizeListArray::try_new_with_length(field, length, values, nulls, selection.rows)?))
    }

    /// Tells which times of a column with a mask are valid. NaT is null, unless the mask has no null in any of the rows
    /// that python-blosc2 exports at once.
    fn times(&self, mask: Option<BooleanBuffer>, bytes: &[u8], selection: &Selection, live: &LiveRows) -> Result<BooleanBuffer> {
        let nats = not_nat(bytes);
        let mask = mask.unwrap_or_else(|| BooleanBuffer::new_set(nats.len()));
        // Only values that the mask calls valid and that equal NaT have to be examined.
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

pub(crate) fn not_nat(bytes: &[u8]) -> BooleanBuffer {
    BooleanBuffer::collect_bool(bytes.len() / 8, |at| !bytes.get(8 * at..8 * at + 8).is_some_and(is_nat))
}
