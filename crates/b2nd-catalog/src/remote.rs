//! Requests for ranges of remote files.

use std::ops::Range;
use std::sync::Arc;

use b2nd_store::get_range;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore};

/// A limit in bytes: for the parts of a remote file that a scan keeps in memory, for a single read of a file on a disk, and for a
/// table from a server without ranges.
pub(crate) const HELD: u64 = 1 << 28;

pub(crate) const CHANGED: &str = "it was changed after it was listed or opened, or fewer bytes than requested were read";

/// The properties of a version of a file, from a listing or from the answer to a request.
#[derive(Clone, PartialEq)]
pub(crate) struct Found {
    pub(crate) size: u64,
    pub(crate) etag: Option<String>,
    /// The time of the last change, in microseconds since 1970.
    pub(crate) modified: Option<i64>,
}

/// A part of a file, and the properties of the file when this part was sent.
pub(crate) struct Answer {
    pub(crate) found: Found,
    pub(crate) bytes: Vec<u8>,
    /// Whether the server sent only the requested range. If false, the server ignored the range and sent the file from the start. In both
    /// cases, `bytes` contains only the range.
    #[cfg_attr(not(feature = "sql"), allow(dead_code, reason = "only queries of tables use it"))]
    pub(crate) has_ranges: bool,
}

/// Requests a range of a file. A range that extends beyond the end of the file is shortened.
///
/// # Errors
///
/// Fails if the file does not exist or cannot be read, if fewer bytes are received than expected, or if the server answers that the file's
/// ETag is not the one in `known`. Weak ETags are not compared, and some servers ignore the ETag.
pub(crate) async fn get(
    store: &Arc<dyn ObjectStore>,
    path: &Path,
    known: Option<&Found>,
    range: Range<u64>,
) -> Result<Answer, String> {
    let tag = known.and_then(|found| found.etag.as_deref());
    let got = get_range(&**store, path, tag, range.clone()).await.map_err(|error| message(&error))?;
    let ObjectMeta { size, e_tag, last_modified, .. } = got.meta;
    let wanted = known.map_or(size, |found| found.size).min(range.end).saturating_sub(range.start);
    if (got.bytes.len() as u64) < wanted {
        return Err(CHANGED.to_owned());
    }
    let found = Found { size, etag: e_tag, modified: Some(last_modified.timestamp_micros()) };
    Ok(Answer { found, bytes: got.bytes, has_ranges: got.has_ranges })
}

fn message(error: &object_store::Error) -> String {
    match error {
        object_store::Error::NotFound { .. } => "it does not exist".to_owned(),
        object_store::Error::Precondition { .. } => CHANGED.to_owned(),
        error => error.to_string(),
    }
}
