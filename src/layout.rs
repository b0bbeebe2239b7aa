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
    let mut paths = Paths::default();
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
#[derive(Default)]
struct Paths {
    entries: Vec<(Entry, Kind)>,
    /// The path of the next entry.
    path: String,
    /// For each entry around the next one, the length of its path and the number of values inside that have been serialized.
    around: Vec<(usize, usize)>,
    /// The string that was serialized last, which may be the key of a map.
    text: Option<String>,
}

impl Paths {
    fn push(&mut self, kind: Kind) {
        let entry = Entry { path: self.path.clone(), depth: self.around.len(), marker: 0, offset: 0, len: 0 };
        self.entries.push((entry, kind));
    }

    fn leaf(&mut self) -> Result<()> {
        self.push(Kind::Leaf);
        Ok(())
    }

    /// Begins an entry with other entries inside.
    fn begin(&mut self, kind: Kind) -> Result<&mut Self> {
        self.push(kind);
        self.around.push((self.path.len(), 0));
        Ok(self)
    }

    /// Begins the data of a variant, which is a list or struct inside the entry of the variant.
    fn begin_variant(&mut self, variant: &str) -> Result<&mut Self> {
        self.begin(Kind::Variant)?.step(variant);
        self.begin(Kind::Group)
    }

    fn end(&mut self) {
        self.around.pop();
    }

    /// Goes to an entry inside the current one.
    fn step(&mut self, step: &str) {
        let &(length, _) = self.around.last().unwrap_or(&(0, 0));
        self.path.truncate(length);
        if length > 0 && !step.starts_with('[') {
            self.path.push('.');
        }
        self.path.push_str(step);
    }

    fn inside<T: Serialize + ?Sized>(&mut self, step: &str, value: &T) -> Result<()> {
        self.step(step);
        value.serialize(self)
    }

    /// Returns the number of values that were serialized before this one.
    fn index(&mut self) -> usize {
        self.around.last_mut().map_or(0, |(_, values)| {
            *values += 1;
            *values - 1
        })
    }
}

/// Defines methods for values without entries inside, for lists and structs, and for variants.
macro_rules! values {
    ($($method:ident($($ty:ty),*) -> $ok:ty: $record:ident($($argument:expr)?);)*) => {
        $(
            fn $method(self, $(_: $ty),*) -> Result<$ok> {
                self.$record($($argument)?)
            }
        )*
    };
}

impl ser::Serializer for &mut Paths {
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
        serialize_bool(bool) -> (): leaf();
        serialize_i8(i8) -> (): leaf();
        serialize_i16(i16) -> (): leaf();
        serialize_i32(i32) -> (): leaf();
        serialize_i64(i64) -> (): leaf();
        serialize_u8(u8) -> (): leaf();
        serialize_u16(u16) -> (): leaf();
        serialize_u32(u32) -> (): leaf();
        serialize_u64(u64) -> (): leaf();
        serialize_f32(f32) -> (): leaf();
        serialize_f64(f64) -> (): leaf();
        serialize_char(char) -> (): leaf();
        serialize_bytes(&[u8]) -> (): leaf();
        serialize_none() -> (): leaf();
        serialize_unit() -> (): leaf();
        serialize_unit_struct(&'static str) -> (): leaf();
        serialize_unit_variant(&'static str, u32, &'static str) -> (): leaf();
        serialize_seq(Option<usize>) -> Self: begin(Kind::Group);
        serialize_tuple(usize) -> Self: begin(Kind::Group);
        serialize_tuple_struct(&'static str, usize) -> Self: begin(Kind::Group);
        serialize_map(Option<usize>) -> Self: begin(Kind::Group);
        serialize_struct(&'static str, usize) -> Self: begin(Kind::Group);
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
        self.begin(Kind::Variant)?.inside(variant, value)?;
        self.end();
        Ok(())
    }

    fn serialize_tuple_variant(self, _: &str, _: u32, variant: &str, _: usize) -> Result<Self> {
        self.begin_variant(variant)
    }

    fn serialize_struct_variant(self, _: &str, _: u32, variant: &str, _: usize) -> Result<Self> {
        self.begin_variant(variant)
    }
}

/// Implements serde's traits for lists and structs. The last argument ends the entry, and the entry of the variant around it.
macro_rules! compounds {
    ($($interface:ident $method:ident($($key:ident)?) $($end:ident)*;)*) => {
        $(
            impl ser::$interface for &mut Paths {
                type Ok = ();
                type Error = Error;

                fn $method<T: Serialize + ?Sized>(&mut self, $($key: &'static str,)? value: &T) -> Result<()> {
                    let _step = format!("[{}]", self.index());
                    $(let _step = $key;)?
                    self.inside(&_step, value)
                }

                fn end(self) -> Result<()> {
                    $(Paths::$end(self);)*
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

impl ser::SerializeMap for &mut Paths {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        let pair = self.index() / 2;
        self.text = None;
        self.inside(&format!("[{pair}].key"), key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let pair = self.index() / 2;
        let step = self.text.take().unwrap_or_else(|| format!("[{pair}].value"));
        self.inside(&step, value)
    }

    fn end(self) -> Result<()> {
        Paths::end(self);
        Ok(())
    }
}
