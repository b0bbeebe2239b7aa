//! Converts Blosc2 arrays to Zarr and back, and reads `.b2nd` files as Zarr arrays, with the crate [`zarrs`].
//!
//! | task | item |
//! | --- | --- |
//! | read a `.b2nd` file as a Zarr array without copying it | [`B2ndStorage`] |
//! | the same for a file in an object store | `B2ndObject` (feature `object_store`) |
//! | write an array as Zarr version 3 (feature `export`) | `export`, `ExportOptions` |
//! | read a Zarr array into a `.b2nd` file (feature `import`) | `import` |
//! | compress Zarr's chunks as Blosc2 chunks | [`Blosc2Codec`] |
//!
//! Linking this crate registers the codecs `blosc2` and `b2nd` for every array that [`zarrs`] opens, and with the features `blosc`,
//! `gzip` and `zstd`, which are enabled by default, codecs of these names. All of them are written in Rust. Do not enable a feature here and the
//! feature of the same name of [`zarrs`], because only one codec can be registered under a name.
//!
//! # Which files need the codec `b2nd`
//!
//! A chunk of a b2nd array stores its blocks one after another. If the blocks divide the chunk in each dimension, Zarr's own
//! codecs `reshape` and `transpose` can describe this order. If not, the chunk has padding inside, which the codec `b2nd`
//! removes.
//!
//! | blocks | codecs |
//! | --- | --- |
//! | each block spans the whole chunk in all dimensions except the first, and divides it in the first | `bytes`, `blosc2` |
//! | the blocks divide the chunk in each dimension | `reshape`, `transpose`, `bytes`, `blosc2` |
//! | any other blocks | `b2nd` |
#![forbid(unsafe_code)]

mod blocks_codec;
mod blosc2_codec;
#[cfg(feature = "blosc")]
mod blosc_codec;
mod bytes_codec;
mod data_type;
mod error;
#[cfg(feature = "export")]
mod export;
#[cfg(any(feature = "export", feature = "import"))]
mod files;
mod fixed_bytes;
#[cfg(feature = "gzip")]
mod gzip_codec;
#[cfg(feature = "import")]
mod import;
mod metadata;
#[cfg(feature = "object_store")]
mod object;
mod storage;
#[cfg(feature = "zstd")]
mod zstd_codec;

pub use blocks_codec::BlocksCodec;
#[cfg(feature = "blosc")]
pub use blosc_codec::BloscCodec;
pub use blosc2_codec::{Blosc2Codec, Compressor, Shuffle};
pub use error::{Error, Result};
#[cfg(feature = "export")]
pub use export::{ExportOptions, export};
#[cfg(feature = "import")]
pub use import::import;
#[cfg(feature = "object_store")]
pub use object::B2ndObject;
pub use storage::B2ndStorage;
pub use zarrs;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
