//! A MessagePack value as a line of text that looks like JSON.

use super::marker::{self, Form};
use super::text::{count, quoted};

/// How deep a value may nest.
const MAX_DEPTH: usize = 32;

/// The longest byte string that is spelled out.
const MAX_BYTES: usize = 32;

/// The value that is all of `bytes`, cut after `limit` characters. `None` where the bytes are something else.
pub(crate) fn text(bytes: &[u8], limit: usize) -> Option<String> {
    let mut line = Line { rest: bytes, text: String::new(), limit };
    line.value(MAX_DEPTH)?;
    line.rest.is_empty().then(|| shortened(&line.text, limit))
}

/// A text of at most so many characters, and a sign that there were more.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

struct Line<'a> {
    rest: &'a [u8],
    text: String,
    limit: usize,
}

impl<'a> Line<'a> {
    fn value(&mut self, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let byte = *self.rest.first()?;
        match marker::of(byte)?.1 {
            Form::Word(word) => {
                self.take(1)?;
                self.push(if word == "nil" { "null" } else { word });
            }
            Form::Fixint => {
                self.take(1)?;
                self.push(&i8::from_be_bytes([byte]).to_string());
            }
            Form::Number(width, show) => {
                let number = self.take(1 + width)?.get(1..)?;
                self.push(&show(number));
            }
            Form::String(length, _) => {
                let (head, length) = length.read(self.rest)?;
                self.take(head)?;
                let string = self.take(length)?;
                match byte {
                    0xc4..=0xc6 if length > MAX_BYTES => self.push(&format!("<{}>", count(length, "byte"))),
                    0xc4..=0xc6 => self.push(&format!("b\"{}\"", string.escape_ascii())),
                    _ => self.push(&quoted(string)),
                }
            }
            Form::Ext(length) => {
                let (head, length) = length.read(self.rest)?;
                self.take(head)?;
                let (&kind, bytes) = self.take(length.checked_add(1)?)?.split_first()?;
                self.push(&format!("<ext {}, {}>", i8::from_be_bytes([kind]), count(bytes.len(), "byte")));
            }
            Form::Array(length) => {
                let (head, elements) = length.read(self.rest)?;
                self.take(head)?;
                self.list(["[", "]"], elements, |this| this.value(depth))?;
            }
            Form::Map(length) => {
                let (head, pairs) = length.read(self.rest)?;
                self.take(head)?;
                self.list(["{", "}"], pairs, |this| {
                    this.value(depth)?;
                    this.push(": ");
                    this.value(depth)
                })?;
            }
        }
        Some(())
    }

    fn list(&mut self, [open, close]: [&str; 2], items: usize, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.push(open);
        for index in 0..items {
            if index != 0 {
                self.push(", ");
            }
            item(self)?;
        }
        self.push(close);
        Some(())
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    /// Adds text as long as any of it can be seen.
    fn push(&mut self, text: &str) {
        // No character takes less than a byte or more than four.
        if self.text.len() <= self.limit.saturating_mul(4) {
            self.text += text;
        }
    }
}
