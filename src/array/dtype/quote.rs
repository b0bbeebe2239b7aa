//! Writes strings as Python's `repr` does.

use alloc::string::String;
use core::fmt::{self, Write};

/// A string whose `Display` writes it in quotes, as Python's `repr` does.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl Quoted<'_> {
    /// Returns the quote character that `repr` puts around the string.
    pub(super) fn quote(&self) -> char {
        if self.0.contains('\'') && !self.0.contains('"') { '"' } else { '\'' }
    }
}

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quote = self.quote();
        f.write_char(quote)?;
        // Most names consist of characters that are never escaped, or at least start with them.
        let plain = self.0.bytes().take_while(|&byte| byte.is_ascii_alphanumeric() || byte == b'_').count();
        let (plain, rest) = self.0.split_at(plain);
        f.write_str(plain)?;
        for c in rest.chars() {
            write_character(f, c, quote, is_printable(c))?;
        }
        f.write_char(quote)
    }
}

fn write_character(f: &mut impl Write, c: char, quote: char, raw: bool) -> fmt::Result {
    match c {
        '\n' => f.write_str("\\n"),
        '\r' => f.write_str("\\r"),
        '\t' => f.write_str("\\t"),
        '\\' => f.write_str("\\\\"),
        _ if c == quote => write!(f, "\\{c}"),
        _ if raw => f.write_char(c),
        '\0'..='\u{ff}' => write!(f, "\\x{:02x}", u32::from(c)),
        '\u{100}'..='\u{ffff}' => write!(f, "\\u{:04x}", u32::from(c)),
        _ => write!(f, "\\U{:08x}", u32::from(c)),
    }
}

/// Returns true if Python's `str.isprintable` accepts the character (in the same version of Unicode).
///
/// Characters outside ASCII are tested with Rust's `escape_debug`, which escapes characters of the same categories. It also escapes a
/// combining mark at the start of a string, so the character is put after a letter.
pub(super) fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    let mut behind_a_letter = String::from("a");
    behind_a_letter.push(c);
    behind_a_letter.escape_debug().nth(2).is_none()
}

/// Returns a character as it is written in a string literal, escaped if necessary. `raw` is whether the character counts as printable.
pub(super) fn spelled(c: char, quote: char, raw: bool) -> String {
    let mut spelled = String::new();
    // Writing into a String cannot fail.
    let _ = write_character(&mut spelled, c, quote, raw);
    spelled
}
