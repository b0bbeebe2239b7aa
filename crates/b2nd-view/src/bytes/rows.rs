//! Splits a header or trailer into rows, one for each value or field.
//!
//! Bytes that cannot be split become a single row.

use std::mem;

use b2nd::msgpack::{self, Cursor, Token};
use b2nd::{ArrayMeta, CatervaMeta};
use b2nd_frame::ChunkHeader;
use serde::Serialize;

use super::names::{self, BytePart, Names};
use crate::text::{count, quoted, quoted_text, shortened};

/// A function that formats bytes.
type Show = fn(&[u8]) -> String;

/// The maximum depth of nested values that are split into rows.
const MAX_DEPTH: usize = 32;

/// The number of bytes before the content of a MessagePack bin32: the marker and the 32-bit length.
const HEAD: usize = 5;

/// The maximum number of characters that are shown of a string.
const MAX_TEXT: usize = 60;

/// A row: its position, name and value.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ByteRow {
    /// The offset in the frame of the row's first byte.
    pub offset: u64,
    /// The number of bytes of the row.
    pub length: usize,
    /// The number of bytes before the content: the marker and, if a length follows the marker, this length. It is 0 if the row has no
    /// marker.
    pub head: usize,
    /// The name of the marker, or an empty string if the row has no marker.
    pub marker: &'static str,
    /// The depth of nesting: how many values contain this value.
    pub depth: usize,
    /// The name of the value.
    pub name: String,
    /// The value as readable text.
    pub value: String,
    /// Whether the row consists of unused bytes, such as those left over from longer content.
    pub stale: bool,
}

impl ByteRow {
    /// Returns the bytes of the row. `all` must contain these bytes, and `start` is the offset of `all` in the frame.
    pub fn bytes<'a>(&self, all: &'a [u8], start: u64) -> &'a [u8] {
        let first = self.offset.checked_sub(start).and_then(|first| usize::try_from(first).ok());
        first.and_then(|first| all.get(first..first.checked_add(self.length)?)).unwrap_or_default()
    }
}

/// Returns the rows of a header, which together contain all of `bytes`.
pub fn header(bytes: &[u8]) -> Vec<ByteRow> {
    RowList::of(bytes, 0, false, "header", names::HEADER)
}

/// Returns the rows of a trailer whose offset in the frame is `start`.
pub fn trailer(bytes: &[u8], start: u64) -> Vec<ByteRow> {
    RowList::of(bytes, start, true, "trailer", names::TRAILER)
}

/// Bytes that are being split into rows: the bytes that remain, and the rows so far.
struct RowList<'a> {
    rest: &'a [u8],
    /// The offset of the remaining bytes in the frame.
    offset: u64,
    /// The offset of the header or trailer in the frame.
    start: u64,
    depth: usize,
    /// The names of the metalayers. They are collected from the map of names and offsets, because the contents after this map have no
    /// names.
    metalayers: Vec<&'a [u8]>,
    /// Whether the contents of the metalayers are chunks, as in a trailer.
    are_chunks: bool,
    rows: Vec<ByteRow>,
}

impl<'a> RowList<'a> {
    fn of(rest: &'a [u8], start: u64, are_chunks: bool, name: &str, names: Names) -> Vec<ByteRow> {
        let mut rows = RowList { rest, offset: start, start, depth: 0, metalayers: Vec::new(), are_chunks, rows: Vec::new() };
        rows.value(name, names);
        rows.left("not understood", length);
        rows.rows
    }

