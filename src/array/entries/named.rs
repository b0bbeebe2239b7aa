//! The entries of an array metalayer in formats that write field names: JSON, CBOR, YAML.

use serde::de::{Deserialize, Deserializer, Error};

use super::seeds::{Fill, Length};
use super::{Layout, Rest, present};
use crate::array::geometry::{Geometry, checked_ndim};
use crate::wire::MAX_DIMENSIONS;
use crate::with::fixint;

/// The entries of any layout.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "S: Deserialize<'de>"))]
pub(super) struct Named<S> {
    #[serde(default, deserialize_with = "some")]
    version: Option<u8>,
    #[serde(default, deserialize_with = "some")]
    ndim: Option<u8>,
    shape: List<i64>,
    chunkshape: List<i32>,
    blockshape: List<i32>,
    #[serde(default, deserialize_with = "some")]
    dtype_format: Option<u8>,
    #[serde(default = "none", deserialize_with = "some")]
    dtype: Option<S>,
}

/// Reads an entry that is present as a plain value, not as an option.
fn some<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

fn none<T>() -> Option<T> {
    None
}

impl<S> Named<S> {
    /// Fills the geometry in place, and the dtype too if it has a place.
    pub(super) fn into_place<E: Error>(
        self,
        layout: Layout,
        geometry: &mut Geometry,
        place: Option<&mut S>,
    ) -> Result<Rest<S>, E> {
        let Named { version, ndim, shape, chunkshape, blockshape, dtype_format, dtype } = self;
        // The lists give the rank already, so ndim may be missing.
        let ndim = match ndim {
            Some(ndim) => ndim,
            None => checked_ndim(shape.count).map_err(E::custom)?,
        };
        layout.check_ndim(ndim)?;
        layout.check_rank(ndim, "shape", shape.count)?;
        layout.check_rank(ndim, "chunkshape", chunkshape.count)?;
        layout.check_rank(ndim, "blockshape", blockshape.count)?;
        (geometry.shape, geometry.chunkshape, geometry.blockshape) = (shape.lengths, chunkshape.lengths, blockshape.lengths);
        let any_zero = shape.any_zero || chunkshape.any_zero || blockshape.any_zero;
        layout.set_rank(geometry, ndim, any_zero)?;

        for (name, is_there) in
            [("version", version.is_some()), ("dtype_format", dtype_format.is_some()), ("dtype", dtype.is_some())]
        {
            if is_there && !layout.fields().contains(&name) {
                return Err(E::unknown_field(name, layout.fields()));
            }
        }
        let version =
            if layout == Layout::Geometry { 0 } else { fixint::checked(present("version", version)?).map_err(E::custom)? };
        let dtype_format = dtype_format.map(fixint::checked).transpose().map_err(E::custom)?;
        match (layout, dtype_format, &dtype) {
            (Layout::B2nd, None, _) => return Err(E::missing_field("dtype_format")),
            (Layout::B2nd | Layout::LegacyB2nd, _, None) | (Layout::Any, Some(_), None) => return Err(E::missing_field("dtype")),
            _ => {}
        }
        let dtype = match (place, dtype) {
            (Some(place), Some(dtype)) => {
                *place = dtype;
                None
            }
            (_, dtype) => dtype,
        };
        Ok(Rest { version, dtype_format, dtype, miscounted: false })
    }
}

/// One of a geometry's lists.
struct List<T> {
    lengths: [T; MAX_DIMENSIONS],
    count: usize,
    any_zero: bool,
}

impl<'de, T: Length> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut list = List { lengths: [T::default(); MAX_DIMENSIONS], count: 0, any_zero: false };
        list.count = serde::de::DeserializeSeed::deserialize(Fill(T::MARK, &mut list.lengths, &mut list.any_zero), deserializer)?;
        Ok(list)
    }
}
