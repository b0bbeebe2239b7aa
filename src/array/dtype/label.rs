//! Names and titles of fields.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::fmt;

use super::cursor::Cursor;
use super::quote::{Quoted, is_printable, spelled};
use crate::error::Result;

/// A name or title, and its literal if [`Quoted`] would write another.
///
/// Which characters are unassigned, and so escaped, depends on the age of the Python that wrote a string; and an empty
/// name in a list means `f0`, `f1`, and so on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Label {
    pub(super) value: String,
    literal: Option<Box<str>>,
}

impl From<String> for Label {
    fn from(value: String) -> Self {
        Label { value, literal: None }
    }
}

impl Label {
    /// Returns the name of a list's field at `index` that is spelled `''`.
    pub(super) fn unnamed(index: usize) -> Self {
        Label { value: alloc::format!("f{index}"), literal: Some("''".into()) }
    }

    /// Drops the spelling of its string.
    pub(super) fn respell(&mut self) {
        self.literal = None;
    }

    /// Returns true if it was spelled `''` and means another name. Only a list can say so.
    pub(super) fn is_unnamed(&self) -> bool {
        !self.value.is_empty() && self.literal.as_deref() == Some("''")
    }

    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Label> {
        let start = *cursor;
        let quote = cursor.eat_any("'\"").ok_or_else(|| start.expected("a string in quotes"))?;
        let mut value = String::new();
        loop {
            let at = *cursor;
            let c = take_character(cursor)?;
            if at.rest().starts_with(quote) {
                break;
            }
            // Python's tables say which characters outside ASCII are printable: both spellings are accepted.
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
        Ok(Label { value, literal })
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.literal {
            Some(literal) => f.write_str(literal),
            None => Quoted(&self.value).fmt(f),
        }
    }
}

/// Takes the next character of a string, escaped or not.
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
