//! [`Summary`]: the minima and maxima of parts of a column, from its SUMMARY index.

use std::ops::Range;

use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use b2nd::Value;

use crate::column::column_file::ColumnFile;
use crate::column::element;
use crate::column::nulls::{Nulls, Sentinel, is_nat};
use crate::column::rows::RowArray;
use crate::error::{Error, Result};
use crate::schema::numpy_dtype::is_stored_as;
use crate::schema::spec::{Kind, Spec};

/// The vlmetalayer of a table that describes its indexes.
pub(crate) const CATALOG: &str = "index_catalog";

/// The vlmetalayer that counts changes to the table's values. An index stores the count at the time when the index was built.
pub(crate) const EPOCH: &str = "value_epoch";

/// The flags of a segment: whether all of its values are NaN, some are NaN, or all are null.
const ALL_NAN: u8 = 1;
const SOME_NAN: u8 = 2;
const ALL_NULL: u8 = 4;

/// The maximum number of segments of an index. An index with more segments is not used, since a damaged index can claim any number of
/// segments.
const MAX_SEGMENTS: u64 = 1 << 20;

/// The minima and maxima of a column's segments, which python-blosc2 keeps as the column's SUMMARY index.
///
/// A segment is a range of physical rows, including deleted rows. [`Table::live_before`](crate::Table::live_before) converts a physical row
/// to a live row. No value of a segment is below the segment's min or above its max, in the order in which Arrow compares floats.
#[derive(Clone, Debug)]
pub struct Summary {
    segment_len: u64,
    physical_rows: u64,
    least: ArrayRef,
    greatest: ArrayRef,
    are_null: Vec<bool>,
    /// Whether the minima and maxima ignore nulls. If false, a min or max may be a value that is stored for a null.
    omits_nulls: bool,
}

impl Summary {
    /// Returns the number of segments.
    pub fn len(&self) -> usize {
        self.are_null.len()
    }

    /// Returns true if there are no segments, because the table has no physical rows.
    pub fn is_empty(&self) -> bool {
        self.are_null.is_empty()
    }

    /// Returns the physical rows of a segment, or an empty range if there is no such segment.
    pub fn rows(&self, segment: usize) -> Range<u64> {
        let start = (segment as u64).saturating_mul(self.segment_len).min(self.physical_rows);
        start..start.saturating_add(self.segment_len).min(self.physical_rows)
    }

    /// Returns the index of the segment that contains a physical row.
    pub fn segment(&self, row: u64) -> usize {
        usize::try_from(row.checked_div(self.segment_len).unwrap_or(0)).unwrap_or(usize::MAX)
    }

    /// Returns the min of each segment, as an array of the column's Arrow type. A min is null if it is unknown, or if the index marks all
    /// values of the segment as null.
    pub fn least(&self) -> &ArrayRef {
        &self.least
    }

    /// Returns the max of each segment, as an array of the column's Arrow type. A max is null if it is unknown, or if the index marks all
    /// values of the segment as null.
    pub fn greatest(&self) -> &ArrayRef {
        &self.greatest
    }

    /// Returns true if each value in [`least`](Summary::least) and [`greatest`](Summary::greatest) equals a value of its segment, and not a
    /// value that is stored for a null. In that case, a segment without a min has only nulls. Deleted rows are included.
    pub fn is_exact(&self) -> bool {
        let is_known = |(segment, &is_null): (usize, &bool)| is_null || self.least.is_valid(segment);
        self.omits_nulls && self.are_null.iter().enumerate().all(is_known)
    }

    /// Returns true if the index marks all values of a segment as null.
    pub fn is_null(&self, segment: usize) -> bool {
        self.are_null.get(segment).copied().unwrap_or(false)
    }
}

/// A SUMMARY index, as the catalog describes it. The index matches the current content of the table.
pub(crate) struct Described {
    element: DataType,
    dtype: String,
    /// Whether NaN means null.
    nan_is_null: bool,
    omits_nulls: bool,
    segment_len: u64,
    physical_rows: u64,
    /// The path of the index's file in the store.
    pub(crate) path: String,
}

