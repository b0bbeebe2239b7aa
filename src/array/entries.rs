//! The entries that the layouts of an array metalayer share. [`written`] writes them. They are read here, or by [`named`] from
//! formats that write field names.
//!
//! The geometry is filled in place, since it is large: a derived decoder moves it three times.

use core::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::geometry::{Geometry, too_many};
use crate::de::array_fields;
use crate::mark;
use crate::wire::MAX_DIMENSIONS;

mod named;
mod seeds;
mod text;
mod written;
use named::Named;
use seeds::{Dtype, Fill, Fixint, FormatOrDtype, Sixth};
pub(super) use written::Written;

/// The layout that a caller asks for. [`ArrayMeta`](super::ArrayMeta) lists those that a metalayer can have.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Layout {
    Geometry,
    Caterva,
    LegacyB2nd,
    B2nd,
    /// Any of the last three.
    Any,
}

impl Layout {
    fn fields(self) -> &'static [&'static str] {
        match self {
            Layout::Geometry => &["ndim", "shape", "chunkshape", "blockshape"],
            Layout::Caterva => array_fields(5),
            Layout::LegacyB2nd => array_fields(6),
            Layout::B2nd | Layout::Any => array_fields(7),
        }
    }

    /// The name of its struct.
    fn struct_name(self) -> &'static str {
        match self {
            Layout::Geometry => "Geometry",
            Layout::Caterva => "CatervaMeta",
            Layout::LegacyB2nd => "LegacyB2ndMeta",
            Layout::B2nd | Layout::Any => "B2ndMeta",
        }
    }

    /// The layout's name in errors.
    fn name(self) -> &'static str {
        match self {
            Layout::Geometry => "geometry",
            Layout::Caterva => "caterva metalayer",
            Layout::LegacyB2nd | Layout::B2nd => "b2nd metalayer",
            Layout::Any => "array metalayer",
        }
    }
}

/// The entries that were read and have no place to be filled.
pub(super) struct Rest<S> {
    pub(super) version: u8,
    pub(super) dtype_format: Option<u8>,
    pub(super) dtype: Option<S>,
    /// The fixarray's count is one less than the number of entries.
    pub(super) miscounted: bool,
}

/// Reads a metalayer's entries. The geometry is filled in place, the dtype too if it has a place, and the others are returned.
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
        _ => deserializer.deserialize_struct(layout.struct_name(), layout.fields(), visitor),
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

    /// A self-describing format shows which layout this is by the entries that it has.
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
        layout.set_rank(geometry, ndim, any_zero)?;
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

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Self::Value, A::Error> {
        let named = Named::deserialize(MapAccessDeserializer::new(entries))?;
        named.into_place(self.layout, self.geometry, self.dtype)
    }
}

/// Functions that make errors are cold and take values: with references, what is being read could not stay in registers.
impl Layout {
    /// A required entry.
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

    /// Sets the geometry's rank, once its lists are in place.
    #[inline(always)]
    fn set_rank<E: serde::de::Error>(self, geometry: &mut Geometry, ndim: u8, any_zero: bool) -> Result<(), E> {
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

/// An entry of the layout. Only a format with field names can lack it.
#[inline(always)]
pub(super) fn present<T, E: serde::de::Error>(name: &'static str, entry: Option<T>) -> Result<T, E> {
    entry.ok_or_else(|| E::missing_field(name))
}

impl Geometry {
    /// Reads the geometry from the content of an array metalayer of any layout, and ignores what follows it.
    ///
    /// This works even if the dtype is not UTF-8, which is legal if dtype_format is not 0. Such content cannot be read as an
    /// [`ArrayMeta`](super::ArrayMeta).
    ///
    /// # Errors
    ///
    /// The content does not start as an array metalayer does.
    ///
    /// ```
    /// let content = hex_literal::hex!("97 00 01 91 d3000000000000000a 91 d200000005 91 d200000002 01 db00000002 fffe");
    /// assert!(b2nd::from_slice::<b2nd::B2ndMeta>(&content).is_err());
    /// let geometry = b2nd::Geometry::from_metalayer(&content)?;
    /// assert_eq!((geometry.shape(), geometry.chunkshape()), (&[10][..], &[5][..]));
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn from_metalayer(content: &[u8]) -> crate::Result<Geometry> {
        let mut geometry = Geometry::SCALAR;
        let visitor = EntriesVisitor::<IgnoredAny> { layout: Layout::Any, geometry: &mut geometry, dtype: None };
        crate::Deserializer::new(content).deserialize_newtype_struct(mark::ARRAY_FRONT, visitor)?;
        Ok(geometry)
    }
}

/// Four entries: ndim, shape, chunkshape, blockshape.
impl Serialize for Geometry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written { version: None, geometry: self, dtype_format: None, dtype: None }.serialize("Geometry", serializer)
    }
}

impl<'de> Deserialize<'de> for Geometry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut geometry = Geometry::SCALAR;
        Geometry::deserialize_in_place(deserializer, &mut geometry)?;
        Ok(geometry)
    }

    fn deserialize_in_place<D: Deserializer<'de>>(deserializer: D, place: &mut Self) -> Result<(), D::Error> {
        deserialize::<_, IgnoredAny>(deserializer, Layout::Geometry, place, None)?;
        Ok(())
    }
}
