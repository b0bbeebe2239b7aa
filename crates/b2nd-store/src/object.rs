//! Requests for ranges of objects in an object store (feature `object_store`).

use std::ops::Range;

use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{Error, GetOptions, GetResult, ObjectMeta, ObjectStore, Result};

/// A part of an object, and the properties of the object when this part was sent.
pub struct ObjectPart {
    /// The properties of the object, such as its length and its ETag.
    pub meta: ObjectMeta,
    /// The bytes of the range, or fewer if the object ends before the range does.
    pub bytes: Vec<u8>,
    /// Whether the server sent only the range. If false, the server does not support ranges, and sent the object from the start.
    pub has_ranges: bool,
}

/// Requests a range of an object. `tag` is the ETag that the object must have, if it is known.
///
/// # Errors
///
/// Fails if the range cannot be read, for example because the object does not exist or has a different ETag. A weak
/// ETag is not compared, because HTTP requires servers to reject it. Some servers ignore the ETag, so the properties in the answer should
/// be compared too.
pub async fn get_range(store: &dyn ObjectStore, path: &Path, tag: Option<&str>, range: Range<u64>) -> Result<ObjectPart> {
    let if_match = tag.filter(|tag| !tag.starts_with("W/")).map(str::to_owned);
    let whole = GetOptions { if_match, ..GetOptions::default() };
    let part = GetOptions { range: Some(range.clone().into()), ..whole.clone() };
    let (got, has_ranges) = match store.get_opts(path, part).await {
        Err(Error::NotSupported { .. }) => (store.get_opts(path, whole).await?, false),
        got => (got?, true),
    };
    let meta = got.meta.clone();
    let bytes = if has_ranges { got.bytes().await?.into() } else { part_of(got, range).await? };
    Ok(ObjectPart { meta, bytes, has_ranges })
}

/// Returns a range of an object that is sent as a whole, without waiting for the rest.
async fn part_of(got: GetResult, range: Range<u64>) -> Result<Vec<u8>> {
    let (mut part, mut at, mut pieces) = (Vec::new(), 0, got.into_stream());
    while let Some(piece) = pieces.try_next().await? {
        let [from, to] = [range.start, range.end].map(|place| place.saturating_sub(at).min(piece.len() as u64) as usize);
        part.extend_from_slice(piece.get(from..to).unwrap_or_default());
        at += piece.len() as u64;
        if at >= range.end {
            break;
        }
    }
    Ok(part)
}
