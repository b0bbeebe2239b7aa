//! [`ArrayMeta`]: an array metalayer of any layout, and its conversion to the released layout.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::b2nd::{B2ndMeta, LegacyB2ndMeta};
use super::caterva::CatervaMeta;
use super::dtype::DType;
use super::entries::{Entries, Layout};
use super::geometry::Geometry;
use crate::error::{Error, Result};
use crate::mark;

/// An array metalayer of any layout that was ever written. The count of entries and the byte after blockshape determine the layout.
///
/// | first byte | entries | after blockshape | variant |
/// | --- | --- | --- | --- |
/// | `95` | 5 | nothing | [`Caterva`](ArrayMeta::Caterva) |
/// | `96` | 6 | `db`: a dtype | [`LegacyB2nd`](ArrayMeta::LegacyB2nd) |
/// | `96` | 7 | `00`..`7f`: a dtype_format | [`MiscountedB2nd`](ArrayMeta::MiscountedB2nd) |
/// | `97` | 7 | `00`..`7f`: a dtype_format | [`B2nd`](ArrayMeta::B2nd) |
///
/// In other serde formats, the layout follows from the field names (JSON, CBOR) or from the count (rmp-serde). A wrong count can be stored
/// only in this crate's format; a `MiscountedB2nd` that is written to another format is read back as `B2nd`. For a format that is not
/// self-describing (postcard), use [`with::embedded`](crate::with::embedded).
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum ArrayMeta<S = String> {
    /// The released layout, written since C-Blosc2 2.7.0.
    B2nd(B2ndMeta<S>),
    /// The released layout, but with the wrong count six in its marker. Written from 8 to 9 February 2023.
    MiscountedB2nd(B2ndMeta<S>),
    /// The layout without dtype_format, written from 6 to 8 February 2023.
    LegacyB2nd(LegacyB2ndMeta<S>),
    /// The layout without a dtype. Caterva wrote it, and so did C-Blosc2 from 19 January to 6 February 2023, under the name `b2nd`.
    Caterva(CatervaMeta),
}

impl<S: AsRef<str>> ArrayMeta<S> {
    /// Returns the geometry: shape, chunkshape and blockshape.
    pub fn geometry(&self) -> &Geometry {
        self.parts().1
    }

    /// Returns the dtype string, or `None` for Caterva's layout, which has no dtype.
    pub fn dtype(&self) -> Option<&str> {
        self.parts().2.map(AsRef::as_ref)
    }

    /// Parses the dtype string. Returns `None` for Caterva's layout, which has no dtype.
    ///
    /// # Errors
    ///
    /// Fails if dtype_format is not 0, which means that the form of the string is unknown, or if the string is not a valid [`DType`].
    pub fn parse_dtype(&self) -> Result<Option<DType>> {
        match self {
            ArrayMeta::B2nd(meta) | ArrayMeta::MiscountedB2nd(meta) => meta.parse_dtype().map(Some),
            ArrayMeta::LegacyB2nd(meta) => meta.parse_dtype().map(Some),
            ArrayMeta::Caterva(_) => Ok(None),
        }
    }

    /// Returns the version of the layout.
    pub fn version(&self) -> u8 {
        self.parts().0
    }

    fn parts(&self) -> (u8, &Geometry, Option<&S>) {
        match self {
            ArrayMeta::B2nd(meta) | ArrayMeta::MiscountedB2nd(meta) => (meta.version, &meta.geometry, Some(&meta.dtype)),
            ArrayMeta::LegacyB2nd(meta) => (meta.version, &meta.geometry, Some(&meta.dtype)),
            ArrayMeta::Caterva(meta) => (meta.version, &meta.geometry, None),
        }
    }

    /// Converts to metadata that owns the dtype string.
    #[must_use]
    pub fn into_owned(self) -> ArrayMeta {
        match self {
            ArrayMeta::B2nd(meta) => ArrayMeta::B2nd(meta.into_owned()),
            ArrayMeta::MiscountedB2nd(meta) => ArrayMeta::MiscountedB2nd(meta.into_owned()),
            ArrayMeta::LegacyB2nd(meta) => ArrayMeta::LegacyB2nd(meta.into_owned()),
            ArrayMeta::Caterva(meta) => ArrayMeta::Caterva(meta),
        }
    }

