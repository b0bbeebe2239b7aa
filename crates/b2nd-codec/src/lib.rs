//! Blosc2 chunks to values and back: blocks, streams, filters, and a codec for each format.
//!
//! | to | see |
//! | --- | --- |
//! | decompress a chunk, or the value of an attribute | [`Codec`], with [`Chunk::data`](b2nd::frame::Chunk::data) |
//! | decompress single blocks, or many chunks with the same buffers | [`Decoder`], [`Blocks`] |
//! | compress data into a chunk | [`Encoder`] |
//! | know whether a chunk can be decompressed here | [`accept`] |
//!
//! Bytes come from the crate [`b2nd`], which knows where chunks are. This crate has no `unsafe` code of its own but with the feature
//! `c`, and builds for wasm32.
#![cfg_attr(not(feature = "c"), forbid(unsafe_code))]
#![cfg_attr(feature = "c", deny(unsafe_code))]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod blocks;
#[cfg(feature = "c")]
mod c;
mod codec;
mod decoder;
mod encoder;
mod filters;
mod guard;
mod leaf;
#[cfg(feature = "plugins")]
mod plugins;
mod settings;
mod support;

pub use blocks::Blocks;
pub use codec::{Codec, metalayer};
pub use decoder::Decoder;
pub use encoder::Encoder;
pub use guard::quiet_panics;
pub use support::accept;
