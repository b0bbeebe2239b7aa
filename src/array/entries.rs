//! Reads and writes the entries of an array metalayer. The same code handles all layouts.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use super::geometry::{Geometry, too_many_dimensions};
use super::lists::{Lengths, Written};
use crate::de::{Fields, array_fields};
use crate::error::{Result, plural};
use crate::limits::MAX_DIMENSIONS;
use crate::mark;
use crate::value::Value;
use crate::with::fixint;

/// One of the layouts of an array metalayer, or a part that all layouts share.
pub(super) struct Layout {
    /// The name of the Rust struct for this layout.
    of: &'static str,
    /// The name of the layout in error messages.
    name: &'static str,
    /// The names of the entries, in order.
    fields: Fields,
    dtype: Dtype,
}

/// The entries that follow blockshape in a layout: none, only a dtype, or a dtype_format and then a dtype.
enum Dtype {
    None,
    Only,
    WithFormat,
    /// The layout is not known in advance, so each of the other variants is possible.
    Any,
}

impl Layout {
    pub(super) const B2ND: Layout =
        Layout { of: "B2ndMeta", name: "b2nd metalayer", fields: array_fields(7), dtype: Dtype::WithFormat };
    pub(super) const LEGACY: Layout =
        Layout { of: "LegacyB2ndMeta", name: "b2nd metalayer", fields: array_fields(6), dtype: Dtype::Only };
    pub(super) const CATERVA: Layout =
        Layout { of: "CatervaMeta", name: "caterva metalayer", fields: array_fields(5), dtype: Dtype::None };
    pub(super) const GEOMETRY: Layout =
        Layout { of: "Geometry", name: "geometry", fields: array_fields(5).split_at(1).1, dtype: Dtype::None };
    pub(super) const ANY: Layout =
        Layout { of: "ArrayMeta", name: "array metalayer", fields: array_fields(7), dtype: Dtype::Any };
    /// The entries that an array metalayer of any layout starts with.
    pub(super) const FRONT: Layout = Layout { dtype: Dtype::None, ..Layout::ANY };
}

/// The entries of an array metalayer that was read.
pub(super) struct Entries<S> {
    pub(super) geometry: Geometry,
    /// The dtype, or `None` if the layout has no dtype.
    pub(super) dtype: Option<S>,
    /// The dtype_format, or `None` if the layout has no dtype_format.
    pub(super) dtype_format: Option<u8>,
    /// The version of the layout, or 0 if the layout has no version.
    pub(super) version: u8,
    /// Whether the marker of the fixarray gives the count six. If a dtype_format was read too, the count is wrong.
    pub(super) is_six: bool,
}

impl Layout {
    #[inline(always)]
    pub(super) fn read<'de, S: Deserialize<'de>, D: Deserializer<'de>>(
        &'static self,
        deserializer: D,
    ) -> Result<Entries<S>, D::Error> {
        deserializer.deserialize_struct(self.of, self.fields, self.visitor())
    }

    #[inline(always)]
    pub(super) fn visitor<S>(&'static self) -> EntriesVisitor<S> {
        EntriesVisitor(self, PhantomData)
    }

    #[inline(always)]
    pub(super) fn write<S: Serializer>(
        &self,
        version: u8,
        geometry: &Geometry,
        dtype_format: Option<u8>,
        dtype: Option<&str>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut entries = serializer.serialize_struct(self.of, self.fields.len())?;
        if self.has_version() {
            entries.serialize_field("version", &fixint::written("version", version)?)?;
        }
        entries.serialize_field("ndim", &geometry.ndim)?;
        entries.serialize_field("shape", &Written(geometry.shape()))?;
        entries.serialize_field("chunkshape", &Written(geometry.chunkshape()))?;
        entries.serialize_field("blockshape", &Written(geometry.blockshape()))?;
        if let Some(format) = dtype_format {
            entries.serialize_field("dtype_format", &fixint::written("dtype_format", format)?)?;
        }
        if let Some(dtype) = dtype {
            entries.serialize_field("dtype", dtype)?;
        }
        entries.end()
    }

    #[inline(always)]
    fn has_version(&self) -> bool {
        self.fields.len() > 4
    }

    fn cut<E: de::Error>(&self, count: usize) -> E {
        match self.dtype {
            Dtype::Any => self.miscounted(count, "5 to 7"),
            _ => self.miscounted(count, self.fields.len()),
        }
    }

    #[cold]
    fn miscounted<E: de::Error>(&self, count: usize, expected: impl fmt::Display) -> E {
        E::custom(format_args!("{}: expected {expected} entries, found {count}", self.name))
    }

    #[cold]
    fn wrong_rank<E: de::Error>(&self, ndim: usize, list: &str, count: usize) -> E {
        match ndim {
            0..=MAX_DIMENSIONS => {
                E::custom(format_args!("{}: {list} has {count} dimension{}, but ndim is {ndim}", self.name, plural(count)))
            }
            _ => E::custom(format_args!("{}: {}", self.name, too_many_dimensions(ndim))),
        }
    }

    #[inline(always)]
    fn check_rank<E: de::Error>(&self, ndim: usize, list: &str, count: usize) -> Result<(), E> {
        if ndim > MAX_DIMENSIONS || count != ndim { Err(self.wrong_rank(ndim, list, count)) } else { Ok(()) }
    }

    #[cold]
    fn check_zeros<E: de::Error>(&self, geometry: &Geometry) -> Result<(), E> {
        geometry.check_zeros().map_err(|error| E::custom(format_args!("{}: {error}", self.name)))
    }
}

