//! Satellite tiles: an array in a Blosc2 frame that says itself where it lies and when it was taken, and the messages with which
//! services announce tiles to one another.
//!
//! | type | what it is | where it goes |
//! | --- | --- | --- |
//! | [`GeoTransform`] | where a tile lies | metalayer `geotransform` |
//! | [`Acquisition`] | what took it, and when | metalayer `acquisition` |
//! | [`Tile`] | both, and what the array is | a frame |
//! | [`Entry`] | a tile under its name | MessagePack, CBOR |
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
