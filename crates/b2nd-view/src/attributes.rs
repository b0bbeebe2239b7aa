//! Metalayers and vlmetalayers: their values, decompressed where they are compressed.

use std::borrow::Cow;

use b2nd::frame::{Chunk, ChunkHeader, Decompress, Trailer};
use b2nd::{Error, Result};

use crate::text::{quoted, shortened};
use crate::value::Value;

/// The longest value that is decompressed: a chunk of 32 bytes can claim 2 GiB.
pub const MAX_VALUE: usize = 1 << 28;

/// A codec that is passed on.
pub(crate) struct Codec<'c>(pub(crate) &'c mut dyn Decompress);

impl Decompress for Codec<'_> {
    fn decompress(&mut self, chunk: &[u8], data: &mut [u8]) -> Result<()> {
        self.0.decompress(chunk, data)
    }

    fn accept(&self, chunk: &ChunkHeader) -> Result<()> {
        self.0.accept(chunk)
    }
}

/// A variable-length metalayer: an attribute, as python-blosc2 calls it.
pub struct Attribute<'a> {
    /// Its name, which may be any bytes.
    pub name: &'a [u8],
    /// The header of the chunk that holds it.
    pub chunk: Result<ChunkHeader>,
    /// The value's bytes.
    pub value: Result<Cow<'a, [u8]>>,
}

/// The vlmetalayers of a trailer, in their order.
pub fn of<'a>(trailer: &'a Trailer, codec: &mut dyn Decompress) -> Vec<Attribute<'a>> {
    let attribute = |(name, content): (&'a [u8], &'a [u8])| match Chunk::from_slice(content) {
        Ok(chunk) => Attribute { name, chunk: Ok(*chunk.header()), value: data(chunk, codec) },
        Err(error) => Attribute { name, value: Err(Error::custom(&error)), chunk: Err(error) },
    };
    trailer.vlmetalayers().iter().map(attribute).collect()
}

/// The value of the vlmetalayer with this name. `None` if there is none or it cannot be read.
pub fn get<'a>(trailer: &'a Trailer, name: &str, codec: &mut dyn Decompress) -> Option<Cow<'a, [u8]>> {
    data(Chunk::from_slice(trailer.vlmetalayers().get(name)?).ok()?, codec).ok()
}

/// A chunk's data, where they are not too long to be metadata.
fn data<'a>(chunk: Chunk<'a>, codec: &mut dyn Decompress) -> Result<Cow<'a, [u8]>> {
    let nbytes = chunk.header().nbytes();
    if nbytes > MAX_VALUE {
        return Err(Error::custom(format_args!("the value has {nbytes} bytes, and more than {MAX_VALUE} are not decompressed")));
    }
    chunk.into_data(Codec(codec))
}

/// A metalayer's content in at most so many characters: MessagePack as Python packs it, else text, else nothing.
pub fn describe(content: &[u8], limit: usize) -> Option<String> {
    let text = |content: &[u8]| match std::str::from_utf8(content) {
        Ok(text) if !text.contains(char::is_control) => Some(shortened(quoted(content), limit)),
        _ => None,
    };
    if content.is_empty() {
        return None;
    }
    Value::from_slice(content).map(|value| value.text(limit)).or_else(|| text(content))
}