pub(super) struct EntriesVisitor<S>(&'static Layout, PhantomData<S>);

impl<'de, S: Deserialize<'de>> Visitor<'de> for EntriesVisitor<S> {
    type Value = Entries<S>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.dtype {
            Dtype::Any => f.write_str("an array metalayer of 5, 6 or 7 entries"),
            _ => write!(f, "a {} of {} entries", self.0.name, self.0.fields.len()),
        }
    }

    #[inline(always)]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    #[inline(always)]
    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let layout = self.0;
        let is_six = entries.size_hint() == Some(6);
        let first = usize::from(layout.has_version());
        let Fixint(version) = match layout.has_version() {
            true => entries.next_element()?.ok_or_else(|| layout.cut(0))?,
            false => Fixint(0),
        };
        let ndim: u8 = entries.next_element()?.ok_or_else(|| layout.cut(first))?;
        let rank = usize::from(ndim);
        layout.check_rank(rank, "", rank)?;
        let mut geometry = Geometry { ndim, ..Geometry::SCALAR };
        let shape = entries.next_element_seed(Lengths(&mut geometry.shape))?.ok_or_else(|| layout.cut(first + 1))?;
        layout.check_rank(rank, "shape", shape.count)?;
        let chunks = entries.next_element_seed(Lengths(&mut geometry.chunkshape))?.ok_or_else(|| layout.cut(first + 2))?;
        layout.check_rank(rank, "chunkshape", chunks.count)?;
        let blocks = entries.next_element_seed(Lengths(&mut geometry.blockshape))?.ok_or_else(|| layout.cut(first + 3))?;
        layout.check_rank(rank, "blockshape", blocks.count)?;
        if chunks.any_zero || blocks.any_zero {
            layout.check_zeros(&geometry)?;
        }
        let (dtype_format, dtype) = match layout.dtype {
            Dtype::None => (None, None),
            Dtype::Only => (None, Some(entries.next_element()?.ok_or_else(|| layout.cut(5))?)),
            Dtype::WithFormat => {
                let Fixint(format) = entries.next_element()?.ok_or_else(|| layout.cut(5))?;
                (Some(format), Some(entries.next_element()?.ok_or_else(|| layout.cut(6))?))
            }
            Dtype::Any => match entries.next_element()? {
                None => (None, None),
                Some(FormatOrDtype::Dtype(dtype)) => match entries.next_element::<S>()? {
                    None => (None, Some(dtype)),
                    Some(_) => return Err(layout.miscounted(7, 6)),
                },
                Some(FormatOrDtype::Format(format)) => {
                    (Some(format), Some(entries.next_element()?.ok_or_else(|| layout.miscounted(6, 7))?))
                }
            },
        };
        Ok(Entries { geometry, dtype, dtype_format, version, is_six })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let layout = self.0;
        let (mut geometry, mut counts, mut any_zero) = (Geometry::SCALAR, [0; 3], false);
        let (mut version, mut ndim, mut dtype_format, mut dtype, mut seen) = (0, None, None, None, Vec::new());
        while let Some(field) = entries.next_key_seed(FieldName(layout.fields))? {
            if seen.contains(&field) {
                return Err(de::Error::duplicate_field(field));
            }
            seen.push(field);
            match field {
                "version" => version = entries.next_value::<Fixint>()?.0,
                "ndim" => ndim = Some(entries.next_value::<u8>()?.into()),
                "shape" => counts[0] = entries.next_value_seed(Lengths(&mut geometry.shape))?.count,
                "chunkshape" | "blockshape" => {
                    let (place, count) = match field {
                        "chunkshape" => (&mut geometry.chunkshape, &mut counts[1]),
                        _ => (&mut geometry.blockshape, &mut counts[2]),
                    };
                    let found = entries.next_value_seed(Lengths(place))?;
                    *count = found.count;
                    any_zero |= found.any_zero;
                }
                "dtype_format" => dtype_format = Some(entries.next_value::<Fixint>()?.0),
                _ => dtype = Some(entries.next_value()?),
            }
        }
        let least = if matches!(layout.dtype, Dtype::Any) && dtype_format.is_none() { 5 } else { layout.fields.len() };
        if let Some(missing) = layout.fields.iter().take(least).find(|field| **field != "ndim" && !seen.contains(field)) {
            return Err(de::Error::missing_field(missing));
        }
        let ndim = ndim.unwrap_or(counts[0]);
        for (list, count) in ["shape", "chunkshape", "blockshape"].into_iter().zip(counts) {
            layout.check_rank(ndim, list, count)?;
        }
        geometry.ndim = ndim as u8;
        if any_zero {
            layout.check_zeros(&geometry)?;
        }
        Ok(Entries { geometry, dtype, dtype_format, version, is_six: false })
    }
}

