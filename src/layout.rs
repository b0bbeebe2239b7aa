//! [`layout()`]: the positions of all entries in the encoding of a value.
//!
//! Names in paths come from the value as generic MessagePack, in which structs are maps. Positions come from the value's encoding in
//! this crate's format.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::Serialize;

use crate::error::Result;
use crate::marker;
use crate::wire::{Item, Reader, key_text};

/// The layout of a value: the path, the marker, the offset and the length of each entry.
///
/// ```
/// #[derive(serde::Serialize)]
/// struct Tile {
///     id: u32,
///     origin: (i16, i16),
///     name: String,
/// }
///
/// let layout = b2nd::layout(&Tile { id: 7, origin: (1, -1), name: "K1".into() })?;
/// let entries: Vec<_> = layout.entries().iter().map(|entry| (entry.path(), entry.offset(), entry.marker(), entry.len())).collect();
/// assert_eq!(entries, [
///     ("", 0, 0x93, 20),
///     ("id", 1, 0xce, 5),
///     ("origin", 6, 0x92, 7),
///     ("origin[0]", 7, 0xd1, 3),
///     ("origin[1]", 10, 0xd1, 3),
///     ("name", 13, 0xdb, 7),
/// ]);
/// # Ok::<(), b2nd::Error>(())
/// ```
///
/// `Display` writes a line for each entry, and `Serialize` writes the entries to other formats.
#[derive(Clone, Debug, Serialize)]
pub struct Layout {
    entries: Vec<Entry>,
}

/// One entry of the encoded value: the whole value, or a value inside it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Entry {
    path: String,
    depth: usize,
    marker: u8,
    offset: usize,
    len: usize,
}

/// Returns the layout of a value.
///
/// # Errors
///
/// Returns the errors of [`to_vec`](crate::to_vec) and [`msgpack::to_vec`](crate::msgpack::to_vec).
pub fn layout<T: Serialize + ?Sized>(value: &T) -> Result<Layout> {
    let (bytes, named) = (crate::to_vec(value)?, crate::msgpack::to_vec(value)?);
    let mut both = Both { bytes: Reader::new(&bytes), named: Reader::new(&named), entries: Vec::new() };
    both.entry("", 0)?;
    Ok(Layout { entries: both.entries })
}

#[allow(clippy::len_without_is_empty)] // A value has at least one byte.
impl Layout {
    /// Returns the entries in the order of their bytes. The first entry is the whole value; each list, struct and map comes before its
    /// contents.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the length of the value in bytes.
    pub fn len(&self) -> usize {
        self.entries.first().map_or(0, Entry::len)
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries.iter().try_for_each(|Entry { path, depth, marker, offset, len }| {
            let path = if path.is_empty() { "the value" } else { path };
            writeln!(f, "{offset:5} {len:5}  {marker:02x} {:16} {:2$}{path}", marker::name(*marker), "", 2 * depth)
        })
    }
}

#[allow(clippy::len_without_is_empty)]
impl Entry {
    /// Returns the path of the entry, such as `geo.origin[1]`. In a map `depths`, `depths.north` is the value of the key `north`, and
    /// `depths[0].key` is the key of the first pair. A variant with data is a map of one pair: in an enum `kind`, `kind.Circle` is the data of
    /// the variant `Circle`. The path of the whole value is empty.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the number of entries that contain this entry.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the marker, which is the first byte of the entry.
    pub fn marker(&self) -> u8 {
        self.marker
    }

    /// Returns the offset of the entry's first byte.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the length of the entry in bytes, including the marker and all entries inside.
    pub fn len(&self) -> usize {
        self.len
    }
}

/// Reads both encodings of a value in parallel, and records each entry.
struct Both<'a> {
    bytes: Reader<'a>,
    named: Reader<'a>,
    entries: Vec<Entry>,
}

impl Both<'_> {
    fn entry(&mut self, path: &str, depth: usize) -> Result<()> {
        let (index, marker, offset) = (self.entries.len(), self.bytes.peek()?, self.bytes.offset());
        self.entries.push(Entry { path: path.into(), depth, marker, offset, len: 0 });
        match self.named.take_item()? {
            Item::Array(_, count) => {
                self.bytes.take_item()?;
                for element in 0..count {
                    self.entry(&format!("{path}[{element}]"), depth + 1)?;
                }
            }
            Item::Map(_, count) => {
                // A struct is a list in this crate's format, without the names of its fields.
                let is_map = matches!(self.bytes.take_item()?, Item::Map(..));
                for pair in 0..count {
                    let name = key_text(self.named.rest());
                    if is_map {
                        self.entry(&format!("{path}[{pair}].key"), depth + 1)?;
                    } else {
                        self.named.take_entry(0)?;
                    }
                    let path = match name {
                        Some(name) if path.is_empty() => name.into(),
                        Some(name) => format!("{path}.{name}"),
                        None => format!("{path}[{pair}].value"),
                    };
                    self.entry(&path, depth + 1)?;
                }
            }
            _ => {
                self.bytes.take_entry(0)?;
            }
        }
        self.entries[index].len = self.bytes.offset() - offset;
        Ok(())
    }
}
