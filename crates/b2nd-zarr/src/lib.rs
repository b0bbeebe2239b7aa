//! Blosc2 arrays as Zarr arrays, and the other way round, on the crate [`zarrs`].
//!
//! | to | use |
//! | --- | --- |
//! | read a `.b2nd` file as a Zarr array without copying it | [`B2ndStorage`] |
//! | write an array as Zarr version 3 | [`export`], [`ExportOptions`] |
//! | read a Zarr array into a `.b2nd` file | [`import`] |
//! | compress Zarr's chunks as Blosc2 chunks | [`Blosc2Codec`] |
//!
//! Linking this crate registers the codecs `blosc2` and `b2nd`, and `zstd` and `blosc` (which it only reads) in pure Rust, for every
//! array that [`zarrs`] opens. Enable neither `zstd` nor `blosc` of [`zarrs`] as well: a name has one codec.
//!
//! # Which files need the codec `b2nd`
//!
//! A chunk of a b2nd array holds its blocks one after another. Zarr describes that order with its own codecs `reshape` and `transpose`,
//! if the blocks divide the chunk in each dimension. Otherwise the chunk has padding inside, which the codec `b2nd` crops.
//!
//! | blocks | codecs |
//! | --- | --- |
//! | each spans the whole chunk in all dimensions but the first, and divides it there | `bytes`, `blosc2` |
//! | they divide the chunk in each dimension | `reshape`, `transpose`, `bytes`, `blosc2` |
//! | others | `b2nd` |
#![forbid(unsafe_code)]

mod blocks_codec;
mod blosc2_codec;
mod blosc_codec;
mod bytes_codec;
mod data_type;
mod error;
mod export;
mod fixed_bytes;
mod import;
mod metadata;
mod storage;
mod zstd_codec;

pub use blocks_codec::BlocksCodec;
pub use blosc2_codec::{Blosc2Codec, Compressor, Shuffle};
pub use error::{Error, Result};
pub use export::{ExportOptions, export};
pub use import::import;
pub use storage::B2ndStorage;
pub use zarrs;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
