//! Everything that this format knows about array metalayers: how it reads the marks that [`array`](crate::array) puts on them.

use alloc::format;
use alloc::string::String;

use serde::de::Visitor;

use super::access::locate;
use super::{Deserializer, wrong_count};
use crate::error::{Error, Result};
use crate::marker::{self, CountMarker};
use crate::wire::{MAX_DIMENSIONS, Reader};

/// The entries of an array metalayer, by the count of its fixarray. With six entries the sixth is a dtype. If a dtype_format (a
/// positive fixint) is there instead, the count is one too low and a seventh entry follows.
fn array_fields(count: usize) -> &'static [&'static str] {
    const FIELDS: [&str; 7] = ["version", "ndim", "shape", "chunkshape", "blockshape", "dtype_format", "dtype"];
    match count {
        6 => &["version", "ndim", "shape", "chunkshape", "blockshape", "dtype"],
        _ => FIELDS.get(..count).unwrap_or(&FIELDS),
    }
}

impl<'de> Deserializer<'de> {
    /// Reads a fixarray whose count may be six where seven entries follow: see [`Mark::ArrayMeta`](crate::mark::Mark::ArrayMeta).
    #[inline(always)]
    pub(super) fn array_meta<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        let count = self.reader.take_count(CountMarker::Miscounted)?;
        if count > 7 {
            return Err(wrong_count(7, count, start));
        }
        let result = self.elements(start, count, array_fields(count), count == 6, visitor);
        result.map_err(|error| explain(error, Layout::ANY, self.reader.back_at(start)))
    }

    /// Reads the entries that every layout has.
    pub(super) fn array_front<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        match self.reader.take_count(CountMarker::Miscounted)? {
            5..=7 => {
                let result = self.elements(start, 5, array_fields(5), false, visitor);
                result.map_err(|error| explain(error, Layout::ANY, self.reader.back_at(start)))
            }
            count => Err(wrong_count(5, count, start)),
        }
    }

    /// Reads the entry after blockshape: a dtype_format, or `Some` of a dtype where the layout has no format.
    #[inline(always)]
    pub(super) fn format_or_dtype<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.reader.peek()? {
            0x00..=0x7f => visitor.visit_u8(self.reader.take_u8()?),
            marker::STR32 => visitor.visit_some(self),
            found => Err(self.reader.unexpected("positive fixint (00 to 7f) or str32 (db)", found)),
        }
    }

    /// Reads a list of numbers of `N` bytes each, for a visitor that takes the bytes of all of them, and checks them.
    #[inline(always)]
    pub(super) fn lengths<const N: usize, V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        let count = self.reader.take_count(CountMarker::Dimensions)?;
        let Some((records, after)) = self.reader.split(count * N).filter(|_| self.depth < marker::MAX_DEPTH) else {
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
}

impl<'de> Deserializer<'de> {
    /// The input ends in the list, or it is too deep. The general path finds out where.
    #[cold]
    #[inline(never)]
    fn cut_list<V: Visitor<'de>>(&mut self, start: usize, count: usize, visitor: V) -> Result<V::Value> {
        self.elements(start, count, &[], false, visitor)
    }
}

/// A layout of the array metalayer, as errors describe it.
#[derive(Clone, Copy)]
struct Layout {
    name: &'static str,
    /// The fewest entries.
    least: usize,
    /// The counts of entries that it has.
    counts: &'static str,
    /// The number of entries before ndim.
    before_ndim: usize,
}

impl Layout {
    const ANY: Layout = Layout { name: "array metalayer", least: 5, counts: "5 to 7", before_ndim: 1 };

    /// The layout that a visitor of this crate reads, by the name of the visitor's type. A derived struct of a user has another path.
    fn of(visitor: &str) -> Option<Layout> {
        let entries = visitor.strip_prefix("b2nd::array::")?;
        let is = |name: &str| entries.contains(name);
        let (name, least, counts, before_ndim) = match () {
            () if is("::WireB2nd<") => ("b2nd metalayer", 7, "7", 1),
            () if is("::WireLegacyB2nd<") => ("b2nd metalayer", 6, "6", 1),
            () if is("::WireCaterva<") => ("caterva metalayer", 5, "5", 1),
            () if is("::WireGeometry<") => ("geometry", 4, "4", 0),
            () => return None,
        };
        Some(Layout { name, least, counts, before_ndim })
    }
}

/// Says what is wrong with the struct at `start` as a whole, if it is one of an array metalayer: a derived struct knows one entry at a time.
#[cold]
pub(super) fn explain_struct(error: Error, visitor: &str, start: Reader<'_>) -> Error {
    match Layout::of(visitor) {
        Some(layout) => explain(error, layout, start),
        None => error,
    }
}

/// Replaces an error by the fault that comes before it, since a derived struct knows one entry at a time: lists of another rank than ndim, or too few entries.
#[cold]
fn explain(error: Error, layout: Layout, start: Reader<'_>) -> Error {
    let mut entries = start;
    let Ok(count) = entries.take_count(CountMarker::Miscounted) else { return error };
    if let Some(fault) = rank_fault(layout, entries, count) {
        return fault;
    }
    if count < layout.least && error.path().is_none() && !error.is_eof() {
        return Error::custom(format_args!("{}: {count} entries, {} expected", layout.name, layout.counts));
    }
    error
}

/// The first list whose rank is not ndim. `None` if another fault comes before it.
fn rank_fault(layout: Layout, mut entries: Reader<'_>, count: usize) -> Option<Error> {
    let mut left = count.checked_sub(layout.before_ndim + 1)?;
    if layout.before_ndim == 1 && entries.take_u8().ok()? > 127 {
        return None;
    }
    let ndim = usize::from(entries.take_u8().ok()?);
    let mut counts = [ndim; 3];
    for (place, is_shape) in counts.iter_mut().zip([true, false, false]) {
        if ndim > MAX_DIMENSIONS || left == 0 {
            break;
        }
        left -= 1;
        *place = entries.take_count(CountMarker::Dimensions).ok()?;
        for _ in 0..*place {
            let length = if is_shape { entries.take_i64() } else { entries.take_i32().map(i64::from) };
            length.ok().filter(|&length| length >= 0)?;
        }
        if *place != ndim {
            break;
        }
    }
    (ndim > MAX_DIMENSIONS || counts != [ndim; 3]).then(|| wrong_rank(layout.name, ndim, counts))
}

/// The error of lists that are not all of rank `ndim`, or of too many dimensions.
#[cold]
pub(crate) fn wrong_rank(layout: &str, ndim: usize, counts: [usize; 3]) -> Error {
    let mut lists = ["shape", "chunkshape", "blockshape"].into_iter().zip(counts);
    match lists.find(|&(_, count)| count != ndim) {
        Some((list, count)) if ndim <= MAX_DIMENSIONS => {
            Error::custom(format_args!("{layout}: {list} has {count} dimensions, ndim is {ndim}"))
        }
        _ => Error::custom(format_args!("{layout}: {}", too_many_dimensions(ndim))),
    }
}

/// Why a number of dimensions is refused.
#[cold]
pub(crate) fn too_many_dimensions(ndim: usize) -> String {
    format!("{ndim} dimensions, at most {MAX_DIMENSIONS}")
}

/// Adds the element to the error of a list: the first that has another marker, or is negative, which the error says.
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
