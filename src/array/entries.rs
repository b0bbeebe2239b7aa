//! What the layouts of an array metalayer share: writing and reading their entries.
//!
//! A geometry is filled in place, since it is large and everything else here is small.

use core::fmt;

use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeSeq, SerializeStruct};
use serde::{Deserialize, Serialize, Serializer};

use super::geometry::{Geometry, checked_ndim, too_many};
use crate::mark;
use crate::wire::MAX_DIMENSIONS;
use crate::with::fixint;

mod seeds;
mod text;
use seeds::{Dtype, Fill, Fixint, FormatOrDtype, Sixth};

/// What a caller asks for; the layouts that a metalayer can have are in [`ArrayMeta`](super::ArrayMeta).
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Layout {
    Geometry,
    Caterva,
    LegacyB2nd,
    B2nd,
    /// Whichever of the last three it is.
    Any,
}

impl Layout {
    fn fields(self) -> &'static [&'static str] {
        match self {
            Layout::Geometry => &["ndim", "shape", "chunkshape", "blockshape"],
            Layout::Caterva => mark::array_fields(5),
            Layout::LegacyB2nd => mark::array_fields(6),
            Layout::B2nd | Layout::Any => mark::array_fields(7),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Layout::Geometry => "geometry",
            Layout::Caterva => "caterva metalayer",
            Layout::LegacyB2nd | Layout::B2nd => "b2nd metalayer",
            Layout::Any => "array metalayer",
        }
    }
}

/// The entries to write; those that a layout does not have are `None`.
pub(super) struct Entries<'a> {
    pub(super) version: Option<u8>,
    pub(super) geometry: &'a Geometry,
    pub(super) dtype_format: Option<u8>,
    pub(super) dtype: Option<&'a str>,
}

impl Entries<'_> {
    #[inline(always)]
    pub(super) fn serialize<S: Serializer>(&self, name: &'static str, serializer: S) -> Result<S::Ok, S::Error> {
        let optional = [self.version.is_some(), self.dtype_format.is_some(), self.dtype.is_some()];
        let count = 4 + optional.into_iter().filter(|&present| present).count();
        let mut entries = serializer.serialize_struct(name, count)?;
        if let Some(version) = self.version {
            entries.serialize_field("version", &checked::<S>("version", version)?)?;
        }
        entries.serialize_field("ndim", &self.geometry.ndim)?;
        entries.serialize_field("shape", &Lengths(mark::LENGTHS64, self.geometry.shape()))?;
        entries.serialize_field("chunkshape", &Lengths(mark::LENGTHS32, self.geometry.chunkshape()))?;
        entries.serialize_field("blockshape", &Lengths(mark::LENGTHS32, self.geometry.blockshape()))?;
        if let Some(dtype_format) = self.dtype_format {
            entries.serialize_field("dtype_format", &checked::<S>("dtype_format", dtype_format)?)?;
        }
        if let Some(dtype) = self.dtype {
            entries.serialize_field("dtype", dtype)?;
        }
        entries.end()
    }
}

#[inline(always)]
fn checked<S: Serializer>(name: &'static str, value: u8) -> Result<u8, S::Error> {
    fixint::checked(value).map_err(|error| in_entry(name, error))
}

#[cold]
fn in_entry<E: serde::ser::Error>(name: &'static str, error: impl fmt::Display) -> E {
    E::custom(format_args!("{name}: {error}"))
}

/// One of a geometry's lists, marked for its own marker.
struct Lengths<'a, T>(&'static str, &'a [T]);

impl<T: Serialize> Serialize for Lengths<'_, T> {
    #[inline(always)]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(self.0, &Each(self.1))
    }
}

/// A list, written by a loop of our own: a slice's `Serialize` goes through an iterator that is not inlined here, at
/// half as many instructions again for a whole metalayer.
struct Each<'a, T>(&'a [T]);

impl<T: Serialize> Serialize for Each<'_, T> {
    #[inline(always)]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut lengths = serializer.serialize_seq(Some(self.0.len()))?;
        for length in self.0 {
            lengths.serialize_element(length)?;
        }
        lengths.end()
    }
}

/// The entries that were read and not put into their place.
pub(super) struct Rest<S> {
    pub(super) version: u8,
    pub(super) dtype_format: Option<u8>,
    pub(super) dtype: Option<S>,
    /// The fixarray says one entry less than there are.
    pub(super) miscounted: bool,
}

