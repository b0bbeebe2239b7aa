//! [`Error`]: the error type of this crate.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write};

mod kind;

pub use kind::ErrorKind;
pub(crate) use kind::plural;

/// The result of a fallible operation of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// The error type of this crate, with the kind of the error and, if known, the position in the input and the field.
///
/// An error has the size of one pointer. `Display` and `Debug` (which `unwrap()` prints) write the same sentence:
///
/// ```
/// // shape has two dimensions, and the second entry of chunkshape is an int64 where an int32 belongs
/// let bytes = hex_literal::hex!(
///     "97 00 02 92 d30000000000000190 d30000000000000003 92 d20000006e d30000000000000003
///      92 d200000039 d200000003 00 db00000003 7c7531");
/// let error = b2nd::from_slice::<b2nd::B2ndMeta>(&bytes).unwrap_err();
/// assert_eq!(error.to_string(), "chunkshape[1]: expected int32 (d2), found int64 (d3) at byte 28");
/// assert_eq!(error.offset(), Some(28));
/// assert_eq!(error.path().as_deref(), Some("chunkshape[1]"));
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    offset: Option<usize>,
    /// The parts of the error's path, in the order in which they were added: the innermost field is first.
    path: Vec<Segment>,
}

/// A part of an error's path.
pub(crate) enum Segment {
    Field(&'static str),
    Index(usize),
    Key(String),
}

impl Error {
    /// Returns the kind of the error, which programs can match on.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the kind of the error by value.
    #[must_use]
    pub fn into_kind(self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the offset of the byte or of the start of the value that caused the error, counted from the start of the input, or `None` if
    /// the offset is unknown. If the input ended too early, the offset is the length of the input.
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// Returns the path of the field that caused the error, such as `chunkshape[1]`. Do not use the crate `serde_path_to_error` for this:
    /// its paths contain the indices of fields instead of their names, since this format stores a struct as a sequence.
    pub fn path(&self) -> Option<String> {
        let mut path = String::new();
        for segment in self.0.path.iter().rev() {
            let name = match segment {
                Segment::Index(index) => {
                    path.push_str(&format!("[{index}]"));
                    continue;
                }
                Segment::Field(name) => name,
                Segment::Key(key) => key.as_str(),
            };
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(name);
        }
        (!path.is_empty()).then_some(path)
    }

    /// Returns true if the encoded input ended too early. The input may be valid with more bytes.
    pub fn is_eof(&self) -> bool {
        matches!(self.0.kind, ErrorKind::UnexpectedEnd { .. })
    }

    /// Returns the number of bytes that are missing from the item that was being read, or `None` if the input did not end too early.
    pub fn needed(&self) -> Option<usize> {
        match self.0.kind {
            ErrorKind::UnexpectedEnd { needed } => Some(needed),
            _ => None,
        }
    }

    #[cold]
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Error(Box::new(Inner { kind, offset: None, path: Vec::new() }))
    }

    #[cold]
    pub(crate) fn at(kind: ErrorKind, offset: usize) -> Self {
        Error(Box::new(Inner { kind, offset: Some(offset), path: Vec::new() }))
    }

    /// Returns the error for input that ends after `length` bytes and lacks `needed` more.
    #[cold]
    pub(crate) fn end(needed: usize, length: usize) -> Self {
        Error::at(ErrorKind::UnexpectedEnd { needed }, length)
    }

    /// Creates an error with a custom message.
    ///
    /// ```
    /// let error = b2nd::Error::custom(format_args!("no codec {}", 7));
    /// assert_eq!(error.to_string(), "no codec 7");
    /// ```
    #[cold]
    #[must_use]
    pub fn custom(message: impl fmt::Display) -> Self {
        Error::new(ErrorKind::Message(message.to_string()))
    }

    /// Returns the error for `count` bytes that follow a value and start at `offset`.
    pub(crate) fn trailing(count: usize, offset: usize) -> Self {
        Error::at(ErrorKind::TrailingBytes { count }, offset)
    }

    /// Returns the error for a value of `length` bytes, if its field or marker allows at most `limit` bytes.
    #[cold]
    pub(crate) fn too_long(marker: &'static str, length: usize, limit: usize) -> Self {
        Error::new(ErrorKind::TooLong { marker, unit: "bytes", length, limit })
    }

    /// Adds a segment to the error's path. If the error has no offset yet, sets the offset to `start`.
    #[cold]
    pub(crate) fn within(mut self, segment: Segment, start: Option<usize>) -> Self {
        self.0.path.push(segment);
        self.0.offset = self.0.offset.or(start);
        self
    }

    /// Adds the offset at which the value starts, if the error has no offset yet.
    pub(crate) fn within_offset(mut self, start: usize) -> Self {
        self.0.offset = self.0.offset.or(Some(start));
        self
    }

    /// Adds `start` to the [`offset`](Error::offset). Use this if the input was a part of a larger input and started at its byte `start`,
    /// such as the trailer in a frame, or a chunk in a file.
    ///
    /// ```
    /// let error = b2nd::from_slice::<u8>(&[0xc0]).unwrap_err().shifted(100);
    /// assert_eq!(error.offset(), Some(100));
    /// ```
    #[must_use]
    pub fn shifted(mut self, start: usize) -> Self {
        self.0.offset = self.0.offset.map(|offset| offset.saturating_add(start));
        self
    }

    /// Adds the field in which the error occurred.
    #[cold]
    pub(crate) fn field(self, name: &'static str) -> Self {
        self.within(Segment::Field(name), None)
    }
}

/// A writer that escapes control characters, line separators and most characters that change the direction of text. Names in files may
/// contain them.
struct Escaped<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl fmt::Write for Escaped<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let is_plain = |c: char| {
            !c.is_control() && !matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        text.chars().try_for_each(|c| if is_plain(c) { self.0.write_char(c) } else { write!(self.0, "{}", c.escape_debug()) })
    }
}

/// Writes the sentence of an error: the file, the path of the field, what is wrong, and the byte. If the input ends too early, `needed` is
/// the number of missing bytes. `b2nd-frame` writes its errors with this function too.
#[doc(hidden)]
pub fn write_error(
    f: &mut fmt::Formatter<'_>,
    [file, path]: [Option<&str>; 2],
    kind: &dyn fmt::Display,
    offset: Option<usize>,
    needed: Option<usize>,
) -> fmt::Result {
    let mut f = Escaped(f);
    if let Some(file) = file {
        write!(f, "{file}: ")?;
    }
    if let (Some(offset), Some(needed)) = (offset, needed) {
        let what = path.unwrap_or("the value");
        return write!(f, "unexpected end of input at byte {offset}: {what} needs {needed} more byte{}", plural(needed));
    }
    if let Some(path) = path {
        write!(f, "{path}: ")?;
    }
    write!(f, "{kind}")?;
    offset.map_or(Ok(()), |offset| write!(f, " at byte {offset}"))
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_error(f, [None, self.path().as_deref()], &self.0.kind, self.0.offset, self.needed())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.0.kind {
            #[cfg(feature = "std")]
            ErrorKind::Io(error) => error.source(),
            _ => None,
        }
    }
}

impl serde::ser::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Error::custom(message)
    }
}

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Error::custom(message)
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
        match error.0.kind {
            ErrorKind::Io(error) => error,
            ErrorKind::UnexpectedEnd { .. } => std::io::Error::new(std::io::ErrorKind::UnexpectedEof, error),
            _ => std::io::Error::new(std::io::ErrorKind::InvalidData, error),
        }
    }
}
