//! [`ErrorKind`]: the kinds of errors, which programs can match on.

use alloc::format;
use alloc::string::String;

use super::plural;

/// The kind of an [`Error`](super::Error).
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum ErrorKind {
    /// The bytes of a header, trailer or metalayer are not a valid value.
    #[error("{}", .0.kind())]
    Format(#[source] b2nd::Error),
    /// The input ends before the frame, header, trailer or chunk does.
    #[error("unexpected end of input, {needed} more byte{} needed", plural(*needed))]
    UnexpectedEnd {
        /// The number of bytes that are missing from the item that was being read, at least 1.
        needed: usize,
    },
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
    /// A length is greater than its field can hold.
    #[error("{length} bytes are too many: {field} holds at most {limit}")]
    TooLong {
        /// The name of the field.
        field: &'static str,
        /// The length in bytes.
        length: usize,
        /// The maximum length in bytes.
        limit: usize,
    },
    /// This build does not support the codec or a filter of a chunk.
    #[error("{reason}")]
    NoCodec {
        /// The name of the chunk's codec.
        codec: String,
        /// The message, which names the missing codec or filter.
        reason: String,
    },
    /// A metalayer does not fit into its space in the header of a file. [`rewrite`](crate::rewrite()) can make the space larger.
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
    /// A read needs bytes that have not been fetched yet: see [`Pieces`](crate::Pieces).
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
    /// Another editor has the file open, and [`File::try_edit`](crate::File::try_edit) does not wait for that editor. Or this thread itself
    /// has an editor of the file, or has the file open by [`File::open_shared`](crate::File::open_shared).
    #[cfg(feature = "std")]
    #[error("the file is being edited{}", if *by_this_thread { ": this thread itself has the file open, so it would wait forever" } else { "" })]
    Locked {
        /// Whether this thread itself has the file open.
        by_this_thread: bool,
    },
    /// Reading or writing failed.
    #[cfg(feature = "std")]
    #[error("{0}")]
    Io(std::io::Error),
}

fn no_room(name: &str, length: usize, room: Option<usize>) -> String {
    match room {
        Some(room) => format!(
            "the new value of metalayer {name:?} has {length} bytes, but its space in the header has {room} bytes, which an edit \
             in place cannot change, but `rewrite` can"
        ),
        None => format!("metalayer {name:?} is not in the header: `rewrite` can add it, an edit in place cannot"),
    }
}
