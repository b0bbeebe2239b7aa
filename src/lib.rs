//! Reads, writes and edits Blosc2 array metadata, byte for byte, without C: what an n-dimensional array *is*
//! (shape, chunks, blocks, dtype), the positions of its chunks, and the metalayers of its file.
//!
//! The metadata are MessagePack in which the type of a field fixes its width. So this crate is a **serde data format** with that
//! encoding, together with the types of the metadata.
//!
//! ```
//! # #[cfg(feature = "std")] {
//! let file = b2nd::frame::File::open("tests/data/example.b2nd")?;
//! let array = file.header().array()?.expect("a file of an array");
//! assert_eq!(array.geometry().shape(), [10, 13, 7]);
//! assert_eq!(array.dtype(), Some("[('time', '<i8'), ('temp', '<f4'), ('rain', '<f4')]"));
//! let holding = array.geometry().grid()?.chunks_in(&[0..4, 0..3, 1..2])?;
//! assert_eq!(holding.collect::<Vec<_>>(), [0]);
//! # }
//! # Ok::<(), b2nd::Error>(())
//! ```
//!
//! # Find your way
//!
//! | to | use |
//! | --- | --- |
//! | **read** | |
//! | read a file's header | [`frame::File::open`], [`frame::Header`] |
//! | read a header from bytes, or over a network in one or two requests | [`frame::Header::from_slice`], [`Error::needed`], [`frame::Header::tail_range`] |
//! | know which bytes of a file a chunk takes | [`frame::Offsets::range`] |
//! | read a frame in memory: an HDF5 chunk, a zip member | [`frame::Frame`] |
//! | learn what the array is | [`frame::Header::array`], [`ArrayMeta`], [`B2ndMeta`], [`Geometry`] |
//! | read many metalayers without allocating | `B2ndMeta<&str>` by [`from_slice`] |
//! | learn what its elements are | [`ArrayMeta::parse_dtype`], [`dtype::DType`] |
//! | know which chunks and blocks hold a slice | [`Geometry::grid`], [`Grid::chunks_in`], [`Grid::blocks_in`] |
//! | bring a chunk's elements into C order, and back | [`Grid::unpack`], [`Grid::pack`] |
//! | get at chunks, and decompress them | [`frame::File::chunk`], [`frame::Chunk::data`], [`frame::Decompressor`] |
//! | compress chunks | [`frame::Header::compressor`] |
//! | read what Python put into metalayers, and write it | [`frame::decode_msgpack`], [`frame::encode_msgpack`], [`with::named`] |
//! | read and change content whose type is not known | [`Value`], [`RawValue`], [`values`] |
//! | **write** | |
//! | write an array's metalayer | [`B2ndMeta::new`], [`to_vec`] |
//! | know where the bytes of a value are, and whether others of its type are as long | [`layout`](layout()), [`Layout`] |
//! | derive a metalayer of your own | [`Metalayer`], [`from_slice`], [`with`] |
//! | change metadata in a file | [`frame::File::edit`], [`frame::Editor::set_metalayer`] |
//! | read and write variable-length metalayers | [`frame::Trailer`], [`frame::Editor::set_vlmetalayer`] |
//! | add or lengthen metalayers of a file with data | [`frame::rewrite()`] |
//! | write a new frame, contiguous or sparse | [`frame::Header::for_array`], [`frame::Writer`] |
//! | bring a Caterva or early b2nd file to the released layout | [`ArrayMeta::upgrade`] |
//! | **fit it in** | |
//! | turn metadata to JSON and back, or keep their bytes inside CBOR, postcard, … | [other formats](#other-formats), [`with::embedded`] |
//! | handle errors, and show the bytes at fault | [`Error`], [`ErrorKind`], [`Error::display_with`] |
//! | go without `std` | [features](#features) |
//! | **understand** | |
//! | know how Blosc2's metadata works, byte by byte | [`docs`] |
//! | know what this serde format does with a type | [the format](#the-format) |
//! | know what may change in later versions | [`docs::stability`] |
//!
//! # Related crates
//!
//! This crate knows where values are, and decompresses chunks with `b2nd-codec`. Other crates do more:
//!
//! | crate | what it does |
//! | --- | --- |
//! | `b2nd-cli` | the tool `b2nd`: shows what is in a file, as text, JSON, annotated bytes or a picture; checks, edits, converts to `.npy` and back |
//! | `b2nd-codec` | only chunks, to values and back: what an HDF5 filter or a Zarr codec needs |
//! | `b2nd-store` | files, archives and addresses, and the stores in them |
//! | `b2nd-ndarray` | reads and writes whole arrays and slices of them as `ndarray`s |
//! | `b2nd-arrow` | reads tables as record batches of Arrow |
//! | `b2nd-catalog` | answers SQL queries about the metadata of very many files |
//!
//! # The format
//!
//! | serde | bytes | decoding accepts |
//! | --- | --- | --- |
//! | bool | `c2` / `c3` | the same |
//! | u8 | positive fixint `00`..`7f`; above that `cc` | exactly that |
//! | u16, u32, u64 | `cd`, `ce`, `cf` | only that width |
//! | i8, i16, i32, i64 | `d0`, `d1`, `d2`, `d3` | only that width |
//! | f32, f64 | `ca`, `cb` | only that width |
//! | char, str | str32 `db` | str32 |
//! | bytes (`serde_bytes`) | bin32 `c6` | bin32 |
//! | seq, tuple, struct, tuple struct | fixarray, array16, array32: the shortest that holds the *count* | the shortest |
//! | map | fixmap, map16, map32: the shortest that holds the count | the shortest |
//! | unit, None | `c0` | `c0` |
//! | Some(x), newtype struct | x | x |
//! | enum | unit variant: its name; others: a fixmap of one, name to value | the same |
//! | i128, u128 | an error | |
//!
//! The length of the bytes depends on the type and its lengths, never on a number's value (a `u8` above 127 excepted). This lets
//! Blosc2 rewrite a metalayer in place. Accepted input is written back as it was:
//!
//! ```
//! let bytes = hex_literal::hex!("97 00 01 91 d3000000000000000a 91 d200000005 91 d200000002 00 db00000003 3c6638");
//! let meta: b2nd::B2ndMeta = b2nd::from_slice(&bytes)?;
//! assert_eq!(meta.dtype, "<f8");
//! assert_eq!(b2nd::to_vec(&meta)?, bytes);
//! # Ok::<(), b2nd::Error>(())
//! ```
//!
//! That holds for every type of this crate, and for users' types without `default`, `flatten`, `untagged`, tags, or maps and sets
//! that order or merge their entries (a `BTreeMap` keeps entries that were written in its order). Modules for other forms (fixstr,
//! array16, …) are in [`with`]. Values nest up to 128 levels deep.
//!
//! A struct is positional: field names are not written. Some of serde's idioms need the names, or another format:
//!
//! | idiom | what happens |
//! | --- | --- |
//! | `skip` | works: the field is left out on both sides |
//! | `default` | works for fields that are missing at the end |
//! | fields that a later version added | an error, unless [`with::extensible`] skips them |
//! | `skip_serializing` or `skip_deserializing` without the other | **the fields after it shift**, without an error if the types agree: use `skip` |
//! | `skip_serializing_if` | an error when a field is skipped |
//! | `Some(None)`, `Some(())` | an error: they would be read as `None` |
//! | struct variants of `untagged` and adjacently tagged enums | written, but an error when read |
//! | unit variants of adjacently tagged enums | an error when written |
//! | `&[u8]` without `serde_bytes` | written as a sequence, but an error when read, which names `serde_bytes` |
//!
//! An array of 16 dimensions has a marker (`a0`) that generic MessagePack takes for an empty string. Typed decoding handles it;
//! decoding into a self-describing value, or through `untagged` and `flatten`, does not.
//!
//! # Other formats
//!
//! All metadata types are plain serde types. Formats for people show them in readable form, and give them back with the bytes they
//! had (except that [`ArrayMeta::MiscountedB2nd`] comes back as [`ArrayMeta::B2nd`]):
//!
//! ```
//! let geometry = b2nd::Geometry::new(&[400, 3], &[110, 3], &[57, 3])?;
//! let meta = b2nd::B2ndMeta::of::<f64>(geometry);
//! let json = serde_json::to_string(&meta)?;
//! assert!(json.starts_with(r#"{"version":0,"ndim":2,"shape":[400,3],"chunkshape":[110,3]"#));
//! let back: b2nd::B2ndMeta = serde_json::from_str(&json)?;
//! assert_eq!(b2nd::to_vec(&back)?, b2nd::to_vec(&meta)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Inside a message in a binary format, [`with::embedded`] keeps the bytes themselves.
//!
//! # Features
//!
//! | feature | adds |
//! | --- | --- |
//! | `std` (default) | files and `io` |
//! | `codecs` | LZ4, zlib and Zstandard; without it chunks of BloscLZ are decompressed, and those that need no codec |
//! | `msgpack` (default) | generic MessagePack contents through `rmp-serde`, which needs the standard library |
//! | `arbitrary` | `arbitrary::Arbitrary` for the types of metadata, for fuzz targets |
//!
//! With `default-features = false` the crate is `no_std` with `alloc`. It still has headers, frames in memory, chunks, the grid, dtypes
//! and the writer into memory. Nothing here is `unsafe`. Rust 1.85 or later compiles it.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
// rmp-serde links it, whatever this crate does.
#[cfg(any(feature = "std", feature = "msgpack"))]
extern crate std;

#[cfg(feature = "arbitrary")]
mod arbitrary;
mod array;
mod de;
#[cfg(any(doc, doctest))]
pub mod docs;
mod error;
pub mod frame;
mod hex;
mod layout;
mod mark;
mod marker;
mod ser;
mod sink;
mod value;
mod wire;
pub mod with;

pub use array::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, Grid, LegacyB2ndMeta, Metalayer, dtype};
#[cfg(feature = "std")]
pub use de::from_reader;
pub use de::{Deserializer, from_slice, from_slice_in_place, take_from_slice};
pub use error::{Error, ErrorKind, Result};
pub use layout::{Entry, Layout, layout};
#[cfg(feature = "std")]
pub use ser::to_writer;
pub use ser::{Serializer, serialized_len, to_slice, to_vec};
pub use value::{Head, RawValue, Value, Values, from_value, to_value, values};

#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
