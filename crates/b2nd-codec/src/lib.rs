#![doc = include_str!("../README.md")]
//!
//! ## What to use
//!
//! | to | use |
//! | --- | --- |
//! | decompress a chunk, compress data to a chunk | [`decompress()`], [`compress`] |
//! | read a chunk's header | [`ChunkHeader`] |
//! | check whether this build can decompress a chunk | [`accept`] |
//! | decompress many chunks with the same buffers, decompress single blocks or untrusted input, or set a time limit | [`Decompressor`], [`Blocks`] |
//! | compress many chunks with the same options, or the blocks of a chunk in several threads | [`Compressor`] |
//! | write chunks of Blosc 1, as Zarr and HDF5 store them | [`Format`] |
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

use alloc::vec::Vec;

mod available;
mod block_table;
mod blocksize;
mod buffer;
mod compressor;
mod deadline;
mod decompressor;
mod error;
mod filters;
#[cfg(any(feature = "zstd", feature = "plugins"))]
mod guard;
mod header;
mod ids;
mod leaf;
mod options;
#[cfg(feature = "plugins")]
mod plugins;
mod streams;
#[cfg(feature = "zstd")]
pub mod zstd;

pub use available::accept;
pub use block_table::Blocks;
pub use compressor::{Compressor, Packed};
pub use decompressor::{Decompressor, Part};
pub use error::{Error, ErrorKind, Result};
#[cfg(any(feature = "zstd", feature = "plugins"))]
#[doc(hidden)]
pub use guard::guarded;
#[cfg(any(feature = "zstd", feature = "plugins"))]
pub use guard::{catch_panics, quiet_panics};
pub use header::ChunkHeader;
pub use ids::{CodecId, Filter, Special, SplitMode};
pub use options::{Format, Options};

/// Decompresses a chunk. Bytes after the end of the chunk are ignored.
///
/// The data takes as much memory as the chunk's header claims, at most 2 GiB. [`Decompressor::chunk`] writes into an existing buffer
/// instead.
///
/// # Errors
///
/// Fails if the chunk is not valid, [`accept`] rejects it, memory cannot be allocated, or a plugin fails.
pub fn decompress(chunk: &[u8]) -> Result<Vec<u8>> {
    let header = ChunkHeader::from_slice(chunk)?;
    Decompressor::lend(|decompressor| decompressor.data_of(&header, chunk))
}

/// Compresses data into a chunk. The data is stored uncompressed if the level is 0, if it has fewer than 32 bytes (128 in Blosc 1), or if
/// compression does not make it shorter. In Blosc2, data of 32 bytes or more that is all zero becomes a chunk that consists of its header
/// only, unless the level is 0 or a plugin compresses it.
///
/// # Errors
///
/// Fails if the data is longer than a chunk can hold, memory cannot be allocated, the codec or a plugin fails, or [`Compressor::new`]
/// rejects the options.
pub fn compress(data: &[u8], options: &Options) -> Result<Vec<u8>> {
    Compressor::new(options)?.chunk(data)
}
