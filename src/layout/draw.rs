//! The drawing of a layout, as in Blosc2's specifications: a box for each marker and for what follows it.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::node::{Leaf, Node, Shape, Variant};
use super::{Layout, joined};
use crate::marker;
use crate::wire::Form;

/// The words for a node.
pub(super) fn words(node: &Node) -> String {
    match &node.shape {
        Shape::Unknown => "nothing known".to_owned(),
        Shape::Leaf(leaf) => leaf_words(*leaf, node.only_length()),
        Shape::Option(inner) => format!("{} or nil", words(inner)),
        Shape::List(form, _) => format!("{} of any count", form_words(*form)),
        Shape::Fields { form, fields, least, .. } => {
            let count = fields.len();
            let marker = match (form, form.marker(count)) {
                (Form::Array | Form::Dimensions | Form::Miscounted, Ok(([marker, ..], _))) => marker::name(marker),
                _ => form_words(*form),
            };
            if *least < count { format!("{marker} of {least} to {count}") } else { format!("{marker} of {count}") }
        }
        Shape::Map(form, _) => format!("{} of any count", form_words(*form)),
        Shape::Enum { names, variants } => {
            let data = variants.iter().any(|variant| matches!(variant, Variant::Data(_)));
            let form = if data {
                "a variant's name (str32), or a fixmap of one from it to its data"
            } else {
                "a variant's name (str32)"
            };
            format!("{form}: {}", names.join(", "))
        }
        Shape::Embedded(_) => "bin32 that holds a value".to_owned(),
        Shape::Recursive(name, _) => format!("{name} again"),
    }
}

fn form_words(form: Form) -> &'static str {
    match form {
        Form::Array => "array",
        Form::Map => "map",
        Form::Array16 => "array16",
        Form::Map16 => "map16",
        Form::Dimensions | Form::Miscounted => "fixarray",
    }
}

fn leaf_words(leaf: Leaf, length: Option<usize>) -> String {
    let name = match (leaf, length) {
        (Leaf::Unit, _) => "nil",
        (Leaf::Bool, _) => "bool",
        (Leaf::U8, Some(_)) => "positive fixint",
        (Leaf::U8, None) => "positive fixint, or uint8 above 127",
        (Leaf::Char, _) => "str32 of one character",
        (Leaf::Str, _) => "str32",
        (Leaf::Bytes, None) => "bin32",
        (Leaf::Bytes, Some(length)) => return format!("bin32 of {length}"),
        (Leaf::Fixstr, _) | (Leaf::FixstrBytes, None) => "fixstr",
        (Leaf::FixstrBytes, Some(length)) => return format!("fixstr of {length}"),
        (Leaf::FormatOrDtype, _) => "positive fixint or str32",
        (Leaf::Any, _) => "any entry",
        (leaf, _) => leaf.head(None).0.map_or("", marker::name),
    };
    name.to_owned()
}

/// A box: what stands over it, in it and under its arrow.
struct Cell {
    top: String,
    name: String,
    /// True if its length is not fixed.
    is_open: bool,
    arrow: Option<String>,
}

/// The boxes of a row, and what is drawn in rows of its own.
#[derive(Default)]
struct Row<'n> {
    cells: Vec<Cell>,
    sections: Vec<(String, &'n Node)>,
}

impl<'n> Row<'n> {
    fn cell(&mut self, top: impl ToString, name: impl Into<String>, is_open: bool, arrow: Option<String>) {
        self.cells.push(Cell { top: top.to_string(), name: name.into(), is_open, arrow });
    }

    fn index(offset: Option<usize>) -> String {
        offset.map(|offset| offset.to_string()).unwrap_or_default()
    }

    /// A marker, and the offset that it has in every value.
    fn marker(&mut self, offset: Option<usize>, name: &str, arrow: String) {
        self.cell(Row::index(offset), name, false, Some(arrow));
    }

    fn bytes(&mut self, count: usize, name: &str) {
        let bytes = if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") };
        self.cell(bytes, name, false, None);
    }

    /// Adds an entry, called `name`, at `offset`. `path` names it where it is drawn again.
    fn entry(&mut self, node: &'n Node, name: &str, path: &str, offset: Option<usize>) {
        let words = words(node);
        match &node.shape {
            Shape::Leaf(leaf) => self.leaf(*leaf, node, name, offset, words),
            Shape::List(form, _) | Shape::Map(form, _) => {
                let head = match form {
                    Form::Array | Form::Dimensions | Form::Miscounted => "9X",
                    Form::Map => "8X",
                    Form::Array16 => "dc",
                    Form::Map16 => "de",
                };
                let arrow = match form {
                    Form::Dimensions => "fixarray with X=nd elements".to_owned(),
                    Form::Array => "fixarray with X elements; array16 (dc) or array32 (dd) of more than 15".to_owned(),
                    Form::Map => "fixmap with X pairs; map16 (de) or map32 (df) of more than 15".to_owned(),
                    _ => words,
                };
                self.marker(offset, head, arrow);
                if matches!(form, Form::Array16 | Form::Map16) {
                    self.bytes(2, "count");
                }
                self.section(name, path, node);
            }
            Shape::Fields { .. } => {
                let (marker, head, _) = node.lengths();
                self.marker(offset, &marker.map_or("9X".to_owned(), |marker| format!("{marker:02x}")), words);
                if head.min > 1 {
                    self.bytes(head.min - 1, "count");
                }
                self.section(name, path, node);
            }
            Shape::Embedded(_) => {
                self.marker(offset, "c6", words);
                self.bytes(4, "length");
                self.section(name, path, node);
            }
            Shape::Option(_) | Shape::Enum { .. } => {
                self.cell(Row::index(offset), name, true, Some(words));
                self.sections.push((path.to_owned(), node));
            }
            Shape::Unknown | Shape::Recursive(..) => self.cell(Row::index(offset), name, true, Some(words)),
        }
    }