/// Reads a metalayer's entries: the geometry into its place, the dtype too where it has one, and the others.
///
/// After an error the geometry is valid: without dimensions, or the one that was read.
#[inline(always)]
pub(super) fn deserialize<'de, D: Deserializer<'de>, S: Deserialize<'de>>(
    deserializer: D,
    layout: Layout,
    geometry: &mut Geometry,
    dtype: Option<&mut S>,
) -> Result<Rest<S>, D::Error> {
    geometry.ndim = 0;
    let visitor = EntriesVisitor { layout, geometry, dtype };
    match layout {
        Layout::Any => deserializer.deserialize_newtype_struct(mark::ARRAY_META, visitor),
        _ => deserializer.deserialize_struct(layout.name(), layout.fields(), visitor),
    }
}

struct EntriesVisitor<'a, S> {
    layout: Layout,
    geometry: &'a mut Geometry,
    dtype: Option<&'a mut S>,
}

impl<'de, S: Deserialize<'de>> Visitor<'de> for EntriesVisitor<'_, S> {
    type Value = Rest<S>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.layout {
            Layout::Any => f.write_str("an array metalayer of 5, 6 or 7 entries"),
            layout => write!(f, "a {} of {} entries", layout.name(), layout.fields().len()),
        }
    }

    /// A format that describes itself says by its own shape which layout this is.
    #[inline(always)]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    #[inline(always)]
    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let EntriesVisitor { layout, geometry, dtype } = self;
        let declared = entries.size_hint();
        let mut any_zero = false;
        let mut rest = Rest { version: 0, dtype_format: None, dtype: None, miscounted: false };
        let first = usize::from(layout != Layout::Geometry);
        if layout != Layout::Geometry {
            rest.version = layout.required(0, entries.next_element_seed(Fixint)?)?;
        }
        let ndim: u8 = layout.required(first, entries.next_element()?)?;
        layout.check_ndim(ndim)?;
        let found = entries.next_element_seed(Fill(mark::LENGTHS64, &mut geometry.shape, &mut any_zero))?;
        layout.check_rank(ndim, "shape", layout.required(first + 1, found)?)?;
        let found = entries.next_element_seed(Fill(mark::LENGTHS32, &mut geometry.chunkshape, &mut any_zero))?;
        layout.check_rank(ndim, "chunkshape", layout.required(first + 2, found)?)?;
        let found = entries.next_element_seed(Fill(mark::LENGTHS32, &mut geometry.blockshape, &mut any_zero))?;
        layout.check_rank(ndim, "blockshape", layout.required(first + 3, found)?)?;
        layout.settle(geometry, ndim, any_zero)?;
        match layout {
            Layout::Geometry | Layout::Caterva => {}
            Layout::LegacyB2nd => rest.dtype = layout.required(5, entries.next_element_seed(Dtype::new(dtype))?)?,
            Layout::B2nd => {
                rest.dtype_format = Some(layout.required(5, entries.next_element_seed(Fixint)?)?);
                rest.dtype = layout.required(6, entries.next_element_seed(Dtype::new(dtype))?)?;
            }
            Layout::Any => match entries.next_element_seed(FormatOrDtype::NEW)? {
                None => {}
                Some(Sixth::Dtype(dtype)) => rest.dtype = Some(dtype),
                Some(Sixth::Format(format)) => {
                    rest.dtype_format = Some(format);
                    rest.dtype = layout.required(6, entries.next_element_seed(Dtype::new(dtype))?)?;
                    rest.miscounted = declared == Some(6);
                }
            },
        }
        Ok(rest)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let EntriesVisitor { layout, geometry, mut dtype } = self;
        let mut has_dtype = false;
        let mut any_zero = false;
        let mut rest = Rest { version: 0, dtype_format: None, dtype: None, miscounted: false };
        let (mut version, mut ndim): (Option<u8>, Option<u8>) = (None, None);
        let mut ranks: [Option<usize>; 3] = [None; 3];
        while let Some(key) = entries.next_key::<Key>()? {
            if !layout.fields().contains(&key.name()) {
                return Err(A::Error::unknown_field(key.name(), layout.fields()));
            }
            let repeated = match key {
                Key::Version => version.replace(entries.next_value_seed(Fixint)?).is_some(),
                Key::Ndim => ndim.replace(entries.next_value()?).is_some(),
                Key::Shape => ranks[0]
                    .replace(entries.next_value_seed(Fill(mark::LENGTHS64, &mut geometry.shape, &mut any_zero))?)
                    .is_some(),
                Key::Chunkshape => ranks[1]
                    .replace(entries.next_value_seed(Fill(mark::LENGTHS32, &mut geometry.chunkshape, &mut any_zero))?)
                    .is_some(),
                Key::Blockshape => ranks[2]
                    .replace(entries.next_value_seed(Fill(mark::LENGTHS32, &mut geometry.blockshape, &mut any_zero))?)
                    .is_some(),
                Key::DtypeFormat => rest.dtype_format.replace(entries.next_value_seed(Fixint)?).is_some(),
                Key::Dtype => {
                    rest.dtype = entries.next_value_seed(Dtype::new(dtype.take()))?;
                    core::mem::replace(&mut has_dtype, true)
                }
            };
            if repeated {
                return Err(A::Error::duplicate_field(key.name()));
            }
        }
        let [shape, chunkshape, blockshape] = ranks;
        let shape = present("shape", shape)?;
        // The lists say the rank already; a reader of JSON need not be told twice.
        let ndim = match ndim {
            Some(ndim) => ndim,
            None => checked_ndim(shape).map_err(A::Error::custom)?,
        };
        layout.check_ndim(ndim)?;
        layout.check_rank(ndim, "shape", shape)?;
        layout.check_rank(ndim, "chunkshape", present("chunkshape", chunkshape)?)?;
        layout.check_rank(ndim, "blockshape", present("blockshape", blockshape)?)?;
        layout.settle(geometry, ndim, any_zero)?;
        if layout != Layout::Geometry {
            rest.version = present("version", version)?;
        }
        let has_format = rest.dtype_format.is_some();
        match layout {
            Layout::B2nd if !has_format => Err(A::Error::missing_field("dtype_format")),
            Layout::B2nd | Layout::LegacyB2nd if !has_dtype => Err(A::Error::missing_field("dtype")),
            Layout::Any if has_format && !has_dtype => Err(A::Error::missing_field("dtype")),
            _ => Ok(rest),
        }
    }
}

