//! A header or trailer walked from its first byte to its last, a row for each marker and what belongs to it.
//!
//! The walk needs no header that is right: of a broken one it gives rows up to the break, and what follows in one row.

use std::mem;

use b2nd::frame::ChunkHeader;
use b2nd::{ArrayMeta, CatervaMeta};
use serde::Serialize;

use super::names::{self, Names, Part};
use crate::text::{count, quoted, shortened};
use b2nd_store::marker::{self, Form, Show, length};

/// The deepest nesting of a metalayer's content that is taken apart.
const MAX_DEPTH: usize = 32;

/// The length of the marker of a bin32 or str32 and the length after it.
const HEAD: usize = 5;

/// The most of a string's text that is shown, in characters.
const MAX_TEXT: usize = 60;

/// Bytes with their name and their value.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    /// Their first byte, counted from the start of the frame.
    pub offset: u64,
    /// Their number.
    pub length: usize,
    /// The number of them that are the marker and a length after it.
    pub head: usize,
    /// The marker's name, where there is a marker.
    pub marker: &'static str,
    /// The number of values that this one is inside of.
    pub depth: usize,
    /// Their name.
    pub name: String,
    /// Their value, for people.
    pub value: String,
    /// True if a longer metalayer left these bytes.
    pub stale: bool,
}

impl Row {
    /// The row's bytes, in those that begin at `start`.
    pub fn bytes<'a>(&self, all: &'a [u8], start: u64) -> &'a [u8] {
        let first = self.offset.checked_sub(start).and_then(|first| usize::try_from(first).ok());
        first.and_then(|first| all.get(first..first.checked_add(self.length)?)).unwrap_or_default()
    }
}

/// The rows of a header. Their bytes, one after the other, are these.
pub fn header(bytes: &[u8]) -> Vec<Row> {
    Rows::of(bytes, 0, false, "header", names::HEADER)
}

/// The rows of a trailer that starts at this byte of its frame.
pub fn trailer(bytes: &[u8], start: u64) -> Vec<Row> {
    Rows::of(bytes, start, true, "trailer", names::TRAILER)
}

/// Bytes that are left, and the rows of those before.
struct Rows<'a> {
    rest: &'a [u8],
    /// The byte at which the rest begins, and the one at which all of it began.
    offset: u64,
    start: u64,
    depth: usize,
    /// The metalayers' names, as the map of their offsets has them.
    metalayers: Vec<&'a [u8]>,
    /// True if the metalayers' contents are chunks.
    are_chunks: bool,
    rows: Vec<Row>,
}

impl<'a> Rows<'a> {
    fn of(rest: &'a [u8], start: u64, are_chunks: bool, name: &str, names: Names) -> Vec<Row> {
        let mut rows = Rows { rest, offset: start, start, depth: 0, metalayers: Vec::new(), are_chunks, rows: Vec::new() };
        rows.value(name, names);
        rows.left("not understood", length);
        rows.rows
    }

    /// A value and all that is in it. `None` where the bytes are none; rows of its front may be there then.
    fn value(&mut self, name: &str, names: Names) -> Option<()> {
        let byte = *self.rest.first()?;
        let (marker, form) = marker::of(byte)?;
        match form {
            Form::Word(word) => self.row(marker, 1, 1, name, word.to_owned()),
            Form::Fixint => self.row(marker, 1, 1, name, i8::from_be_bytes([byte]).to_string()),
            Form::Number(width, show) => {
                let mut value = show(self.rest.get(1..=width)?);
                if let Names::Offsets = names {
                    let position = self.start.saturating_add(marker::number(self.rest.get(1..=width)?));
                    value = format!("{value} = {position:04x}");
                }
                self.row(marker, 1, 1 + width, name, value)
            }
            Form::String(length, show) => {
                let (head, length) = length.read(self.rest)?;
                self.string(marker, head, length, name, names, show)
            }
            Form::Ext(length) => {
                let (head, length) = length.read(self.rest)?;
                self.string(marker, head, length.checked_add(1)?, name, names, marker::extension)
            }
            Form::Array(length) => {
                let (head, elements) = length.read(self.rest)?;
                let value = match names {
                    Names::Fields(fields) if fields.len() != elements => {
                        format!("says {elements}, has {}", count(fields.len(), "element"))
                    }
                    _ => count(elements, "element"),
                };
                self.row(marker, head, head, name, value)?;
                self.inside(|this| this.elements(names, elements))
            }
            Form::Map(length) => {
                let (head, pairs) = length.read(self.rest)?;
                self.row(marker, head, head, name, count(pairs, "pair"))?;
                self.inside(|this| (0..pairs).try_for_each(|_| this.pair(names)))
            }
        }
    }

    /// A string or extension, whole or in its parts.
    fn string(&mut self, marker: &'static str, head: usize, length: usize, name: &str, names: Names, show: Show) -> Option<()> {
        let end = head.checked_add(length)?;
        let value = show(self.rest.get(head..end)?);
        let Names::Parts(parts) = names else { return self.row(marker, head, end, name, shortened(value, MAX_TEXT)) };
        self.row(marker, head, head, name, count(length, "byte"))?;
        self.inside(|this| parts.iter().try_for_each(|part| this.part(part)))
    }

    fn part(&mut self, part: &Part) -> Option<()> {
        let bytes = self.rest.get(..part.length)?;
        self.row("", 0, part.length, part.name, part.text(bytes))
    }

