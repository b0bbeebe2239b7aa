//! The variable-length metalayers in a frame's trailer: chunks, and values in them.

use b2nd::frame::{Chunk, Trailer};

use super::msgpack;
use super::text::quoted;

/// A variable-length metalayer.
pub(crate) struct Vlmetalayer<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) chunk: b2nd::Result<Chunk<'a>>,
}

pub(crate) fn of(trailer: &Trailer) -> impl ExactSizeIterator<Item = Vlmetalayer<'_>> {
    trailer.vlmetalayers().iter().map(|(name, content)| Vlmetalayer { name, chunk: Chunk::from_slice(content) })
}

/// A metalayer's content in at most so many characters: MessagePack as Python packs it, else text, else nothing.
pub(crate) fn describe(content: &[u8], limit: usize) -> Option<String> {
    let text = |content: &[u8]| match std::str::from_utf8(content) {
        Ok(text) if !text.contains(char::is_control) => Some(msgpack::shortened(&quoted(content), limit)),
        _ => None,
    };
    if content.is_empty() { None } else { msgpack::text(content, limit).or_else(|| text(content)) }
}
