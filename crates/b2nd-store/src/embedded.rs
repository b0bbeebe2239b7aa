//! A frame that holds frames in its data.

use b2nd::{Error, Result};

use crate::attributes::Attributes;
use crate::frame::Frame;
use crate::kind::Kind;
use crate::leaf::{Content, Leaf};

/// The content of a frame that holds frames.
pub struct Embedded {
    /// The kind of store that it is, or is a part of.
    pub kind: Kind,
    /// The attributes of the frame.
    pub attributes: Attributes,
    /// The leaves, in the order of their keys.
    pub leaves: Vec<Leaf>,
}

/// Lists a frame that holds frames.
///
/// # Errors
///
/// The frame cannot be read, or holds no frames.
pub fn embedded(frame: &Frame) -> Result<Embedded> {
    let kind = Kind::of(frame.header(), None);
    let attributes = Attributes::of(frame)?;
    let mut leaves = Vec::new();
    // python-blosc2 writes it with the first leaf.
    if kind == Kind::EmbedStore && attributes.get("estore_metadata").is_none() {
        return Ok(Embedded { kind, attributes, leaves });
    }
    let Some(map) = attributes.get("estore_metadata").and_then(|metadata| metadata.get("embed_map")) else {
        return Err(Error::custom("the frame embeds no others: it has no vlmetalayer \"estore_metadata\" with an embed_map"));
    };
    for (key, place) in map.entries() {
        let Some(key) = key.as_str() else { continue };
        let number = |name| place.get(name).and_then(|value| value.as_u64());
        let text = |name| place.get(name).and_then(|value| value.as_str()).map(str::to_owned);
        let (offset, content) = match (number("offset"), number("length"), text("path")) {
            (Some(offset), Some(length), _) => (offset, Content::Embedded(length)),
            (_, _, Some(path)) => (0, Content::Remote { urlbase: text("urlbase").unwrap_or_default(), path }),
            _ => return Err(Error::custom(format_args!("estore_metadata: {key:?} has neither offset and length nor a path"))),
        };
        leaves.push(Leaf { key: key.to_owned(), member: None, offset, content });
    }
    leaves.sort_by(|one, other| one.key.cmp(&other.key));
    Ok(Embedded { kind, attributes, leaves })
}
