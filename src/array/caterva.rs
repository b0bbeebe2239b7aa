//! [`CatervaMeta`]: the layout without a dtype.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Metalayer;
use super::entries::{self, Layout, Written};
use super::geometry::Geometry;

/// The `caterva` metalayer: five entries, `95`, written by Caterva 0.2 to 0.7.
///
/// For three weeks in 2023, development versions of C-Blosc2 wrote the same layout under the name `b2nd`.
///
/// ```text
/// 95 | version | ndim | shape | chunkshape | blockshape
/// ```
///
/// Source: the specification "Caterva metalayer".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CatervaMeta {
    /// The version of the layout, a positive fixint: 0 in every file known.
    pub version: u8,
    /// Shape, chunkshape and blockshape.
    pub geometry: Geometry,
}

impl Metalayer for CatervaMeta {
    const NAME: &'static str = "caterva";
}

impl Serialize for CatervaMeta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written { version: Some(self.version), geometry: &self.geometry, dtype_format: None, dtype: None }
            .serialize("CatervaMeta", serializer)
    }
}

impl<'de> Deserialize<'de> for CatervaMeta {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut geometry = Geometry::SCALAR;
        let rest = entries::deserialize::<_, IgnoredAny>(deserializer, Layout::Caterva, &mut geometry, None)?;
        Ok(CatervaMeta { version: rest.version, geometry })
    }

    fn deserialize_in_place<D: Deserializer<'de>>(deserializer: D, place: &mut Self) -> Result<(), D::Error> {
        place.version = entries::deserialize::<_, IgnoredAny>(deserializer, Layout::Caterva, &mut place.geometry, None)?.version;
        Ok(())
    }
}
