//! A frame that holds frames in its data.

use b2nd::{Error, Result};

use crate::attributes::Attributes;
use crate::frame::Frame;
use crate::kind::Kind;
use crate::leaf::{Content, Leaf};
use crate::listing::StoreListing;
use crate::value::Value;

/// Lists a frame that holds frames. Its kind is that of the whole store, of which the frame may be a part.
///
/// # Errors
///
/// The frame cannot be read, or holds no frames.
pub fn embedded(frame: &Frame) -> Result<StoreListing> {
    let kind = Kind::of(frame.header(), None);
    let attributes = Attributes::of(frame)?;
    let metadata = attributes.get("estore_metadata");
    let mut leaves = Vec::new();
    let map = match metadata.and_then(|metadata| metadata.get("embed_map")) {
        // python-blosc2 writes this vlmetalayer with the first leaf.
        None if kind == Kind::EmbedStore && metadata.is_none() => None,
        None => {
            return Err(Error::custom("the frame embeds no others: it has no vlmetalayer \"estore_metadata\" with an embed_map"));
        }
        map => map,
    };
    for (key, place) in map.iter().flat_map(Value::entries) {
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
    Ok(StoreListing { kind: Some(kind), attributes, leaves, has_embed: true, ..StoreListing::default() })
}
