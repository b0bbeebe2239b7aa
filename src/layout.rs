//! [`layout()`]: the positions of all entries in the encoding of a value.
//!
//! The paths of the entries come from a serializer that writes nothing ([`Entries`]), and their positions from the bytes.

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
    let mut entries =
        Entries { reader: Reader::new(&bytes), list: Vec::new(), path: String::new(), around: Vec::new(), text: None };
    value.serialize(&mut entries)?;
    Ok(Layout { entries: entries.list })
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

/// A serializer that writes nothing. It reads the bytes of the same value, and records each entry.
struct Entries<'a> {
    reader: Reader<'a>,
    list: Vec<Entry>,
    /// The path of the next entry.
    path: String,
    /// For each entry around the next one, its index in `list` and the number of values inside that have been serialized.
    around: Vec<(usize, usize)>,
    /// The string that was serialized last, which may be the key of a map.
    text: Option<String>,
}

impl Entries<'_> {
    fn begin(&mut self) -> Result<()> {
        let (marker, offset) = (self.reader.peek()?, self.reader.offset());
        let entry = Entry { path: self.path.clone(), depth: self.around.len(), marker, offset, len: 0 };
        self.around.push((self.list.len(), 0));
        self.list.push(entry);
        Ok(())
    }

    fn end(&mut self) {
        if let Some(entry) = self.around.pop().and_then(|(index, _)| self.list.get_mut(index)) {
            entry.len = self.reader.offset() - entry.offset;
        }
    }

    /// Records an entry without entries inside.
    fn leaf(&mut self) -> Result<()> {
        self.begin()?;
        self.reader.take_entry(0)?;
        self.end();
        Ok(())
    }

    /// Begins a list, a struct or a map. Its marker has the count, and its values follow.
    fn group(&mut self) -> Result<&mut Self> {
        self.begin()?;
        self.reader.take_item()?;
        Ok(self)
    }

    /// Begins a variant, which is a map of one pair: its name and its data.
    fn variant(&mut self, name: &str) -> Result<&mut Self> {
        self.group()?.reader.take_item()?;
        self.step(name);
        Ok(self)
    }

    /// Goes to an entry inside the current one.
    fn step(&mut self, step: &str) {
        let around = self.around.last().and_then(|&(index, _)| self.list.get(index));
        self.path = around.map(|entry| entry.path.clone()).unwrap_or_default();
        if !self.path.is_empty() && !step.starts_with('[') {
            self.path.push('.');
        }
        self.path.push_str(step);
    }

    /// Serializes a value inside the current entry. Without a name, its step is its index.
    fn inside<T: Serialize + ?Sized>(&mut self, name: Option<&str>, value: &T) -> Result<()> {
        let index = self.values();
        self.step(name.unwrap_or(&format!("[{index}]")));
        if let Some((_, values)) = self.around.last_mut() {
            *values += 1;
        }
        value.serialize(self)
    }

    /// Returns the number of values inside the current entry that have been serialized.
    fn values(&self) -> usize {
        self.around.last().map_or(0, |&(_, values)| values)
    }
}

/// Defines methods for values without entries inside, and for lists and structs.
macro_rules! values {
    ($($method:ident($($ty:ty),*) -> $ok:ty: $record:ident;)*) => {
        $(
            fn $method(self, $(_: $ty),*) -> Result<$ok> {
                self.$record()
            }
        )*
    };
}

impl ser::Serializer for &mut Entries<'_> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    fn is_human_readable(&self) -> bool {
        false
    }

    values! {
        serialize_bool(bool) -> (): leaf;
        serialize_i8(i8) -> (): leaf;
        serialize_i16(i16) -> (): leaf;
        serialize_i32(i32) -> (): leaf;
        serialize_i64(i64) -> (): leaf;
        serialize_u8(u8) -> (): leaf;
        serialize_u16(u16) -> (): leaf;
        serialize_u32(u32) -> (): leaf;
        serialize_u64(u64) -> (): leaf;
        serialize_f32(f32) -> (): leaf;
        serialize_f64(f64) -> (): leaf;
        serialize_char(char) -> (): leaf;
        serialize_bytes(&[u8]) -> (): leaf;
        serialize_none() -> (): leaf;
        serialize_unit() -> (): leaf;
        serialize_unit_struct(&'static str) -> (): leaf;
        serialize_unit_variant(&'static str, u32, &'static str) -> (): leaf;
        serialize_seq(Option<usize>) -> Self: group;
        serialize_tuple(usize) -> Self: group;
        serialize_tuple_struct(&'static str, usize) -> Self: group;
        serialize_map(Option<usize>) -> Self: group;
        serialize_struct(&'static str, usize) -> Self: group;
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
        value.serialize(&mut *self.variant(variant)?)?;
        self.end();
        Ok(())
    }

    fn serialize_tuple_variant(self, _: &str, _: u32, variant: &str, _: usize) -> Result<Self> {
        self.variant(variant)?.group()
    }

    fn serialize_struct_variant(self, _: &str, _: u32, variant: &str, _: usize) -> Result<Self> {
        self.variant(variant)?.group()
    }
}

/// Implements serde's traits for lists and structs. The last argument ends the entry, and the entry of the variant around it.
macro_rules! compounds {
    ($($interface:ident $method:ident($($key:ident)?) $($end:ident)+;)*) => {
        $(
            impl ser::$interface for &mut Entries<'_> {
                type Ok = ();
                type Error = Error;

                fn $method<T: Serialize + ?Sized>(&mut self, $($key: &'static str,)? value: &T) -> Result<()> {
                    let name = [$($key)?].first().copied();
                    self.inside(name, value)
                }

                fn end(self) -> Result<()> {
                    $(Entries::$end(self);)+
                    Ok(())
                }
            }
        )*
    };
}

compounds! {
    SerializeSeq serialize_element() end;
    SerializeTuple serialize_element() end;
    SerializeTupleStruct serialize_field() end;
    SerializeTupleVariant serialize_field() end end;
    SerializeStruct serialize_field(key) end;
    SerializeStructVariant serialize_field(key) end end;
}

impl ser::SerializeMap for &mut Entries<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.text = None;
        let pair = self.values() / 2;
        self.inside(Some(&format!("[{pair}].key")), key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let pair = self.values() / 2;
        let step = self.text.take().unwrap_or_else(|| format!("[{pair}].value"));
        self.inside(Some(&step), value)
    }

    fn end(self) -> Result<()> {
        Entries::end(self);
        Ok(())
    }
}
