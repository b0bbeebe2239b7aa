//! A value as a line of text for people.

use std::fmt::{self, Write};

use super::{Item, MAX_DEPTH, Reader, Value, is_pickle};
use crate::marker;
use crate::text::{count, printable, quoted, shortened};

/// The longest byte string that is spelled out.
const MAX_BYTES: usize = 32;

pub(super) fn line(value: &[u8], limit: usize) -> String {
    let mut line = Line { reader: Reader(value), text: String::new(), limit };
    // What is written before an end that is too early says enough.
    let _ = line.value(MAX_DEPTH);
    shortened(line.text, limit)
}

struct Line<'a> {
    reader: Reader<'a>,
    text: String,
    limit: usize,
}

impl Line<'_> {
    fn value(&mut self, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match self.reader.next()? {
            Item::Nil => self.push("null"),
            Item::Bool(value) => self.push(if value { "true" } else { "false" }),
            Item::Int(number) => self.write(format_args!("{number}")),
            Item::Unsigned(number) => self.write(format_args!("{number}")),
            Item::Float(number) => self.push(&marker::float_text(number)),
            Item::String(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => self.write(format_args!("{text:?}")),
                Err(_) => self.push(&quoted(bytes)),
            },
            Item::Bytes(bytes) => self.push(&bytes_text(bytes)),
            Item::Ext(kind, bytes) => self.extension(kind, bytes, depth)?,
            Item::Array(elements) => {
                let is_tuple = self.reader.takes_tuple(elements);
                let brackets = match (is_tuple, elements) {
                    (false, _) => ["[", "]"],
                    // Python writes a comma after the only element.
                    (true, 2) => ["(", ",)"],
                    (true, _) => ["(", ")"],
                };
                self.list(brackets, elements - usize::from(is_tuple), |this| this.value(depth))?;
            }
            Item::Map(pairs) => self.list(["{", "}"], pairs, |this| {
                this.value(depth)?;
                this.push(": ");
                this.value(depth)
            })?,
        }
        Some(())
    }

    fn extension(&mut self, kind: i8, bytes: &[u8], depth: usize) -> Option<()> {
        let content = Value::from_slice(bytes);
        match (kind, content) {
            (42, _) => self.push(&format!("<frame of {}>", count(bytes.len(), "byte"))),
            (44, _) if bytes.len() == 16 => {
                let (real, imaginary) = bytes.split_at(8);
                let [real, imaginary] = [real, imaginary].map(|bytes| f64::from_bits(marker::number(bytes)));
                self.push(&format!("({}, {}i)", marker::float_text(real), marker::float_text(imaginary)));
            }
            (45, Some(set)) => {
                self.push("set");
                let text = Line { reader: Reader(set.0), text: String::new(), limit: self.limit }.whole(depth)?;
                self.push(&text);
            }
            (46, Some(array)) => {
                let shape = array.get("shape").map_or_else(String::new, |shape| shape.text(40));
                let dtype = array
                    .dtype()
                    .map_or_else(|| "objects".to_owned(), |dtype| dtype.as_str().map_or_else(|| dtype.text(40), printable));
                self.push(&format!("<ndarray {dtype} {shape}>"));
            }
            (43, Some(reference)) => {
                self.push("<reference ");
                let text = Line { reader: Reader(reference.0), text: String::new(), limit: self.limit }.whole(depth)?;
                self.push(&text);
                self.push(">");
            }
            _ => self.push(&format!("<ext {kind}, {}>", count(bytes.len(), "byte"))),
        }
        Some(())
    }

    fn whole(mut self, depth: usize) -> Option<String> {
        self.value(depth)?;
        Some(self.text)
    }

    fn list(&mut self, [open, close]: [&str; 2], items: usize, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.push(open);
        for index in 0..items {
            if index != 0 {
                self.push(", ");
            }
            item(self)?;
            if self.is_full() {
                // Nothing more of it can be seen.
                return None;
            }
        }
        self.push(close);
        Some(())
    }

    fn push(&mut self, text: &str) {
        if !self.is_full() {
            self.text += text;
        }
    }

    fn write(&mut self, text: fmt::Arguments) {
        if !self.is_full() {
            // Writing to a string does not fail.
            let _ = self.text.write_fmt(text);
        }
    }

    fn is_full(&self) -> bool {
        // No character takes less than a byte or more than four.
        self.text.len() > self.limit.saturating_mul(4)
    }
}

fn bytes_text(bytes: &[u8]) -> String {
    match bytes.len() {
        length if is_pickle(bytes) => format!("<pickle of {}>", count(length, "byte")),
        length if length > MAX_BYTES => format!("<{}>", count(length, "byte")),
        _ => format!("b\"{}\"", bytes.escape_ascii()),
    }
}
