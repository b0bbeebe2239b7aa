//! Reads the parts of an array metalayer that serde's own methods cannot describe. The types in [`array`](crate::array) request them with a
//! [`Mark`](crate::mark::Mark).

use serde::de::Visitor;

use super::access::locate;
use super::{Deserializer, Fields, wrong_count};
use crate::error::{Error, Result};
use crate::limits::MAX_DEPTH;
use crate::marker::{self, CountMarker};
use crate::wire::Reader;

/// Returns the names of the entries of an array metalayer with this count. If the count is six, the sixth name is `dtype`. This is wrong
/// for files in which the sixth entry is a dtype_format (a positive fixint): in these files, the count is one too low, and the dtype
/// follows as a seventh entry.
pub(crate) const fn array_fields(count: usize) -> Fields {
    const FIELDS: [&str; 7] = ["version", "ndim", "shape", "chunkshape", "blockshape", "dtype_format", "dtype"];
    match count {
        6 => &["version", "ndim", "shape", "chunkshape", "blockshape", "dtype"],
        0..=5 => FIELDS.split_at(count).0,
        _ => &FIELDS,
    }
}

impl<'de> Deserializer<'de> {
    /// Reads a fixarray whose count may be six although it has seven entries (see [`Mark::ArrayMeta`](crate::mark::Mark::ArrayMeta)).
    #[inline(always)]
    pub(super) fn array_meta<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        let count = self.reader.take_count(CountMarker::Miscounted)?;
        if count > 7 {
            return Err(wrong_count(7, count, start));
        }
        self.elements(start, count, array_fields(count), count == 6, visitor)
    }

    /// Reads the entries that an array metalayer of any layout starts with: version to blockshape.
    pub(crate) fn array_front<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        match self.reader.take_count(CountMarker::Miscounted)? {
            5..=7 => self.elements(start, 5, array_fields(5), false, visitor),
            count => Err(wrong_count(5, count, start)),
        }
    }

    /// Reads the entry after blockshape. Calls `visit_u8` for a dtype_format, and `visit_some` for a dtype.
    #[inline(always)]
    pub(super) fn format_or_dtype<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.reader.peek()? {
            0x00..=0x7f => visitor.visit_u8(self.reader.take_u8()?),
            marker::STR32 => visitor.visit_some(self),
            found => Err(self.reader.unexpected("positive fixint (00 to 7f) or str32 (db)", found)),
        }
    }

    /// Reads a list of records of `N` bytes, each a marker and a number. The visitor gets the bytes of all records and checks them.
    #[inline(always)]
    pub(super) fn lengths<const N: usize, V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        let count = self.reader.take_count(CountMarker::Dimensions)?;
        let Some((records, after)) = self.reader.split(count * N).filter(|_| self.depth < MAX_DEPTH) else {
            return self.cut_list(start, count, visitor);
        };
        match visitor.visit_borrowed_bytes(records) {
            Ok(value) => {
                self.reader = after;
                Ok(value)
            }
            Err(error) => Err(wrong_length(self.reader, count, N, error)),
        }
    }

    /// Reads a list that is cut off or nested too deeply. The list is read element by element, so that the error has the right position.
    #[cold]
    #[inline(never)]
    fn cut_list<V: Visitor<'de>>(&mut self, start: usize, count: usize, visitor: V) -> Result<V::Value> {
        self.elements(start, count, &[], false, visitor)
    }
}

/// Finds the first element that has a wrong marker or is negative, and adds its index to the error. `length` is the length of an element in
/// bytes, including its marker: 9 or 5.
#[cold]
fn wrong_length(mut reader: Reader<'_>, count: usize, length: usize, error: Error) -> Error {
    for left in (0..count).rev() {
        let start = reader.offset();
        let number = if length == 9 { reader.take_i64() } else { reader.take_i32().map(i64::from) };
        match number {
            Ok(0..) => {}
            Ok(_) => return locate(error, &[], count, left, start),
            Err(error) => return locate(error, &[], count, left, start),
        }
    }
    error
}
