//! [`ErrorKind`]: the kinds of errors, which programs can match on.

use alloc::string::String;

use crate::marker;
use crate::marker::MAX_DEPTH;

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
    /// The marker that was found is not the expected one.
    #[error("expected {expected}, found {} ({found:02x})", marker::name(*found))]
    Marker {
        /// A description of the expected marker, such as `int32 (d2)`.
        expected: &'static str,
        /// The byte that was found.
        found: u8,
    },
    /// The number of elements of an array or map differs from the expected number.
    #[error("expected {expected} element{}, found {found}", plural(*expected))]
    Count {
        /// The expected number.
        expected: usize,
        /// The number that was found.
        found: usize,
    },
    /// Bytes follow the value.
    #[error("the value is followed by {count} trailing byte{}", plural(*count))]
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
    #[error("the value takes {needed} byte{}, but the buffer holds {available}", plural(*needed))]
    BufferTooSmall {
        /// The length of the encoded value in bytes.
        needed: usize,
        /// The length of the buffer in bytes.
        available: usize,
    },
    /// Values are nested more than 128 levels deep.
    #[error("nested more than {} levels deep", MAX_DEPTH)]
    TooDeep,
    /// A value uses a feature of serde that this format does not support, or a module of [`with`](crate::with) is applied to a type
    /// that it does not accept.
    #[error("unsupported: {0}")]
    Unsupported(&'static str),
    /// Another error, such as one of an implementation of `Serialize` or `Deserialize`.
    #[error("{0}")]
    Message(String),
    /// An I/O operation failed.
    #[cfg(feature = "std")]
    #[error("{0}")]
    Io(std::io::Error),
}

pub(crate) fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
