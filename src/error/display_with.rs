//! [`Error::display_with`]: shows an error together with the bytes around its position.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt::{self, Write};

use super::kind::plural;
use super::{Error, ErrorKind, Escaped};

/// The number of bytes that are shown on each line.
const PER_LINE: usize = 16;

impl Error {
    /// Shows the message, and then the bytes around the error's position in hexadecimal. Under the bytes that caused the error are a mark
    /// and the path of the field.
    ///
    /// `bytes` is the input: the error's [`offset`](Error::offset) counts from its start. The text ends without a newline. If the error has
    /// no offset, or its offset is after the end of `bytes`, only its message is shown.
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
    pub fn display_with<'a>(&'a self, bytes: &'a [u8]) -> impl fmt::Display + 'a {
        DisplayWith { error: self, bytes }
    }

    /// Returns the text next to the mark: the path of the field, or the number of missing or additional bytes.
    fn label(&self) -> String {
        match (self.path(), self.kind()) {
            (path, ErrorKind::UnexpectedEnd { needed }) => {
                let path = path.map(|path| path + ": ").unwrap_or_default();
                alloc::format!("{path}{needed} more byte{}", plural(*needed))
            }
            (Some(path), _) => path,
            (None, ErrorKind::TrailingBytes { count }) => alloc::format!("{count} byte{} after the value", plural(*count)),
            (None, _) => "here".to_owned(),
        }
    }
}

/// An error, and the input that caused it.
struct DisplayWith<'a> {
    error: &'a Error,
    bytes: &'a [u8],
}

impl fmt::Display for DisplayWith<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DisplayWith { error, bytes } = self;
        write!(f, "{error}")?;
        let Some(at) = error.offset().filter(|&offset| offset <= bytes.len()) else { return Ok(()) };
        // If the input ends after a full line, the end is marked on that line, not on the next line.
        let marked = match at.checked_sub(1) {
            Some(last) if at == bytes.len() => last / PER_LINE,
            _ => at / PER_LINE,
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
                let column = at - start;
                let length = if let ErrorKind::TrailingBytes { count } = error.kind() { *count } else { 1 };
                let width = length.min(PER_LINE - column.min(PER_LINE)).max(1);
                write!(f, "\n       {:1$} {2} ", "", 3 * column, "^".repeat(3 * width - 1))?;
                write!(Escaped(f), "{}", error.label())?;
            }
        }
        Ok(())
    }
}
