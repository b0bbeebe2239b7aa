//! Encodes and decodes generic MessagePack, by rmp-serde.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};
use crate::marker::MAX_DEPTH;
use crate::wire::Reader;

type Deserializer<'de> = rmp_serde::Deserializer<rmp_serde::decode::ReadRefReader<'de, [u8]>>;

/// Decodes a value from generic MessagePack. A struct is decoded from a map with the names of its fields, or from a list.
///
/// # Errors
///
/// Fails if the content is not a value of this type, if bytes follow the value, or if the value is nested more than 128 levels deep.
///
/// ```
/// #[derive(serde::Deserialize)]
/// struct Station {
///     name: String,
///     depth: f64,
/// }
///
/// let packed = b"\x82\xa4name\xa2K1\xa5depth\xcb\x40\x45\0\0\0\0\0\0";
/// let station: Station = b2nd::msgpack::from_slice(packed)?;
/// assert_eq!((station.name.as_str(), station.depth), ("K1", 42.0));
/// # Ok::<(), b2nd::Error>(())
/// ```
pub fn from_slice<'de, T: Deserialize<'de>>(content: &'de [u8]) -> Result<T> {
    match take_from_slice(content)? {
        (value, []) => Ok(value),
        (_, rest) => Err(Error::at(ErrorKind::TrailingBytes { count: rest.len() }, content.len() - rest.len())),
    }
}

/// Decodes a value from the start of `content`, like [`from_slice`], and returns the value and the bytes after it. They may be the end of a
/// longer value that was overwritten.
///
/// # Errors
///
/// Fails if the content does not start with a value of this type, or if the value is nested more than 128 levels deep.
///
/// ```
/// let (number, rest) = b2nd::msgpack::take_from_slice::<u64>(b"\xcd\x01\x00\xc0")?;
/// assert_eq!((number, rest), (256, &b"\xc0"[..]));
/// # Ok::<(), b2nd::Error>(())
/// ```
pub fn take_from_slice<'de, T: Deserialize<'de>>(content: &'de [u8]) -> Result<(T, &'de [u8])> {
    let entry = Reader::new(content).take_entry(0)?;
    let value = decode(entry, |deserializer| T::deserialize(deserializer))?;
    Ok((value, content.get(entry.len()..).unwrap_or_default()))
}

/// Encodes a value as generic MessagePack. Structs become maps with the names of their fields.
///
/// # Errors
///
/// Fails if the value's own `Serialize` returns an error.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    rmp_serde::to_vec_named(value).map_err(|error| refused(&error))
}

/// Decodes the bytes of one entry, which have been checked: no count in them is larger than the number of elements that follow, so no more
/// memory is reserved than they need.
pub(crate) fn decode<'de, T>(
    entry: &'de [u8],
    read: impl FnOnce(&mut Deserializer<'de>) -> Result<T, rmp_serde::decode::Error>,
) -> Result<T> {
    let mut deserializer = rmp_serde::Deserializer::from_read_ref(entry);
    // The entry has at most MAX_DEPTH levels. rmp-serde counts an extension as one more, and rejects a value that reaches its maximum depth.
    deserializer.set_max_depth(usize::from(MAX_DEPTH) + 2);
    read(&mut deserializer).map_err(|error| refused(&error))
}

fn refused(error: &dyn core::fmt::Display) -> Error {
    Error::custom(format_args!("msgpack: {error}"))
}
