//! [`Utf8Column`]: a column of kind `utf8`, stored as offsets and bytes.

use std::sync::Arc;

use arrow_array::{ArrayRef, LargeStringArray};
use arrow_buffer::{BooleanBuffer, Buffer, OffsetBuffer, ScalarBuffer};

use crate::column::files::ColumnFiles;
use crate::column::nulls::{Nulls, Sentinel, Valid, some_nulls};
use crate::column::rows::RowArray;
use crate::error::{Error, Result};
use crate::live_rows::Selection;

/// Selected rows with at most this many rows between them are read together.
const GAP: u64 = 1 << 6;

/// The offsets and the bytes of the text. Each value starts where the previous one ends.
pub(crate) struct Utf8Column {
    offsets: RowArray,
    bytes: RowArray,
    pub(crate) valid: Valid,
}

impl Utf8Column {
    pub(crate) fn open(place: &ColumnFiles, nulls: &Nulls) -> Result<Utf8Column> {
        let rows = |end: &str, expected: &str| {
            let leaf = place.leaf(end)?;
            let dtype = leaf.dtype()?;
            let rows = RowArray::open(leaf)?;
            if dtype != expected || rows.width != if expected == "<i8" { 8 } else { 1 } {
                let (file, width) = (place.file(end), b2nd_store::text::count(rows.width, "byte"));
                return Err(Error::damaged(format_args!(
                    "{file:?}: expected one value of {expected} in each row, found rows of {width} with the dtype {dtype:?}"
                )));
            }
            Ok(rows)
        };
        Ok(Utf8Column { offsets: rows(".b2nd", "<i8")?, bytes: rows(".utf8.b2nd", "|u1")?, valid: Valid::open(place, nulls)? })
    }

    pub(crate) fn sizes(&self) -> (u64, u64) {
        let ((one, plain), (other, text)) = (self.offsets.sizes(), self.bytes.sizes());
        (one + other, plain.saturating_add(text))
    }

    pub(crate) fn read(&self, selection: &Selection) -> Result<ArrayRef> {
        let rows = self.offsets.len().saturating_sub(1);
        if selection.end() > rows {
            let message = format!("expected {} or more offsets, found {}", selection.end() + 1, self.offsets.len());
            return Err(Error::damaged(message).at_row(selection.row_of(rows)));
        }
        let mut bytes = Vec::new();
        let mut ends: Vec<i64> = Vec::with_capacity(selection.rows + 1);
        ends.push(0);
        for (span, runs) in selection.groups(GAP) {
            let offsets = self.offsets.range(span.start..span.end + 1)?;
            let offsets: Vec<i64> =
                offsets.chunks_exact(8).filter_map(|bytes| bytes.try_into().ok().map(i64::from_le_bytes)).collect();
            self.check(&offsets, span.start, selection)?;
            let (first, last) = (offsets.first().copied().unwrap_or(0), offsets.last().copied().unwrap_or(0));
            let length = (last - first).unsigned_abs();
            self.bytes.leaf.allow(length.saturating_add(bytes.len() as u64))?;
            let text = if length == 0 { Vec::new() } else { self.bytes.range(first.unsigned_abs()..last.unsigned_abs())? };
            for run in runs {
                let place = |row: u64| usize::try_from(row - span.start).unwrap_or(usize::MAX);
                let wanted = offsets.get(place(run.start)..=place(run.end)).unwrap_or_default();
                let Some((&start, after)) = wanted.split_first() else { continue };
                let base = ends.last().copied().unwrap_or(0);
                ends.extend(after.iter().map(|&end| base + (end - start)));
                let at = |offset: i64| usize::try_from(offset - first).unwrap_or(usize::MAX);
                bytes.extend_from_slice(text.get(at(start)..at(wanted.last().copied().unwrap_or(start))).unwrap_or_default());
            }
        }
        let mask = self.valid.mask(selection)?;
        let valid = match &self.valid {
            Valid::Unlike(Sentinel::Text(sentinel)) => {
                Some(BooleanBuffer::collect_bool(selection.rows, |at| value(&ends, &bytes, at) != sentinel.as_bytes()))
            }
            _ => mask,
        };
        let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
        let buffer = Buffer::from_vec(bytes);
        let array = LargeStringArray::try_new(offsets.clone(), buffer.clone(), valid.and_then(some_nulls));
        Ok(Arc::new(array.map_err(|error| self.no_text(&offsets, &buffer, selection).unwrap_or_else(|| Error::damaged(error)))?))
    }

    /// Checks that offsets are ascending and inside the bytes. `first` is the physical row of the first offset.
    fn check(&self, offsets: &[i64], first: u64, selection: &Selection) -> Result<()> {
        let mut before = 0;
        for (&offset, row) in offsets.iter().zip(first..) {
            if offset < before || offset.unsigned_abs() > self.bytes.len() {
                let message = format!("expected an offset from {before} to {}, found {offset}", self.bytes.len());
                return Err(Error::damaged(message).at_row(selection.row_of(row)));
            }
            before = offset;
        }
        Ok(())
    }

    /// Returns the error for the first value that is not UTF-8.
    fn no_text(&self, ends: &[i64], bytes: &[u8], selection: &Selection) -> Option<Error> {
        (0..selection.rows).find_map(|at| {
            let error = std::str::from_utf8(value(ends, bytes, at)).err()?;
            Some(Error::damaged(format_args!("its text is not UTF-8: {error}")).at_row(selection.row(at)))
        })
    }
}

fn value<'a>(ends: &[i64], bytes: &'a [u8], at: usize) -> &'a [u8] {
    let place = |at: usize| ends.get(at).and_then(|&end| usize::try_from(end).ok());
    match (place(at), place(at + 1)) {
        (Some(start), Some(end)) => bytes.get(start..end).unwrap_or_default(),
        _ => &[],
    }
}
