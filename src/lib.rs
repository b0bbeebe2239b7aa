//! A serde data format for the metadata of Blosc2 arrays: MessagePack in which the type of a number determines its width (only a `u8` above
//! 127 is longer), so that a number can change in place. `rmp-serde` can read such bytes (except shapes of 16 dimensions), but writes
//! integers in their shortest form, whose length depends on the value.
//!
//! ```
//! #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
//! struct GeoTransform {
//!     origin: [f64; 2],
//!     rows: i32,
//!     name: String,
//! }
//!
//! let value = GeoTransform { origin: [1.5, -2.0], rows: 3, name: "utm".into() };
//! let bytes = b2nd::to_vec(&value)?;
//! assert_eq!(bytes, hex_literal::hex!(
//!     "93"                                             // a list of three fields
//!     "92 cb 3ff8000000000000 cb c000000000000000"     // two f64
//!     "d2 00000003"                                    // i32: always five bytes
//!     "db 00000003 75746d"));                          // str32
//! assert_eq!(b2nd::from_slice::<GeoTransform>(&bytes)?, value);
//! # Ok::<(), b2nd::Error>(())
//! ```
//!
//! The crate also has types for the metadata of an array, which is stored in this format: shape, chunkshape, blockshape and dtype.
//!
//! | to | use |
//! | --- | --- |
//! | write and read a value | [`to_vec`], [`from_slice`], [`take_from_slice`] |
//! | choose another marker for a field | [`with`] |
//! | read and write the metadata of an array | [`B2ndMeta`], [`ArrayMeta`], [`Geometry`] |
//! | get the type of an array's elements | [`ArrayMeta::parse_dtype`], [`dtype::DType`] |
//! | find the chunks and blocks that hold a slice | [`Geometry::grid`], [`Grid::chunks_in`] |
//! | convert a chunk's elements to C order and back | [`Grid::unpack`], [`Grid::pack`] |
//! | store a type of your own in a frame | [`Metalayer`] |
//! | read metalayers that Python wrote, and write them for Python | [`msgpack`], [`with::named`] |
//! | read and change content of unknown type | [`Value`], [`RawValue`], [`msgpack::Cursor`] |
//! | get the position of each field in the bytes of a value | [`layout`](layout()) |
//! | learn how the metadata is stored, byte by byte, and what may change in later versions | [`docs`] |
//!
//! # Related crates
//!
//! | crate | what it does |
//! | --- | --- |
//! | `b2nd-frame` | reads, writes and edits frames, which hold the metadata and the chunks |
//! | `b2nd-codec` | compresses and decompresses single chunks |
//! | `b2nd-store` | opens files, archives and URLs, and the stores in them |
//! | `b2nd-ndarray` | reads and writes arrays and slices of arrays as `ndarray`s |
//! | `b2nd-arrow` | reads tables as Arrow record batches |
//! | `b2nd-hdf5` | opens the datasets of HDF5 files as arrays, and adds the filters Blosc2 and Blosc to `hdf5-reader` |
//! | `b2nd-zarr` | converts arrays to Zarr and back |
//! | `b2nd-check` | finds errors in files |
//! | `b2nd-view` | shows metadata and values as text, JSON and pictures |
//! | `b2nd-page` | shows files in a browser, for `b2nd view` and the page in `web/` |
//! | `b2nd-cli` | is the tool `b2nd` |
//! | `b2nd-catalog` | answers SQL queries about the metadata of many files, and about tables |
//!
//! # Integers
//!
//! As a rule, these crates use `u64` for indices and total numbers of chunks and for positions in files, `i64` for the lengths in an
//! array's shape and the coordinates of elements, `i32` (as in the metadata) or `i64` for the lengths in a chunkshape or blockshape, and
//! `usize` for lengths of bytes in memory.
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
//! Types that accept any value, such as `serde_json::Value`, also read fixstr, array16 and map16, which modules of [`with`] write.
//!
//! The encoded length of a value depends only on its type, on the lengths of its strings, byte strings, characters, lists and maps, and on
//! the variants of its enums and `Option`s. The values of its numbers do not matter, with two exceptions: a `u8` above 127 takes two bytes,
//! and [`with::named`] writes integers in their shortest form. Therefore metadata can change inside of a file without moving the data
//! behind it. Encoding a decoded value usually gives the same bytes again:
//!
//! ```
//! let bytes = hex_literal::hex!("97 00 01 91 d3000000000000000a 91 d200000005 91 d200000002 00 db00000003 3c6638");
//! let meta: b2nd::B2ndMeta = b2nd::from_slice(&bytes)?;
//! assert_eq!(meta.dtype, "<f8");
//! assert_eq!(b2nd::to_vec(&meta)?, bytes);
//! # Ok::<(), b2nd::Error>(())
//! ```
//!
//! Decoding and encoding again gives the same bytes for every type of this crate, and for your own types with derived traits, unless they
//! use:
//!
//! * `default`, `flatten`, `untagged`, `tag`, `other`, an `alias` of a variant, attributes for only one direction (such as
//!   `skip_serializing`), [`with::extensible`] or [`with::named`],
//! * code that changes values (`from`, `with`, …),
//! * types that reorder or change what they read, such as `HashMap`, `BinaryHeap`, `Duration` and `serde_json::Value`. A `BTreeMap` is fine
//!   if the keys are all different and were written in sorted order.
//!
//! [`with`] has modules for other encodings of a field (fixstr, array16, …). Values can be nested up to 128 levels deep.
//!
//! A struct is written as a list of its fields, without their names. Some of serde's idioms need the names, so they do not work as in other
//! formats:
//!
//! | idiom | what happens |
//! | --- | --- |
//! | `skip` | works: the field is neither written nor read |
//! | `default` | works for fields that are missing at the end |
//! | fields that a later version of the type added | an error when read, unless [`with::extensible`] skips them |
//! | `skip_serializing` or `skip_deserializing` without the other | an error when read, because the number of fields differs. **If a `default` at the end makes up for the missing field, fields may be read from wrong positions**: use `skip` |
//! | `skip_serializing_if` | an error if a field is skipped |
//! | `Some(None)`, `Some(())` | an error: they would be read as `None` |
//! | struct variants of `untagged` and adjacently tagged enums | written, but an error when read |
//! | unit variants of adjacently tagged enums | written, but an error when read |
//! | `&[u8]` without `serde_bytes` | written as a sequence, but an error when read. The error names `serde_bytes` |
//!
//! A shape of 16 dimensions has the marker `a0`, which is an empty string in generic MessagePack. Decoding into the metadata types handles
//! this marker. Decoding into a self-describing value, or through `untagged` or `flatten`, does not.
//!
//! # Other formats
//!
//! All metadata types are plain serde types, so they can be converted to other formats. A value that is read back from such a format has
//! the same encoding as before (except that [`ArrayMeta::MiscountedB2nd`] becomes [`ArrayMeta::B2nd`]):
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
//! In a binary format such as CBOR or postcard, a field can instead hold a value as one byte string in the encoding of this crate:
//!
//! ```
//! #[derive(serde::Serialize, serde::Deserialize)]
//! struct Message(#[serde(with = "serde_bytes")] Vec<u8>);
//!
//! let message = Message(b2nd::to_vec(&(1.5, "m"))?);
//! let read: (f64, &str) = b2nd::from_slice(&message.0)?;
//! # assert_eq!(read, (1.5, "m"));
//! # Ok::<(), b2nd::Error>(())
//! ```
//!
//! # Features
//!
//! | feature | adds |
//! | --- | --- |
//! | `std` (default) | [`from_reader`], [`to_writer`], [`ErrorKind::Io`], conversions from and to `std::io::Error` |
//! | `msgpack` (default) | the functions of [`msgpack`] that encode and decode values, [`with::named`] and [`layout`](layout()), by `rmp-serde`, which needs the standard library |
//! | `arbitrary` | `arbitrary::Arbitrary` for the metadata types, for fuzz targets |
//!
//! With `default-features = false`, the crate is `no_std` with `alloc`. The crate contains no `unsafe` code. It needs Rust 1.85 or later.
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
#[doc(hidden)]
pub mod hex;
#[cfg(feature = "msgpack")]
mod layout;
mod marker;
pub mod msgpack;
mod ser;
mod value;
mod wire;
pub mod with;

pub use array::{ArrayMeta, B2ndMeta, CatervaMeta, Dims, Geometry, Grid, LegacyB2ndMeta, Metalayer, Run, dtype};
#[cfg(feature = "std")]
pub use de::from_reader;
pub use de::{Deserializer, from_slice, take_from_slice};
#[doc(hidden)]
pub use error::write_error;
pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "msgpack")]
#[cfg_attr(docsrs, doc(cfg(feature = "msgpack")))]
pub use layout::{Entry, Layout, layout};
#[cfg(feature = "std")]
pub use ser::to_writer;
// These are part of `Serializer`'s implementation of serde's trait, so they must be public.
#[doc(hidden)]
pub use ser::{Compound, Output};
pub use ser::{Serializer, serialized_len, to_slice, to_vec};
pub use value::{Head, RawValue, Value};
