//! Metalayers in generic MessagePack, as python-blosc2 writes them.

use b2nd::msgpack::take_from_slice;
use serde::Deserialize;

use crate::error::{Error, Result};
use crate::header::Header;

impl Header {
    /// Decodes a metalayer's content as generic msgpack. Returns `None` if no metalayer has this name. Bytes after the value are accepted.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`msgpack::take_from_slice`](b2nd::msgpack::take_from_slice).
    pub fn decode_msgpack<'s, T: Deserialize<'s>>(&'s self, name: &str) -> Result<Option<T>> {
        let value = self.metalayers().get(name).map(|content| Ok(take_from_slice(content)?.0));
        value.transpose().map_err(|error: Error| error.field(name))
    }
}
