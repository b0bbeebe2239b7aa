//! [`open`]: opens a remote file as a source of bytes.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use b2nd_store::{BLOCK, Bytes, RangeCache};
use object_store::ObjectStore;
use object_store::path::Path;

use crate::remote::{Answer, CHANGED, Found, HELD, get, wait};

/// Opens a remote file by requesting its first block; the answer also contains the length of the file. If the server does not support
/// ranges, reads the whole file. If the file changes later, reading returns an error.
pub(super) fn open(store: Arc<dyn ObjectStore>, path: Path) -> io::Result<Bytes> {
    let Answer { found, bytes, has_ranges } = request(&store, &path, None, 0..BLOCK)?;
    let size = found.size;
    let fetch = move |range: Range<u64>| {
        let answer = request(&store, &path, Some(&found), range)?;
        if answer.found == found { Ok(answer.bytes.into()) } else { Err(io::Error::other(CHANGED)) }
    };
    if has_ranges {
        return Ok(Arc::new(RangeCache::new(size, fetch).with_first(bytes.into())));
    }
    if size > HELD {
        return Err(io::Error::other(format!(
            "the server does not support range requests, and the file has {size} bytes; the limit is {HELD}"
        )));
    }
    Ok(Arc::new(if size > BLOCK { fetch(0..size)? } else { Vec::from(bytes) }))
}

/// Sends a request and waits for the answer.
fn request(store: &Arc<dyn ObjectStore>, path: &Path, known: Option<&Found>, range: Range<u64>) -> io::Result<Answer> {
    let (store, path, known) = (store.clone(), path.clone(), known.cloned());
    wait(async move { get(&store, &path, known.as_ref(), range).await })?.map_err(io::Error::other)
}