    /// Adds the rows of a value and of the values that it contains. Returns `None` if the bytes cannot be split, for example because they
    /// are not a valid value or are nested too deeply. In this case, rows for the bytes at the start of the value may have been added.
    fn value(&mut self, name: &str, names: Names) -> Option<()> {
        let mut cursor = Cursor::new(self.rest);
        let token = cursor.token().ok()?;
        let read = self.rest.len() - cursor.rest().len();
        let byte = *self.rest.first()?;
        let marker = if let 0x00..=0x7f | 0xe0..=0xff = byte { "fixint" } else { msgpack::marker_name(byte) };
        let value = match token {
            Token::Nil => "nil".to_owned(),
            Token::Bool(value) => value.to_string(),
            Token::Int(number @ 0..) if read > 1 && matches!(names, Names::Offsets) => {
                let position = i128::from(self.start).saturating_add(number);
                format!("{number} = {position:04x}")
            }
            Token::Int(number) => number.to_string(),
            // A float32 is shown with only the digits that a float32 needs.
            Token::Float(number) if read == 5 => format!("{:?}", number as f32),
            Token::Float(number) => format!("{number:?}"),
            Token::Str(text) => return self.string(marker, read - text.len(), read, name, names, quoted),
            Token::Bytes(bytes) => return self.string(marker, read - bytes.len(), read, name, names, length),
            Token::Ext(_, data) => return self.string(marker, read - data.len() - 1, read, name, names, extension),
            Token::Array(elements) => {
                let value = match names {
                    Names::Fields(fields) if fields.len() != elements => {
                        format!("{}, although the marker says {elements}", count(fields.len(), "element"))
                    }
                    _ => count(elements, "element"),
                };
                self.row(marker, read, read, name, value)?;
                return self.inside(|this| this.elements(names, elements));
            }
            Token::Map(pairs) => {
                self.row(marker, read, read, name, count(pairs, "pair"))?;
                return self.inside(|this| (0..pairs).try_for_each(|_| this.pair(names)));
            }
        };
        self.row(marker, 1, read, name, value)
    }

    /// Adds a string, bytes or an extension as one row. If `names` is [`Names::Parts`], adds a row for the marker and a row for each part
    /// instead.
    fn string(&mut self, marker: &'static str, head: usize, end: usize, name: &str, names: Names, show: Show) -> Option<()> {
        let value = show(self.rest.get(head..end)?);
        let Names::Parts(parts) = names else { return self.row(marker, head, end, name, shortened(value, MAX_TEXT)) };
        self.row(marker, head, head, name, count(end - head, "byte"))?;
        self.inside(|this| parts.iter().try_for_each(|part| this.part(part)))
    }

    fn part(&mut self, &(name, length, show): &BytePart) -> Option<()> {
        let value = show(self.rest.get(..length)?);
        self.row("", 0, length, name, value)
    }

    fn elements(&mut self, names: Names, count: usize) -> Option<()> {
        match names {
            // One value is read for each name, even if the marker of the array gives a different count.
            Names::Fields(fields) => fields.iter().try_for_each(|(name, names)| self.value(name, *names)),
            Names::Contents => {
                let mut names = mem::take(&mut self.metalayers).into_iter();
                (0..count).try_for_each(|_| self.content(names.next().unwrap_or_default()))
            }
            _ => (0..count).try_for_each(|index| self.value(&format!("[{index}]"), Names::Any)),
        }
    }

    /// Adds the rows of a key of a map, and of the key's value. The value is named like the key.
    fn pair(&mut self, names: Names) -> Option<()> {
        let (key, bytes) = (self.rows.len(), self.rest);
        self.value("key", Names::Any)?;
        if let Names::Offsets = names {
            // The name follows a marker of one byte, because in a valid header or trailer it is a fixstr.
            let length = bytes.len() - self.rest.len();
            self.metalayers.push(bytes.get(1..length).unwrap_or_default());
        }
        let name = self.rows.get(key)?.value.clone();
        self.value(&name, names)
    }

    /// Adds the content of a metalayer: a row for the marker and length of the bin32, and rows for the bytes inside.
    fn content(&mut self, name: &[u8]) -> Option<()> {
        let [0xc6, length @ ..] = *self.rest.first_chunk::<HEAD>()? else { return None };
        let length = u32::from_be_bytes(length) as usize;
        self.rest.get(HEAD..)?.get(..length)?;
        self.row("bin32", HEAD, HEAD, &quoted(name), count(length, "byte"))?;
        let (content, after) = self.rest.split_at_checked(length)?;
        self.rest = content;
        self.inside(|this| if this.are_chunks { this.chunk() } else { this.unfold(name) });
        self.rest = after;
        Some(())
    }