/// What makes an error takes values and is cold: nothing that is being read has to be in memory for its sake.
impl Layout {
    /// An entry that has to be there.
    #[inline(always)]
    fn required<T, E: serde::de::Error>(self, index: usize, entry: Option<T>) -> Result<T, E> {
        entry.ok_or_else(|| self.too_few(index))
    }

    #[cold]
    fn too_few<E: serde::de::Error>(self, index: usize) -> E {
        let fewest = if self == Layout::Any && index < 5 { "5 to " } else { "" };
        let (name, count) = (self.name(), self.fields().len());
        E::custom(format_args!("{name}: {index} entries, {fewest}{count} expected"))
    }

    #[inline(always)]
    fn check_ndim<E: serde::de::Error>(self, ndim: u8) -> Result<(), E> {
        if usize::from(ndim) > MAX_DIMENSIONS { Err(self.refused(too_many(ndim.into()))) } else { Ok(()) }
    }

    #[cold]
    fn refused<E: serde::de::Error>(self, why: impl fmt::Display) -> E {
        E::custom(format_args!("{}: {why}", self.name()))
    }

    #[inline(always)]
    fn check_rank<E: serde::de::Error>(self, ndim: u8, list: &'static str, found: usize) -> Result<(), E> {
        if found != usize::from(ndim) { Err(self.other_rank(ndim, list, found)) } else { Ok(()) }
    }

    #[cold]
    fn other_rank<E: serde::de::Error>(self, ndim: u8, list: &'static str, found: usize) -> E {
        self.refused(format_args!("{list} has {found} dimensions, ndim is {ndim}"))
    }

    /// Gives the geometry its rank, once its lists are in place.
    #[inline(always)]
    fn settle<E: serde::de::Error>(self, geometry: &mut Geometry, ndim: u8, any_zero: bool) -> Result<(), E> {
        geometry.ndim = ndim;
        if any_zero {
            geometry.check_zeros().map_err(|error| {
                geometry.ndim = 0;
                self.refused(error)
            })?;
        }
        Ok(())
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Key {
    Version,
    Ndim,
    Shape,
    Chunkshape,
    Blockshape,
    DtypeFormat,
    Dtype,
}

impl Key {
    fn name(&self) -> &'static str {
        mark::array_fields(7)[match self {
            Key::Version => 0,
            Key::Ndim => 1,
            Key::Shape => 2,
            Key::Chunkshape => 3,
            Key::Blockshape => 4,
            Key::DtypeFormat => 5,
            Key::Dtype => 6,
        }]
    }
}

/// An entry that the layout has, so that it can be missing only where a format names its fields.
#[inline(always)]
pub(super) fn present<T, E: serde::de::Error>(name: &'static str, entry: Option<T>) -> Result<T, E> {
    entry.ok_or_else(|| E::missing_field(name))
}

/// Four entries: ndim, shape, chunkshape, blockshape.
impl Serialize for Geometry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Entries { version: None, geometry: self, dtype_format: None, dtype: None }.serialize("Geometry", serializer)
    }
}

impl<'de> Deserialize<'de> for Geometry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut geometry = Geometry::SCALAR;
        Geometry::deserialize_in_place(deserializer, &mut geometry)?;
        Ok(geometry)
    }

    fn deserialize_in_place<D: Deserializer<'de>>(deserializer: D, place: &mut Self) -> Result<(), D::Error> {
        deserialize::<_, ()>(deserializer, Layout::Geometry, place, None)?;
        Ok(())
    }
}
