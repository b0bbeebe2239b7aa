//! Writes the entries of an array metalayer.
//!
//! Keep this written by hand: a derived `Serialize` is not inlined, and takes half to twice as many instructions more.

use core::fmt;

use serde::ser::{SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};

use super::seeds::Length;
use crate::array::geometry::Geometry;
use crate::with::fixint;

/// The entries to write. An entry that the layout does not have is `None`.
pub(in crate::array) struct Written<'a> {
    pub(in crate::array) version: Option<u8>,
    pub(in crate::array) geometry: &'a Geometry,
    pub(in crate::array) dtype_format: Option<u8>,
    pub(in crate::array) dtype: Option<&'a str>,
}

impl Written<'_> {
    #[inline(always)]
    pub(in crate::array) fn serialize<S: Serializer>(&self, name: &'static str, serializer: S) -> Result<S::Ok, S::Error> {
        let optional = [self.version.is_some(), self.dtype_format.is_some(), self.dtype.is_some()];
        let count = 4 + optional.into_iter().filter(|&present| present).count();
        let mut entries = serializer.serialize_struct(name, count)?;
        if let Some(version) = self.version {
            entries.serialize_field("version", &checked::<S>("version", version)?)?;
        }
        entries.serialize_field("ndim", &self.geometry.ndim)?;
        entries.serialize_field("shape", &Lengths(self.geometry.shape()))?;
        entries.serialize_field("chunkshape", &Lengths(self.geometry.chunkshape()))?;
        entries.serialize_field("blockshape", &Lengths(self.geometry.blockshape()))?;
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
struct Lengths<'a, T>(&'a [T]);

impl<T: Length + Serialize> Serialize for Lengths<'_, T> {
    #[inline(always)]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(T::MARK, &Unmarked(self.0))
    }
}

/// The list, written in a plain loop. Keep it: a slice's `Serialize` is not inlined here, and a metalayer then takes half as many
/// instructions more.
struct Unmarked<'a, T>(&'a [T]);

impl<T: Serialize> Serialize for Unmarked<'_, T> {
    #[inline(always)]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut lengths = serializer.serialize_seq(Some(self.0.len()))?;
        for length in self.0 {
            lengths.serialize_element(length)?;
        }
        lengths.end()
    }
}
