//! The entries that all layouts of an array metalayer have: ndim and the three lists.

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

use crate::mark;
use crate::marker;
use crate::wire::MAX_DIMENSIONS;
use crate::with::numbers;

/// One of a geometry's lists, as an entry: at most 16 lengths, none of them negative, and zeros after them.
pub(super) struct List<T> {
    pub(super) lengths: [T; MAX_DIMENSIONS],
    pub(super) count: usize,
    pub(super) any_zero: bool,
}

/// Structs of the entries that all layouts have, and then of a layout's own, in their order.
macro_rules! entries {
    ($($(#[$attribute:meta])* $name:ident<$($own:ident)?> { $($rest:tt)* })*) => {
        $(
            $(#[$attribute])*
            struct $name<$($own,)? Shape = $crate::array::lists::List<i64>, Part = $crate::array::lists::List<i32>> {
                #[serde(deserialize_with = "crate::with::fixint::deserialize")]
                version: u8,
                #[serde(default)]
                ndim: $crate::array::lists::Ndim,
                shape: Shape,
                chunkshape: Part,
                blockshape: Part,
                $($rest)*
            }
        )*
    };
}

pub(super) use entries;

/// The number of dimensions. Formats with field names may leave it out, since the lists have it too.
#[derive(Clone, Copy, Default)]
pub(super) struct Ndim(pub(super) Option<u8>);

impl Serialize for Ndim {
    #[inline(always)]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.0.unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for Ndim {
    #[inline(always)]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u8::deserialize(deserializer).map(|ndim| Ndim(Some(ndim)))
    }
}

/// The type of a length.
pub(super) trait Length: Copy + Default + PartialOrd + fmt::Display {
    /// The mark of a list of them.
    const MARK: &'static str;
    /// The marker before each.
    const MARKER: u8;

    /// The number of a record.
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

/// One of a geometry's lists that is to be written.
pub(super) struct Written<'a, T>(pub(super) &'a [T]);

impl<T: Length + Serialize> Serialize for Written<'_, T> {
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

impl<'de, T: Length + Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(T::MARK, ListVisitor(PhantomData))
    }
}

/// The visitor of this format, which gives all records of a list at once.
struct ListVisitor<T>(PhantomData<T>);

/// The visitor of other formats. It refuses bytes, which some of them give for strings.
struct LengthsVisitor<T>(PhantomData<T>);

impl<'de, T: Length + Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = List<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MAX_DIMENSIONS} lengths")
    }

    #[inline(always)]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(LengthsVisitor(PhantomData))
    }

    #[inline(always)]
    fn visit_borrowed_bytes<E: de::Error>(self, records: &'de [u8]) -> Result<Self::Value, E> {
        let record = 1 + size_of::<T>();
        let mut list = List { lengths: [T::default(); MAX_DIMENSIONS], count: records.len() / record, any_zero: false };
        if list.count > MAX_DIMENSIONS || records.len() % record != 0 {
            return Err(E::invalid_type(de::Unexpected::Bytes(records), &self));
        }
        for (place, record) in list.lengths.iter_mut().zip(records.chunks_exact(record)) {
            let length = T::number(record);
            if record.first() != Some(&T::MARKER) {
                return Err(E::invalid_type(de::Unexpected::Bytes(records), &self));
            }
            // One comparison for both rare cases.
            if length <= T::default() {
                if length < T::default() {
                    return Err(E::custom(negative(length)));
                }
                list.any_zero = true;
            }
            *place = length;
        }
        Ok(list)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, lengths: A) -> Result<Self::Value, A::Error> {
        LengthsVisitor(PhantomData).visit_seq(lengths)
    }
}

impl<'de, T: Length + Deserialize<'de>> Visitor<'de> for LengthsVisitor<T> {
    type Value = List<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ListVisitor::<T>(PhantomData).expecting(f)
    }

    #[inline(always)]
    fn visit_seq<A: SeqAccess<'de>>(self, mut lengths: A) -> Result<Self::Value, A::Error> {
        let mut list = List { lengths: [T::default(); MAX_DIMENSIONS], count: 0, any_zero: false };
        while let Some(OneLength(length)) = lengths.next_element()? {
            let Some(place) = list.lengths.get_mut(list.count) else {
                return Err(de::Error::custom(format_args!("more than {MAX_DIMENSIONS} dimensions")));
            };
            *place = length;
            list.count += 1;
            list.any_zero |= length == T::default();
        }
        Ok(list)
    }
}

/// A length in elements, 0 or more.
struct OneLength<T>(T);

impl<'de, T: Length + Deserialize<'de>> Deserialize<'de> for OneLength<T> {
    #[inline(always)]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match T::deserialize(deserializer)? {
            length if length < T::default() => Err(de::Error::custom(negative(length))),
            length => Ok(OneLength(length)),
        }
    }
}

/// Why a length is refused.
#[cold]
pub(super) fn negative(length: impl fmt::Display) -> String {
    format!("expected a length of 0 or more, found {length}")
}
