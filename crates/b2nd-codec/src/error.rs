//! [`Error`]: the error type of this crate.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::fmt;

/// The result of all fallible functions of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// An error of this crate. It has the size of one pointer. `Display` and `Debug` print a sentence with the reason, and with the
/// offset and the field if they are known.
///
/// ```
/// let error = b2nd_codec::ChunkHeader::from_slice(&[5, 1, 5, 0]).unwrap_err();
/// assert_eq!(error.to_string(), "unexpected end of input at byte 4: chunk header needs 28 more bytes");
/// assert_eq!(error.needed(), Some(28));
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    offset: Option<usize>,
    field: Option<&'static str>,
}

/// The kind of an [`Error`].
#[non_exhaustive]
#[derive(Debug)]
pub enum ErrorKind {
    /// The input ends too early.
    UnexpectedEnd {
        /// The minimum number of missing bytes, at least 1.
        needed: usize,
    },
    /// A number in a header contradicts another number, or is out of range.
    Mismatch {
        /// The expected value, or the range of valid values.
        expected: String,
        /// The value that was found.
        found: String,
    },
    /// The buffer does not have the length of the data.
    Count {
        /// The length of the data in bytes.
        expected: usize,
        /// The length of the buffer in bytes.
        found: usize,
    },
    /// The data is longer than a chunk can hold.
    TooLong {
        /// The length of the data, or of the whole chunk, in bytes.
        length: usize,
        /// The maximum length in bytes.
        limit: usize,
    },
    /// This build, or a decompressor for untrusted input, does not support a codec, a filter or another feature of a chunk.
    NoCodec {
        /// The name of the codec, even if a filter or another feature is not supported.
        codec: String,
        /// The message of the error.
        reason: String,
    },
    /// Any other error.
    Message(String),
}

impl Error {
    /// Returns the kind of the error, which programs can match on.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Converts the error into its kind.
    pub fn into_kind(self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the offset of the byte that caused the error, or `None` if it is not known. The offset counts from the start of the chunk,
    /// or from the start of the block if only a block was decompressed.
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// Returns the name of the header field, input or buffer that caused the error, such as `blocksize` or `chunk`, or `None` if it is not
    /// known.
    pub fn field(&self) -> Option<&'static str> {
        self.0.field
    }

    /// Returns the minimum number of missing bytes if the kind is [`UnexpectedEnd`](ErrorKind::UnexpectedEnd), or `None` for any other
    /// kind.
    pub fn needed(&self) -> Option<usize> {
        match self.0.kind {
            ErrorKind::UnexpectedEnd { needed } => Some(needed),
            _ => None,
        }
    }

    /// Creates an error with a custom message.
    #[must_use]
    pub fn custom(message: impl fmt::Display) -> Error {
        Error::from(ErrorKind::Message(message.to_string()))
    }

    /// Adds `start` to the error's offset, if it has one. This changes an offset in a part of the input to an offset in the whole input.
    #[must_use]
    pub fn shifted(mut self, start: usize) -> Error {
        self.0.offset = self.0.offset.map(|offset| offset.saturating_add(start));
        self
    }

    pub(crate) fn at(mut self, offset: usize) -> Error {
        self.0.offset = Some(offset);
        self
    }

    pub(crate) fn in_field(mut self, name: &'static str) -> Error {
        self.0.field = Some(name);
        self
    }

    /// Returns the error for input that ends after `length` bytes and lacks `needed` more.
    pub(crate) fn end(needed: usize, length: usize) -> Error {
        Error::from(ErrorKind::UnexpectedEnd { needed }).at(length)
    }

    /// Returns the error for a wrong number in a header.
    pub(crate) fn mismatch(name: &'static str, expected: impl fmt::Display, found: impl fmt::Display, offset: usize) -> Error {
        let kind = ErrorKind::Mismatch { expected: expected.to_string(), found: found.to_string() };
        Error::from(kind).at(offset).in_field(name)
    }

    /// Returns the error for `length` bytes that could not be allocated.
    pub(crate) fn out_of_memory(length: usize) -> Error {
        Error::custom(format_args!("no memory for {length} bytes"))
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Error {
        Error(Box::new(Inner { kind, offset: None, field: None }))
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::UnexpectedEnd { needed } => {
                write!(f, "unexpected end of input, {needed} more byte{} needed", plural(*needed))
            }
            ErrorKind::Mismatch { expected, found } => write!(f, "expected {expected}, found {found}"),
            ErrorKind::Count { expected, found } => {
                write!(f, "expected {expected} byte{}, found {found}", plural(*expected))
            }
            ErrorKind::TooLong { length, limit } => write!(f, "expected at most {limit} bytes, found {length}"),
            ErrorKind::NoCodec { reason: message, .. } | ErrorKind::Message(message) => f.write_str(message),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, offset, field } = &*self.0;
        if let (Some(offset), ErrorKind::UnexpectedEnd { needed }) = (offset, kind) {
            let what = field.unwrap_or("the value");
            return write!(f, "unexpected end of input at byte {offset}: {what} needs {needed} more byte{}", plural(*needed));
        }
        if let Some(field) = field {
            write!(f, "{field}: ")?;
        }
        write!(f, "{kind}")?;
        offset.map_or(Ok(()), |offset| write!(f, " at byte {offset}"))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Error {}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
