//! Everything that this format knows about array metalayers: how it reads the marks that [`array`](crate::array) puts on them.

use serde::de::{self, DeserializeSeed, Visitor};

use super::access::locate;
use super::{Deserializer, wrong_count};
use crate::error::Result;
use crate::marker;
use crate::wire::Form;

/// The entries of an array metalayer, by the count of its fixarray. With six entries the sixth is a dtype. If a dtype_format (a
/// positive fixint) stands there instead, the count is one too low and a seventh entry follows.
pub(crate) fn array_fields(count: usize) -> &'static [&'static str] {
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
        let count = self.reader.take_count(Form::Miscounted)?;
        if count > 7 {
            return Err(wrong_count(7, count, start));
        }
        self.elements(start, count, array_fields(count), count == 6, visitor)
    }

    /// Reads the entries that every layout has.
    pub(super) fn array_front<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        match self.reader.take_count(Form::Miscounted)? {
            5..=7 => self.elements(start, 5, array_fields(5), false, visitor),
            count => Err(wrong_count(5, count, start)),
        }
    }

    /// Reads the entry after blockshape: a dtype_format, or a dtype where the layout has no format.
    #[inline(always)]
    pub(super) fn format_or_dtype<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.reader.peek()? {
            0x00..=0x7f => visitor.visit_u8(self.reader.take_u8()?),
            marker::STR32 => visitor.visit_borrowed_str(self.reader.take_str32()?),
            found => Err(self.reader.unexpected("positive fixint (00 to 7f) or str32 (db)", found)),
        }
    }

    /// Reads a list of numbers of `N` bytes each, for a visitor that takes all of them.
    #[inline(always)]
    pub(super) fn lengths<const N: usize, V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        let count = self.reader.take_count(Form::Dimensions)?;
        let Some((numbers, after)) = self.reader.split(count * N) else {
            // The input ends in the list. The general path finds out where.
            return self.elements(start, count, &[], false, visitor);
        };
        self.enter(start)?;
        let value = visitor.visit_seq(&mut LengthsAccess::<N> { numbers, total: numbers.len(), end: after.offset() })?;
        self.reader = after;
        self.depth -= 1;
        Ok(value)
    }
}

/// Numbers of `N` bytes each, known to be complete. One comparison then checks for the ends of both list and input, which saves a
/// tenth of the instructions for an array metalayer of 15 dimensions.
struct LengthsAccess<'de, const N: usize> {
    numbers: &'de [u8],
    total: usize,
    /// Where the last number ends.
    end: usize,
}

impl<'de, const N: usize> de::SeqAccess<'de> for &mut LengthsAccess<'de, N> {
    type Error = crate::Error;

    #[inline(always)]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some((number, rest)) = self.numbers.split_first_chunk::<N>() else {
            return Ok(None);
        };
        self.numbers = rest;
        let end = self.end - rest.len();
        match seed.deserialize(&mut Deserializer::new(number)) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(locate(error.shifted(end - N), &[], self.total / N, rest.len() / N, end - N)),
        }
    }
}
