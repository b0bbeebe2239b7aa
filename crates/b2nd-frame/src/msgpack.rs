//! Metalayers in generic MessagePack, as python-blosc2 writes them.

use b2nd::msgpack::from_slice;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::header::Header;
use crate::trailer::Trailer;

impl Header {
    /// Decodes a metalayer's content as generic msgpack. Returns `None` if no metalayer has this name.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`msgpack::from_slice`](b2nd::msgpack::from_slice).
    pub fn decode_msgpack<'s, T: Deserialize<'s>>(&'s self, name: &str) -> Result<Option<T>> {
        self.metalayers().get(name).map(from_slice).transpose().map_err(|error| Error::from(error).field(name))
    }
}

impl Trailer {
    /// Decodes a variable-length metalayer's value as generic msgpack. Returns `None` if no vlmetalayer has this name.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`value`](Trailer::value) and [`msgpack::from_slice`](b2nd::msgpack::from_slice).
    ///
    /// ```
    /// let trailer = b2nd_frame::File::open("../../tests/data/example.b2nd")?.trailer()?;
    /// assert_eq!(trailer.decode_msgpack::<String>("absent")?, None);
    /// # Ok::<(), b2nd_frame::Error>(())
    /// ```
    pub fn decode_msgpack<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        let Some(value) = self.value(name)? else { return Ok(None) };
        from_slice(&value).map(Some).map_err(|error| Error::from(error).field(name).field("vlmetalayers"))
    }
}
