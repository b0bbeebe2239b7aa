//! Draws the bytes of the header, with a line for each field, in the colors of the grid.

use super::canvas::{Anchor, Canvas, cut, width};
use crate::bytes::{self, Row};
use crate::text::{count, hex};

/// The height of a line.
pub(super) const LINE: f64 = 16.0;

/// The maximum number of lines of one field.
const LINES: usize = 3;
/// The maximum number of lines of all fields together.
const ALL_LINES: usize = 120;

/// The position of the column of bytes, in characters.
const BYTES: usize = 6;
/// The position of the column of names, in characters.
const NAMES: usize = BYTES + 28;
/// The maximum width of a name, in characters.
const NAME_WIDTH: usize = 23;
/// The maximum width of a value, in characters.
const VALUE_WIDTH: usize = 25;

pub(super) fn full_width() -> f64 {
    width(NAMES + NAME_WIDTH + 1 + VALUE_WIDTH)
}

pub(super) struct Line {
    class: &'static str,
    offset: u64,
    /// The bytes in hexadecimal digits, or an empty string for a text in place of bytes that are not shown.
    bytes: String,
    /// The depth of nesting: how many values contain this value.
    depth: usize,
    name: String,
    value: String,
}

/// Returns the lines that show a header.
pub(super) fn lines(header: &[u8]) -> Vec<Line> {
    let mut all: Vec<Line> = Vec::new();
    let mut part = Section::Frame;
    let mut shown = 0;
    for row in bytes::header(header) {
        part = part.at(&row);
        let end = row.offset + row.length as u64;
        // Of the metalayers, only the content of the array metalayer is explained.
        let is_inside_another = part == Section::Other && row.marker != "bin32";
        if all.len() < ALL_LINES && !is_inside_another {
            add(&mut all, &row, row.bytes(header, 0), part.class(&row));
            shown = end;
            continue;
        }
        let value = format!("… {}", count(end - shown, "more byte"));
        match all.last_mut() {
            Some(last) if last.bytes.is_empty() => last.value = value,
            _ => all.push(Line::note(row.offset, row.depth, value)),
        }
    }
    all
}

pub(super) fn draw(canvas: &mut Canvas, lines: &[Line]) {
    for (index, line) in lines.iter().enumerate() {
        let y = LINE * index as f64;
        let base = y + 12.0;
        canvas.text("faint", Anchor::Start, [0.0, base], format_args!("{:04x}", line.offset));
        if line.bytes.is_empty() {
            canvas.text("faint", Anchor::Start, [width(BYTES), base], &line.value);
            continue;
        }
        let chip = format!("chip {}", line.class);
        canvas.rect(&chip, [width(BYTES) - 4.0, y + 0.5], [width(line.bytes.len()) + 8.0, LINE - 1.0]);
        canvas.exact("byte", [width(BYTES), base], &line.bytes);
        if !line.name.is_empty() {
            let name = format!("name {}", line.class);
            canvas.text(&name, Anchor::Start, [width(NAMES + line.depth), base], &line.name);
        }
        canvas.text("value", Anchor::Start, [width(NAMES + NAME_WIDTH + 1), base], &line.value);
    }
}

impl Line {
    /// Creates a line of text in place of bytes that are not shown.
    fn note(offset: u64, depth: usize, value: String) -> Line {
        Line { class: "", offset, bytes: String::new(), depth, name: String::new(), value }
    }
}

/// Adds the lines of a row. Only the first line has the row's name and value.
fn add(all: &mut Vec<Line>, row: &Row, row_bytes: &[u8], class: &'static str) {
    let depth = row.depth;
    let mut texts = [cut(&row.name, NAME_WIDTH - depth.min(NAME_WIDTH)), cut(&row.value, VALUE_WIDTH)];
    let mut left = row_bytes.len();
    for (offset, bytes) in bytes::lines(row, row_bytes).into_iter().take(LINES) {
        left -= bytes.len();
        let [name, value] = std::mem::take(&mut texts);
        all.push(Line { class, offset, bytes: hex(bytes, " "), depth, name, value });
    }
    if left != 0 {
        let offset = row.offset + (row_bytes.len() - left) as u64;
        all.push(Line::note(offset, depth, format!("… {}", count(left, "more byte"))));
    }
}

/// The part of the header that a row belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    Frame,
    /// The index of the metalayers.
    Index,
    Array,
    /// A metalayer other than the array metalayer.
    Other,
}

impl Section {
    /// Returns the part that `row` belongs to. `self` is the part of the row before it.
    fn at(self, row: &Row) -> Section {
        match (self, row.marker, row.name.as_str()) {
            (Section::Frame, "fixarray", "metalayers") => Section::Index,
            (Section::Index | Section::Array | Section::Other, "bin32", _) if row.depth == 3 => Section::Other,
            (Section::Other, _, "array") if row.depth == 4 => Section::Array,
            (part, ..) => part,
        }
    }

    fn class(self, row: &Row) -> &'static str {
        let name = row.name.split('[').next().unwrap_or_default();
        match (self, name) {
            _ if row.stale => "stale",
            (Section::Frame, _) => "frame",
            (Section::Array, "shape") => "shape",
            (Section::Array, "chunkshape") => "chunkshape",
            (Section::Array, "blockshape") => "blockshape",
            (Section::Array, "dtype" | "dtype_format") => "dtype",
            (Section::Array, _) => "metadata",
            (Section::Index | Section::Other, _) => "index",
        }
    }
}
