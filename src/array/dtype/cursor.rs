//! [`Cursor`]: a position in a dtype string that is being parsed.

use alloc::string::String;
use core::fmt;

use super::quote::{Quoted, is_printable, spelled};
use crate::error::{Error, ErrorKind, Result};

/// A position in a dtype string, stored as the part of the string that has not been read. Copy the cursor to go back to a position later,
/// or to report it in an error.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    rest: &'a str,
    length: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Cursor { rest: text, length: text.len() }
    }

    /// Returns the input that has not been read.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// Returns the input that has been read since `start`.
    fn since(&self, start: Cursor<'a>) -> &'a str {
        start.rest.get(..start.rest.len() - self.rest.len()).unwrap_or_default()
    }

    /// Returns the ASCII letters, digits and underscores that come next, without consuming them.
    pub(super) fn word(&self) -> &'a str {
        self.run(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    fn run(&self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        self.rest.get(..end).unwrap_or_default()
    }

    /// Consumes the next character if it is one of `characters`.
    pub(super) fn eat_any(&mut self, characters: &str) -> Option<char> {
        let next = self.rest.chars().next().filter(|&c| characters.contains(c))?;
        self.next();
        Some(next)
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next();
        self.rest = characters.as_str();
        next
    }

    /// Consumes `token` if it comes next.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Consumes `token`. Fails if something else comes next.
    pub(super) fn expect(&mut self, token: &str) -> Result<()> {
        if self.eat(token) {
            return Ok(());
        }
        Err(self.found_instead(Quoted(token), token.chars().count()))
    }

    /// Consumes a decimal number, which must be at most `max`.
    pub(super) fn number(&mut self, max: usize) -> Result<usize> {
        let digits = self.run(|c| c.is_ascii_digit());
        match digits.parse() {
            _ if digits.is_empty() => Err(self.expected("a number")),
            _ if digits.len() > 1 && digits.starts_with('0') => {
                Err(self.found_instead("a number without leading zeros", digits.len()))
            }
            Ok(number) if number <= max => {
                self.eat(digits);
                Ok(number)
            }
            _ => Err(self.found_instead(format_args!("a number up to {max}"), digits.len())),
        }
    }

    /// Consumes a string in quotes. Fails if Python's `repr` would write the string differently, except that any character outside ASCII
    /// may be escaped or not.
    pub(super) fn string(&mut self) -> Result<String> {
        let start = *self;
        let quote = self.eat_any("'\"").ok_or_else(|| start.expected("a string in quotes"))?;
        let mut value = String::new();
        loop {
            // Most names consist only of ASCII letters, digits and underscores, which are never escaped.
            let word = self.word();
            self.eat(word);
            value += word;
            let at = *self;
            let c = take_character(self)?;
            if at.rest.starts_with(quote) {
                break;
            }
            // Whether `repr` escapes a character outside ASCII can depend on Python's version, so both spellings are accepted.
            let usual = is_printable(c);
            let as_found = |raw| self.since(at) == spelled(c, quote, raw);
            if !as_found(usual) && (c.is_ascii() || !as_found(!usual)) {
                return Err(at.found_instead(Quoted(&spelled(c, quote, usual)), self.since(at).chars().count()));
            }
            value.push(c);
        }
        if quote != Quoted(&value).quote() {
            return Err(start.expected(if quote == '"' { "single quotes" } else { "double quotes" }));
        }
        Ok(value)
    }

    /// Checks that all input has been read.
    pub(super) fn end(&self) -> Result<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.expected("the end of the string")) }
    }

    /// Returns an error with the message that `what` was expected at this position. The message quotes the next character, if there is one.
    #[cold]
    pub(super) fn expected(&self, what: impl fmt::Display) -> Error {
        self.found_instead(what, 1)
    }

    /// Returns an error with the message that `what` was expected at this position. The message quotes the next `count` characters (at
    /// least 1 and at most 24), or those that are left.
    #[cold]
    pub(super) fn found_instead(&self, what: impl fmt::Display, count: usize) -> Error {
        const LONGEST: usize = 24;
        let end = self.rest.char_indices().nth(count.clamp(1, LONGEST)).map_or(self.rest.len(), |(end, _)| end);
        match self.rest.get(..end).unwrap_or_default() {
            "" => self.refuse(format_args!("expected {what}, found the end of the string")),
            found => self.refuse(format_args!("expected {what}, found {}", Quoted(found))),
        }
    }

    #[cold]
    pub(super) fn refuse(&self, why: impl fmt::Display) -> Error {
        Error::at(ErrorKind::Message(alloc::format!("{why}")), self.length - self.rest.len()).field("dtype")
    }
}

/// Consumes the next character of a string literal, which may be an escape sequence.
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
