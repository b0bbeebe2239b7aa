//! [`ArrayMeta`]: an array metalayer of any layout, and its conversion to the released layout.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Serialize;

use super::b2nd::B2ndMeta;
use super::caterva::CatervaMeta;
use super::dtype::DType;
use super::geometry::Geometry;
use super::legacy::LegacyB2ndMeta;
use crate::error::{Error, Result};
use crate::take_from_slice;

/// An array metalayer of any known layout. The first byte and the byte after blockshape determine the layout.
///
/// | first byte | entries | after blockshape | variant |
/// | --- | --- | --- | --- |
/// | `95` | 5 | nothing | [`Caterva`](ArrayMeta::Caterva) |
/// | `96` | 6 | `db`: a dtype | [`LegacyB2nd`](ArrayMeta::LegacyB2nd) |
/// | `96` | 7 | `00`..`7f`: a dtype_format | [`MiscountedB2nd`](ArrayMeta::MiscountedB2nd) |
/// | `97` | 7 | `00`..`7f`: a dtype_format | [`B2nd`](ArrayMeta::B2nd) |
///
/// [`from_metalayer`](ArrayMeta::from_metalayer) and [`to_metalayer`](ArrayMeta::to_metalayer) read and write the content of metalayers. In
/// other formats of serde, this type is written as the metadata that it contains. To read it from such a format, use the type of its
/// layout, which is [`B2ndMeta`] since C-Blosc2 2.7.0.
///
/// ```
/// use b2nd::ArrayMeta;
///
/// // The count is six, but there are seven entries.
/// let bytes = hex_literal::hex!("96 00 01 91 d3000000000000000a 91 d200000005 91 d200000002 00 db00000003 3c6638");
/// let (array, rest) = ArrayMeta::from_metalayer(&bytes)?;
/// assert!(matches!(array, ArrayMeta::MiscountedB2nd(_)) && rest.is_empty());
/// assert_eq!(array.dtype(), Some("<f8"));
/// assert_eq!(array.to_metalayer()?, bytes);
/// # Ok::<(), b2nd::Error>(())
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(untagged)]
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

impl<'a> ArrayMeta<&'a str> {
    /// Reads the content of a metalayer `b2nd` or `caterva`. Returns the metadata and the bytes after it, such as the end of the longer,
    /// old content of an array that was squeezed in place.
    ///
    /// # Errors
    ///
    /// Fails if the content does not start with an array metalayer of one of the layouts.
    pub fn from_metalayer(content: &'a [u8]) -> Result<(Self, &'a [u8])> {
        match content.first() {
            Some(marker @ 0x90..=0x94) => Err(wrong_count(marker & 0x0f)),
            Some(0x95) => take_from_slice(content).map(|(meta, rest)| (ArrayMeta::Caterva(meta), rest)),
            Some(0x96) => match take_from_slice(content) {
                Ok((meta, rest)) => Ok((ArrayMeta::LegacyB2nd(meta), rest)),
                Err(error) => Self::miscounted(content).unwrap_or(Err(error)),
            },
            _ => take_from_slice(content).map(|(meta, rest)| (ArrayMeta::B2nd(meta), rest)),
        }
    }

    /// Reads the layout whose count is one too low: its sixth entry is a dtype_format, which the dtype follows. Returns `None` if the
    /// content does not start with these six entries.
    fn miscounted(content: &'a [u8]) -> Option<Result<(Self, &'a [u8])>> {
        let (front, rest) = take_from_slice::<LegacyB2ndMeta<u8>>(content).ok()?;
        let LegacyB2ndMeta { version, geometry, dtype: dtype_format @ 0..=0x7f } = front else { return None };
        let start = content.len() - rest.len();
        let dtype = take_from_slice(rest).map_err(|error| error.field("dtype").shifted(start));
        let meta = |dtype| ArrayMeta::MiscountedB2nd(B2ndMeta { version, geometry, dtype_format, dtype });
        Some(dtype.map(|(dtype, rest)| (meta(dtype), rest)))
    }
}

impl<S: AsRef<str> + Serialize> ArrayMeta<S> {
    /// Returns the content of the metalayer, which [`from_metalayer`](ArrayMeta::from_metalayer) reads.
    ///
    /// # Errors
    ///
    /// Fails if version or dtype_format is above 127.
    pub fn to_metalayer(&self) -> Result<Vec<u8>> {
        let mut content = crate::to_vec(self)?;
        if let (ArrayMeta::MiscountedB2nd(_), Some(marker)) = (self, content.first_mut()) {
            *marker = 0x96;
        }
        Ok(content)
    }
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
    /// In [`LegacyB2nd`](ArrayMeta::LegacyB2nd) the dtype is a name, which is converted to a dtype string if it is known:
    /// `uint8` to `|u1`, `int32` to `<i4`. The argument `dtype` is used only if the layout has no dtype.
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
                None => Err(Error::custom("a metalayer in Caterva's layout has no dtype: give one to upgrade it")),
            },
        }
    }
}

impl Geometry {
    /// Reads the geometry from the content of an array metalayer of any layout. The entries after the geometry are skipped.
    ///
    /// This works even if the dtype is not UTF-8. Such content cannot be read as an [`ArrayMeta`](super::ArrayMeta).
    ///
    /// # Errors
    ///
    /// Fails if the content is not a list that starts with version, ndim and three valid shapes, if the first byte has a count other than
    /// 5 to 7, or if the other entries are not MessagePack.
    ///
    /// ```
    /// let content = hex_literal::hex!("97 00 01 91 d3000000000000000a 91 d200000005 91 d200000002 01 db00000002 fffe");
    /// assert!(b2nd::from_slice::<b2nd::B2ndMeta>(&content).is_err());
    /// let geometry = b2nd::Geometry::from_metalayer(&content)?;
    /// assert_eq!((geometry.shape(), geometry.chunkshape()), (&[10][..], &[5][..]));
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn from_metalayer(content: &[u8]) -> Result<Geometry> {
        if let Some(marker @ (0x90..=0x94 | 0x98..=0x9f)) = content.first() {
            return Err(wrong_count(marker & 0x0f));
        }
        crate::with::extensible::deserialize(&mut crate::Deserializer::new(content)).map(|meta: CatervaMeta| meta.geometry)
    }
}

impl<S> From<B2ndMeta<S>> for ArrayMeta<S> {
    fn from(meta: B2ndMeta<S>) -> Self {
        ArrayMeta::B2nd(meta)
    }
}

/// Returns the error for content that starts with a list of fewer than five entries or of more than seven.
#[cold]
fn wrong_count(count: u8) -> Error {
    Error::custom(format_args!("array metalayer: expected 5 to 7 entries, found {count}")).within_offset(0)
}

/// Converts a dtype's name, as NumPy's `str(dtype)` returns it, to a dtype string. Returns an unknown name unchanged.
fn modern(name: &str) -> String {
    match name.parse::<DType>() {
        Ok(dtype) => dtype.into_canonical().to_string(),
        Err(_) => name.to_owned(),
    }
}