    /// Converts the metadata to the released layout.
    ///
    /// In [`LegacyB2nd`](ArrayMeta::LegacyB2nd) the dtype is a name, which is converted to a dtype string: `uint8` to `|u1`, `int32` to
    /// `<i4` (the files were written on little-endian machines). The argument `dtype` is used only if the layout has no dtype.
    ///
    /// # Errors
    ///
    /// Fails if the layout has no dtype and `dtype` is `None`.
    ///
    /// ```
    /// use b2nd::{ArrayMeta, CatervaMeta, Geometry};
    ///
    /// let caterva = ArrayMeta::<&str>::Caterva(CatervaMeta { version: 0, geometry: Geometry::new(&[10], &[5], &[2])? });
    /// assert!(caterva.upgrade(None).is_err());
    /// assert_eq!(caterva.upgrade(Some("<f8"))?.dtype, "<f8");
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn upgrade(self, dtype: Option<&str>) -> Result<B2ndMeta> {
        match self {
            ArrayMeta::B2nd(meta) | ArrayMeta::MiscountedB2nd(meta) => Ok(meta.into_owned()),
            ArrayMeta::LegacyB2nd(meta) => {
                Ok(B2ndMeta { version: meta.version, ..B2ndMeta::new(meta.geometry, modern(meta.dtype.as_ref())) })
            }
            ArrayMeta::Caterva(meta) => match dtype {
                Some(dtype) => Ok(B2ndMeta { version: meta.version, ..B2ndMeta::new(meta.geometry, dtype) }),
                None => Err(Error::custom("a caterva metalayer has no dtype: give one to upgrade it")),
            },
        }
    }
}

impl<S> From<B2ndMeta<S>> for ArrayMeta<S> {
    fn from(meta: B2ndMeta<S>) -> Self {
        ArrayMeta::B2nd(meta)
    }
}

impl<S> From<LegacyB2ndMeta<S>> for ArrayMeta<S> {
    fn from(meta: LegacyB2ndMeta<S>) -> Self {
        ArrayMeta::LegacyB2nd(meta)
    }
}

impl<S> From<CatervaMeta> for ArrayMeta<S> {
    fn from(meta: CatervaMeta) -> Self {
        ArrayMeta::Caterva(meta)
    }
}

/// Converts a dtype's name, as NumPy's `str(dtype)` returns it, to a dtype string. Returns an unknown name unchanged.
fn modern(name: &str) -> String {
    match name.parse::<DType>() {
        Ok(dtype) => dtype.into_canonical().to_string(),
        Err(_) => name.to_owned(),
    }
}

impl<S: AsRef<str>> Serialize for ArrayMeta<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        match self {
            ArrayMeta::B2nd(meta) => meta.serialize(serializer),
            ArrayMeta::MiscountedB2nd(meta) => serializer.serialize_newtype_struct(mark::MISCOUNTED, meta),
            ArrayMeta::LegacyB2nd(meta) => meta.serialize(serializer),
            ArrayMeta::Caterva(meta) => meta.serialize(serializer),
        }
    }
}

impl<'de, S: Deserialize<'de>> Deserialize<'de> for ArrayMeta<S> {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries = deserializer.deserialize_newtype_struct(mark::ARRAY_META, Layout::ANY.visitor())?;
        let Entries { version, geometry, dtype_format, dtype, is_six } = entries;
        Ok(match (dtype_format, dtype) {
            (_, None) => ArrayMeta::Caterva(CatervaMeta { version, geometry }),
            (None, Some(dtype)) => ArrayMeta::LegacyB2nd(LegacyB2ndMeta { version, geometry, dtype }),
            (Some(dtype_format), Some(dtype)) => {
                let meta = B2ndMeta { version, geometry, dtype_format, dtype };
                if is_six { ArrayMeta::MiscountedB2nd(meta) } else { ArrayMeta::B2nd(meta) }
            }
        })
    }
}
