//! A frame that holds frames in its data.

use b2nd::frame::{Chunk, Decompress, Offset};
use b2nd::{Error, Result};

use super::{Attributes, Content, Leaf};
use crate::attributes::{Codec, MAX_VALUE};
use crate::frame::Frame;
use crate::kind::Kind;

/// What is in a frame that holds frames.
pub struct Embedded {
    /// What kind of store it is, or is a part of.
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
pub fn embedded(frame: &Frame, codec: &mut dyn Decompress) -> Result<Embedded> {
    let kind = Kind::of(frame.header(), None, codec);
    let attributes = Attributes::of(frame, codec)?;
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

/// Bytes of a frame's data, decompressed.
///
/// # Errors
///
/// They cannot be read, or are too many to hold.
pub(super) fn data(frame: &Frame, offset: u64, length: u64, codec: &mut dyn Decompress) -> Result<Vec<u8>> {
    let header = frame.header();
    let end = offset.checked_add(length).filter(|&end| u64::try_from(header.nbytes()).is_ok_and(|nbytes| end <= nbytes));
    let (Some(end), Ok(chunksize @ 1..)) = (end, u64::try_from(header.chunksize())) else {
        let nbytes = header.nbytes();
        return Err(Error::custom(format_args!("{length} bytes at {offset} are not in the frame's data, which are {nbytes}")));
    };
    if length > MAX_VALUE as u64 {
        return Err(Error::custom(format_args!("{length} bytes are embedded, and more than {MAX_VALUE} are not decompressed")));
    }
    let offsets = frame.offsets()?;
    let mut data = Vec::new();
    for number in offset / chunksize..end.div_ceil(chunksize) {
        let first = number * chunksize;
        let place = |at: u64| usize::try_from(at.saturating_sub(first)).unwrap_or(usize::MAX);
        let (from, to) = (place(offset), place(end.min(first + chunksize)));
        match offsets.get(number) {
            Some(Offset::At(at)) => {
                let bytes = frame.chunk_bytes(at)?;
                let chunk = Chunk::from_slice(&bytes)?;
                let nbytes = chunk.header().nbytes();
                if nbytes > MAX_VALUE {
                    return Err(Error::custom(format_args!(
                        "chunk {number} has {nbytes} bytes, and more than {MAX_VALUE} are not decompressed"
                    )));
                }
                let chunk = chunk.into_data(Codec(codec))?;
                let Some(part) = chunk.get(from..to) else {
                    return Err(Error::custom(format_args!(
                        "chunk {number}: expected {to} bytes or more, found {}",
                        chunk.len()
                    )));
                };
                data.extend_from_slice(part);
            }
            _ => data.resize(data.len() + (to - from), 0),
        }
    }
    Ok(data)
}