    fn elements(&mut self, names: Names, count: usize) -> Option<()> {
        match names {
            // As many as there are names, whatever the count says.
            Names::Fields(fields) => fields.iter().try_for_each(|(name, names)| self.value(name, *names)),
            Names::Contents => {
                let mut names = mem::take(&mut self.metalayers).into_iter();
                (0..count).try_for_each(|_| self.content(names.next().unwrap_or_default()))
            }
            _ => (0..count).try_for_each(|index| self.value(&format!("[{index}]"), Names::Any)),
        }
    }

    /// A map's key, and its value under the key's name.
    fn pair(&mut self, names: Names) -> Option<()> {
        let (key, bytes) = (self.rows.len(), self.rest);
        self.value("key", Names::Any)?;
        if let Names::Offsets = names {
            // After the marker; in a header that is right it is a fixstr.
            let length = bytes.len() - self.rest.len();
            self.metalayers.push(bytes.get(1..length).unwrap_or_default());
        }
        let name = self.rows.get(key)?.value.clone();
        self.value(&name, names)
    }

    /// A metalayer's content: a bin32, and what is in it.
    fn content(&mut self, name: &[u8]) -> Option<()> {
        let length = match self.rest.first_chunk::<HEAD>()? {
            [0xc6, length @ ..] => u32::from_be_bytes(*length) as usize,
            _ => return None,
        };
        self.rest.get(HEAD..)?.get(..length)?;
        self.row("bin32", HEAD, HEAD, &quoted(name), count(length, "byte"))?;
        let (content, after) = self.rest.split_at_checked(length)?;
        self.rest = content;
        self.inside(|this| if this.are_chunks { this.chunk() } else { this.unfold(name) });
        self.rest = after;
        Some(())
    }

    /// All that is left, as a chunk if it is one.
    fn chunk(&mut self) -> Option<()> {
        let Ok(header) = ChunkHeader::from_slice(self.rest) else { return self.left("bytes", text_or_length) };
        let Some((chunk, after)) = self.rest.split_at_checked(header.cbytes()) else {
            return self.left("a chunk that is cut off", length);
        };
        self.rest = chunk;
        let mut left = header.header_len();
        for part in &names::CHUNK {
            if left != 0 {
                self.part(part)?;
                left -= part.length;
            }
        }
        match (header.is_stored(), header.special()) {
            (true, _) => {
                let (data, beyond) = self.rest.split_at_checked(header.nbytes())?;
                self.rest = data;
                self.unfold(b"")?;
                self.rest = beyond;
            }
            (_, Some(_)) => self.left("value", text_or_length)?,
            (false, None) => self.left("compressed data", length)?,
        }
        self.stale()?;
        self.rest = after;
        self.stale()
    }

    /// All that is left, as bytes that a longer content left.
    fn stale(&mut self) -> Option<()> {
        let before = self.rows.len();
        self.left("stale bytes", length);
        self.rows.get_mut(before..)?.iter_mut().for_each(|row| row.stale = true);
        Some(())
    }

    /// All that is left, as an array's metalayer or as any one value if it is such, else as plain bytes.
    fn unfold(&mut self, name: &[u8]) -> Option<()> {
        let (rest, offset, rows) = (self.rest, self.offset, self.rows.len());
        if self.array(name).is_some() {
            return self.stale();
        }
        match self.value("value", Names::Any) {
            Some(()) if self.rest.is_empty() => Some(()),
            _ => {
                (self.rest, self.offset) = (rest, offset);
                self.rows.truncate(rows);
                self.left("bytes", text_or_length)
            }
        }
    }

    /// An array's metalayer, if this is one, as its layout has it.
    fn array(&mut self, name: &[u8]) -> Option<()> {
        let layout = match name {
            b"b2nd" => b2nd::layout(&b2nd::take_from_slice::<ArrayMeta<&str>>(self.rest).ok()?.0),
            b"caterva" => b2nd::layout(&b2nd::take_from_slice::<CatervaMeta>(self.rest).ok()?.0),
            _ => return None,
        };
        let (layout, depth) = (layout.ok()?, self.depth);
        for (index, entry) in layout.entries().iter().enumerate() {
            let name = if entry.path().is_empty() { "array" } else { entry.path() };
            self.depth = depth + entry.depth();
            let Some(says) = entry.marker().checked_sub(0x90).filter(|count| *count <= 16).map(usize::from) else {
                self.value(name, Names::Any)?;
                continue;
            };
            let inside = layout.entries().iter().skip(index + 1).take_while(|inner| inner.depth() > entry.depth());
            let elements = inside.filter(|inner| inner.depth() == entry.depth() + 1).count();
            let text = count(elements, "element");
            let text = if says == elements { text } else { format!("says {says}, has {text}") };
            // The marker of 16 dimensions is none of MessagePack's.
            self.row(if says == 16 { "90 + 16" } else { "fixarray" }, 1, 1, name, text)?;
        }
        self.depth = depth;
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
        let rest = self.rest.get(length..)?;
        let (offset, depth) = (self.offset, self.depth);
        self.rows.push(Row { offset, length, head, marker, depth, name: name.to_owned(), value, stale: false });
        self.rest = rest;
        self.offset += length as u64;
        Some(())
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

/// Short text as it is, and of anything else its length.
fn text_or_length(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains(char::is_control) => shortened(quoted(bytes), MAX_TEXT),
        _ => length(bytes),
    }
}
