//! What an array is: its metalayer in every layout, the geometry in it, and what that means.

mod b2nd;
mod caterva;
pub mod dtype;
mod entries;
mod geometry;
mod grid;
mod meta;

pub use b2nd::{B2ndMeta, LegacyB2ndMeta};
pub use caterva::CatervaMeta;
pub use geometry::Geometry;
pub use grid::{Dims, Grid, Run};
pub use meta::ArrayMeta;

/// A type that a frame holds under a name of its own.
///
/// Implement it for your own types; the name is 0 to 31 bytes long. In a file its content cannot grow
/// ([`Editor::set_metalayer`](crate::frame::Editor::set_metalayer)): other numbers never make it longer (but for a `u8` above
/// 127), a longer string or sequence does, and so may another variant of an enum or an `Option`.
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
}
