//! Embeds a value in another format as one byte string, which contains the value in this crate's format. CBOR, postcard and rmp-serde keep
//! these bytes exactly; human-readable formats (JSON) show the value itself.
//!
//! This also works inside `tag`, `untagged` and `flatten`, for values that are neither enums nor newtype structs.
//!
//! ```
//! #[derive(serde::Serialize, serde::Deserialize)]
//! struct Message {
//!     id: u32,
//!     #[serde(with = "b2nd::with::embedded")]
//!     array: b2nd::B2ndMeta,
//! }
//!
//! let geometry = b2nd::Geometry::new(&[400, 3], &[110, 3], &[57, 3])?;
//! let message = Message { id: 7, array: b2nd::B2ndMeta::new(geometry, "|u1") };
//! let packed = rmp_serde::to_vec(&message)?;
//! let bytes = b2nd::to_vec(&message.array)?;
//! assert!(packed.windows(bytes.len()).any(|window| window == bytes));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{self, Deserialize, DeserializeOwned, Visitor};
use serde::{Deserializer, Serialize, Serializer, forward_to_deserialize_any};

use super::Marked;
use crate::mark;

/// Serializes a field, for `#[serde(with)]` and `#[serde(serialize_with)]`.
///
/// # Errors
///
/// Returns the errors of the serializer, and of the value's own `Serialize`.
pub fn serialize<T: Serialize + ?Sized, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_newtype_struct(mark::EMBEDDED, &Embedded(value))
}

/// Deserializes a field, for `#[serde(with)]` and `#[serde(deserialize_with)]`.
///
/// # Errors
///
/// Returns the errors of the deserializer, and of the value's own `Deserialize`.
pub fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let value: Embedded<T> = deserializer.deserialize_newtype_struct(mark::EMBEDDED, Marked::new())?;
    Ok(value.0)
}

/// The value itself in a human-readable format, and its bytes in any other format. Inside the newtype struct that marks an embedded value,
/// this crate's format reports itself as human-readable and so gets the value itself. Depth and error offsets are then correct, as for any
/// nested value.
struct Embedded<T>(T);

impl<T: Serialize + ?Sized> Serialize for Embedded<&T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.serialize_newtype_struct(mark::VALUE, self.0);
        }
        serializer.serialize_bytes(&crate::to_vec(self.0).map_err(serde::ser::Error::custom)?)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Embedded<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return deserializer.deserialize_newtype_struct(mark::VALUE, ValueOrBytes(PhantomData)).map(Embedded);
        }
        let bytes: Vec<u8> = serde_bytes::deserialize(deserializer)?;
        crate::from_slice(&bytes).map(Embedded).map_err(de::Error::custom)
    }
}

/// The visitor in human-readable formats. It must accept bytes too: serde's buffer (`tag`, `untagged`, `flatten`) reports itself as
/// human-readable for every format, and may still contain bytes.
struct ValueOrBytes<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for ValueOrBytes<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a newtype")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        // Inside the newtype struct `VALUE`, only the deserializer of this crate's format reports itself as not human-readable. This
        // deserializer contains the value itself, not bytes.
        if !deserializer.is_human_readable() {
            return T::deserialize(deserializer);
        }
        let mut found = None;
        let value = T::deserialize(Watched { inner: deserializer, found: &mut found });
        found.map_or(value, Ok)
    }
}

/// A wrapper around a deserializer, or around the visitor that is passed to it. If the input has bytes instead of a value, they are decoded
/// into `found`, and the result of `T`'s own `Deserialize` is ignored.
struct Watched<'a, I, T> {
    inner: I,
    found: &'a mut Option<T>,
}

impl<I, T: DeserializeOwned> Watched<'_, I, T> {
    /// Decodes the bytes and returns an error in any case. If decoding succeeds, the value is in `found` and the error is never shown. If
    /// decoding fails, its error is returned.
    fn decode<E: de::Error>(self, bytes: &[u8]) -> E {
        match crate::from_slice(bytes) {
            Ok(value) => {
                *self.found = Some(value);
                E::custom("found")
            }
            Err(error) => E::custom(error),
        }
    }
}

/// Except for options, newtypes and enums, all methods call `deserialize_any`. In this method, serde's buffer passes bytes to the visitor
/// even if the type expects a different kind of value.
impl<'de, D: Deserializer<'de>, T: DeserializeOwned> Deserializer<'de> for Watched<'_, D, T> {
    type Error = D::Error;

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(Watched { inner: visitor, found: self.found })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_option(Watched { inner: visitor, found: self.found })
    }

    /// Passes the call on without wrapping the visitor. Otherwise, for a newtype that embeds itself, the compiler would create wrappers of
    /// wrappers without end.
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_newtype_struct(name, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

macro_rules! visit {
    ($($method:ident($ty:ty);)*) => {
        $(
            fn $method<E: de::Error>(self, value: $ty) -> Result<V::Value, E> {
                self.inner.$method(value)
            }
        )*
    };
}

impl<'de, V: Visitor<'de>, T: DeserializeOwned> Visitor<'de> for Watched<'_, V, T> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    visit! {
        visit_bool(bool);
        visit_i64(i64);
        visit_i128(i128);
        visit_u64(u64);
        visit_u128(u128);
        visit_f32(f32);
        visit_f64(f64);
        visit_char(char);
        visit_str(&str);
        visit_string(alloc::string::String);
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<V::Value, E> {
        Err(self.decode(bytes))
    }

    fn visit_none<E: de::Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: de::Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Watched { inner: deserializer, found: self.found })
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(deserializer)
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, entries: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(entries)
    }

    fn visit_map<A: de::MapAccess<'de>>(self, entries: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(entries)
    }
}
