//! Standard output and error.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use b2nd_store::without_password;
use b2nd_view::text::{printable, shortened, wrapped};

use crate::error::{Error, Result};

/// Returns the number of columns and the number of lines of the terminal, or `None` if standard output does not go to a terminal.
pub(crate) fn terminal() -> Option<(usize, usize)> {
    terminal_size::terminal_size_of(io::stdout()).map(|(columns, lines)| (columns.0.into(), lines.0.into()))
}

/// Wraps text to the width of the terminal, if standard output goes to a terminal.
pub(crate) fn fitted(text: &str) -> Cow<'_, str> {
    terminal().map_or(text.into(), |(columns, _)| wrapped(text, columns).into())
}

/// Cuts a line to the width of the terminal, if standard output goes to a terminal.
pub(crate) fn cut(line: String) -> String {
    cut_to(line, terminal().map_or(usize::MAX, |(columns, _)| columns))
}

/// Cuts a line to this number of characters, of which the last one is then `…`.
pub(crate) fn cut_to(line: String, width: usize) -> String {
    if line.chars().count() <= width { line } else { shortened(line, width.saturating_sub(1)) }
}

/// Returns standard output, which is [`Escaped`] on a terminal.
pub(crate) fn stdout() -> Box<dyn Write + Send> {
    let out = io::stdout();
    if out.is_terminal() { Box::new(Escaped { out, held: false }) } else { Box::new(out) }
}

/// Returns standard error. On a terminal, long lines are broken at spaces.
fn stderr() -> Box<dyn Write> {
    let out = anstream::stderr();
    match terminal_size::terminal_size_of(io::stderr()) {
        Some((columns, _)) => Box::new(Wrapped { out, width: columns.0.into(), line: Vec::new() }),
        None => Box::new(out),
    }
}

/// A writer that breaks long lines at spaces.
struct Wrapped<W> {
    out: W,
    width: usize,
    /// The start of a line that is not complete yet.
    line: Vec<u8>,
}

impl<W: Write> Write for Wrapped<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend(part);
            if part.ends_with(b"\n") {
                let line = String::from_utf8_lossy(&self.line);
                self.out.write_all(wrapped(&line, self.width).as_bytes())?;
                self.line.clear();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The first of the two bytes, in UTF-8, of the characters from U+0080 to U+00BF. Those from U+0080 to U+009F are control characters, so
/// they are escaped.
const LATIN: u8 = 0xc2;

/// A writer that escapes control characters except newlines and tabs.
struct Escaped<W> {
    out: W,
    /// Whether the last byte was [`LATIN`]. This byte is written only when the next byte is known.
    held: bool,
}

impl<W: Write> Write for Escaped<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut escaped = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            match byte {
                0x80..=0x9f if self.held => escaped.extend(format!("\\u{{{byte:x}}}").bytes()),
                _ => {
                    if self.held {
                        escaped.push(LATIN);
                    }
                    match byte {
                        LATIN | b'\n' | b'\t' | b' '..=0x7e | 0x80.. => escaped.extend((byte != LATIN).then_some(byte)),
                        _ => escaped.extend(format!("\\x{byte:02x}").bytes()),
                    }
                }
            }
            self.held = byte == LATIN;
        }
        self.out.write_all(&escaped).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The output and error streams of a command.
pub(crate) struct Output {
    /// Standard output, buffered.
    pub(crate) out: Box<dyn Write>,
    pub(crate) err: Box<dyn Write>,
}

impl Output {
    /// Creates streams for text with styles. By default, styles are removed if the output does not go to a terminal.
    pub(crate) fn styled() -> Output {
        Output::to(anstream::stdout())
    }

    /// Creates streams for text without styles, such as JSON. On a terminal, the output is [`Escaped`].
    pub(crate) fn plain() -> Output {
        Output::to(stdout())
    }

    /// Creates streams for JSON or for text with styles.
    pub(crate) fn json_or_styled(is_json: bool) -> Output {
        if is_json { Output::plain() } else { Output::styled() }
    }

    fn to(out: impl Write + 'static) -> Output {
        Output { out: Box::new(io::BufWriter::with_capacity(1 << 16, out)), err: stderr() }
    }

    /// Makes the command continue after the reader of its output closes the pipe. Used by commands that have work to finish or an exit
    /// status to compute.
    pub(crate) fn until_done(self) -> Output {
        Output { out: Box::new(UntilClosed(self.out)), err: self.err }
    }

    /// Returns the value of `done`. If output could not be written, returns this error. Prints any other error with the path, and returns
    /// `None`.
    pub(crate) fn settle<T>(&mut self, path: &Path, done: Result<T>) -> io::Result<Option<T>> {
        match done {
            Ok(value) => Ok(Some(value)),
            Err(Error::Write(error)) => Err(error),
            Err(error) => writeln!(self.err, "{}", named(path, error)).map(|()| None),
        }
    }
}

/// A writer that discards output after the reader has closed the pipe.
struct UntilClosed(Box<dyn Write>);

impl UntilClosed {
    fn unless_closed<T>(&mut self, done: io::Result<T>, instead: T) -> io::Result<T> {
        match done {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.0 = Box::new(io::sink());
                Ok(instead)
            }
            done => done,
        }
    }
}

impl Write for UntilClosed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.0.write(bytes);
        self.unless_closed(done, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.0.flush();
        self.unless_closed(done, ())
    }
}

/// Formats an error with the path of the file at its start, unless the path is empty. If the error already starts with this path, the path
/// is not repeated.
pub(crate) fn named(path: &Path, error: impl std::fmt::Display) -> String {
    let (place, error) = (format!("{}: ", without_password(&path.to_string_lossy())), error.to_string());
    printable(&if path == Path::new("") || error.starts_with(&place) { error } else { place + &error })
}

#[cfg(test)]
#[path = "../tests/unit/output.rs"]
mod tests;
