//! [`CatervaMeta`]: the layout without a dtype.

use serde::{Deserialize, Deserializer as _, Serialize, Serializer};

use super::Metalayer;
use super::geometry::{self, Geometry};
use super::lists::entries;
use crate::error::{Error, Result};
use crate::mark;
use crate::with::{Marked, fixint};

/// The `caterva` metalayer: five entries, `95`, written by Caterva 0.2 to 0.7.
///
/// For three weeks in 2023, development versions of C-Blosc2 wrote the same layout under the name `b2nd`.
///
/// ```text
/// 95 | version | ndim | shape | chunkshape | blockshape
/// ```
///
/// Source: the specification "Caterva metalayer".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(try_from = "WireCaterva")]
pub struct CatervaMeta {
    /// The version of the layout, a positive fixint: 0 in every file known.
    pub version: u8,
    /// Shape, chunkshape and blockshape.
    pub geometry: Geometry,
}

impl Metalayer for CatervaMeta {
    const NAME: &'static str = "caterva";
}

entries! {
    /// The entries of a [`CatervaMeta`], in their order.
    #[derive(Serialize, Deserialize)]
    #[serde(rename = "CatervaMeta", deny_unknown_fields, expecting = "a caterva metalayer of 5 entries")]
    WireCaterva<> {}
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
    pub fn from_metalayer(content: &[u8]) -> Result<Geometry> {
        let mut deserializer = crate::Deserializer::new(content);
        let front: WireCaterva = deserializer.deserialize_newtype_struct(mark::ARRAY_FRONT, Marked::new())?;
        geometry::described("array metalayer", front.ndim, &front.shape, &front.chunkshape, &front.blockshape)
    }
}

impl TryFrom<WireCaterva> for CatervaMeta {
    type Error = Error;

    fn try_from(wire: WireCaterva) -> Result<Self> {
        let WireCaterva { version, ndim, shape, chunkshape, blockshape } = wire;
        let geometry = geometry::described("caterva metalayer", ndim, &shape, &chunkshape, &blockshape)?;
        Ok(CatervaMeta { version, geometry })
    }
}

impl Serialize for CatervaMeta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let version = fixint::written("version", self.version)?;
        let (ndim, shape, chunkshape, blockshape) = self.geometry.entries();
        WireCaterva { version, ndim, shape, chunkshape, blockshape }.serialize(serializer)
    }
}
