//! JSON on one line that is safe to print on a terminal.

use std::io::{self, Write};

use serde::Serialize;

/// Writes a JSON object on one line. Control characters from U+007F on, and characters such as U+202E, which changes the direction of text,
/// are escaped too. JSON does not require this, but a terminal might interpret these characters.
///
/// # Errors
///
/// Fails if `object` cannot be serialized, or `out` cannot be written to.
pub fn write_line(out: &mut dyn Write, object: &impl Serialize) -> io::Result<()> {
    write_text(out, object)?;
    out.write_all(b"\n")
}

/// Writes a JSON object like [`write_line`], but without the newline.
///
/// # Errors
///
/// Fails if `object` cannot be serialized, or `out` cannot be written to.
pub fn write_text(out: &mut dyn Write, object: &impl Serialize) -> io::Result<()> {
    let mut line = Line { out, bytes: Vec::with_capacity(LENGTH) };
    object.serialize(&mut serde_json::Serializer::new(&mut line))?;
    line.flush()
}

/// The number of bytes to collect before they are searched for characters to escape. The JSON serializer writes many short pieces.
/// Collected bytes never end inside a character, because each piece consists of whole characters.
const LENGTH: usize = 1 << 13;

struct Line<'w> {
    out: &'w mut dyn Write,
    bytes: Vec<u8>,
}

impl Write for Line<'_> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.write_all(piece).map(|()| piece.len())
    }

    #[inline]
    fn write_all(&mut self, piece: &[u8]) -> io::Result<()> {
        if self.bytes.len() + piece.len() > LENGTH {
            self.flush()?;
        }
        self.bytes.extend_from_slice(piece);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut written = 0;
        // The characters to escape occur only inside JSON strings, where an escape sequence is valid.
        for at in memchr::memchr3_iter(0x7f, 0xc2, 0xe2, &self.bytes) {
            let length = match self.bytes.get(at) {
                Some(0x7f) => 1,
                Some(0xc2) => 2,
                _ => 3,
            };
            let char = self.bytes.get(at..at + length).and_then(|char| std::str::from_utf8(char).ok()?.chars().next());
            let Some(char) = char.filter(|&char| misleads(char)) else { continue };
            self.out.write_all(self.bytes.get(written..at).unwrap_or_default())?;
            write!(self.out, "\\u{:04x}", u32::from(char))?;
            written = at + length;
        }
        self.out.write_all(self.bytes.get(written..).unwrap_or_default())?;
        self.bytes.clear();
        Ok(())
    }
}

/// Returns true for characters that are escaped because a terminal might interpret them. In UTF-8, they all start with one of three bytes.
fn misleads(char: char) -> bool {
    matches!(char, '\u{7f}'..='\u{9f}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
