//! [`layout()`]: the positions of all entries in the encoding of a value.
//!
//! The paths of the entries come from a serializer that writes nothing ([`Paths`]), and their positions from the bytes.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::{Serialize, ser};

use crate::error::{Error, Result};
use crate::marker::{self, Mark};
use crate::wire::Reader;

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

/// Serializes a value and records its entries.
///
/// # Errors
///
/// Returns the errors of [`to_vec`](crate::to_vec).
pub fn layout<T: Serialize + ?Sized>(value: &T) -> Result<Layout> {
    let bytes = crate::to_vec(value)?;
    let mut paths = Paths { entries: Vec::new(), path: String::new(), depth: 0, text: None };
    value.serialize(&mut paths)?;
    let mut entries: Vec<Entry> = Vec::with_capacity(paths.entries.len());
    let mut reader = Reader::new(&bytes);
    for (mut entry, kind) in paths.entries {
        (entry.offset, entry.marker) = (reader.offset(), reader.peek()?);
        match kind {
            Kind::Leaf => drop(reader.take_entry(0)?),
            Kind::Group => drop(reader.take_item()?),
            Kind::Variant => drop((reader.take_item()?, reader.take_item()?)),
        }
        entries.push(entry);
    }
    for index in 0..entries.len() {
        let depth = entries[index].depth;
        let after = entries[index + 1..].iter().find(|entry| entry.depth <= depth);
        entries[index].len = after.map_or(bytes.len(), |entry| entry.offset) - entries[index].offset;
    }
    Ok(Layout { entries })
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
            writeln!(f, "{offset:5} {len:5}  {marker:02x} {:16} {:2$}{path}", marker::name(*marker), "", 2 * depth)
        })
    }
}

#[allow(clippy::len_without_is_empty)]
impl Entry {
    /// Returns the path of the entry, such as `geo.origin[1]`. In a map `depths`, `depths.north` is the value of the key `north`, and
    /// `depths[0].key` is the key of the first pair. In an enum `kind`, `kind.Circle` is the data of the variant `Circle`. The path of the
    /// whole value is empty.
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

/// How the bytes of an entry are followed by the entries inside.
enum Kind {
    /// There are no entries inside.
    Leaf,
    /// A marker, which has the count, and then the entries inside.
    Group,
    /// The marker of a map and the name of a variant, and then the variant's data.
    Variant,
}

/// A serializer that records the paths of entries.
struct Paths {
    entries: Vec<(Entry, Kind)>,
    /// The path of the next entry.
    path: String,
    depth: usize,
    /// The string that was serialized last, which may be the key of a map.
    text: Option<String>,
}

impl Paths {
    fn push(&mut self, kind: Kind) {
        let entry = Entry { path: self.path.clone(), depth: self.depth, marker: 0, offset: 0, len: 0 };
        self.entries.push((entry, kind));
    }

    fn leaf(&mut self) -> Result<()> {
        self.push(Kind::Leaf);
        Ok(())
    }

    fn group(&mut self) -> Result<Inside<'_>> {
        self.push(Kind::Group);
        let (length, depth) = (self.path.len(), self.depth);
        Ok(Inside { paths: self, values: 0, length, depth })
    }

    /// Serializes a value inside the current entry.
    fn inside<T: Serialize + ?Sized>(&mut self, step: &str, value: &T) -> Result<()> {
        let length = self.path.len();
        self.step(step);
        value.serialize(&mut *self)?;
        self.path.truncate(length);
        self.depth -= 1;
        Ok(())
    }

    fn variant(&mut self, variant: &str) -> Result<Inside<'_>> {
        self.push(Kind::Variant);
        let (length, depth) = (self.path.len(), self.depth);
        self.step(variant);
        self.push(Kind::Group);
        Ok(Inside { paths: self, values: 0, length, depth })
    }

    /// Goes from an entry to an entry inside.
    fn step(&mut self, step: &str) {
        if !step.starts_with('[') && !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(step);
        self.depth += 1;
    }
}

/// Defines methods for values without entries inside.
macro_rules! leaves {
    ($($method:ident($($ty:ty),*);)*) => {
        $(
            fn $method(self, $(_: $ty),*) -> Result<()> {
                self.leaf()
            }
        )*
    };
}

impl<'a> ser::Serializer for &'a mut Paths {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Inside<'a>;
    type SerializeTuple = Inside<'a>;
    type SerializeTupleStruct = Inside<'a>;
    type SerializeTupleVariant = Inside<'a>;
    type SerializeMap = Inside<'a>;
    type SerializeStruct = Inside<'a>;
    type SerializeStructVariant = Inside<'a>;

    fn is_human_readable(&self) -> bool {
        false
    }

    leaves! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_f32(f32);
        serialize_f64(f64);
        serialize_char(char);
        serialize_bytes(&[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(&'static str);
        serialize_unit_variant(&'static str, u32, &'static str);
    }

    fn serialize_str(self, text: &str) -> Result<()> {
        self.text = Some(text.to_owned());
        self.leaf()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<()> {
        match Mark::from_name(name) {
            Some(Mark::Named | Mark::Raw) => self.leaf(),
            _ => value.serialize(self),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &str, _: u32, variant: &str, value: &T) -> Result<()> {
        self.push(Kind::Variant);
        self.inside(variant, value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Inside<'a>> {
        self.group()
    }

    fn serialize_tuple(self, _: usize) -> Result<Inside<'a>> {
        self.group()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Inside<'a>> {
        self.group()
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<Inside<'a>> {
        self.variant(variant)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Inside<'a>> {
        self.group()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Inside<'a>> {
        self.group()
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<Inside<'a>> {
        self.variant(variant)
    }
}

/// The entries inside a list, struct or map.
struct Inside<'a> {
    paths: &'a mut Paths,
    /// The number of values that have been serialized.
    values: usize,
    /// The length of the path of the entry around these, and its depth.
    length: usize,
    depth: usize,
}

impl Inside<'_> {
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.values += 1;
        self.paths.inside(&format!("[{}]", self.values - 1), value)
    }

    fn end(self) -> Result<()> {
        self.paths.path.truncate(self.length);
        self.paths.depth = self.depth;
        Ok(())
    }
}

/// Implements serde's traits for lists and for structs.
macro_rules! compounds {
    ($($interface:ident $method:ident($($key:ident)?);)*) => {
        $(
            impl ser::$interface for Inside<'_> {
                type Ok = ();
                type Error = Error;

                fn $method<T: Serialize + ?Sized>(&mut self, $($key: &'static str,)? value: &T) -> Result<()> {
                    $(return self.paths.inside($key, value);)?
                    #[allow(unreachable_code)]
                    self.element(value)
                }

                fn end(self) -> Result<()> {
                    self.end()
                }
            }
        )*
    };
}

compounds! {
    SerializeSeq serialize_element();
    SerializeTuple serialize_element();
    SerializeTupleStruct serialize_field();
    SerializeTupleVariant serialize_field();
    SerializeStruct serialize_field(key);
    SerializeStructVariant serialize_field(key);
}

impl ser::SerializeMap for Inside<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.paths.text = None;
        self.paths.inside(&format!("[{}].key", self.values), key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let step = self.paths.text.take().unwrap_or_else(|| format!("[{}].value", self.values));
        self.values += 1;
        self.paths.inside(&step, value)
    }

    fn end(self) -> Result<()> {
        self.end()
    }
}
