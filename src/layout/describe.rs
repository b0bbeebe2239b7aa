//! The bytes of a value beside the entries that they belong to.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Serialize;

use super::node::{Leaf, Node, Shape, Variant};
use super::{Layout, field_path, joined};
use crate::error::{Error, ErrorKind, Result, Segment};
use crate::marker::{self, MAX_DEPTH, NIL, STR32, VARIANT};
use crate::value::{RawValue, Value};
use crate::wire::{Form, Item, MAX_DIMENSIONS, Reader};

/// Bytes of a value, and what they are: a whole entry, or a list's, struct's or map's marker and count.
#[non_exhaustive]
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Described {
    /// The offset of the first of them.
    pub offset: usize,
    /// Their number.
    pub length: usize,
    /// The number of lists, structs and maps that they are inside of.
    pub depth: usize,
    /// The path, such as `geo.origin[1]`; empty for the whole.
    pub path: String,
    /// The marker's name: `int32`, `fixarray`; `90 + 16` of an array's 16 dimensions, which MessagePack takes for a string.
    pub marker: &'static str,
    /// Their value: a number, a string, the count of elements that follow. A miscounted array metalayer says 6 and has 7.
    pub value: String,
}

impl Layout {
    /// Describes each byte of a value of the type.
    ///
    /// ```
    /// #[derive(serde::Deserialize)]
    /// struct Tile {
    ///     id: u32,
    ///     origin: (i16, i16),
    /// }
    ///
    /// let bytes = hex_literal::hex!("92 ce 00000007 92 d1 0001 d1 ffff");
    /// let rows = b2nd::layout::<Tile>()?.describe(&bytes)?;
    /// let rows: Vec<_> = rows.iter().map(|row| format!("{:02} {} {}: {}", row.offset, row.path, row.marker, row.value)).collect();
    /// assert_eq!(rows, [
    ///     "00  fixarray: 2 elements",
    ///     "01 id uint32: 7",
    ///     "06 origin fixarray: 2 elements",
    ///     "07 origin[0] int16: 1",
    ///     "10 origin[1] int16: -1",
    /// ]);
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A marker or a count is not the type's, or the bytes end early or go on after the value.
    pub fn describe(&self, bytes: &[u8]) -> Result<Vec<Described>> {
        let mut rows = Rows { reader: Reader::new(bytes), rows: Vec::new(), depth: 0 };
        rows.entry(&self.root, "")?;
        match rows.reader.left() {
            0 => Ok(rows.rows),
            count => Err(Error::at(ErrorKind::TrailingBytes { count }, rows.reader.offset())),
        }
    }
}

struct Rows<'a> {
    reader: Reader<'a>,
    rows: Vec<Described>,
    depth: usize,
}

