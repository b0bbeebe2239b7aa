//! [`Error`]: the error type of this crate.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

mod kind;
pub use kind::ErrorKind;

/// The result of a fallible operation of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// The error type of this crate, with the kind of the error, the file, the chunk or field, and the position in the frame.
///
/// If the kind is [`ErrorKind::Format`], the [`source`](core::error::Error::source) of the error is a [`b2nd::Error`], whose offset is
/// counted from the start of the decoded bytes.
///
/// ```
/// let error = b2nd_frame::Header::from_slice(b"PK\x03\x04").unwrap_err();
/// assert_eq!(error.to_string(), "not a Blosc2 frame: expected an array of 14 elements (9e), found 50 at byte 0");
/// assert!(matches!(error.kind(), b2nd_frame::ErrorKind::NotAFrame(_)));
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    /// The path of the file, with which the message starts.
    file: Option<String>,
    /// The field or chunk, such as `metalayers.b2nd` or `chunk[3]`; empty if there is none.
    path: String,
    offset: Option<usize>,
}

impl Error {
    /// Creates an error with a custom message.
    #[must_use]
    pub fn custom(message: impl fmt::Display) -> Self {
        Error::new(ErrorKind::Message(message.to_string()))
    }

    /// Returns the kind of the error, which programs can match on.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the kind of the error by value.
    #[must_use]
    pub fn into_kind(self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the offset of the byte that caused the error, or `None` if it is unknown. The offset counts from the start of the frame, of
    /// the [`Source`](crate::Source), or of the input that was decoded, such as the chunk's file in a sparse frame or the value of a
    /// vlmetalayer. If the input ended too early, the offset is that of its end.
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// Returns the path of the field or chunk that caused the error, such as `b2nd.chunkshape[1]` or `chunk[3]`, or `None` if it is
    /// unknown.
    pub fn path(&self) -> Option<&str> {
        Some(self.0.path.as_str()).filter(|path| !path.is_empty())
    }

    /// Returns the path of the file in which the error occurred, if it is known. The message then starts with this path.
    pub fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// Returns true if the kind is [`ErrorKind::UnexpectedEnd`]: the input ended too early, and may be valid with more bytes.
    pub fn is_eof(&self) -> bool {
        self.needed().is_some()
    }

    /// Returns the minimum number of missing bytes if the kind is [`ErrorKind::UnexpectedEnd`], or `None` for any other kind.
    pub fn needed(&self) -> Option<usize> {
        match self.0.kind {
            ErrorKind::UnexpectedEnd { needed } => Some(needed),
            _ => None,
        }
    }

    /// Adds `start` to the [`offset`](Error::offset). Use this if the input was a part of a larger input and started at its byte `start`.
    #[must_use]
    pub fn shifted(mut self, start: usize) -> Self {
        self.0.offset = self.0.offset.map(|offset| offset.saturating_add(start));
        self
    }

    pub(crate) fn new(kind: ErrorKind) -> Self {
        Error(Box::new(Inner { kind, file: None, path: String::new(), offset: None }))
    }

    pub(crate) fn at(kind: ErrorKind, offset: usize) -> Self {
        Error::new(kind).within_offset(offset)
    }

    /// Returns the error for input that ends after `length` bytes and lacks `needed` more.
    pub(crate) fn end(needed: usize, length: usize) -> Self {
        Error::at(ErrorKind::UnexpectedEnd { needed }, length)
    }

    /// Returns the error for a `field` whose value at `offset` differs from the expected value.
    pub(crate) fn mismatch(field: &str, expected: impl fmt::Display, found: impl fmt::Display, offset: usize) -> Error {
        Error::at(ErrorKind::Mismatch { expected: expected.to_string(), found: found.to_string() }, offset).field(field)
    }

    /// Returns the error for a field that can hold at most `limit` bytes (or an offset of at most `limit`), but would have to hold
    /// `length`.
    pub(crate) fn too_long(field: &'static str, length: usize, limit: usize) -> Self {
        Error::new(ErrorKind::TooLong { field, length, limit })
    }

    /// Returns the error for a failed allocation of `length` bytes.
    pub(crate) fn out_of_memory(length: usize) -> Self {
        Error::custom(format_args!("no memory for {length} bytes"))
    }

    /// Adds the field in which the error occurred, in front of the path.
    pub(crate) fn field(mut self, name: &str) -> Self {
        let separator = if self.0.path.is_empty() || self.0.path.starts_with('[') { "" } else { "." };
        self.0.path.insert_str(0, separator);
        self.0.path.insert_str(0, name);
        self
    }

    /// Adds the index of the chunk in which the error occurred.
    pub(crate) fn in_chunk(self, number: u64) -> Self {
        self.field(&format!("chunk[{number}]"))
    }

    /// Adds the path of the file, unless the error has the path of a file already.
    #[cfg(feature = "std")]
    pub(crate) fn in_file(mut self, path: &std::path::Path) -> Self {
        self.0.file.get_or_insert_with(|| path.display().to_string());
        self
    }

    /// Sets the offset, if the error has none yet.
    pub(crate) fn within_offset(mut self, start: usize) -> Self {
        self.0.offset.get_or_insert(start);
        self
    }

    /// Removes the offset, which would be wrong for a value that was read from another format.
    pub(crate) fn anywhere(mut self) -> Self {
        self.0.offset = None;
        self
    }

    /// If the error says that the input ended too early, turns it into an error for which [`is_eof`](Error::is_eof) returns false. Use this
    /// if the input has been read completely, so that more bytes cannot help. `whole` is the name of the input.
    pub(crate) fn complete(mut self, whole: &str) -> Self {
        if let Some(needed) = self.needed() {
            let field = self.path().unwrap_or("the value");
            let message = format!("{whole} ends, but {field} needs {needed} more byte{}", plural(needed));
            self.0.kind = ErrorKind::Message(message);
            self.0.path.clear();
        }
        self
    }
}

pub(crate) fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        b2nd::write_error(f, [self.file(), self.path()], &self.0.kind, self.0.offset, self.needed())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        self.0.kind.source()
    }
}

