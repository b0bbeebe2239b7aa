//! [`ErrorKind`]: what a program can match on.

use alloc::format;
use alloc::string::String;

use crate::marker;

/// The fault of an [`Error`](super::Error).
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum ErrorKind {
    /// The input ends before the value does.
    #[error("unexpected end of input, {needed} more byte{} needed", plural(*needed))]
    UnexpectedEnd {
        /// The number of bytes that the item being read still lacks, at least 1.
        needed: usize,
    },
    /// The marker is not the one of the type.
    #[error("expected {expected}, found {} ({found:02x})", marker::name(*found))]
    Marker {
        /// The name of the expected marker, and its byte in hexadecimal.
        expected: &'static str,
        /// The byte that was found.
        found: u8,
    },
    /// The count of an array or a map, or a declared length, is not the one that the type or the value has.
    #[error("expected {expected} element{}, found {found}", plural(*expected))]
    Count {
        /// The expected count.
        expected: usize,
        /// The count that was there.
        found: usize,
    },
    /// Bytes follow the value.
    #[error("{count} trailing byte{} after the value", plural(*count))]
    TrailingBytes {
        /// The number of bytes that follow.
        count: usize,
    },
    /// A string that is not UTF-8.
    #[error("a string is not UTF-8")]
    Utf8,
    /// A length or count that its marker cannot hold.
    #[error("{length} {unit}, {marker} holds at most {limit}")]
    TooLong {
        /// The marker or field.
        marker: &'static str,
        /// "bytes", "elements", …
        unit: &'static str,
        /// The length that was given.
        length: usize,
        /// The largest length allowed.
        limit: usize,
    },
    /// The buffer given to [`to_slice`](crate::to_slice) is shorter than the encoding.
    #[error("the value takes {needed} bytes, the buffer holds {available}")]
    BufferTooSmall {
        /// The length of the encoding.
        needed: usize,
        /// The length of the buffer.
        available: usize,
    },
    /// Values nest deeper than the format allows (128).
    #[error("nested more than {} levels deep", marker::MAX_DEPTH)]
    TooDeep,
    /// Something that serde can express and this format cannot.
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
        /// The version that was there.
        found: String,
    },
    /// A value disagrees with another one, or is out of range.
    #[error("expected {expected}, found {found}")]
    Mismatch {
        /// The expected value, or the range of valid ones.
        expected: String,
        /// The value that was there.
        found: String,
    },
    /// The codec or a filter of a chunk is not in this build.
    #[error("{reason}")]
    NoCodec {
        /// The name of the chunk's codec.
        codec: String,
        /// The message, which says which codec or filter is missing.
        reason: String,
    },
    /// A metalayer does not fit its place in a file. A rewrite makes room.
    #[error("{}", no_room(name, *length, *room))]
    NoRoom {
        /// The metalayer's name.
        name: String,
        /// The length that was given, in bytes.
        length: usize,
        /// The length of its place in bytes; `None` if the header has no such metalayer.
        room: Option<usize>,
    },
    /// Since the file was opened, its header has changed, or its path names another file or none.
    #[error("the file has changed since it was opened: open it again")]
    Changed,
    /// Bytes of a source that have to be fetched first: see [`Pieces`](crate::frame::Pieces).
    #[error("bytes {start} to {end} have not been fetched yet")]
    Missing {
        /// The first byte that was requested.
        start: u64,
        /// The end of the range that was requested.
        end: u64,
    },
    /// The bytes are well formed but their values are impossible, or a `Serialize` or `Deserialize` implementation refused.
    #[error("{0}")]
    Message(String),
    /// Another editor has the file open, and [`File::try_edit`](crate::frame::File::try_edit) does not wait.
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
            "metalayer {name:?} is {length} bytes, but its space in the header has {room}: an edit in place keeps the length, a \
             rewrite can change it"
        ),
        None => format!("metalayer {name:?} is not in the header: a rewrite of the file can add it, an edit in place cannot"),
    }
}

pub(crate) fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
