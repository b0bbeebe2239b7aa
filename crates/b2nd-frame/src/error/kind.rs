//! [`ErrorKind`]: the kinds of errors, which programs can match on.

use alloc::format;
use alloc::string::String;

use super::plural;

/// The kind of an [`Error`](super::Error).
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum ErrorKind {
    /// The bytes of a header, trailer or metalayer are not valid, a value cannot be encoded, or a geometry or dtype is not valid.
    #[error("{}", .0.kind())]
    Format(#[source] b2nd::Error),
    /// The input ends before the end of the item that is being read, such as the header or a chunk.
    #[error("unexpected end of input, {needed} more byte{} needed", plural(*needed))]
    UnexpectedEnd {
        /// The minimum number of missing bytes, at least 1.
        needed: usize,
    },
    /// The bytes are not a Blosc2 frame.
    #[error("{0}")]
    NotAFrame(String),
    /// The version of the frame is not supported, or the number of header elements shows that a beta of C-Blosc2 wrote the frame.
    #[error("expected {expected}, found {found}")]
    UnsupportedVersion {
        /// The supported versions, or the supported number of header elements.
        expected: &'static str,
        /// The version or the number of header elements that was found.
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
    /// A length is greater than its field can hold.
    #[error("{field}: expected at most {limit} bytes, found {length}")]
    TooLong {
        /// The name of the field, or of the part of the frame.
        field: &'static str,
        /// The length in bytes.
        length: usize,
        /// The maximum length in bytes.
        limit: usize,
    },
    /// This build, or a decompressor for untrusted input, does not support the codec, a filter or another feature of a chunk.
    #[error("{reason}")]
    NoCodec {
        /// The name of the codec of the chunk or of the compressor.
        codec: String,
        /// The message, which names the codec, filter or feature that is not supported.
        reason: String,
    },
    /// The header of a file has no such metalayer, or the space of the metalayer does not have the length of the new content.
    /// [`rewrite`](crate::rewrite()) can add the metalayer or change the length of its space.
    #[error("{}", no_room(name, *length, *room))]
    NoRoom {
        /// The metalayer's name.
        name: String,
        /// The length of the new content in bytes. It is always 0 if the header has no such metalayer, whatever the content is.
        length: usize,
        /// The length of the space in bytes, or `None` if the header has no such metalayer.
        room: Option<usize>,
    },
    /// Since the file was opened, its header has changed, or the file has been replaced or removed. For [`Pieces`](crate::Pieces): the
    /// length of the file has changed.
    #[error("the file has been changed, replaced or removed since it was opened: try to open it again")]
    Changed,
    /// A read needs bytes that have not been fetched yet: see [`Pieces`](crate::Pieces).
    #[error("bytes {start}..{end} have not all been fetched yet")]
    Missing {
        /// The position of the first byte of the requested range.
        start: u64,
        /// The position of the first byte after the requested range.
        end: u64,
    },
    /// Any other error, which only has a message.
    #[error("{0}")]
    Message(String),
    /// The file is locked, for example by another editor, and [`File::try_edit`](crate::File::try_edit) does not wait. Or this thread
    /// itself has an editor of the file, or has the file open by [`File::open_shared`](crate::File::open_shared), and would wait forever.
    #[cfg(feature = "std")]
    #[error("the file is locked{}", if *by_this_thread { ": this thread itself has the file open, and would wait forever" } else { " by an editor or a reader" })]
    Locked {
        /// Whether this thread itself has the file open. Always false for [`File::try_edit`](crate::File::try_edit).
        by_this_thread: bool,
    },
    /// An I/O error, for example when a file was opened, read or written.
    #[cfg(feature = "std")]
    #[error("{0}")]
    Io(std::io::Error),
}

fn no_room(name: &str, length: usize, room: Option<usize>) -> String {
    match room {
        Some(room) => format!(
            "the new value of metalayer {name:?} has {length} byte{}, but its space in the header has {room} byte{}: an edit in place \
             cannot change this, but `rewrite` can",
            plural(length),
            plural(room)
        ),
        None => format!("metalayer {name:?} is not in the header, and an edit in place cannot add it, but `rewrite` can"),
    }
}