/// Reads the name of a field. Fails if the name is not in this list.
struct FieldName(Fields);

impl<'de> DeserializeSeed<'de> for FieldName {
    type Value = &'static str;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for FieldName {
    type Value = &'static str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field's name")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Self::Value, E> {
        self.0.iter().find(|field| **field == name).copied().ok_or_else(|| E::unknown_field(name, self.0))
    }
}

/// A number from 0 to 127, which is written as a positive fixint.
struct Fixint(u8);

impl<'de> Deserialize<'de> for Fixint {
    #[inline(always)]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        fixint::deserialize(deserializer).map(Fixint)
    }
}

/// The entry after blockshape, if several layouts are possible. In this crate's format, the entry's marker shows whether it is a
/// dtype_format or a dtype; in other formats, the entry's type shows this.
enum FormatOrDtype<S> {
    Format(u8),
    Dtype(S),
}

/// The value of a dtype_format or of a dtype, as it is read from other serde formats such as JSON. `Neither` keeps any other value, for the
/// error.
#[derive(Deserialize)]
#[serde(untagged)]
enum Plain<S> {
    Neither(#[serde(deserialize_with = "neither")] Value),
    Format(#[serde(deserialize_with = "fixint::deserialize")] u8),
    Dtype(S),
}

fn neither<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    match Value::deserialize(deserializer)? {
        value if value.as_str().is_some() || matches!(value.as_u64(), Some(0..=127)) => Err(de::Error::custom("one of them")),
        value => Ok(value),
    }
}

impl<'de, S: Deserialize<'de>> Deserialize<'de> for FormatOrDtype<S> {
    #[inline(always)]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(mark::FORMAT_OR_DTYPE, FormatOrDtypeVisitor(PhantomData))
    }
}

struct FormatOrDtypeVisitor<S>(PhantomData<S>);

impl<'de, S: Deserialize<'de>> Visitor<'de> for FormatOrDtypeVisitor<S> {
    type Value = FormatOrDtype<S>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a dtype_format or a dtype")
    }

    #[inline(always)]
    fn visit_u8<E: de::Error>(self, format: u8) -> Result<Self::Value, E> {
        Ok(FormatOrDtype::Format(format))
    }

    #[inline(always)]
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        S::deserialize(deserializer).map(FormatOrDtype::Dtype)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        match Plain::deserialize(deserializer)? {
            Plain::Format(format) => Ok(FormatOrDtype::Format(format)),
            Plain::Dtype(dtype) => Ok(FormatOrDtype::Dtype(dtype)),
            Plain::Neither(found) => {
                Err(de::Error::custom(format_args!("expected a dtype_format (0 to 127) or a dtype, found {found}")))
            }
        }
    }
}

impl Geometry {
    /// Reads the geometry from the content of an array metalayer of any layout, and ignores the entries after the geometry.
    ///
    /// This works even if the dtype is not UTF-8, which is legal if dtype_format is not 0. Such content cannot be read as an
    /// [`ArrayMeta`](super::ArrayMeta).
    ///
    /// # Errors
    ///
    /// Fails if the content does not start as an array metalayer does.
    ///
    /// ```
    /// let content = hex_literal::hex!("97 00 01 91 d3000000000000000a 91 d200000005 91 d200000002 01 db00000002 fffe");
    /// assert!(b2nd::from_slice::<b2nd::B2ndMeta>(&content).is_err());
    /// let geometry = b2nd::Geometry::from_metalayer(&content)?;
    /// assert_eq!((geometry.shape(), geometry.chunkshape()), (&[10][..], &[5][..]));
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn from_metalayer(content: &[u8]) -> Result<Geometry> {
        Ok(crate::Deserializer::new(content).array_front(Layout::FRONT.visitor::<()>())?.geometry)
    }
}

impl Serialize for Geometry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Layout::GEOMETRY.write(0, self, None, None, serializer)
    }
}

impl<'de> Deserialize<'de> for Geometry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Layout::GEOMETRY.read::<(), D>(deserializer)?.geometry)
    }
}
