//! Blosc2 array metadata, byte for byte: a serde data format whose encoding has the width of the type, and the typed
//! metadata that is written in it.
//!
//! # Find your way
//!
//! | to | use |
//! | --- | --- |
//! | read a file's header | [`frame::File::open`], [`frame::Header`] |
//! | read a header out of bytes or over a network | [`frame::Header::from_slice`], [`Error::needed`] |
//! | learn what the array is | [`frame::Header::array`], [`ArrayMeta`], [`B2ndMeta`], [`Geometry`] |
//! | learn what its elements are | [`B2ndMeta::parse_dtype`], [`dtype::DType`] |
//! | know which chunks and blocks hold a slice | [`Geometry::grid`], [`Grid`] |
//! | get at chunks | [`frame::File::chunk`], [`frame::Frame`], [`frame::Chunk`], [`frame::Decompress`] |
//! | read and write variable-length metalayers | [`frame::Trailer`], [`frame::File::set_vlmetalayer`] |
//! | read what Python put into metalayers | [`frame::decode_msgpack`], [`frame::encode_msgpack`] |
//! | change metadata in a file | [`frame::File::edit`] |
//! | add or lengthen metalayers of a file with data | [`frame::rewrite()`] |
//! | write a new frame | [`frame::Writer`] |
//! | derive a metalayer of your own | [`Metalayer`], [`to_vec`], [`from_slice`], [`with`] |
//! | keep a metalayer's bytes inside CBOR, bincode, … | [`with::embedded`] |
//! | bring an old file to the released layout | [`ArrayMeta::upgrade`] |
//!
//! # The format
//!
//! | serde | bytes | decoding accepts |
//! | --- | --- | --- |
//! | bool | `c2` / `c3` | the same |
//! | u8 | positive fixint `00`..`7f`; above that `cc` | exactly that |
//! | u16, u32, u64 | `cd`, `ce`, `cf` | that width alone |
//! | i8, i16, i32, i64 | `d0`, `d1`, `d2`, `d3` | that width alone |
//! | f32, f64 | `ca`, `cb` | that width alone |
//! | char, str | str32 `db` | str32 |
//! | bytes (`serde_bytes`) | bin32 `c6` | bin32 |
//! | seq, tuple, struct, tuple struct | fixarray, array16, array32: the shortest that holds the *count* | the shortest |
//! | map | fixmap, map16, map32: likewise | likewise |
//! | unit, None | `c0` | `c0` |
//! | Some(x), newtype struct | x | x |
//! | enum | unit variant: its name; others: a fixmap of one, name to value | the same |
//! | i128, u128 | an error | |
//!
//! The length of the bytes is a function of the type and of its lengths, never of a number's value (a `u8` above 127
//! excepted), which is what lets Blosc2 rewrite a metalayer in place. What is accepted is written back as it was:
//!
//! ```
//! let bytes = hex_literal::hex!("97 00 01 91 d3000000000000000a 91 d200000005 91 d200000002 00 db00000003 3c6638");
//! let meta: b2nd::B2ndMeta = b2nd::from_slice(&bytes)?;
//! assert_eq!(meta.dtype, "<f8");
//! assert_eq!(b2nd::to_vec(&meta)?, bytes);
//! # Ok::<(), b2nd::Error>(())
//! ```
//!
//! That holds for every type of this crate, and for users' types without `default`, `flatten`, `untagged`, tags, nested
//! options, or maps and sets that order or merge their entries (`BTreeMap` keeps those that were written in its order).
//!
//! A struct is positional: its fields' names are not written. So what serde reads by name alone is excluded: struct variants of
//! untagged and adjacently tagged enums, and `skip_serializing_if`. Marks for other forms (fixstr, array16, …) are in [`with`].
//! Values nest to 128 levels.
//!
//! An array of 16 dimensions has a marker (`a0`) that generic MessagePack takes for an empty string. Typed decoding knows it;
//! decoding into a self-describing value, or through `untagged` and `flatten`, does not.
//!
//! # Features
//!
//! `std` (default) adds files, `io` and generic MessagePack contents. Without it the crate is `no_std` with `alloc`.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod array;
mod de;
#[cfg(any(doc, doctest))]
pub mod docs;
mod error;
pub mod frame;
mod mark;
mod marker;
mod ser;
mod sink;
mod wire;
pub mod with;

pub use array::{ArrayMeta, B2ndMeta, CatervaMeta, Dims, Geometry, Grid, LegacyB2ndMeta, Metalayer, dtype};
#[cfg(feature = "std")]
pub use de::from_reader;
pub use de::{Deserializer, from_slice, take_from_slice};
pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "std")]
pub use ser::to_writer;
pub use ser::{Serializer, serialized_len, to_slice, to_vec};
pub use sink::Sink;

#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
