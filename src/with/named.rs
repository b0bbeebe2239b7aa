//! Encodes a value as Python programs do: as generic MessagePack with the shortest markers, in which a struct is a map with the names of
//! its fields.
//!
//! To use such a value as a metalayer, wrap it in a newtype:
//!
//! ```
//! #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
//! struct Fields {
//!     name: String,
//!     depth: f64,
//! }
//!
//! #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
//! struct Station(#[serde(with = "b2nd::with::named")] Fields);
//!
//! impl b2nd::Metalayer for Station {
//!     const NAME: &'static str = "station";
//! }
//!
//! let station = Station(Fields { name: "K1".into(), depth: 42.0 });
//! let bytes = b2nd::to_vec(&station)?;
//! assert_eq!(bytes, b"\x82\xa4name\xa2K1\xa5depth\xcb\x40\x45\0\0\0\0\0\0");
//! assert_eq!(b2nd::from_slice::<Station>(&bytes)?, station);
//! # Ok::<(), b2nd::Error>(())
//! ```
//!
//! The length depends on the values, since each integer is written in its shortest form. Other serde formats see the plain value.

use alloc::vec::Vec;
use std::io::Cursor;

use serde::de::DeserializeOwned;
use serde::{Deserializer, Serialize, Serializer};

use super::Marked;
use crate::error::{Error, Result};
use crate::mark;

/// Serializes a field, for `#[serde(with)]` and `#[serde(serialize_with)]`.
///
/// # Errors
///
/// Returns the errors of the serializer, and of the value's own `Serialize`.
pub fn serialize<T: Serialize + ?Sized, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_newtype_struct(mark::NAMED, value)
}

/// Deserializes a field, for `#[serde(with)]` and `#[serde(deserialize_with)]`.
///
/// # Errors
///
/// Fails if the bytes are not generic MessagePack, or if the value's own `Deserialize` returns an error.
pub fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_newtype_struct(mark::NAMED, Marked::new())
}

/// Returns a deserializer of `content` that accepts at most `depth` levels of nesting. It can report how many bytes it has read.
pub(crate) fn deserializer(content: &[u8], depth: u8) -> rmp_serde::Deserializer<rmp_serde::decode::ReadReader<Cursor<&[u8]>>> {
    let mut deserializer = rmp_serde::Deserializer::new(Cursor::new(content));
    // The default limit of 1,024 levels needs more stack than the 2 MiB of a thread.
    deserializer.set_max_depth(depth.into());
    deserializer
}

pub(crate) fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    rmp_serde::to_vec_named(value).map_err(refused)
}

#[cold]
pub(crate) fn refused(error: impl core::fmt::Display) -> Error {
    Error::custom(format_args!("msgpack: {error}"))
}
