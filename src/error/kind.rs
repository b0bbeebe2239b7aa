//! [`ErrorKind`]: the kinds of errors, which programs can match on.

use alloc::format;
use alloc::string::String;

use crate::limits::MAX_DEPTH;
use crate::marker;

/// The kind of an [`Error`](super::Error).
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum ErrorKind {
    /// The input ends before the value does.
    #[error("unexpected end of input, {needed} more byte{} needed", plural(*needed))]
    UnexpectedEnd {
        /// The number of bytes that are missing from the item that was being read, at least 1.
        needed: usize,
    },
    /// The marker that was found does not belong to the expected type.
    #[error("expected {expected}, found {} ({found:02x})", marker::name(*found))]
    Marker {
        /// The name of the expected marker, and its byte in hexadecimal.
        expected: &'static str,
        /// The byte that was found.
        found: u8,
    },
    /// The number of elements of an array or map, or a declared length, differs from the expected number.
    #[error("expected {expected} element{}, found {found}", plural(*expected))]
    Count {
        /// The expected number.
        expected: usize,
        /// The number that was found.
        found: usize,
    },
    /// Bytes follow the value.
    #[error("{count} trailing byte{} after the value", plural(*count))]
    TrailingBytes {
        /// The number of bytes after the value.
        count: usize,
    },
    /// A string is not UTF-8.
    #[error("a string is not UTF-8")]
    Utf8,
    /// A length or count is greater than its marker or field allows.
    #[error("{length} {unit} are too many: {marker} holds at most {limit}")]
    TooLong {
        /// The name of the marker or field.
        marker: &'static str,
        /// The unit of the length: "bytes", "elements", …
        unit: &'static str,
        /// The length or count that was given.
        length: usize,
        /// The maximum length or count that the marker or field allows.
        limit: usize,
    },
    /// The buffer given to [`to_slice`](crate::to_slice) is shorter than the encoding.
    #[error("the value takes {needed} bytes, but the buffer holds {available}")]
    BufferTooSmall {
        /// The length of the encoded value in bytes.
        needed: usize,
        /// The length of the buffer in bytes.
        available: usize,
    },
    /// Values are nested more than 128 levels deep.
    #[error("nested more than {} levels deep", MAX_DEPTH)]
    TooDeep,
    /// A value uses a feature of serde that this format does not support.
    #[error("unsupported: {0}")]
    Unsupported(&'static str),
    /// The bytes are not a Blosc2 frame.
    #[error("{0}")]
    NotAFrame(String),
    /// The version of the frame or trailer is not supported.
    #[error("expected {expected}, found {found}")]
    UnsupportedVersion {
        /// The supported versions.
        expected: &'static str,
        /// The version that was found.
        found: String,
    },
    /// A value contradicts another value, or is out of range.
    #[error("expected {expected}, found {found}")]
    Mismatch {
        /// The expected value, or the range of valid values.
        expected: String,
        /// The value that was found.
        found: String,
    },
    /// This build does not support the codec or a filter of a chunk.
    #[error("{reason}")]
    NoCodec {
        /// The name of the chunk's codec.
        codec: String,
        /// The message, which names the missing codec or filter.
        reason: String,
    },
    /// A metalayer does not fit into its space in the header of a file. [`rewrite`](crate::frame::rewrite()) can make the space larger.
    #[error("{}", no_room(name, *length, *room))]
    NoRoom {
        /// The metalayer's name.
        name: String,
        /// The length of the new content in bytes. It is always 0 if the header has no such metalayer, whatever the content is.
        length: usize,
        /// The length of the space in bytes, or `None` if the header has no such metalayer.
        room: Option<usize>,
    },
    /// Since the file was opened, its header has changed, or the file has been replaced or removed.
    #[error("the file has changed since it was opened: open it again")]
    Changed,
    /// A read needs bytes that have not been fetched yet: see [`Pieces`](crate::frame::Pieces).
    #[error("bytes {start} to {end} have not been fetched yet")]
    Missing {
        /// The position of the first byte of the requested range.
        start: u64,
        /// The position of the first byte after the requested range.
        end: u64,
    },
    /// The values are not valid, or an implementation of `Serialize` or `Deserialize` returned an error.
    #[error("{0}")]
    Message(String),
    /// Another editor has the file open, and [`File::try_edit`](crate::frame::File::try_edit) does not wait for that editor. Or this thread
    /// itself has an editor of the file, or has the file open by [`File::open_shared`](crate::frame::File::open_shared).
    #[cfg(feature = "std")]
    #[error("the file is being edited")]
    Locked,
    /// Reading or writing failed.
    #[cfg(feature = "std")]
    #[error("{0}")]
    Io(std::io::Error),
}

fn no_room(name: &str, length: usize, room: Option<usize>) -> String {
    match room {
        Some(room) => format!(
            "the new value of metalayer {name:?} has {length} bytes, but its space in the header has {room} bytes, which an edit \
             in place cannot change (a rewrite of the file can)"
        ),
        None => format!("metalayer {name:?} is not in the header: a rewrite of the file can add it, an edit in place cannot"),
    }
}

pub(crate) fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
