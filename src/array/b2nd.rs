//! [`B2ndMeta`]: an array metalayer in the released layout.

use alloc::borrow::ToOwned;
use alloc::string::String;

use serde::{Deserialize, Serialize, Serializer};

use super::Metalayer;
use super::dims::Dims;
use super::dtype::{DType, HasDType};
use super::geometry::{Geometry, Shapes};
use crate::error::{Error, Result};
use crate::with::{dims, fixint};

/// The `b2nd` metalayer as every release since C-Blosc2 2.7.0 writes it: a fixarray of seven entries (`97`).
///
/// `S` is the type of the dtype string. `B2ndMeta` owns the string; `B2ndMeta<&str>` borrows it from the input, so decoding does not
/// allocate.
///
/// ```text
/// 97 | version | ndim | shape | chunkshape | blockshape | dtype_format | db dtype
/// ```
///
/// ```
/// let geometry = b2nd::Geometry::new(&[400, 3], &[110, 3], &[57, 3])?;
/// let bytes = b2nd::to_vec(&b2nd::B2ndMeta::new(geometry, "|u1"))?;
/// assert_eq!(bytes, hex_literal::hex!(
///     "97 00 02"
///     "92 d30000000000000190 d30000000000000003"
///     "92 d20000006e d200000003"
///     "92 d200000039 d200000003"
///     "00 db00000003 7c7531"));
///
/// let json = r#"{"version":0,"ndim":2,"shape":[400,3],"chunkshape":[110,3],"blockshape":[57,3],"dtype_format":0,"dtype":"|u1"}"#;
/// let meta: b2nd::B2ndMeta = b2nd::from_slice(&bytes)?;
/// assert_eq!(serde_json::to_string(&meta)?, json);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Source: the specification "B2ND Metalayer Format" of C-Blosc2.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(try_from = "Released<S>")]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct B2ndMeta<S = String> {
    /// The version of the layout, a positive fixint. C-Blosc2 writes 0.
    #[cfg_attr(feature = "arbitrary", arbitrary(with = crate::with::fixint::arbitrary))]
    pub version: u8,
    /// The geometry: shape, chunkshape and blockshape.
    pub geometry: Geometry,
    /// The kind of string in `dtype`, a positive fixint. 0 means a dtype string of NumPy; the meaning of other numbers is unknown.
    #[cfg_attr(feature = "arbitrary", arbitrary(with = crate::with::fixint::arbitrary))]
    pub dtype_format: u8,
    /// The type of an element, such as `<f8`.
    pub dtype: S,
}

/// The entries of a [`B2ndMeta`].
#[derive(Serialize, Deserialize)]
#[serde(rename = "B2ndMeta", deny_unknown_fields, expecting = "a b2nd metalayer of 7 entries (ArrayMeta reads every layout)")]
struct Released<S> {
    #[serde(with = "fixint")]
    version: u8,
    ndim: u8,
    #[serde(with = "dims")]
    shape: Dims<i64>,
    #[serde(with = "dims")]
    chunkshape: Dims<i32>,
    #[serde(with = "dims")]
    blockshape: Dims<i32>,
    #[serde(with = "fixint")]
    dtype_format: u8,
    dtype: S,
}

impl<S> TryFrom<Released<S>> for B2ndMeta<S> {
    type Error = Error;

    #[inline(always)]
    fn try_from(entries: Released<S>) -> Result<Self> {
        let Released { version, ndim, shape, chunkshape, blockshape, dtype_format, dtype } = entries;
        let geometry = Geometry::try_from(Shapes { ndim, shape, chunkshape, blockshape })?;
        Ok(B2ndMeta { version, geometry, dtype_format, dtype })
    }
}

impl<S: Serialize> Serialize for B2ndMeta<S> {
    #[inline(always)]
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let B2ndMeta { version, geometry, dtype_format, ref dtype } = *self;
        let Shapes { ndim, shape, chunkshape, blockshape } = geometry.into();
        Released { version, ndim, shape, chunkshape, blockshape, dtype_format, dtype }.serialize(serializer)
    }
}

impl<S> Metalayer for B2ndMeta<S> {
    const NAME: &'static str = "b2nd";
}

impl B2ndMeta {
    /// Makes the metadata of an array as C-Blosc2 writes it, with version 0 and dtype_format 0 (a dtype string of NumPy).
    #[must_use]
    pub fn new(geometry: Geometry, dtype: impl Into<String>) -> B2ndMeta {
        B2ndMeta { version: 0, geometry, dtype_format: 0, dtype: dtype.into() }
    }

    /// Makes the metadata of an array whose elements are of type `T`.
    ///
    /// ```
    /// let geometry = b2nd::Geometry::new(&[400, 3], &[110, 3], &[57, 3])?;
    /// assert_eq!(b2nd::B2ndMeta::of::<u8>(geometry).dtype, "|u1");
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    #[must_use]
    pub fn of<T: HasDType>(geometry: Geometry) -> B2ndMeta {
        B2ndMeta::new(geometry, T::DTYPE)
    }
}

impl<S: AsRef<str>> B2ndMeta<S> {
    /// Parses the dtype string.
    ///
    /// # Errors
    ///
    /// Fails if dtype_format is not 0, which means that the form of the string is unknown, or if the string is not a valid [`DType`].
    ///
    /// ```
    /// let meta = b2nd::B2ndMeta::new(b2nd::Geometry::new(&[], &[], &[])?, "<M8[25s]");
    /// assert_eq!(meta.parse_dtype()?.describe(), "datetime64[25s], little-endian");
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn parse_dtype(&self) -> Result<DType> {
        match self.dtype_format {
            0 => self.dtype.as_ref().parse(),
            other => Err(Error::custom(format_args!("expected 0 (NumPy), found {other}: the meaning of the dtype is unknown"))
                .field("dtype_format")),
        }
    }

    /// Converts to metadata that owns the dtype string.
    #[must_use]
    pub fn into_owned(self) -> B2ndMeta {
        let B2ndMeta { version, geometry, dtype_format, dtype } = self;
        B2ndMeta { version, geometry, dtype_format, dtype: dtype.as_ref().to_owned() }
    }
}