impl From<b2nd::Error> for Error {
    #[cold]
    fn from(error: b2nd::Error) -> Self {
        let (offset, path) = (error.offset(), error.path().unwrap_or_default());
        let kind = match error.needed() {
            Some(needed) => ErrorKind::UnexpectedEnd { needed },
            None => ErrorKind::Format(error),
        };
        let mut error = Error::new(kind);
        (error.0.offset, error.0.path) = (offset, path);
        error
    }
}

impl From<b2nd_codec::Error> for Error {
    fn from(error: b2nd_codec::Error) -> Self {
        use b2nd_codec::ErrorKind as Kind;
        let (offset, field) = (error.offset(), error.field());
        let kind = match error.into_kind() {
            Kind::UnexpectedEnd { needed } => ErrorKind::UnexpectedEnd { needed },
            Kind::Mismatch { expected, found } => ErrorKind::Mismatch { expected, found },
            Kind::TooLong { length, limit } => ErrorKind::TooLong { field: "a chunk", length, limit },
            Kind::NoCodec { codec, reason } => ErrorKind::NoCodec { codec, reason },
            other => ErrorKind::Message(other.to_string()),
        };
        let mut error = Error::new(kind).field(field.unwrap_or_default());
        error.0.offset = offset;
        error
    }
}

#[cfg(feature = "std")]
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Error::new(ErrorKind::Io(error))
    }
}

#[cfg(feature = "std")]
impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        use std::io::ErrorKind as Kind;
        let kind = match error.kind() {
            ErrorKind::Io(io) => io.kind(),
            ErrorKind::UnexpectedEnd { .. } => Kind::UnexpectedEof,
            ErrorKind::Missing { .. } => Kind::WouldBlock,
            _ => Kind::InvalidData,
        };
        std::io::Error::new(kind, error)
    }
}
