//! An error beside the bytes that it is about.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use core::fmt::{self, Write};
use core::ops::Range;

use super::kind::plural;
use super::{Error, ErrorKind, Escaped};

/// The number of bytes on a line.
const PER_LINE: usize = 16;

/// An error as data: for programs that draw errors themselves, with `miette`, `ariadne` or on a page.
///
/// The fields are those of a `miette::Diagnostic` with one label. An error type of your own that implements that trait passes them on.
#[non_exhaustive]
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnostic {
    /// A short name of the [`ErrorKind`], such as `b2nd::marker`.
    pub code: &'static str,
    /// The sentence.
    pub message: String,
    /// The bytes at fault. Empty at the end of input; `None` where the error is about no place in the input.
    pub span: Option<Range<usize>>,
    /// The text beside the span: the path of the field, such as `geometry.chunkshape[1]`, or what is missing or too much.
    pub label: String,
    /// Advice that may help.
    pub help: Option<&'static str>,
}

/// An error with the bytes around the place: see [`Error::display_with`].
pub struct DisplayWith<'a> {
    error: &'a Error,
    bytes: &'a [u8],
}

impl Error {
    /// Shows the sentence, then the bytes around the place in hexadecimal, with a mark under those at fault and the path of the field.
    ///
    /// `bytes` is the input that the error's [`offset`](Error::offset) counts in. The text ends without a newline. An error without an offset
    /// is its sentence alone.
    ///
    /// ```
    /// let bytes = hex_literal::hex!(
    ///     "97 00 02 92 d30000000000000190 d30000000000000003 92 d20000006e d30000000000000003
    ///      92 d200000039 d200000003 00 db00000003 7c7531");
    /// let error = b2nd::from_slice::<b2nd::B2ndMeta>(&bytes).unwrap_err();
    /// assert_eq!(error.display_with(&bytes).to_string(), "\
    /// chunkshape[1]: expected int32 (d2), found int64 (d3) at byte 28
    ///   0000  97 00 02 92 d3 00 00 00 00 00 00 01 90 d3 00 00
    ///   0010  00 00 00 00 00 03 92 d2 00 00 00 6e d3 00 00 00
    ///                                             ^^ chunkshape[1]
    ///   0020  00 00 00 00 03 92 d2 00 00 00 39 d2 00 00 00 03");
    /// ```
    #[must_use]
    pub fn display_with<'a>(&'a self, bytes: &'a [u8]) -> DisplayWith<'a> {
        DisplayWith { error: self, bytes }
    }

    /// The error as data, for the input that its offset counts in.
    ///
    /// ```
    /// let bytes = hex_literal::hex!("92 d1 0001 d2 00000001");
    /// let error = b2nd::from_slice::<[i16; 2]>(&bytes).unwrap_err();
    /// let diagnostic = error.diagnostic(&bytes);
    /// assert_eq!((diagnostic.code, diagnostic.span, diagnostic.label.as_str()), ("b2nd::marker", Some(4..5), "[1]"));
    /// ```
    #[must_use]
    pub fn diagnostic(&self, bytes: &[u8]) -> Diagnostic {
        let (code, help) = describe(self.kind());
        let length = match self.kind() {
            ErrorKind::TrailingBytes { count } => *count,
            ErrorKind::UnexpectedEnd { .. } => 0,
            _ => 1,
        };
        let span = self.offset().filter(|&offset| offset <= bytes.len());
        let span = span.map(|start| start..start.saturating_add(length).min(bytes.len()));
        let label = match (self.path(), self.kind()) {
            (path, ErrorKind::UnexpectedEnd { needed }) => {
                let path = path.map(|path| path + ": ").unwrap_or_default();
                alloc::format!("{path}{needed} more byte{}", plural(*needed))
            }
            (Some(path), _) => path,
            (None, ErrorKind::TrailingBytes { count }) => alloc::format!("{count} byte{} after the value", plural(*count)),
            (None, _) => "here".to_owned(),
        };
        Diagnostic { code, message: self.to_string(), span, label, help }
    }
}

/// A kind's short name, and what may help.
fn describe(kind: &ErrorKind) -> (&'static str, Option<&'static str>) {
    match kind {
        ErrorKind::UnexpectedEnd { .. } => ("b2nd::unexpected_end", Some("the input may be valid with more bytes")),
        ErrorKind::Marker { .. } => ("b2nd::marker", Some("the type picks the marker, so this is a value of another type")),
        ErrorKind::Count { .. } => ("b2nd::count", None),
        ErrorKind::TrailingBytes { .. } => ("b2nd::trailing_bytes", Some("take_from_slice gives the value and what follows it")),
        ErrorKind::Utf8 => ("b2nd::utf8", Some("bytes that need not be UTF-8 are read by with::fixstr_bytes or a Value")),
        ErrorKind::TooLong { .. } => ("b2nd::too_long", None),
        ErrorKind::BufferTooSmall { .. } => ("b2nd::buffer_too_small", None),
        ErrorKind::TooDeep => ("b2nd::too_deep", None),
        ErrorKind::Unsupported(_) => ("b2nd::unsupported", None),
        ErrorKind::NotAFrame(_) => ("b2nd::not_a_frame", None),
        ErrorKind::UnsupportedVersion { .. } => ("b2nd::unsupported_version", None),
        ErrorKind::Mismatch { .. } => ("b2nd::mismatch", None),
        ErrorKind::NoCodec { .. } => ("b2nd::no_codec", Some("b2nd-codec has the codecs")),
        ErrorKind::NoRoom { .. } => (
            "b2nd::no_room",
            Some("frame::rewrite makes room; Layout::is_fixed tells of a type whether its values keep their length"),
        ),
        #[cfg(feature = "std")]
        ErrorKind::Io(_) => ("b2nd::io", None),
        _ => ("b2nd::error", None),
    }
}

impl fmt::Display for DisplayWith<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DisplayWith { error, bytes } = self;
        write!(f, "{error}")?;
        let Diagnostic { span: Some(span), label, .. } = error.diagnostic(bytes) else { return Ok(()) };
        // The place at the end of a full line is behind it, not on the next.
        let marked = match span.start.checked_sub(1) {
            Some(last) if span.start == bytes.len() => last / PER_LINE,
            _ => span.start / PER_LINE,
        };
        for line in marked.saturating_sub(1)..=marked.saturating_add(1) {
            let start = line.saturating_mul(PER_LINE);
            let shown = bytes.get(start..).unwrap_or_default();
            let shown = shown.get(..PER_LINE).unwrap_or(shown);
            if shown.is_empty() && line != marked {
                continue;
            }
            write!(f, "\n  {start:04x} ")?;
            shown.iter().try_for_each(|byte| write!(f, " {byte:02x}"))?;
            if line == marked {
                let column = span.start - start;
                let width = span.len().min(PER_LINE - column.min(PER_LINE)).max(1);
                write!(f, "\n       {:1$} {2} ", "", 3 * column, "^".repeat(3 * width - 1))?;
                write!(Escaped(f), "{label}")?;
            }
        }
        Ok(())
    }
}
