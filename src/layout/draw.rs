//! Draws a layout in the style of Blosc2's specifications: a box for each marker and for the data after it.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::{Entry, Layout};
use crate::marker::{self, BIN32, CountMarker, FIXEXT16, FIXSTR, STR32};
use crate::sink::Shape;

/// A box, with the text above the box, in the box and at its arrow.
struct Cell {
    top: String,
    name: String,
    /// Whether the length of the bytes in the box may vary.
    is_open: bool,
    arrow: Option<String>,
}

/// A row of boxes, and the entries in it whose contents are drawn in separate rows.
#[derive(Default)]
struct Row {
    cells: Vec<Cell>,
    sections: Vec<usize>,
    /// Whether the offset of the next box is known, since all boxes before it have fixed lengths.
    shows_offsets: bool,
}

impl Row {
    /// Adds a box for a marker. The marker's offset is drawn above the box if all boxes before this box have fixed lengths.
    fn marker(&mut self, entry: &Entry, name: &str, arrow: String) {
        let top = if self.shows_offsets { entry.offset.to_string() } else { String::new() };
        self.cells.push(Cell { top, name: name.to_owned(), is_open: false, arrow: Some(arrow) });
    }

    /// Adds a box whose length may vary.
    fn open(&mut self, name: &str, arrow: Option<String>) {
        self.cells.push(Cell { top: String::new(), name: name.to_owned(), is_open: true, arrow });
        self.shows_offsets = false;
    }

    fn bytes(&mut self, count: usize, name: &str) {
        let top = if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") };
        self.cells.push(Cell { top, name: name.to_owned(), is_open: false, arrow: None });
    }

    fn draw(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |cell: &Cell| cell.name.chars().count().max(cell.top.len()).max(2) + 1;
        let line = |f: &mut fmt::Formatter<'_>, shows_top: bool| {
            for cell in &self.cells {
                let fill = if cell.is_open { '~' } else { '-' };
                let top = if shows_top { cell.top.as_str() } else { "" };
                let left = (width(cell) - top.len()) / 2;
                let right = width(cell) - top.len() - left;
                let times = |count: usize| core::iter::repeat_n(fill, count).collect::<String>();
                write!(f, "|{}{top}{}", times(left), times(right))?;
            }
            writeln!(f, "|")
        };
        line(f, true)?;
        for cell in &self.cells {
            write!(f, "| {:1$}", cell.name, width(cell) - 1)?;
        }
        writeln!(f, "|")?;
        line(f, false)?;
        self.arrows(f, width)
    }

    fn arrows(&self, f: &mut fmt::Formatter<'_>, width: impl Fn(&Cell) -> usize) -> fmt::Result {
        let mut column = 2;
        let mut arrows = Vec::new();
        for cell in &self.cells {
            arrows.extend(cell.arrow.as_ref().map(|arrow| (column, arrow)));
            column += width(cell) + 1;
        }
        let stems = |f: &mut fmt::Formatter<'_>, count: usize, stem: char| {
            let mut at = 0;
            for (column, _) in arrows.iter().take(count) {
                write!(f, "{:1$}{stem}", "", column - at)?;
                at = column + 1;
            }
            Ok(at)
        };
        stems(f, arrows.len(), '^')?;
        writeln!(f)?;
        stems(f, arrows.len(), '|')?;
        writeln!(f)?;
        for (number, (column, arrow)) in arrows.iter().enumerate().rev() {
            let at = stems(f, number, '|')?;
            writeln!(f, "{:1$}+--[msgpack] {arrow}", "", column - at)?;
        }
        Ok(())
    }
}

impl Layout {
    fn entry(&self, index: usize) -> Option<&Entry> {
        self.entries.get(index)
    }

