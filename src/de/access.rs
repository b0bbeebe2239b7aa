//! Gives visitors access to sequences, maps and enums, and adds the field or index to errors in elements.

use alloc::borrow::ToOwned;

use core::marker::PhantomData;

use serde::Deserializer as _;
use serde::de::{self, Deserialize, DeserializeSeed, Visitor};

use super::{Deserializer, Fields};
use crate::error::{Error, Result, Segment};
use crate::wire;

/// The elements of a sequence, tuple or struct.
pub(super) struct Elements<'a, 'de> {
    pub(super) deserializer: &'a mut Deserializer<'de>,
    pub(super) count: usize,
    /// The number of elements that have not been read.
    pub(super) left: usize,
    pub(super) fields: Fields,
}

/// Adds the field or index of the element to an error.
#[cold]
fn locate(error: Error, fields: Fields, count: usize, left: usize, start: usize) -> Error {
    let index = count - left - 1;
    let segment = match fields.get(index) {
        // serde's list of fields includes aliases. If there are more names than elements, the name at an index may belong to another field.
        Some(name) if fields.len() == count => Segment::Field(name),
        _ => Segment::Index(index),
    };
    error.within(segment, Some(start))
}

impl<'de> de::SeqAccess<'de> for &mut Elements<'_, 'de> {
    type Error = Error;

    #[inline(always)]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let start = self.deserializer.reader.offset();
        match seed.deserialize(&mut *self.deserializer) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(locate(error, self.fields, self.count, self.left, start)),
        }
    }

    /// Does the same as serde's own method, but is always inlined, which is faster.
    #[inline(always)]
    fn next_element<T: Deserialize<'de>>(&mut self) -> Result<Option<T>> {
        self.next_element_seed(PhantomData)
    }

    /// Returns the number of elements left, but at most the number of bytes left, since every element takes at least one byte.
    #[inline(always)]
    fn size_hint(&self) -> Option<usize> {
        Some(self.left.min(self.deserializer.reader.left()))
    }
}

/// The entries of a map.
pub(super) struct Pairs<'a, 'de> {
    pub(super) deserializer: &'a mut Deserializer<'de>,
    /// The number of pairs that have not been read.
    pub(super) left: usize,
    /// The input starting at the last key, used for the path of an error.
    pub(super) key: &'de [u8],
}

impl<'de> de::MapAccess<'de> for &mut Pairs<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        self.key = self.deserializer.reader.rest();
        let start = self.deserializer.reader.offset();
        match seed.deserialize(&mut *self.deserializer) {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(error.within(Segment::Field("key"), Some(start))),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let start = self.deserializer.reader.offset();
        seed.deserialize(&mut *self.deserializer).map_err(|error| match wire::key_text(self.key) {
            Some(key) => error.within(Segment::Key(key.to_owned()), Some(start)),
            None => error.within(Segment::Field("value"), Some(start)),
        })
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.min(self.deserializer.reader.left() / 2))
    }
}

/// A variant of an enum: only its name, or its name followed by its data.
pub(super) struct Variant<'a, 'de> {
    pub(super) deserializer: &'a mut Deserializer<'de>,
    pub(super) start: usize,
    pub(super) has_data: bool,
}

impl<'a, 'de> Variant<'a, 'de> {
    /// Returns the deserializer, positioned at the variant's data. Fails if the variant has no data.
    fn data(self) -> Result<&'a mut Deserializer<'de>> {
        if self.has_data {
            Ok(self.deserializer)
        } else {
            Err(Error::custom("this variant holds data: expected a fixmap with one entry (81), found only the name")
                .within_offset(self.start))
        }
    }
}

impl<'de> de::EnumAccess<'de> for Variant<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        let start = self.deserializer.reader.offset();
        // The data of a variant is one level deeper than the enum, as in the serializer. While the name is read, the depth is increased as
        // well, since a type could read the name as another enum with data and so recurse without limit.
        let name = match self.has_data {
            true => self.deserializer.deeper(|this| seed.deserialize(this)),
            false => seed.deserialize(&mut *self.deserializer),
        };
        match name {
            Ok(variant) => Ok((variant, self)),
            Err(error) => Err(error.within_offset(start)),
        }
    }
}

impl<'de> de::VariantAccess<'de> for Variant<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        if self.has_data {
            return Err(Error::custom("this variant holds no data: expected only its name (db), found a fixmap with one entry")
                .within_offset(self.start));
        }
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        let deserializer = self.data()?;
        deserializer.deeper(|this| seed.deserialize(this))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        self.data()?.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: Fields, visitor: V) -> Result<V::Value> {
        self.data()?.deserialize_struct("", fields, visitor)
    }
}
