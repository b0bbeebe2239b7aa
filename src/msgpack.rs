//! Generic MessagePack, as Python writes it: numbers have their shortest form, and structs are maps with the names of their fields.
//!
//! python-blosc2 stores variable-length metalayers, and all metalayers except those of arrays, in this form. For a field of a struct that
//! is otherwise in the format of this crate, use [`with::named`](crate::with::named).

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::limits::MAX_DEPTH;
use crate::with::named;

/// Decodes a value from generic MessagePack. A struct is decoded from a map with the names of its fields, or from a list.
///
/// Bytes after the value are ignored. They may be the end of a longer value that was overwritten.
///
/// # Errors
///
/// Fails if the content does not start with a value of this type, or if the value is nested more than 128 levels deep.
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
    let mut deserializer = rmp_serde::Deserializer::from_read_ref(content);
    // The default limit of 1,024 levels needs more stack than the 2 MiB of a thread.
    deserializer.set_max_depth(MAX_DEPTH.into());
    T::deserialize(&mut deserializer).map_err(named::refused)
}

/// Encodes a value as generic MessagePack that Python can read. Structs become maps with the names of their fields.
///
/// # Errors
///
/// Fails if the `Serialize` implementation of the value fails.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    named::encode(value)
}
