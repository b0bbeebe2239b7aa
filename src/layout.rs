//! [`layout()`]: the positions of all entries in the encoding of a value.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;
use serde::ser::SerializeStruct;

use crate::error::Result;
use crate::marker;
use crate::ser::Serializer;
use crate::sink::{Note, Shape, Sink, Step};
use crate::wire;

mod draw;

/// The layout of a value: the path, the marker, the offset and the length of each entry. Also tells which entries have the same length in
/// all values of the type.
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
/// assert!(!layout.is_fixed(), "a name may be longer");
/// assert!(b2nd::layout(&(1u32, [0.5; 3]))?.is_fixed(), "a metalayer of this type never grows");
/// # Ok::<(), b2nd::Error>(())
/// ```
///
/// `Display` draws the layout in the style of Blosc2's specifications, and `Serialize` writes the entries to other formats.
#[derive(Clone, Debug)]
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
    is_fixed: bool,
    #[serde(skip)]
    shape: Shape,
    #[serde(skip)]
    is_option: bool,
}

/// Serializes a value and records its entries.
///
/// # Errors
///
/// Returns the errors of [`to_vec`](crate::to_vec).
pub fn layout<T: Serialize + ?Sized>(value: &T) -> Result<Layout> {
    let mut serializer = Serializer::new(Recorder::default());
    serializer.step(Step::Root, value)?;
    Ok(Layout { entries: serializer.into_sink().entries })
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

    /// Returns true if all values of the type have the same length, so that a metalayer of this type can always be replaced in a file.
    /// [`Entry::is_fixed`] describes which types are known to be fixed.
    pub fn is_fixed(&self) -> bool {
        self.entries.first().is_some_and(Entry::is_fixed)
    }

    /// Returns the indices of the entries directly inside this entry.
    pub(crate) fn children(&self, index: usize) -> impl Iterator<Item = usize> {
        let depth = self.entries.get(index).map_or(0, Entry::depth);
        let inside = self.entries.iter().enumerate().skip(index + 1).take_while(move |(_, entry)| entry.depth > depth);
        inside.filter(move |(_, entry)| entry.depth == depth + 1).map(|(index, _)| index)
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

    /// Returns true if this entry has the same length in every value of its type.
    ///
    /// The fixed types are numbers of more than 8 bits, `i8`, `bool`, `()`, fixext16, and tuples, structs and arrays of these types,
    /// including arrays with [`with::numbers`](crate::with::numbers). Strings, byte strings, lists, maps, options and enums are not fixed,
    /// nor is `u8`, since a number above 127 takes two bytes. If a `Serialize` implementation calls different methods for different values,
    /// like that of an untagged enum, the type may be reported as fixed although it is not.
    pub fn is_fixed(&self) -> bool {
        self.is_fixed
    }
}

impl Serialize for Layout {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut layout = serializer.serialize_struct("Layout", 3)?;
        layout.serialize_field("len", &self.len())?;
        layout.serialize_field("is_fixed", &self.is_fixed())?;
        layout.serialize_field("entries", &self.entries)?;
        layout.end()
    }
}

/// A sink that records the bytes and the entries in them.
#[derive(Default)]
struct Recorder {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// The indices of the entries that are being written. Each of these entries is inside the previous one.
    open: Vec<usize>,
}

impl Recorder {
    fn path(&self, step: Step) -> String {
        let parent = self.open.last().and_then(|&index| self.entries.get(index)).map_or("", |entry| &entry.path);
        let joined = |name: &str| if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") };
        match step {
            Step::Root | Step::Content => parent.to_owned(),
            Step::Field(name) | Step::Variant(name) => joined(name),
            Step::Index(index) => format!("{parent}[{index}]"),
            Step::Key(number) => format!("{parent}[{number}].key"),
            Step::Value(number) => {
                let key = self.entries.iter().rev().find(|entry| entry.depth == self.open.len());
                let key = key.and_then(|key| wire::key_text(self.bytes.get(key.offset..)?));
                key.map_or_else(|| format!("{parent}[{number}].value"), joined)
            }
        }
    }

    fn begin(&mut self, step: Step) {
        let (path, depth, offset) = (self.path(step), self.open.len(), self.bytes.len());
        self.open.push(self.entries.len());
        let shape = Shape::Leaf;
        self.entries.push(Entry { path, depth, marker: 0, offset, len: 0, is_fixed: true, shape, is_option: false });
    }

    fn end(&mut self) {
        let Some(entry) = self.open.pop().and_then(|index| self.entries.get_mut(index)) else { return };
        entry.len = self.bytes.len() - entry.offset;
        entry.marker = self.bytes.get(entry.offset).copied().unwrap_or_default();
        let is_fixed = match entry.shape {
            Shape::Leaf => marker::is_fixed(entry.marker),
            Shape::FixedBytes | Shape::Fields | Shape::Embedded => true,
            Shape::List(_) | Shape::Map(_) | Shape::Variant | Shape::Any => false,
        };
        entry.is_fixed &= is_fixed && !entry.is_option;
        if !entry.is_fixed {
            if let Some(parent) = self.open.last().and_then(|&index| self.entries.get_mut(index)) {
                parent.is_fixed = false;
            }
        }
    }
}

impl Sink for Recorder {
    fn put_slice(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes.put_slice(bytes)
    }

    fn written(&self) -> usize {
        self.bytes.len()
    }

    /// Inserts the marker and the count (or length) of the innermost open entry before its contents, and increases the offsets of the
    /// contents.
    fn insert(&mut self, at: usize, bytes: &[u8]) -> Result<()> {
        let first = self.open.last().map_or(0, |&index| index + 1);
        self.entries.iter_mut().skip(first).for_each(|entry| entry.offset += bytes.len());
        Sink::insert(&mut self.bytes, at, bytes)
    }

    fn note(&mut self, note: Note) {
        let open = self.open.last().and_then(|&index| self.entries.get_mut(index));
        match (note, open) {
            (Note::Begin(step), _) => self.begin(step),
            (Note::End, _) => self.end(),
            (Note::Option, Some(entry)) => entry.is_option = true,
            (Note::Is(shape), Some(entry)) => entry.shape = shape,
            (_, None) => {}
        }
    }
}
