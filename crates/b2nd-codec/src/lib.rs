//! Compresses and decompresses chunks of Blosc2 and Blosc 1 without C: their headers, blocks, filters and codecs.
//!
//! ```
//! use b2nd_codec::{CodecId, Filter, Options, compress, decompress};
//!
//! let data: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
//! let options = Options { codec: CodecId::Zstd, typesize: 4, filters: vec![(Filter::Shuffle, 0)], ..Options::default() };
//! let chunk = compress(&data, &options)?;
//! assert!(chunk.len() < data.len() / 10);
//! assert_eq!(decompress(&chunk)?, data);
//! # Ok::<(), b2nd_codec::Error>(())
//! ```
//!
//! | to | see |
//! | --- | --- |
//! | decompress a chunk, compress data into one | [`decompress()`], [`compress`] |
//! | read a chunk's header | [`ChunkHeader`] |
//! | know whether this build can decompress a chunk | [`accept`] |
//! | decompress many chunks with the same buffers, decompress single blocks or untrusted input, or set a time limit | [`Decompressor`], [`Blocks`] |
//! | compress many chunks with the same options | [`Compressor`] |
//! | write chunks of Blosc 1, as Zarr and HDF5 have them | [`Format`] |
//!
//! This crate handles chunks. The crate `b2nd` reads and writes the files that hold them.
//!
//! # Features
//!
//! | feature | codecs | filters |
//! | --- | --- | --- |
//! | none | BloscLZ | shuffle, bitshuffle, delta, trunc_prec, bytedelta, int_trunc |
//! | `lz4`, `zlib`, `zstd` (default) | LZ4 and LZ4HC; zlib; Zstandard | |
//! | `snappy` | Snappy, which only chunks of Blosc 1 have | |
//! | `plugins` | ndlz, zfp | ndcell, ndmean |
//! | `safe` | Zstandard for [`Decompressor::safe`] and on 32-bit platforms, by a decoder without `unsafe` code | |
//! | `std` | buffers that each thread keeps, [`Decompressor::stop_at`]; all features except `lz4` imply it | |
//!
//! Codecs and filters that are not in a build are rejected with an error that names them. With `default-features = false` the crate is
//! `no_std` with `alloc`. It contains no `unsafe` code, and compiles to wasm32.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

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
pub use guard::{catch_panics, quiet_panics};
pub use header::ChunkHeader;
pub use ids::{CodecId, Filter, Special, SplitMode};
pub use options::{Format, Options};

/// Decompresses a chunk. Bytes after the end of the chunk are ignored.
///
/// This allocates as much memory as the chunk's header claims, at most 2 GiB. [`Decompressor::chunk`] writes into an existing buffer
/// instead.
///
/// # Errors
///
/// Fails if the chunk is damaged, its codec or a filter is not in this build, or the memory cannot be allocated.
pub fn decompress(chunk: &[u8]) -> Result<Vec<u8>> {
    let header = ChunkHeader::from_slice(chunk)?;
    Decompressor::lend(|decompressor| decompressor.data_of(&header, chunk))
}

/// Compresses data into a chunk. The data are stored uncompressed if the level is 0, if they have fewer than 32 bytes, or if compression
/// does not make them shorter. Data of 32 bytes or more that are all zero become a chunk that consists of its header only, unless the level
/// is 0.
///
/// # Errors
///
/// Fails if the data are longer than a chunk can hold, the codec fails, or [`Compressor::new`] rejects the options.
pub fn compress(data: &[u8], options: &Options) -> Result<Vec<u8>> {
    Compressor::new(options)?.chunk(data)
}
