//! Reads and writes the three lists of lengths in an array metalayer: shape, chunkshape and blockshape.

use alloc::format;
use alloc::string::String;
use core::fmt;

use serde::de::{self, Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

use crate::limits::MAX_DIMENSIONS;
use crate::mark;
use crate::marker;
use crate::with::numbers;

/// The integer type of a length: `i64` in shape, `i32` in chunkshape and blockshape.
pub(super) trait Length: Copy + Default + PartialOrd + fmt::Display + Serialize + DeserializeOwned {
    /// The name of the newtype struct that marks a list of lengths of this type: see [`mark`].
    const MARK: &'static str;
    /// The MessagePack marker before each length.
    const MARKER: u8;

    /// Returns the length that is stored in a record, which is a marker and a number.
    fn number(record: &[u8]) -> Self;
}

macro_rules! lengths {
    ($($ty:ident $mark:ident $marker:ident;)*) => {
        $(
            impl Length for $ty {
                const MARK: &'static str = mark::$mark;
                const MARKER: u8 = marker::$marker;

                #[inline(always)]
                fn number(record: &[u8]) -> $ty {
                    record.get(1..).and_then(<[u8]>::first_chunk).map_or(0, |number| $ty::from_be_bytes(*number))
                }
            }
        )*
    };
}

lengths! {
    i64 LENGTHS64 I64;
    i32 LENGTHS32 I32;
}

/// A list of lengths to be serialized.
pub(super) struct Written<'a, T>(pub(super) &'a [T]);

impl<T: Length> Serialize for Written<'_, T> {
    #[inline(always)]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(T::MARK, &Unmarked(self.0))
    }
}

struct Unmarked<'a, T>(&'a [T]);

impl<T: Serialize> Serialize for Unmarked<'_, T> {
    #[inline(always)]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        numbers::serialize(self.0, serializer)
    }
}

/// A visitor that reads a list into the front of an array of zeros. It accepts at most 16 lengths, none of them negative.
pub(super) struct Lengths<'a, T>(pub(super) &'a mut [T; MAX_DIMENSIONS]);

/// The number of lengths in a list that was read, and whether one of them is 0.
#[derive(Default)]
pub(super) struct Found {
    pub(super) count: usize,
    pub(super) any_zero: bool,
}

impl<'de, T: Length> DeserializeSeed<'de> for Lengths<'_, T> {
    type Value = Found;

    #[inline(always)]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Found, D::Error> {
        deserializer.deserialize_newtype_struct(T::MARK, self)
    }
}

impl<'de, T: Length> Visitor<'de> for Lengths<'_, T> {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MAX_DIMENSIONS} lengths")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Found, D::Error> {
        deserializer.deserialize_seq(OnlyList(self))
    }

    /// Reads the list in this crate's format, whose deserializer passes the bytes of all records in one call.
    #[inline(always)]
    fn visit_borrowed_bytes<E: de::Error>(self, records: &'de [u8]) -> Result<Found, E> {
        let record = 1 + size_of::<T>();
        let mut found = Found { count: records.len() / record, any_zero: false };
        if found.count > MAX_DIMENSIONS || records.len() % record != 0 {
            return Err(E::invalid_type(de::Unexpected::Bytes(records), &self));
        }
        for (place, record) in self.0.iter_mut().zip(records.chunks_exact(record)) {
            let length = T::number(record);
            if record.first() != Some(&T::MARKER) {
                return Err(E::invalid_type(de::Unexpected::Bytes(record), &"a length"));
            }
            // A single comparison excludes both rare cases, 0 and negative lengths.
            if length <= T::default() {
                if length < T::default() {
                    return Err(E::custom(negative(length)));
                }
                found.any_zero = true;
            }
            *place = length;
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut lengths: A) -> Result<Found, A::Error> {
        let mut found = Found::default();
        while let Some(OneLength(length)) = lengths.next_element()? {
            let Some(place) = self.0.get_mut(found.count) else {
                return Err(de::Error::custom(format_args!("more than {MAX_DIMENSIONS} dimensions")));
            };
            *place = length;
            found.count += 1;
            found.any_zero |= length == T::default();
        }
        Ok(found)
    }
}

/// The visitor that reads a list in formats other than this crate's. It accepts only sequences: bytes are rejected, since some formats pass
/// a string as bytes.
struct OnlyList<'a, T>(Lengths<'a, T>);

impl<'de, T: Length> Visitor<'de> for OnlyList<'_, T> {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, lengths: A) -> Result<Found, A::Error> {
        self.0.visit_seq(lengths)
    }
}

struct OneLength<T>(T);

impl<'de, T: Length> Deserialize<'de> for OneLength<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match T::deserialize(deserializer)? {
            length if length < T::default() => Err(de::Error::custom(negative(length))),
            length => Ok(OneLength(length)),
        }
    }
}

#[cold]
pub(super) fn negative(length: impl fmt::Display) -> String {
    format!("expected a length of 0 or more, found {length}")
}