    fn section(&mut self, name: &str, path: &str, node: &'n Node) {
        self.cell("", name, true, None);
        self.sections.push((path.to_owned(), node));
    }

    fn leaf(&mut self, leaf: Leaf, node: &Node, name: &str, offset: Option<usize>, words: String) {
        let (marker, _, whole) = node.lengths();
        let fixed = (whole.max == Some(whole.min)).then_some(whole.min);
        match (leaf, marker.map(|marker| format!("{marker:02x}")), fixed) {
            (Leaf::Str | Leaf::Char | Leaf::Bytes, Some(marker), _) => {
                self.marker(offset, &marker, words);
                self.bytes(4, &format!("{name}_len"));
                self.cell("", name, fixed.is_none(), None);
            }
            (Leaf::Fixext16, Some(marker), _) => {
                self.marker(offset, &marker, words);
                self.bytes(1, "type");
                self.bytes(16, name);
            }
            (_, Some(marker), Some(length @ 2..)) => {
                self.marker(offset, &marker, words);
                self.bytes(length - 1, name);
            }
            (Leaf::Fixstr | Leaf::FixstrBytes, ..) => {
                self.marker(offset, "aX", format!("{words} with X bytes"));
                self.cell("", name, true, None);
            }
            (.., Some(1)) => self.marker(offset, name, words),
            _ => self.cell(Row::index(offset), name, true, Some(words)),
        }
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

/// A row for what is in a node, by the name of each.
fn row<'n>(node: &'n Node, path: &str, start: Option<usize>) -> Row<'n> {
    let mut row = Row::default();
    match &node.shape {
        Shape::Fields { fields, names, .. } => {
            let mut offset = start;
            for (index, field) in fields.iter().enumerate() {
                let field_path = super::field_path(path, names, index, fields.len());
                let name = names.get(index).filter(|_| names.len() == fields.len());
                let name = name.map_or_else(|| format!("[{index}]"), |name| (*name).to_owned());
                row.entry(field, &name, &field_path, offset);
                let length = field.lengths().2;
                offset = offset.filter(|_| length.max == Some(length.min)).map(|offset| offset + length.min);
            }
        }
        Shape::List(_, item) => {
            let path = format!("{path}[]");
            row.entry(item, "first", &path, None);
            row.cell("", "...", true, None);
            row.entry(item, "nth", &path, None);
            row.sections.truncate(1);
        }
        Shape::Map(_, pair) => {
            row.entry(&pair.0, "key", &format!("{path}[].key"), None);
            row.entry(&pair.1, "value", &format!("{path}[].value"), None);
            row.cell("", "...", true, None);
        }
        Shape::Option(inner) => row.entry(inner, "value", path, None),
        Shape::Embedded(inner) => row.entry(inner, "value", path, None),
        _ => {}
    }
    row
}

fn sections(f: &mut fmt::Formatter<'_>, row: &Row<'_>) -> fmt::Result {
    for (path, node) in &row.sections {
        if let Shape::Enum { names, variants } = &node.shape {
            for (name, variant) in names.iter().zip(variants) {
                if let Variant::Data(data) = variant {
                    let mut row = Row::default();
                    row.marker(None, "81", "fixmap of 1".to_owned());
                    row.marker(None, "db", "str32".to_owned());
                    row.bytes(4, "name_len");
                    row.bytes(name.len(), name);
                    row.entry(data, "data", &joined(path, name), None);
                    section(f, &joined(path, name), &row)?;
                }
            }
            continue;
        }
        let inside = self::row(node, path, None);
        // An option of one plain value is drawn by its arrow.
        let is_plain =
            matches!(&node.shape, Shape::Option(inner) if matches!(inner.shape, Shape::Leaf(_) | Shape::Recursive(..)));
        if !is_plain && !inside.cells.is_empty() {
            section(f, path, &inside)?;
        }
    }
    Ok(())
}

fn section(f: &mut fmt::Formatter<'_>, path: &str, row: &Row<'_>) -> fmt::Result {
    writeln!(f, "\nThe section `{path}`:\n")?;
    row.draw(f)?;
    sections(f, row)
}

/// A box for each marker and for what follows it, with its offset over it where every value has that; then the boxes of each list and
/// struct inside.
///
/// ```
/// #[derive(serde::Deserialize)]
/// struct Tile {
///     id: u32,
///     name: String,
/// }
///
/// let drawing = b2nd::layout::<Tile>()?.to_string();
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
        let mut whole = Row::default();
        match &self.root.shape {
            Shape::Fields { .. } => {
                whole.entry(&self.root, "", "", Some(0));
                // The struct's own section goes on in the same row.
                whole.cells.pop();
                whole.sections.clear();
                let (_, head, _) = self.root.lengths();
                let inside = row(&self.root, "", head.max);
                whole.cells.extend(inside.cells);
                whole.sections = inside.sections;
            }
            _ => whole.entry(&self.root, "value", "value", Some(0)),
        }
        whole.draw(f)?;
        sections(f, &whole)
    }
}