    /// Returns the description of an entry's type. Unless the entry is nil, the description does not mention that the type is an option.
    fn words(&self, index: usize, entry: &Entry) -> String {
        let name = match entry.marker {
            marker::NIL if entry.is_option => "nil or a value",
            byte => marker::name(byte),
        };
        match entry.shape {
            Shape::Leaf => name.to_owned(),
            Shape::FixedBytes if entry.marker == FIXEXT16 => name.to_owned(),
            Shape::FixedBytes => format!("{name} of {}", entry.len - 1),
            Shape::Fields => format!("{name} of {}", self.children(index).count()),
            Shape::List(CountMarker::Dimensions) => "fixarray with X=nd elements".to_owned(),
            Shape::List(CountMarker::Array) => {
                "fixarray with X elements; array16 (dc) or array32 (dd) of more than 15".to_owned()
            }
            Shape::Map(CountMarker::Map) => "fixmap with X pairs; map16 (de) or map32 (df) of more than 15".to_owned(),
            Shape::List(_) | Shape::Map(_) => format!("{name} of any count"),
            Shape::Variant => "a variant's name (str32), or a fixmap of one from it to its data".to_owned(),
            Shape::Embedded => "bin32 that holds a value".to_owned(),
            Shape::Any => "any entry".to_owned(),
        }
    }

    /// Adds the boxes of an entry called `name`. Its contents are drawn later, in a separate row.
    fn add(&self, row: &mut Row, index: usize, name: &str) {
        let Some(entry) = self.entry(index) else { return };
        let words = self.words(index, entry);
        match entry.shape {
            _ if entry.is_option && entry.marker == marker::NIL => row.open(name, Some(words)),
            _ if entry.is_option => row.open(name, Some(format!("{words} or nil"))),
            Shape::Leaf | Shape::FixedBytes => return self.add_leaf(row, entry, name, words),
            Shape::Any => return row.open(name, Some(words)),
            Shape::Variant => row.open(name, Some(words)),
            Shape::Fields | Shape::List(_) | Shape::Map(_) | Shape::Embedded => {
                self.add_head(row, entry, words);
                row.open(name, None);
            }
        }
        row.sections.extend(self.children(index).next().map(|_| index));
    }

    /// Adds the marker of a list, struct, map or embedded value, and the count or length after it.
    fn add_head(&self, row: &mut Row, entry: &Entry, words: String) {
        let head = match entry.shape {
            Shape::List(CountMarker::Array | CountMarker::Dimensions) => "9X".to_owned(),
            Shape::Map(CountMarker::Map) => "8X".to_owned(),
            _ => format!("{:02x}", entry.marker),
        };
        row.marker(entry, &head, words);
        match (entry.shape, marker::head_len(entry.marker)) {
            (Shape::Embedded, _) => row.bytes(4, "length"),
            (Shape::List(CountMarker::Array) | Shape::Map(CountMarker::Map), _) | (_, 1) => {}
            (_, length) => row.bytes(length - 1, "count"),
        }
    }

    fn add_leaf(&self, row: &mut Row, entry: &Entry, name: &str, words: String) {
        let head = format!("{:02x}", entry.marker);
        match (entry.marker, entry.shape) {
            (STR32 | BIN32, _) => {
                row.marker(entry, &head, words);
                row.bytes(4, &format!("{name}_len"));
                row.open(name, None);
            }
            (FIXEXT16, _) => {
                row.marker(entry, &head, words);
                row.bytes(1, "type");
                row.bytes(16, name);
            }
            (FIXSTR..=0xbf, Shape::Leaf) => {
                row.marker(entry, "aX", format!("{words} with X bytes"));
                row.open(name, None);
            }
            (..) if entry.len == 1 => row.marker(entry, name, words),
            (..) => {
                row.marker(entry, &head, words);
                row.bytes(entry.len - 1, name);
            }
        }
    }

