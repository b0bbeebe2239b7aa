//! Arrays: the array metalayer in every layout, the geometry and dtype that it holds, and the grid of chunks and blocks.

mod b2nd;
mod caterva;
mod dims;
pub mod dtype;
mod geometry;
mod grid;
mod legacy;
mod meta;

pub use b2nd::B2ndMeta;
pub use caterva::CatervaMeta;
pub use dims::Dims;
pub use geometry::Geometry;
pub use grid::{Grid, Run};
pub use legacy::LegacyB2ndMeta;
pub use meta::ArrayMeta;

/// A type whose values are stored in a frame as a metalayer with a fixed name.
///
/// Implement this trait for your own types. The name is 0 to 31 bytes long and contains no NUL. The content of a metalayer can be
/// overwritten by content of the same length (see `Editor::overwrite_metalayer` of `b2nd-frame`). In the format of this crate, changing a
/// number keeps the length, except that a `u8` above 127 takes one byte more. A longer or shorter string or sequence changes the length,
/// and another variant of an enum or `Option` may change it.
///
/// ```
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct GeoTransform {
///     origin: [f64; 2],
///     pixel: [f64; 2],
/// }
///
/// impl b2nd::Metalayer for GeoTransform {
///     const NAME: &'static str = "geotransform";
/// }
/// ```
pub trait Metalayer {
    /// The metalayer's name in the frame.
    const NAME: &'static str;

    /// Whether the content is generic MessagePack, in which structs are maps with the names of their fields: Python then reads a `dict`. By
    /// default, the content has the format of this crate, and Python reads a `list` of the fields' values.
    ///
    /// In generic MessagePack, the length of an integer depends on its value, so another value may not fit in the place of the old one.
    const NAMED: bool = false;
}
