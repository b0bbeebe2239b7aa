//! Generic msgpack, as python-blosc2 writes it to metalayers: numbers have their shortest form, and structs are maps with field names.

use alloc::vec::Vec;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::header::Header;
use super::trailer::Trailer;
use crate::error::{Error, Result, Segment};
use crate::limits::MAX_DEPTH;
use crate::with::named;

/// Decodes generic msgpack, which python-blosc2 writes to variable-length metalayers and to all metalayers except `b2nd`. A struct is
/// decoded from a map with the names of its fields, or from a list.
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
/// let station: Station = b2nd::frame::decode_msgpack(packed)?;
/// assert_eq!((station.name.as_str(), station.depth), ("K1", 42.0));
/// # Ok::<(), b2nd::Error>(())
/// ```
pub fn decode_msgpack<'de, T: Deserialize<'de>>(content: &'de [u8]) -> Result<T> {
    let mut deserializer = rmp_serde::Deserializer::from_read_ref(content);
    // Set a lower limit, since the decoder's default of 1,024 levels needs more than the 2 MiB of a thread's stack.
    deserializer.set_max_depth(MAX_DEPTH.into());
    T::deserialize(&mut deserializer).map_err(named::refused)
}

/// Encodes a value as generic msgpack that Python can read. Structs become maps with field names.
///
/// # Errors
///
/// Fails if the `Serialize` implementation of the value fails.
pub fn encode_msgpack<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    named::encode(value)
}

impl Header {
    /// Decodes a metalayer's content as generic msgpack. Returns `None` if no metalayer has this name.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`decode_msgpack`].
    pub fn decode_msgpack<'s, T: Deserialize<'s>>(&'s self, name: &str) -> Result<Option<T>> {
        self.metalayers().get(name).map(decode_msgpack).transpose().map_err(|error| in_metalayer(error, name))
    }
}

impl Trailer {
    /// Decodes a variable-length metalayer's value as generic msgpack. Returns `None` if no vlmetalayer has this name.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`value`](Trailer::value) and [`decode_msgpack`].
    ///
    /// ```
    /// let trailer = b2nd::frame::File::open("tests/data/example.b2nd")?.trailer()?;
    /// assert_eq!(trailer.decode_msgpack::<String>("absent")?, None);
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn decode_msgpack<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        let Some(value) = self.value(name)? else { return Ok(None) };
        decode_msgpack(&value).map(Some).map_err(|error| in_metalayer(error, name).field("vlmetalayers"))
    }
}

fn in_metalayer(error: Error, name: &str) -> Error {
    error.within(Segment::Key(name.into()), None)
}
