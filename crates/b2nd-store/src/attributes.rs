//! Reads and decompresses the values of vlmetalayers.

use std::borrow::Cow;

use b2nd::RawValue;
use b2nd_frame::{Chunk, ChunkHeader, Decompressor, Error, Result, Trailer};
use serde::Serialize;

use crate::frame::Frame;
use crate::value;

/// The maximum length of an attribute's decompressed value, in bytes. A limit is needed because a chunk of 32 bytes can claim to contain
/// almost 2 GiB.
pub const MAX_VALUE: usize = 1 << 28;

/// An attribute, which is stored in a variable-length metalayer (vlmetalayer).
pub struct Attribute<'a> {
    /// The attribute's name. It can be any bytes, not only UTF-8.
    pub name: &'a [u8],
    /// The header of the chunk that contains the attribute's value.
    pub chunk: Result<ChunkHeader>,
    /// The decompressed bytes of the attribute's value.
    pub value: Result<Cow<'a, [u8]>>,
}

impl<'a> Attribute<'a> {
    /// Reads a vlmetalayer with the given decompressor. `content` is a chunk that contains the value.
    pub fn new_with(name: &'a [u8], content: &'a [u8], decompressor: &mut Decompressor) -> Attribute<'a> {
        match Chunk::from_slice(content) {
            Ok(chunk) => Attribute { name, chunk: Ok(*chunk.header()), value: data(chunk, decompressor) },
            Err(error) => Attribute { name, value: Err(Error::custom(&error)), chunk: Err(error) },
        }
    }
}

/// Returns the vlmetalayers of a trailer, in the order in which they are stored.
pub fn of(trailer: &Trailer) -> Vec<Attribute<'_>> {
    let all = trailer.vlmetalayers().raw_chunks().iter();
    Decompressor::lend(|decompressor| all.map(|(name, content)| Attribute::new_with(name, content, decompressor)).collect())
}

/// Returns the value of the vlmetalayer with this name. Returns `None` if it does not exist or cannot be read.
pub fn get<'a>(trailer: &'a Trailer, name: &str) -> Option<Cow<'a, [u8]>> {
    Decompressor::lend(|decompressor| get_with(trailer, name, decompressor))
}

/// Returns the value of the vlmetalayer with this name, like `get`, but uses the given decompressor.
pub fn get_with<'a>(trailer: &'a Trailer, name: &str, decompressor: &mut Decompressor) -> Option<Cow<'a, [u8]>> {
    data(Chunk::from_slice(trailer.vlmetalayers().raw_chunk(name)?).ok()?, decompressor).ok()
}

/// Decompresses a chunk. Fails if its data is longer than [`MAX_VALUE`].
fn data<'a>(chunk: Chunk<'a>, decompressor: &mut Decompressor) -> Result<Cow<'a, [u8]>> {
    let nbytes = chunk.header().nbytes();
    if nbytes > MAX_VALUE {
        return Err(Error::custom(format_args!("the value has {nbytes} bytes; the limit is {MAX_VALUE}")));
    }
    chunk.into_data_with(decompressor)
}

/// The names and values of attributes. Each value is stored as bytes, which are usually MessagePack.
#[derive(Clone, Default)]
pub struct Attributes(Vec<(String, Vec<u8>)>);

impl Attributes {
    /// Creates an empty list of attributes.
    pub const fn new() -> Attributes {
        Attributes(Vec::new())
    }

    /// Reads the vlmetalayers of a frame. Vlmetalayers that cannot be decompressed are skipped. A name that is not UTF-8 is escaped.
    ///
    /// # Errors
    ///
    /// Fails if the source cannot be read, or if the trailer is damaged.
    pub fn of(frame: &Frame) -> Result<Attributes> {
        let attributes = of(frame.trailer()?).into_iter();
        let named = |attribute: Attribute| {
            let name = match std::str::from_utf8(attribute.name) {
                Ok(name) => name.to_owned(),
                Err(_) => attribute.name.escape_ascii().to_string(),
            };
            Some((name, attribute.value.ok()?.into_owned()))
        };
        Ok(Attributes(attributes.filter_map(named).collect()))
    }

    /// Returns the value of the attribute with this name, as bytes.
    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.0.iter().find(|(found, _)| found == name).map(|(_, bytes)| bytes.as_slice())
    }

    /// Returns the value of the attribute with this name, if the value is MessagePack.
    pub fn get(&self, name: &str) -> Option<RawValue<'_>> {
        self.bytes(name).and_then(value::read)
    }

    /// Iterates over the names and values of the attributes. A value that is not MessagePack is returned as `None`.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, Option<RawValue<'_>>)> {
        self.0.iter().map(|(name, bytes)| (name.as_str(), value::read(bytes)))
    }

    /// Returns true if there are no attributes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Attributes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}