impl Described {
    /// Finds the index of a column, if the column has an index that is not stale.
    pub(crate) fn find(catalog: &Value, epoch: u64, name: &str, spec: &Spec, physical_rows: u64) -> Option<Described> {
        let Kind::Element(element) = &spec.kind else { return None };
        let nan_is_null = match (element, &spec.nulls) {
            (DataType::Boolean | DataType::Timestamp(..), Nulls::None | Nulls::Mask) => false,
            (of, Nulls::None | Nulls::Mask) if of.is_numeric() => false,
            (of, Nulls::Sentinel(_)) if of.is_integer() => false,
            (of, Nulls::Sentinel(Sentinel::Float(number))) if of.is_floating() => number.is_nan(),
            // An index of timestamps omits a sentinel, although `to_arrow()` exports the sentinel as a value. Such an index is not used.
            _ => return None,
        };
        let index = catalog.get(name)?;
        let text = |key: &str| index.get(key).and_then(Value::as_str);
        let target = index.get("target")?;
        let is_of_column =
            target.get("source")?.as_str() == Some("field") && target.get("field").is_none_or(|field| *field == Value::Nil);
        let is_current = index.get("stale")?.as_bool() == Some(false)
            && index.get("built_value_epoch").and_then(Value::as_u64) == Some(epoch)
            && index.get("shape")?.elements().first()?.as_u64() == Some(physical_rows);
        let dtype =
            text("dtype").filter(|dtype| is_stored_as(element, dtype) && !(*element == DataType::Boolean && *dtype != "|b1"))?;
        let block = index.get("levels")?.get("block")?;
        let segment_len =
            block.get("segment_len")?.as_u64().filter(|&rows| rows > 0 && physical_rows.div_ceil(rows) <= MAX_SEGMENTS)?;
        if text("kind") != Some("summary") || !is_of_column || !is_current {
            return None;
        }
        let path = block.get("path")?.as_str()?.to_owned();
        let has_nulls = !matches!(spec.nulls, Nulls::None);
        // Every index omits NaN, and therefore omits nulls if NaN means null.
        let omits_nulls = !has_nulls || nan_is_null || index.get("null_aware").and_then(Value::as_bool) == Some(true);
        let (element, dtype) = (element.clone(), dtype.to_owned());
        Some(Described { element, dtype, nan_is_null, omits_nulls, segment_len, physical_rows, path })
    }

    pub(crate) fn read(&self, leaf: ColumnFile) -> Result<Summary> {
        // NumPy omits the byte order of one-byte types in records.
        let value = if self.element == DataType::Boolean { "?" } else { self.dtype.trim_start_matches('|') };
        let (dtype, expected) = (leaf.dtype()?, format!("[('min', '{value}'), ('max', '{value}'), ('flags', 'u1')]"));
        if dtype.replace('|', "") != expected {
            return Err(Error::damaged(format_args!("expected values of {expected}, found {dtype}")));
        }
        let segments = self.physical_rows.div_ceil(self.segment_len);
        let rows = RowArray::open(leaf)?;
        if rows.len() != segments {
            return Err(Error::damaged(format_args!("the number of segments: expected {segments}, found {}", rows.len())));
        }
        let width = rows.width.saturating_sub(1) / 2;
        if width == 0 || 2 * width + 1 != rows.width {
            return Err(Error::damaged(format_args!(
                "a segment: expected an odd number of bytes, at least 3, found {}",
                rows.width
            )));
        }
        let bytes = rows.range(0..segments)?;
        let (mut least, mut greatest, mut known, mut are_null) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for segment in bytes.chunks_exact(rows.width) {
            let (values, flags) = segment.split_at(2 * width);
            let (low, high) = values.split_at(width);
            let flags = flags.first().copied().unwrap_or(0);
            let is_null = flags & ALL_NULL != 0 || self.nan_is_null && flags & ALL_NAN != 0;
            // Arrow orders -0 below 0, but NumPy can return either as the min. A min of zero is therefore made -0, and a max of zero 0.
            // The sign of a float, which is little-endian, is in its last byte.
            let signed = |value: &[u8], sign: u8| match self.element.is_floating() && element::float(value) == 0.0 {
                true => [&vec![0; width - 1], &[sign][..]].concat(),
                false => value.to_vec(),
            };
            let is_nan = flags & ALL_NAN != 0 || flags & SOME_NAN != 0 && !self.nan_is_null;
            are_null.push(is_null);
            known.push(!is_null && !is_nan);
            least.extend(signed(low, 0x80));
            greatest.extend(signed(high, 0));
        }
        // NaT is usually null in columns of times, so an index with a min that is NaT does not omit nulls.
        let has_nat = matches!(self.element, DataType::Timestamp(..)) && least.chunks_exact(8).any(is_nat);
        let omits_nulls = self.omits_nulls && !has_nat;
        let nulls = NullBuffer::from(known);
        let array = |bytes: Vec<u8>| element::array(&self.element, bytes, width, Some(nulls.clone()), |segment| segment as u64);
        let (least, greatest) = (array(least)?, array(greatest)?);
        let Described { segment_len, physical_rows, .. } = *self;
        Ok(Summary { segment_len, physical_rows, least, greatest, are_null, omits_nulls })
    }
}
