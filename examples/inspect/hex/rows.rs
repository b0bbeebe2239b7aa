//! A header walked from its first byte to its last, a row for each marker and what belongs to it.

use b2nd::frame::{Header, Metalayers};
use b2nd::{ArrayMeta, CatervaMeta};

use super::super::text::{count, quoted};
use super::marker::{self, Form, Length, Show, length};
use super::names::{self, Names, Part};

/// How deep a metalayer's content may nest to be taken apart.
const MAX_DEPTH: usize = 32;

/// How much of a string's text is shown, in characters.
const MAX_TEXT: usize = 60;

/// Bytes, and what they are.
pub(crate) struct Row<'a> {
    /// Where they begin, counted from the start of the header.
    pub offset: usize,
    pub bytes: &'a [u8],
    /// How many of them are the marker and a length after it.
    pub head: usize,
    /// The marker's name, where there is a marker.
    pub marker: &'static str,
    /// How many values this one is inside of.
    pub depth: usize,
    pub name: String,
    pub value: String,
    /// Whether a longer metalayer left these bytes.
    pub stale: bool,
}

/// What is left of the bytes, and the rows of those before.
pub(crate) struct Rows<'a> {
    rest: &'a [u8],
    offset: usize,
    depth: usize,
    metalayers: &'a Metalayers,
    rows: Vec<Row<'a>>,
}

