//! One seed per entry of an array metalayer: it reads the entry and refuses impossible values.

use core::fmt;
use core::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, SeqAccess, Unexpected, Visitor};

use super::super::geometry::negative;
use super::text::{Borrowed, StrDeserializer, Visit};
use crate::mark;
use crate::wire::MAX_DIMENSIONS;
use crate::with::fixint;

/// A number that a positive fixint holds.
pub(super) struct Fixint;

impl<'de> DeserializeSeed<'de> for Fixint {
    type Value = u8;

    #[inline(always)]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u8, D::Error> {
        fixint::deserialize(deserializer)
    }
}

/// Fills one of a geometry's lists from the front, and returns how many lengths there were. Records whether one was 0.
///
/// Keep the mark as a field, though the type knows it: without it a metalayer takes a twentieth more instructions.
pub(super) struct Fill<'a, T>(pub(super) &'static str, pub(super) &'a mut [T; MAX_DIMENSIONS], pub(super) &'a mut bool);

impl<'de, T: Length> DeserializeSeed<'de> for Fill<'_, T> {
    type Value = usize;

    #[inline(always)]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_newtype_struct(self.0, self)
    }
}

impl<'de, T: Length> Visitor<'de> for Fill<'_, T> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MAX_DIMENSIONS} lengths")
    }

    #[inline(always)]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_seq(self)
    }

    #[inline(always)]
    fn visit_seq<A: SeqAccess<'de>>(self, mut lengths: A) -> Result<usize, A::Error> {
        let Fill(_, list, any_zero) = self;
        for (count, place) in list.iter_mut().enumerate() {
            match lengths.next_element_seed(OneLength(any_zero, PhantomData))? {
                Some(length) => *place = length,
                None => return Ok(count),
            }
        }
        match lengths.next_element::<serde::de::IgnoredAny>()? {
            None => Ok(MAX_DIMENSIONS),
            Some(_) => Err(A::Error::custom(format_args!("more than {MAX_DIMENSIONS} dimensions"))),
        }
    }
}

/// A length in elements, 0 or more.
///
/// The number is visited here, since its own `Deserialize` is inlined in some callers and not in others.
struct OneLength<'a, T>(&'a mut bool, PhantomData<T>);

impl<'de, T: Length> DeserializeSeed<'de> for OneLength<'_, T> {
    type Value = T;

    #[inline(always)]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        if size_of::<T>() == size_of::<i64>() { deserializer.deserialize_i64(self) } else { deserializer.deserialize_i32(self) }
    }
}

impl<T: Length> Visitor<'_> for OneLength<'_, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(core::any::type_name::<T>())
    }

    #[inline(always)]
    fn visit_i32<E: serde::de::Error>(self, length: i32) -> Result<T, E> {
        self.visit_i64(length.into())
    }

    #[inline(always)]
    fn visit_i64<E: serde::de::Error>(self, length: i64) -> Result<T, E> {
        // One comparison for both rare cases.
        if length <= 0 {
            not_negative(length)?;
            *self.0 = true;
        }
        T::try_from(length).map_err(|_| E::invalid_value(Unexpected::Signed(length), &core::any::type_name::<T>()))
    }

    fn visit_u64<E: serde::de::Error>(self, length: u64) -> Result<T, E> {
        match i64::try_from(length) {
            Ok(length) => self.visit_i64(length),
            Err(_) => Err(E::invalid_value(Unexpected::Unsigned(length), &self)),
        }
    }
}

/// The type of a length, and the mark of a list of them.
pub(super) trait Length: TryFrom<i64> + Copy + Default {
    const MARK: &'static str;
}

impl Length for i64 {
    const MARK: &'static str = mark::LENGTHS64;
}

impl Length for i32 {
    const MARK: &'static str = mark::LENGTHS32;
}

#[cold]
fn not_negative<E: serde::de::Error>(length: i64) -> Result<(), E> {
    if length < 0 { Err(E::custom(negative(length))) } else { Ok(()) }
}

/// Reads a dtype into its place if it has one, and returns it otherwise.
///
/// The string is visited here, since the `Deserialize` of a string type is not inlined and returns its result in memory.
pub(super) struct Dtype<'a, S> {
    place: Option<&'a mut S>,
    is_human_readable: bool,
}

impl<'a, S> Dtype<'a, S> {
    #[inline(always)]
    pub(super) fn new(place: Option<&'a mut S>) -> Self {
        Dtype { place, is_human_readable: false }
    }

    #[inline(always)]
    fn put<'de, T: Visit<'de>, E: serde::de::Error>(self, text: T) -> Result<Option<S>, E>
    where
        S: Deserialize<'de>,
    {
        let text = StrDeserializer::new(text, self.is_human_readable);
        match self.place {
            Some(place) => S::deserialize_in_place(text, place).map(|()| None),
            None => S::deserialize(text).map(Some),
        }
    }
}

impl<'de, S: Deserialize<'de>> DeserializeSeed<'de> for Dtype<'_, S> {
    type Value = Option<S>;

    #[inline(always)]
    fn deserialize<D: Deserializer<'de>>(mut self, deserializer: D) -> Result<Self::Value, D::Error> {
        self.is_human_readable = deserializer.is_human_readable();
        deserializer.deserialize_str(self)
    }
}

impl<'de, S: Deserialize<'de>> Visitor<'de> for Dtype<'_, S> {
    type Value = Option<S>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    #[inline(always)]
    fn visit_borrowed_str<E: serde::de::Error>(self, value: &'de str) -> Result<Self::Value, E> {
        self.put(Borrowed(value))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Self::Value, E> {
        self.put(value)
    }
}

/// The entry after blockshape. It tells two layouts apart that have the same count.
pub(super) enum Sixth<S> {
    Format(u8),
    Dtype(S),
}

pub(super) struct FormatOrDtype<S> {
    is_human_readable: bool,
    dtype: PhantomData<S>,
}

impl<S> FormatOrDtype<S> {
    pub(super) const NEW: Self = FormatOrDtype { is_human_readable: false, dtype: PhantomData };
}

impl<'de, S: Deserialize<'de>> DeserializeSeed<'de> for FormatOrDtype<S> {
    type Value = Sixth<S>;

    #[inline(always)]
    fn deserialize<D: Deserializer<'de>>(mut self, deserializer: D) -> Result<Self::Value, D::Error> {
        self.is_human_readable = deserializer.is_human_readable();
        deserializer.deserialize_newtype_struct(mark::FORMAT_OR_DTYPE, self)
    }
}

impl<'de, S: Deserialize<'de>> Visitor<'de> for FormatOrDtype<S> {
    type Value = Sixth<S>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a dtype_format or a dtype")
    }

    #[inline(always)]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    #[inline(always)]
    fn visit_u8<E: serde::de::Error>(self, value: u8) -> Result<Self::Value, E> {
        fixint::checked(value).map(Sixth::Format).map_err(E::custom)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Self::Value, E> {
        match u8::try_from(value) {
            Ok(format) => self.visit_u8(format),
            Err(_) => Err(E::invalid_value(Unexpected::Unsigned(value), &self)),
        }
    }

    #[inline(always)]
    fn visit_borrowed_str<E: serde::de::Error>(self, value: &'de str) -> Result<Self::Value, E> {
        S::deserialize(StrDeserializer::new(Borrowed(value), self.is_human_readable)).map(Sixth::Dtype)
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Self::Value, E> {
        S::deserialize(StrDeserializer::new(value, self.is_human_readable)).map(Sixth::Dtype)
    }
}
