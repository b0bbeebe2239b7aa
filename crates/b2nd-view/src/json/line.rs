//! JSON on one line that a terminal may show.

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

/// An object of JSON on one line. The controls from U+007F on, and what turns text around, are escaped as those below U+0020
/// are: JSON itself does not ask for it, but the line may be read on a terminal.
///
/// # Errors
///
/// Writing fails.
pub fn write_line(out: &mut dyn Write, object: &impl Serialize) -> io::Result<()> {
    // Of all that an object takes, most are many short pieces: `out` gets them together.
    let mut out = BufWriter::with_capacity(1 << 12, out);
    object.serialize(&mut serde_json::Serializer::with_formatter(&mut out, Plain))?;
    out.write_all(b"\n")?;
    out.into_inner().map(drop).map_err(io::IntoInnerError::into_error)
}

struct Plain;

impl Formatter for Plain {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        // Hexadecimal digits are most of a line. A loop without an early end looks at many bytes at once.
        if fragment.bytes().fold(true, |all, byte| all & (byte < 0x7f)) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        while let Some((start, char)) = rest.char_indices().find(|&(_, char)| misleads(char)) {
            let (before, after) = rest.split_at(start);
            write!(writer, "{before}\\u{:04x}", u32::from(char))?;
            rest = after.get(char.len_utf8()..).unwrap_or_default();
        }
        writer.write_all(rest.as_bytes())
    }
}

/// Whether a terminal would not show this character but do something.
fn misleads(char: char) -> bool {
    matches!(char, '\u{7f}'..='\u{9f}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
