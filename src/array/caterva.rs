//! [`CatervaMeta`]: an array metalayer in the layout without a dtype.

use serde::{Deserialize, Serialize};

use super::Metalayer;
use super::dims::Dims;
use super::geometry::{Geometry, Shapes};
use crate::error::{Error, Result};
use crate::with::{dims, fixint};

/// The `caterva` metalayer, written by Caterva 0.2 to 0.7: a fixarray of five entries (`95`).
///
/// From 19 January to 6 February 2023, development versions of C-Blosc2 wrote the same layout under the name `b2nd`.
///
/// ```text
/// 95 | version | ndim | shape | chunkshape | blockshape
/// ```
///
/// Source: the specification "Caterva metalayer".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "Caterva", try_from = "Caterva")]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct CatervaMeta {
    /// The version of the layout, a positive fixint. Caterva writes 0.
    #[cfg_attr(feature = "arbitrary", arbitrary(with = crate::with::fixint::arbitrary))]
    pub version: u8,
    /// The geometry: shape, chunkshape and blockshape.
    pub geometry: Geometry,
}

/// The entries of a [`CatervaMeta`].
#[derive(Serialize, Deserialize)]
#[serde(
    rename = "CatervaMeta",
    deny_unknown_fields,
    expecting = "a caterva metalayer of 5 entries (ArrayMeta reads every layout)"
)]
struct Caterva {
    #[serde(with = "fixint")]
    version: u8,
    ndim: u8,
    #[serde(with = "dims")]
    shape: Dims<i64>,
    #[serde(with = "dims")]
    chunkshape: Dims<i32>,
    #[serde(with = "dims")]
    blockshape: Dims<i32>,
}

impl From<CatervaMeta> for Caterva {
    fn from(CatervaMeta { version, geometry }: CatervaMeta) -> Self {
        let Shapes { ndim, shape, chunkshape, blockshape } = geometry.into();
        Caterva { version, ndim, shape, chunkshape, blockshape }
    }
}

impl TryFrom<Caterva> for CatervaMeta {
    type Error = Error;

    fn try_from(Caterva { version, ndim, shape, chunkshape, blockshape }: Caterva) -> Result<Self> {
        let geometry = Geometry::try_from(Shapes { ndim, shape, chunkshape, blockshape })?;
        Ok(CatervaMeta { version, geometry })
    }
}

impl Metalayer for CatervaMeta {
    const NAME: &'static str = "caterva";
}