    /// Adds the boxes of an entry and of its contents.
    fn add_whole(&self, row: &mut Row, index: usize) {
        let Some(entry) = self.entry(index) else { return };
        match entry.shape {
            Shape::Variant => {}
            Shape::Leaf | Shape::FixedBytes => return self.add_leaf(row, entry, "value", self.words(index, entry)),
            Shape::Any => return row.open("value", Some(self.words(index, entry))),
            _ => self.add_head(row, entry, self.words(index, entry)),
        }
        self.add_elements(row, index);
    }

    /// Adds the boxes of an entry's contents, without the marker and the count of the entry itself.
    fn add_elements(&self, row: &mut Row, index: usize) {
        let Some(entry) = self.entry(index) else { return };
        let mut children = self.children(index);
        match entry.shape {
            Shape::Fields => {
                for child in children {
                    let path = self.entry(child).map_or("", Entry::path);
                    self.add(row, child, path.get(entry.path.len()..).unwrap_or(path).trim_start_matches('.'));
                }
            }
            Shape::List(_) => {
                if let Some(child) = children.next() {
                    self.add(row, child, "first");
                    let sections = row.sections.len();
                    row.open("...", None);
                    self.add(row, child, "nth");
                    row.sections.truncate(sections);
                }
            }
            Shape::Map(_) => {
                for (child, name) in children.zip(["key", "value"]) {
                    self.add(row, child, name);
                }
                row.open("...", None);
            }
            Shape::Embedded => children.for_each(|child| self.add_whole(row, child)),
            Shape::Variant => {
                let data = children.next();
                let name =
                    data.and_then(|data| self.entry(data)).map(|data| data.path.get(entry.path.len()..).unwrap_or_default());
                match (data, name) {
                    (Some(data), Some(name)) => {
                        let name = name.trim_start_matches('.');
                        row.marker(entry, "81", "fixmap of 1".to_owned());
                        row.shows_offsets = false;
                        row.marker(entry, "db", "str32".to_owned());
                        row.bytes(4, "name_len");
                        row.bytes(name.len(), name);
                        self.add(row, data, "data");
                    }
                    _ => self.add_leaf(row, entry, "name", "str32".to_owned()),
                }
            }
            Shape::Leaf | Shape::FixedBytes | Shape::Any => {}
        }
    }

    fn sections(&self, f: &mut fmt::Formatter<'_>, row: &Row) -> fmt::Result {
        row.draw(f)?;
        for &index in &row.sections {
            let Some(entry) = self.entry(index) else { continue };
            let mut row = Row::default();
            // The row above has a single box for the whole option, so this row must also show the option's marker.
            if entry.is_option {
                self.add_whole(&mut row, index)
            } else {
                self.add_elements(&mut row, index)
            }
            writeln!(f, "\nThe section `{}`:\n", entry.path)?;
            self.sections(f, &row)?;
        }
        Ok(())
    }
}

/// Draws a box for each marker and for the data after it. Offsets are drawn above the markers, up to the first box whose length may vary
/// (drawn with `~`). The contents of each list and struct follow as separate drawings. Of a list, only the first element is drawn, twice:
/// as the first and as the nth element.
///
/// ```
/// #[derive(serde::Serialize)]
/// struct Tile {
///     id: u32,
///     name: String,
/// }
///
/// let drawing = b2nd::layout(&Tile { id: 7, name: "K1".into() })?.to_string();
/// assert_eq!(drawing, "\
/// |-0-|-1-|4 bytes-|-6-|-4 bytes-|~~~~~|
/// | 92| ce| id     | db| name_len| name|
/// |---|---|--------|---|---------|~~~~~|
///   ^   ^            ^
///   |   |            |
///   |   |            +--[msgpack] str32
///   |   +--[msgpack] uint32
///   +--[msgpack] fixarray of 2
/// ");
/// # Ok::<(), b2nd::Error>(())
/// ```
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut whole = Row { shows_offsets: true, ..Row::default() };
        self.add_whole(&mut whole, 0);
        self.sections(f, &whole)
    }
}
