//! [`open`]: opens a remote file as a source of bytes.

use std::io;
use std::ops::Range;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, LazyLock};

use b2nd_store::{Bytes, RangeCache};
use object_store::ObjectStore;
use object_store::path::Path;
use tokio::runtime::{Builder, Runtime};

use crate::remote::{Answer, CHANGED, Found, HELD, get};

/// The length of the first range. If a file has at most this length, no other range is requested.
const FIRST: u64 = 64 << 10;

/// Opens a remote file by requesting its first bytes; the answer also contains the length of the file. If the server does not support
/// ranges, reads the whole file, or fails if the file is too long. Later requests fail if the server reports another version of the file.
pub(super) fn open(store: Arc<dyn ObjectStore>, path: Path) -> io::Result<Bytes> {
    let Answer { found, bytes, has_ranges } = request(&store, &path, None, 0..FIRST)?;
    let size = found.size;
    let fetch = move |range: Range<u64>| {
        let answer = request(&store, &path, Some(&found), range)?;
        if answer.found == found { Ok(answer.bytes) } else { Err(io::Error::other(CHANGED)) }
    };
    if has_ranges {
        return Ok(Arc::new(RangeCache::new(size, fetch).with_first(bytes)));
    }
    if size > HELD {
        return Err(io::Error::other(format!(
            "the server does not support range requests, and the file has {size} bytes; without ranges, the limit is {HELD}"
        )));
    }
    Ok(Arc::new(if size > FIRST { fetch(0..size)? } else { bytes }))
}

/// Requests run on threads of their own: the caller may be a task of another runtime, whose threads must not wait for their own requests.
static REQUESTS: LazyLock<io::Result<Runtime>> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(2).enable_all().build());

/// Sends a request and waits for the answer.
fn request(store: &Arc<dyn ObjectStore>, path: &Path, known: Option<&Found>, range: Range<u64>) -> io::Result<Answer> {
    let (store, path, known) = (store.clone(), path.clone(), known.cloned());
    let runtime = REQUESTS.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))?;
    let (answer, answered) = sync_channel(1);
    // Sending fails only if the caller panicked.
    runtime.spawn(async move { answer.send(get(&store, &path, known.as_ref(), range).await) });
    answered.recv().map_err(|_| io::Error::other("the request was abandoned"))?.map_err(io::Error::other)
}
