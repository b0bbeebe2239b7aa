#![doc = include_str!("../README.md")]
//!
//! ## What to use
//!
//! | to | use |
//! | --- | --- |
//! | read a `.b2nd` file as a Zarr array without converting it | [`B2ndStorage`] |
//! | read a file in an object store in the same way | `B2ndObject` (feature `object_store`) |
//! | write an array as Zarr version 3 | `export`, `ExportOptions` (feature `export`) |
//! | list the arrays in a group, write a Zarr array as a `.b2nd` file | `arrays`, `import` (feature `import`) |
//! | compress Zarr's chunks as Blosc2 chunks | [`Blosc2Codec`] |
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
mod new_metadata;
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
pub use import::{ArrayEntry, arrays, import};
#[cfg(feature = "object_store")]
pub use object::B2ndObject;
pub use storage::B2ndStorage;
pub use zarrs;
