//! Names and titles: strings as Python's `repr` writes them.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::fmt::{self, Write};

use super::cursor::Cursor;
use crate::error::Result;

/// A string that prints itself in quotes, as Python's `repr` would.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl Quoted<'_> {
    fn quote(&self) -> char {
        if self.0.contains('\'') && !self.0.contains('"') { '"' } else { '\'' }
    }
}

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quote = self.quote();
        f.write_char(quote)?;
        for c in self.0.chars() {
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

/// Python's `str.isprintable`: neither a control, format, private or unassigned character nor a space other than ` `.
///
/// Rust's `Debug` of a string goes by the same categories, except for what it escapes for its own sake: quotes, the
/// backslash, and a combining mark at the front.
fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    let mut behind_a_letter = String::from("a");
    behind_a_letter.push(c);
    behind_a_letter.escape_debug().nth(2).is_none()
}

/// A name or title, and how it was spelled where [`Quoted`] would spell it otherwise.
///
/// Which characters are unassigned, and so escaped, depends on the age of the Python that wrote a string; and an empty
/// name in a list stands for `f0`, `f1`, and so on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Text {
    pub(super) value: String,
    literal: Option<Box<str>>,
}

impl From<String> for Text {
    fn from(value: String) -> Self {
        Text { value, literal: None }
    }
}

impl Text {
    /// The name of a list's field at `index` that is spelled `''`.
    pub(super) fn unnamed(index: usize) -> Self {
        Text { value: alloc::format!("f{index}"), literal: Some("''".into()) }
    }

    /// Forgets how it was spelled.
    pub(super) fn respell(&mut self) {
        self.literal = None;
    }

    /// Whether it was spelled `''` and means another name. Only a list can say so.
    pub(super) fn is_unnamed(&self) -> bool {
        !self.value.is_empty() && self.literal.as_deref() == Some("''")
    }

    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Text> {
        let start = *cursor;
        let quote = cursor.eat_any("'\"").ok_or_else(|| start.expected("a string in quotes"))?;
        let mut value = String::new();
        loop {
            let at = *cursor;
            let c = take_character(cursor)?;
            if at.rest().starts_with(quote) {
                break;
            }
            // Python's tables say which characters outside ASCII are printable: both ways are taken.
            let usual = is_printable(c);
            let as_found = |raw| cursor.since(at) == spelled(c, quote, raw);
            if !as_found(usual) && (c.is_ascii() || !as_found(!usual)) {
                return Err(at.found_instead(spelled(c, quote, usual), cursor.since(at).chars().count()));
            }
            value.push(c);
        }
        if quote != Quoted(&value).quote() {
            return Err(start.expected(if quote == '"' { "single quotes" } else { "double quotes" }));
        }
        let literal = cursor.since(start);
        let literal = (Quoted(&value).to_string() != literal).then(|| literal.into());
        Ok(Text { value, literal })
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.literal {
            Some(literal) => f.write_str(literal),
            None => Quoted(&self.value).fmt(f),
        }
    }
}

fn spelled(c: char, quote: char, raw: bool) -> String {
    let mut spelled = String::new();
    // Writing into a String cannot fail.
    let _ = write_character(&mut spelled, c, quote, raw);
    spelled
}

/// The next character of a string, be it escaped or not.
fn take_character(cursor: &mut Cursor<'_>) -> Result<char> {
    let start = *cursor;
    match cursor.next() {
        None => Err(start.expected("a closing quote")),
        Some('\\') => {
            let digits = match cursor.next() {
                Some('n') => return Ok('\n'),
                Some('r') => return Ok('\r'),
                Some('t') => return Ok('\t'),
                Some(c @ ('\\' | '\'' | '"')) => return Ok(c),
                Some('x') => 2,
                Some('u') => 4,
                Some('U') => 8,
                _ => return Err(start.found_instead("one of the escapes \\\\ \\' \\n \\r \\t \\x \\u \\U", 2)),
            };
            let number = cursor.rest().get(..digits).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
            let character = number.and_then(|number| {
                cursor.eat(number);
                char::from_u32(u32::from_str_radix(number, 16).ok()?)
            });
            character.ok_or_else(|| start.found_instead(format_args!("a character in {digits} hexadecimal digits"), 2 + digits))
        }
        Some(c) => Ok(c),
    }
}
