//! [`Vlmetalayers`]: the vlmetalayers (variable-length metalayers) of a trailer, each of which is stored as a chunk.

use alloc::borrow::Cow;

#[cfg(feature = "std")]
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::chunk::Chunk;
#[cfg(feature = "std")]
use crate::error::Error;
use crate::error::Result;
use crate::metalayers::Metalayers;

/// Variable-length metalayers, which python-blosc2 calls `vlmeta`: values with names, which can be added, replaced and removed at any time.
///
/// Each value is stored in a Blosc2 chunk, compressed or not. [`get`](Vlmetalayers::get) and [`set`](Vlmetalayers::set) convert values from
/// and to generic MessagePack, as python-blosc2 does. [`value`](Vlmetalayers::value) and [`set_bytes`](Vlmetalayers::set_bytes) read and
/// write the bytes of a value.
///
/// ```
/// let mut vlmetalayers = b2nd_frame::Vlmetalayers::default();
/// vlmetalayers.set("title", "North Sea")?;
/// assert_eq!(vlmetalayers.get::<String>("title")?.as_deref(), Some("North Sea"));
/// assert_eq!(vlmetalayers.value("title")?.as_deref(), Some(&b"\xa9North Sea"[..]));
/// # Ok::<(), b2nd_frame::Error>(())
/// ```
///
/// There is no method `insert`, which could store a value without a chunk around it by mistake:
///
/// ```compile_fail
/// # let mut vlmetalayers = b2nd_frame::Vlmetalayers::default();
/// vlmetalayers.insert("title", b"no chunk".as_slice())?;
/// # Ok::<(), b2nd_frame::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Vlmetalayers(pub(crate) Metalayers);

impl Vlmetalayers {
    /// Returns the number of vlmetalayers.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no vlmetalayers.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the names of the vlmetalayers, in the order of the file. Nearly all names are UTF-8.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.0.iter().map(|(name, _)| name)
    }

    /// Returns the chunk that holds a value, as stored: [`Chunk::from_slice`] parses it. Returns `None` if no vlmetalayer has this name.
    #[must_use]
    pub fn raw_chunk(&self, name: impl AsRef<[u8]>) -> Option<&[u8]> {
        self.0.get(name)
    }

    /// Returns the names, and the chunks that hold the values, as stored.
    pub fn raw_chunks(&self) -> &Metalayers {
        &self.0
    }

    /// Creates vlmetalayers from names and the chunks that hold the values. The contents are not checked.
    #[must_use]
    pub fn from_raw_chunks(chunks: Metalayers) -> Self {
        Vlmetalayers(chunks)
    }

    /// Returns the bytes of a value, or `None` if no vlmetalayer has this name.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Chunk::data`]. Also fails if the content is not a chunk, or if C-Blosc2 would read a different metalayer:
    /// one whose name starts with this name, followed by a NUL.
    pub fn value(&self, name: &str) -> Result<Option<Cow<'_, [u8]>>> {
        let Some(content) = self.0.get_as_c(name).map_err(|error| error.field("vlmetalayers"))? else {
            return Ok(None);
        };
        let value = Chunk::from_slice(content).and_then(|chunk| chunk.into_data());
        value.map(Some).map_err(|error| error.field(name).field("vlmetalayers"))
    }

    /// Decodes a value from generic MessagePack. Returns `None` if no vlmetalayer has this name.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`value`](Vlmetalayers::value) and [`msgpack::from_slice`](b2nd::msgpack::from_slice).
    #[cfg(feature = "std")]
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        let Some(value) = self.value(name)? else { return Ok(None) };
        b2nd::msgpack::from_slice(&value).map(Some).map_err(|error| Error::from(error).field(name).field("vlmetalayers"))
    }

    /// Sets a value, in generic MessagePack: a struct becomes a map with the names of its fields, which Python reads as a `dict`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`msgpack::to_vec`](b2nd::msgpack::to_vec) and [`set_bytes`](Vlmetalayers::set_bytes).
    #[cfg(feature = "std")]
    pub fn set<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        self.set_bytes(name, &b2nd::msgpack::to_vec(value)?)
    }

    /// Sets the bytes of a value, and stores them in an uncompressed chunk of typesize 1. python-blosc2 expects generic MessagePack.
    ///
    /// # Errors
    ///
    /// Fails if the value is longer than a chunk can hold (2 GiB less 33 bytes). Also fails if no vlmetalayer has this name, and the name
    /// is longer than 31 bytes or contains a NUL, or there are 16 or more vlmetalayers already.
    pub fn set_bytes(&mut self, name: &str, value: &[u8]) -> Result<()> {
        let chunk = Chunk::store(value, 1)?;
        self.0.insert(name, chunk.into_bytes())?;
        Ok(())
    }

    /// Removes a vlmetalayer. Returns `false` if no vlmetalayer has this name.
    pub fn remove(&mut self, name: &str) -> bool {
        self.0.remove(name).is_some()
    }
}