impl<'a> Rows<'a> {
    /// The rows of a header whose encoding is `bytes`. Put together, theirs are the same bytes.
    pub(crate) fn of_header(header: &'a Header, bytes: &'a [u8]) -> Vec<Row<'a>> {
        let mut rows = Rows { rest: bytes, offset: 0, depth: 0, metalayers: header.metalayers(), rows: Vec::new() };
        rows.value("header", names::HEADER);
        rows.left("not understood", length);
        rows.rows
    }

    /// A value and all that is in it. `None` where the bytes are none; rows of its front may be there then.
    fn value(&mut self, name: &str, names: Names) -> Option<()> {
        let byte = *self.rest.first()?;
        let (marker, form) = match (names, byte) {
            (Names::Dimensions, 0xa0) => ("90 + 16", Form::Array(Length::Is(16))),
            _ => marker::of(byte)?,
        };
        match form {
            Form::Word(word) => self.row(marker, 1, 1, name, word.to_owned()),
            Form::Fixint => self.row(marker, 1, 1, name, i8::from_be_bytes([byte]).to_string()),
            Form::Number(width, show) => {
                let mut value = show(self.rest.get(1..=width)?);
                if let Names::Offsets = names {
                    value = format!("{value} = {:04x}", marker::number(self.rest.get(1..=width)?));
                }
                self.row(marker, 1, 1 + width, name, value)
            }
            Form::String(length, show) => {
                let (head, length) = self.length(length)?;
                self.string(marker, head, length, name, names, show)
            }
            Form::Ext(length) => {
                let (head, length) = self.length(length)?;
                self.string(marker, head, length.checked_add(1)?, name, names, marker::extension)
            }
            Form::Array(length) => {
                let (head, elements) = self.length(length)?;
                let value = match names {
                    Names::Fields(fields) if fields.len() != elements => {
                        format!("says {elements}, has {}", count(fields.len(), "element"))
                    }
                    _ => count(elements, "element"),
                };
                self.row(marker, head, head, name, value)?;
                self.inside(|this| this.elements(name, names, elements))
            }
            Form::Map(length) => {
                let (head, pairs) = self.length(length)?;
                self.row(marker, head, head, name, count(pairs, "pair"))?;
                self.inside(|this| (0..pairs).try_for_each(|_| this.pair(names)))
            }
        }
    }

    /// A string or extension, whole or in its parts.
    fn string(&mut self, marker: &'static str, head: usize, length: usize, name: &str, names: Names, show: Show) -> Option<()> {
        let end = head.checked_add(length)?;
        let value = show(self.rest.get(head..end)?);
        let Names::Parts(parts) = names else { return self.row(marker, head, end, name, shortened(&value)) };
        self.row(marker, head, head, name, count(length, "byte"))?;
        self.inside(|this| parts.iter().try_for_each(|part| this.part(part)))
    }

    fn part(&mut self, part: &Part) -> Option<()> {
        let bytes = self.rest.get(..part.length)?;
        let value: Vec<_> = bytes.iter().map(|&byte| (part.show)(byte)).collect();
        self.row("", 0, part.length, part.name, value.join(", "))
    }

    fn elements(&mut self, name: &str, names: Names, count: usize) -> Option<()> {
        match names {
            // As many as there are names: one layout of an array's metalayer says one less.
            Names::Fields(fields) => fields.iter().try_for_each(|(name, names)| self.value(name, *names)),
            Names::Contents => self.metalayers.iter().try_for_each(|(name, content)| self.content(name, content.len())),
            Names::Dimensions => (0..count).try_for_each(|index| self.value(&format!("{name}[{index}]"), Names::Any)),
            _ => (0..count).try_for_each(|index| self.value(&format!("[{index}]"), Names::Any)),
        }
    }

    /// A map's key, and its value under the key's name.
    fn pair(&mut self, names: Names) -> Option<()> {
        let key = self.rows.len();
        self.value("key", Names::Any)?;
        let name = self.rows.get(key)?.value.clone();
        self.value(&name, names)
    }

    /// A metalayer's content: a bin32, and what is in it.
    fn content(&mut self, name: &[u8], length: usize) -> Option<()> {
        const HEAD: usize = 5;
        self.row("bin32", HEAD, HEAD, &quoted(name), count(length, "byte"))?;
        let (content, after) = self.rest.split_at_checked(length)?;
        self.rest = content;
        self.inside(|this| this.unfold(name));
        self.rest = after;
        Some(())
    }

    /// All that is left, as an array's metalayer or as any one value if it is such, else as plain bytes.
    fn unfold(&mut self, name: &[u8]) -> Option<()> {
        let (rest, offset, rows) = (self.rest, self.offset, self.rows.len());
        let (label, names) = match array_names(name, rest) {
            Some(names) => ("array", names),
            None => ("value", Names::Any),
        };
        let whole = self.value(label, names).is_some() && (self.rest.is_empty() || label == "array");
        if !whole {
            (self.rest, self.offset) = (rest, offset);
            self.rows.truncate(rows);
            return self.left("bytes", text_or_length);
        }
        let before = self.rows.len();
        self.left("stale bytes", length);
        self.rows.get_mut(before..)?.iter_mut().for_each(|row| row.stale = true);
        Some(())
    }

    /// All that is left, if anything is.
    fn left(&mut self, name: &str, show: Show) -> Option<()> {
        match self.rest {
            [] => Some(()),
            rest => self.row("", 0, rest.len(), name, show(rest)),
        }
    }

    fn row(&mut self, marker: &'static str, head: usize, length: usize, name: &str, value: String) -> Option<()> {
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        let (offset, depth) = (self.offset, self.depth);
        self.rows.push(Row { offset, bytes, head, marker, depth, name: name.to_owned(), value, stale: false });
        self.rest = rest;
        self.offset += length;
        Some(())
    }

    /// How long a marker is with the length after it, and that length.
    fn length(&self, length: Length) -> Option<(usize, usize)> {
        match length {
            Length::Is(length) => Some((1, length)),
            Length::In(width) => Some((1 + width, marker::number(self.rest.get(1..=width)?).try_into().ok()?)),
        }
    }

    fn inside(&mut self, walk: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let done = walk(self);
        self.depth -= 1;
        done
    }
}

/// The names of an array's entries, if this is the metalayer of one.
fn array_names(name: &[u8], content: &[u8]) -> Option<Names> {
    let meta = match name {
        b"b2nd" => b2nd::take_from_slice::<ArrayMeta<&str>>(content).ok()?.0,
        b"caterva" => ArrayMeta::Caterva(b2nd::take_from_slice::<CatervaMeta>(content).ok()?.0),
        _ => return None,
    };
    Some(names::array(&meta))
}

/// Short text as it is, and of anything else its length.
fn text_or_length(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains(char::is_control) => shortened(&quoted(bytes)),
        _ => length(bytes),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}
