//! Reads, writes and edits the metadata of Blosc2 arrays, byte for byte and without C. The metadata are the shape, chunks, blocks and dtype
//! of an n-dimensional array, the positions of its chunks, and the metalayers of its file.
//!
//! They are stored in a form of MessagePack in which the type of a field determines its width. This crate provides a **serde data format**
//! for this encoding, and the types of the metadata.
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
//! | find the bytes of a chunk in a file | [`frame::Offsets::range`] |
//! | read a frame in memory: an HDF5 chunk, a zip member | [`frame::Frame`] |
//! | get the shape, chunks, blocks and dtype of an array | [`frame::Header::array`], [`ArrayMeta`], [`B2ndMeta`], [`Geometry`] |
//! | read many metalayers without allocating | `B2ndMeta<&str>` by [`from_slice`] |
//! | get the type of an array's elements | [`ArrayMeta::parse_dtype`], [`dtype::DType`] |
//! | find the chunks and blocks that hold a slice | [`Geometry::grid`], [`Grid::chunks_in`], [`Grid::blocks_in`] |
//! | convert a chunk's elements to C order and back | [`Grid::unpack`], [`Grid::pack`] |
//! | read and decompress chunks | [`frame::File::chunk`], [`frame::Chunk::data`], [`frame::Decompressor`] |
//! | compress chunks | [`frame::Header::compressor`] |
//! | read metalayers that Python wrote, and write metalayers for Python | [`frame::decode_msgpack`], [`frame::encode_msgpack`], [`with::named`] |
//! | read and change content of unknown type | [`Value`], [`RawValue`], [`values`] |
//! | **write** | |
//! | write an array's metalayer | [`B2ndMeta::new`], [`to_vec`] |
//! | get the position of each field in the bytes of a value, and whether all values of a type have the same length | [`layout`](layout()), [`Layout`] |
//! | derive a metalayer of your own | [`Metalayer`], [`from_slice`], [`with`] |
//! | change metadata in a file | [`frame::File::edit`], [`frame::Editor::set_metalayer`] |
//! | read and write variable-length metalayers | [`frame::Trailer`], [`frame::Editor::set_vlmetalayer`] |
//! | add or lengthen metalayers of a file that already holds data | [`frame::rewrite()`] |
//! | write a new frame, contiguous or sparse | [`frame::Header::for_array`], [`frame::Writer`] |
//! | upgrade a Caterva or early b2nd file to the released layout | [`ArrayMeta::upgrade`] |
//! | **use it with other software** | |
//! | convert metadata to JSON and back, or embed their bytes in CBOR, postcard, … | [other formats](#other-formats), [`with::embedded`] |
//! | handle errors, and show the bytes that caused them | [`Error`], [`ErrorKind`], [`Error::display_with`] |
//! | use the crate without `std` | [features](#features) |
//! | **understand** | |
//! | learn how Blosc2's metadata is stored, byte by byte | [`docs`] |
//! | look up how this serde format encodes a type | [the format](#the-format) |
//! | look up what may change in later versions | [`docs::stability`] |
//!
//! # Related crates
//!
//! This crate reads and writes metadata, and uses `b2nd-codec` to compress and decompress chunks. Related crates:
//!
//! | crate | what it does |
//! | --- | --- |
//! | `b2nd-cli` | the tool `b2nd`: shows the content of a file as text, JSON, annotated bytes or a picture; checks and edits files; converts to `.npy` and back |
//! | `b2nd-codec` | compresses and decompresses single chunks, for example in an HDF5 filter or a Zarr codec |
//! | `b2nd-store` | opens files, archives and URLs, and the stores in them |
//! | `b2nd-ndarray` | reads and writes arrays and slices of arrays as `ndarray`s |
//! | `b2nd-arrow` | reads tables as Arrow record batches |
//! | `b2nd-catalog` | answers SQL queries about the metadata of large numbers of files |
//!
//! # The format
//!
//! | serde | bytes | decoding accepts |
//! | --- | --- | --- |
//! | bool | `c2` / `c3` | the same |
//! | u8 | positive fixint `00`..`7f` up to 127, otherwise `cc` | exactly that |
//! | u16, u32, u64 | `cd`, `ce`, `cf` | only that width |
//! | i8, i16, i32, i64 | `d0`, `d1`, `d2`, `d3` | only that width |
//! | f32, f64 | `ca`, `cb` | only that width |
//! | char, str | str32 `db` | str32 |
//! | bytes (`serde_bytes`) | bin32 `c6` | bin32 |
//! | seq, tuple, struct, tuple struct | fixarray, array16, array32: the shortest that holds the *count* | the shortest |
//! | map | fixmap, map16, map32: the shortest that holds the count | the shortest |
//! | unit, None | `c0` | `c0` |
//! | Some(x), newtype struct | x | x |
//! | enum | unit variants: the name; other variants: a fixmap of one entry, from name to value | the same |
//! | i128, u128 | an error | |
//!
//! The encoded length of a value depends only on its type, and on the lengths of its strings, lists and maps. The values of its numbers do
//! not matter, with one exception: a `u8` above 127 takes two bytes. Therefore Blosc2 can rewrite a metalayer in place. Encoding a decoded
//! value gives the same bytes again:
//!
//! ```
//! let bytes = hex_literal::hex!("97 00 01 91 d3000000000000000a 91 d200000005 91 d200000002 00 db00000003 3c6638");
//! let meta: b2nd::B2ndMeta = b2nd::from_slice(&bytes)?;
//! assert_eq!(meta.dtype, "<f8");
//! assert_eq!(b2nd::to_vec(&meta)?, bytes);
//! # Ok::<(), b2nd::Error>(())
//! ```
//!
//! Decoding and encoding again gives the same bytes for every type of this crate, and for your own types, unless they use `default`,
//! `flatten`, `untagged`, tags, or maps and sets that sort or merge their entries (a `BTreeMap` is fine if the entries were written in
//! sorted order). [`with`] has modules for other encodings of a field (fixstr, array16, …). Values can be nested up to 128 levels deep.
//!
//! A struct is written as a list of its fields, without their names. Some of serde's idioms need the names, so they do not work as in other
//! formats:
//!
//! | idiom | what happens |
//! | --- | --- |
//! | `skip` | works: the field is neither written nor read |
//! | `default` | works for fields that are missing at the end |
//! | fields that a later version of the type added | an error when read, unless [`with::extensible`] skips them |
//! | `skip_serializing` or `skip_deserializing` without the other | **the fields after it are read from the wrong positions**, without an error if the types match: use `skip` |
//! | `skip_serializing_if` | an error if a field is skipped |
//! | `Some(None)`, `Some(())` | an error: they would be read as `None` |
//! | struct variants of `untagged` and adjacently tagged enums | written, but an error when read |
//! | unit variants of adjacently tagged enums | an error when written |
//! | `&[u8]` without `serde_bytes` | written as a sequence, but an error when read, which names `serde_bytes` |
//!
//! A shape of 16 dimensions has the marker `a0`, which is an empty string in generic MessagePack. Decoding into the metadata types handles
//! this marker. Decoding into a self-describing value, or through `untagged` or `flatten`, does not.
//!
//! # Other formats
//!
//! All metadata types are plain serde types, so they can be converted to other formats. Human-readable formats show them in a readable
//! form. A value that is read back from such a format has the same encoding as before (except that [`ArrayMeta::MiscountedB2nd`] becomes
//! [`ArrayMeta::B2nd`]):
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
//! In a binary format such as CBOR or postcard, [`with::embedded`] can instead store a value as one byte string in the encoding of this
//! crate.
//!
//! # Features
//!
//! | feature | adds |
//! | --- | --- |
//! | `std` (default) | files and `io` |
//! | `codecs` | LZ4, zlib and Zstandard. Without this feature, only BloscLZ chunks and chunks without compression can be decompressed |
//! | `msgpack` (default) | metalayers in generic MessagePack, by `rmp-serde`, which needs the standard library |
//! | `arbitrary` | `arbitrary::Arbitrary` for the metadata types, for fuzz targets |
//!
//! With `default-features = false`, the crate is `no_std` with `alloc`. It then still supports headers, frames in memory, chunks, the grid,
//! dtypes, and the writer of frames in memory. The crate contains no `unsafe` code. It needs Rust 1.85 or later.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
// The feature `msgpack` needs `std` too, since rmp-serde links it.
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
mod limits;
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
