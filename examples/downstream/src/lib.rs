//! Satellite tiles: an array in a Blosc2 frame with metadata about its position and time, and the messages with which services
//! announce tiles to each other.
//!
//! | type | what it is | where it goes |
//! | --- | --- | --- |
//! | [`GeoTransform`] | the position of a tile | metalayer `geotransform` |
//! | [`Acquisition`] | the satellite and the time | metalayer `acquisition` |
//! | [`Tile`] | both, and the metadata of the array | a frame |
//! | [`Entry`] | the name, the array and the position of a tile | MessagePack, CBOR |
#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod entry;
mod error;
mod tile;

pub use entry::Entry;
pub use error::{Error, Result};
pub use tile::{Acquisition, GeoTransform, Platform, Tile};