impl Rows<'_> {
    fn entry(&mut self, node: &Node, path: &str) -> Result<()> {
        // The innermost path is the whole one.
        let named = |error: Error| match error.path() {
            None if !path.is_empty() => error.within(Segment::Key(path.to_owned()), None),
            _ => error,
        };
        self.inside(node, path).map_err(named)
    }

    fn inside(&mut self, node: &Node, path: &str) -> Result<()> {
        let start = self.reader;
        match &node.shape {
            Shape::Leaf(leaf) => {
                let item = self.reader.take_item()?;
                if !leaf.takes(item) {
                    return Err(start.unexpected(leaf.expected(), start.peek()?));
                }
                self.reader = start;
                self.whole(path)
            }
            Shape::Unknown | Shape::Recursive(..) => self.whole(path),
            Shape::Option(_) if start.peek()? == NIL => self.whole(path),
            Shape::Option(inner) => self.inside(inner, path),
            Shape::List(form, item) => {
                let count = self.reader.take_count(*form)?;
                self.row(start, path, elements(count))?;
                if let (Form::Dimensions, MAX_DIMENSIONS, Some(row)) = (form, count, self.rows.last_mut()) {
                    row.marker = "90 + 16";
                }
                self.deeper(|this| (0..count).try_for_each(|index| this.entry(item, &format!("{path}[{index}]"))))
            }
            Shape::Fields { form, names, fields, least } => {
                let count = self.reader.take_count(*form)?;
                if count < *least || count > fields.len() {
                    return Err(Error::at(ErrorKind::Count { expected: fields.len(), found: count }, start.offset()));
                }
                let (head, mut taken) = (self.rows.len(), count);
                self.row(start, path, elements(count))?;
                self.deeper(|this| {
                    taken = this.fields(fields, names, count, path)?;
                    Ok(())
                })?;
                if let (true, Some(row)) = (taken != count, self.rows.get_mut(head)) {
                    row.value = format!("says {count}, has {}", elements(taken));
                }
                Ok(())
            }
            Shape::Map(form, pair) => {
                let count = self.reader.take_count(*form)?;
                self.row(start, path, format!("{count} pair{}", crate::error::plural(count)))?;
                self.deeper(|this| {
                    (0..count).try_for_each(|_| {
                        let key = this.reader.rest();
                        this.entry(&pair.0, &format!("{path}[].key"))?;
                        let name = crate::wire::key_text(key).map_or_else(|| format!("{path}[].value"), |key| joined(path, key));
                        this.entry(&pair.1, &name)
                    })
                })
            }
            Shape::Enum { names, variants } => {
                let has_data = match start.peek()? {
                    STR32 => false,
                    VARIANT => {
                        self.reader.take_item()?;
                        self.row(start, path, "1 pair".to_owned())?;
                        true
                    }
                    found => return Err(start.unexpected("an enum's variant (db, or 81 where it holds data)", found)),
                };
                let at = self.reader;
                let name = self.reader.take_str32()?;
                self.reader = at;
                self.whole(path)?;
                let variant = names.iter().position(|known| *known == name).and_then(|index| variants.get(index));
                match (variant, has_data) {
                    (Some(Variant::Data(data)), true) => self.deeper(|this| this.entry(data, &joined(path, name))),
                    (Some(Variant::Unit), false) => Ok(()),
                    _ => Err(Error::custom(format_args!("no variant {name:?} of this form")).within_offset(start.offset())),
                }
            }
            Shape::Embedded(inner) => {
                let inside = self.reader.take_inside()?;
                // The row is the marker and the length, and what is inside has rows of its own.
                let after = core::mem::replace(&mut self.reader, inside);
                self.row(start, path, format!("{} bytes", inside.left()))?;
                self.deeper(|this| this.entry(inner, path))?;
                self.reader = after;
                Ok(())
            }
        }
    }

    /// The entries of a struct, and how many there are: after a dtype_format that should be the last one, a dtype follows.
    fn fields(&mut self, fields: &[Node], names: &[&str], mut count: usize, path: &str) -> Result<usize> {
        let mut index = 0;
        while let Some(field) = fields.get(index).filter(|_| index < count) {
            let mut name = index;
            if let Shape::Leaf(Leaf::FormatOrDtype) = field.shape {
                match (self.reader.peek()?, index + 1 == count) {
                    (STR32, true) => name += 1,
                    (STR32, false) => {
                        return Err(Error::at(ErrorKind::Count { expected: index + 1, found: count }, self.reader.offset()));
                    }
                    (_, is_last) => count += usize::from(is_last),
                }
            }
            self.entry(field, &field_path(path, names, name, fields.len()))?;
            index += 1;
        }
        Ok(count)
    }

    fn deeper(&mut self, walk: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if self.depth == usize::from(MAX_DEPTH) {
            return Err(Error::at(ErrorKind::TooDeep, self.reader.offset()));
        }
        self.depth += 1;
        walk(self)?;
        self.depth -= 1;
        Ok(())
    }

    /// A row for the next entry with all that is in it.
    fn whole(&mut self, path: &str) -> Result<()> {
        let start = self.reader;
        let entry = self.reader.take_entry(u8::try_from(self.depth).unwrap_or(MAX_DEPTH))?;
        let value: Value = RawValue::from_slice(entry)?.to_value()?;
        self.row(start, path, value.to_string())
    }

    /// A row for what has been read since `start`.
    fn row(&mut self, start: Reader<'_>, path: &str, value: String) -> Result<()> {
        let length = self.reader.offset() - start.offset();
        let marker = marker::name(start.peek()?);
        self.rows.push(Described { offset: start.offset(), length, depth: self.depth, path: path.to_owned(), marker, value });
        Ok(())
    }
}

fn elements(count: usize) -> String {
    format!("{count} element{}", crate::error::plural(count))
}

impl Leaf {
    fn takes(self, item: Item<'_>) -> bool {
        match (self, item) {
            (Leaf::Any, _)
            | (Leaf::Unit, Item::Nil)
            | (Leaf::Bool, Item::Bool(_))
            | (Leaf::U16, Item::U16(_))
            | (Leaf::U32, Item::U32(_))
            | (Leaf::U64, Item::U64(_))
            | (Leaf::I8, Item::I8(_))
            | (Leaf::I16, Item::I16(_))
            | (Leaf::I32, Item::I32(_))
            | (Leaf::I64, Item::I64(_))
            | (Leaf::F32, Item::F32(_))
            | (Leaf::F64, Item::F64(_))
            | (Leaf::Char | Leaf::Str | Leaf::FormatOrDtype, Item::Str(crate::Head::U32, _))
            | (Leaf::Bytes, Item::Bytes(crate::Head::U32, _))
            | (Leaf::Fixstr | Leaf::FixstrBytes, Item::Str(crate::Head::Fix, _)) => true,
            (Leaf::U8 | Leaf::FormatOrDtype, Item::Fixint(number)) => number >= 0,
            (Leaf::U8, Item::U8(number)) => number >= 0x80,
            (Leaf::Fixext16, Item::Ext(crate::Head::Fix, _, data)) => data.len() == 16,
            _ => false,
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Leaf::Unit => "nil (c0)",
            Leaf::Bool => "bool (c2 or c3)",
            Leaf::U8 => "uint8 (positive fixint, or cc above 127)",
            Leaf::Fixstr | Leaf::FixstrBytes => "fixstr (a0 to bf)",
            Leaf::FormatOrDtype => "positive fixint (00 to 7f) or str32 (db)",
            leaf => leaf.head(None).0.map_or("a marker of MessagePack", marker::name),
        }
    }
}
