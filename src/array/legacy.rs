//! [`LegacyB2ndMeta`]: an array metalayer in the layout of two days in February 2023.

use alloc::borrow::ToOwned;
use alloc::string::String;

use serde::{Deserialize, Serialize, Serializer};

use super::Metalayer;
use super::dims::Dims;
use super::dtype::DType;
use super::geometry::{Geometry, Shapes};
use crate::error::{Error, Result};
use crate::with::{dims, fixint};

/// The `b2nd` metalayer that development versions of C-Blosc2 wrote from 6 to 8 February 2023: a fixarray of six entries (`96`), without
/// dtype_format.
///
/// ```text
/// 96 | version | ndim | shape | chunkshape | blockshape | db dtype
/// ```
///
/// The dtype is NumPy's name for the type, such as `uint8`. [`ArrayMeta::upgrade`](super::ArrayMeta::upgrade) converts this metalayer to
/// the released layout.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(try_from = "Legacy<S>")]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct LegacyB2ndMeta<S = String> {
    /// The version of the layout, a positive fixint. Every known writer writes 0.
    #[cfg_attr(feature = "arbitrary", arbitrary(with = crate::with::fixint::arbitrary))]
    pub version: u8,
    /// The geometry: shape, chunkshape and blockshape.
    pub geometry: Geometry,
    /// The type of an element, such as `uint8`.
    pub dtype: S,
}

/// The entries of a [`LegacyB2ndMeta`].
#[derive(Serialize, Deserialize)]
#[serde(
    rename = "LegacyB2ndMeta",
    deny_unknown_fields,
    expecting = "a b2nd metalayer of 6 entries (ArrayMeta reads every layout)"
)]
struct Legacy<S> {
    #[serde(with = "fixint")]
    version: u8,
    ndim: u8,
    #[serde(with = "dims")]
    shape: Dims<i64>,
    #[serde(with = "dims")]
    chunkshape: Dims<i32>,
    #[serde(with = "dims")]
    blockshape: Dims<i32>,
    dtype: S,
}

impl<S> TryFrom<Legacy<S>> for LegacyB2ndMeta<S> {
    type Error = Error;

    fn try_from(Legacy { version, ndim, shape, chunkshape, blockshape, dtype }: Legacy<S>) -> Result<Self> {
        let geometry = Geometry::try_from(Shapes { ndim, shape, chunkshape, blockshape })?;
        Ok(LegacyB2ndMeta { version, geometry, dtype })
    }
}

impl<S: Serialize> Serialize for LegacyB2ndMeta<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let LegacyB2ndMeta { version, geometry, ref dtype } = *self;
        let Shapes { ndim, shape, chunkshape, blockshape } = geometry.into();
        Legacy { version, ndim, shape, chunkshape, blockshape, dtype }.serialize(serializer)
    }
}

impl<S> Metalayer for LegacyB2ndMeta<S> {
    const NAME: &'static str = "b2nd";
}

impl<S: AsRef<str>> LegacyB2ndMeta<S> {
    /// Parses the dtype string.
    ///
    /// # Errors
    ///
    /// Fails if the string is not a valid [`DType`].
    pub fn parse_dtype(&self) -> Result<DType> {
        self.dtype.as_ref().parse()
    }

    /// Converts to metadata that owns the dtype string.
    #[must_use]
    pub fn into_owned(self) -> LegacyB2ndMeta {
        LegacyB2ndMeta { version: self.version, geometry: self.geometry, dtype: self.dtype.as_ref().to_owned() }
    }
}
