//! JSON on one line that a terminal may show.

use std::io::{self, Write};

use serde::Serialize;

/// An object of JSON on one line. The controls from U+007F on, and what turns text around, are escaped as those below U+0020
/// are: JSON itself does not ask for it, but the line may be read on a terminal.
///
/// # Errors
///
/// Writing fails.
pub fn write_line(out: &mut dyn Write, object: &impl Serialize) -> io::Result<()> {
    write_text(out, object)?;
    out.write_all(b"\n")
}

/// JSON as [`write_line`] writes it, without the end of the line.
///
/// # Errors
///
/// Writing fails.
pub fn write_text(out: &mut dyn Write, object: &impl Serialize) -> io::Result<()> {
    let mut line = Line { out, bytes: Vec::with_capacity(LENGTH) };
    object.serialize(&mut serde_json::Serializer::new(&mut line))?;
    line.flush()
}

/// The length that is looked at together. An object is many short pieces, each of whole characters.
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
        let text = std::str::from_utf8(&self.bytes).map_err(io::Error::other)?;
        let mut written = 0;
        // Such characters stand in strings alone.
        for at in memchr::memchr3_iter(0x7f, 0xc2, 0xe2, &self.bytes) {
            let Some(char) = text.get(at..).and_then(|rest| rest.chars().next()).filter(|&char| misleads(char)) else { continue };
            let before = text.get(written..at).unwrap_or_default();
            write!(self.out, "{before}\\u{:04x}", u32::from(char))?;
            written = at + char.len_utf8();
        }
        self.out.write_all(text.get(written..).unwrap_or_default().as_bytes())?;
        self.bytes.clear();
        Ok(())
    }
}

/// True if a terminal would not show this character but do something. In UTF-8 they start with three different bytes.
fn misleads(char: char) -> bool {
    matches!(char, '\u{7f}'..='\u{9f}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
