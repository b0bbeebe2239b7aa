//! [`CatervaMeta`]: an array metalayer in the layout without a dtype.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Metalayer;
use super::entries::Layout;
use super::geometry::Geometry;

/// The `caterva` metalayer, written by Caterva 0.2 to 0.7: a fixarray of five entries (`95`).
///
/// For three weeks in 2023, development versions of C-Blosc2 wrote the same layout under the name `b2nd`.
///
/// ```text
/// 95 | version | ndim | shape | chunkshape | blockshape
/// ```
///
/// Source: the specification "Caterva metalayer".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct CatervaMeta {
    /// The version of the layout, a positive fixint: 0 in every known file.
    #[cfg_attr(feature = "arbitrary", arbitrary(with = crate::with::fixint::arbitrary))]
    pub version: u8,
    /// The geometry: shape, chunkshape and blockshape.
    pub geometry: Geometry,
}

impl Metalayer for CatervaMeta {
    const NAME: &'static str = "caterva";
}

impl Serialize for CatervaMeta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Layout::CATERVA.write(self.version, &self.geometry, None, None, serializer)
    }
}

impl<'de> Deserialize<'de> for CatervaMeta {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries = Layout::CATERVA.read::<(), D>(deserializer)?;
        Ok(CatervaMeta { version: entries.version, geometry: entries.geometry })
    }
}