    /// Adds the remaining bytes. If they are a chunk, splits the chunk into its parts.
    fn chunk(&mut self) -> Option<()> {
        let Ok(header) = ChunkHeader::from_slice(self.rest) else { return self.left("bytes", text_or_length) };
        let Some((chunk, after)) = self.rest.split_at_checked(header.cbytes()) else {
            return self.left("a chunk shorter than its cbytes", length);
        };
        self.rest = chunk;
        let end = self.offset + header.header_len() as u64;
        for part in &names::CHUNK {
            if self.offset < end {
                self.part(part)?;
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

    /// Adds the remaining bytes as stale (unused) bytes.
    fn stale(&mut self) -> Option<()> {
        let before = self.rows.len();
        self.left("stale bytes", length);
        self.rows.get_mut(before..)?.iter_mut().for_each(|row| row.stale = true);
        Some(())
    }

    /// Adds the remaining bytes, which are the content of a metalayer. If they are an array metalayer, adds its fields; if they are one
    /// MessagePack value, adds this value. Adds any other bytes as one row.
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

    /// Adds the fields of an array metalayer, which is named `b2nd` or `caterva`. Returns `None` if the bytes are not an array metalayer.
    fn array(&mut self, name: &[u8]) -> Option<()> {
        let layout = match name {
            b"b2nd" => b2nd::layout(&ArrayMeta::from_metalayer(self.rest).ok()?.0),
            b"caterva" => b2nd::layout(&b2nd::take_from_slice::<CatervaMeta>(self.rest).ok()?.0),
            _ => return None,
        };
        let (layout, depth) = (layout.ok()?, self.depth);
        for (index, entry) in layout.entries().iter().enumerate() {
            let name = if entry.path().is_empty() { "array" } else { entry.path() };
            self.depth = depth + entry.depth();
            // The marker is read from the file, because its count may be wrong.
            let marker = self.rest.first().copied().unwrap_or_default();
            let Some(says) = marker.checked_sub(0x90).filter(|count| *count <= 16).map(usize::from) else {
                self.value(name, Names::Any)?;
                continue;
            };
            let inside = layout.entries().iter().skip(index + 1).take_while(|inner| inner.depth() > entry.depth());
            let elements = inside.filter(|inner| inner.depth() == entry.depth() + 1).count();
            let text = count(elements, "element");
            let text = if says == elements { text } else { format!("{text}, although the marker says {says}") };
            // For 16 dimensions, the marker is 0x90 + 16, which MessagePack does not use for arrays.
            self.row(if says == 16 { "90 + 16" } else { "fixarray" }, 1, 1, name, text)?;
        }
        self.depth = depth;
        Some(())
    }

    /// Adds the remaining bytes as one row, if there are any.
    fn left(&mut self, name: &str, show: Show) -> Option<()> {
        match self.rest {
            [] => Some(()),
            rest => self.row("", 0, rest.len(), name, show(rest)),
        }
    }

    fn row(&mut self, marker: &'static str, head: usize, length: usize, name: &str, value: String) -> Option<()> {
        let rest = self.rest.get(length..)?;
        let (offset, depth) = (self.offset, self.depth);
        self.rows.push(ByteRow { offset, length, head, marker, depth, name: name.to_owned(), value, stale: false });
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

/// Formats bytes for a row: as text in quotes, shortened if necessary. If the bytes are not text or contain control characters, returns
/// their number instead.
fn text_or_length(bytes: &[u8]) -> String {
    quoted_text(bytes, MAX_TEXT).unwrap_or_else(|| length(bytes))
}

/// Formats the number of bytes, as in `2 bytes`.
fn length(bytes: &[u8]) -> String {
    count(bytes.len(), "byte")
}

/// Formats the type of an extension and the length of its content.
fn extension(bytes: &[u8]) -> String {
    match bytes.split_first() {
        Some((&kind, bytes)) => format!("type {}, {}", i8::from_be_bytes([kind]), length(bytes)),
        None => String::new(),
    }
}
