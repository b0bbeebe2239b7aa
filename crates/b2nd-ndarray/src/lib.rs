#![doc = include_str!("../README.md")]
//!
//! ## What to use
//!
//! | to | use |
//! | --- | --- |
//! | open a file, or a sparse frame's directory | [`Array::open`] |
//! | open an array of a store (`.b2z`, `.b2d`, `.b2e`) by its key | [`Array::from_store`] |
//! | read a frame in memory, or at an offset of any source of bytes | [`Array::from_frame`], [`Array::from_source`] |
//! | read values | [`Array::read`], [`Array::slice`], [`Array::read_into`], [`Element`] |
//! | read elements selected by lists of indices or by masks | [`Array::select`], [`Select`] |
//! | iterate over the decoded chunks, one by one or in parallel | [`Array::chunks`], [`Array::par_chunks`], [`ArrayChunk`] |
//! | read the bytes of elements of any dtype | [`Array::read_bytes`] |
//! | read attributes as Rust types, with serde | [`Array::attributes`], [`Attributes`] |
//! | read structures and text | [`Array::elements`], [`Elements`] |
//! | read an array in an object store, or write an array to an object store | `Remote` (feature `object_store`) |
//! | read a remote array with your own client | [`Array::byte_ranges`], [`Pieces`] |
//! | write an array | [`write()`], [`write_bytes`], [`write_from`], [`write_slabs`], [`to_frame`], [`Options`] |
//! | join arrays along an axis, if possible without decompressing them | [`concat()`] |
//! | append rows to an array | [`Appender`] |
//! | overwrite the values of a slice, or change the length of any axis | [`ArrayEditor`] |
//! | copy a file without the gaps that edits leave, or compress it again | [`repack`], [`repack_from`], [`RepackOptions`] |
//! | decompress a chunk or an attribute | [`b2nd_frame::Chunk::data`] |
//!
//! `ndarray` also has a type `Array`; no other name is in both crates with different meanings. If you import everything from both crates,
//! add a `use` for the `Array` that you want:
//!
//! ```
//! use b2nd_ndarray::*;
//! use ndarray::*;
//! use b2nd_ndarray::Array;
//!
//! let array = Array::from_frame(to_frame(&array![[1, 2], [3, 4]], &Options::default())?)?;
//! let column: Array1<i32> = array.slice(s![.., 0])?.into_dimensionality()?;
//! assert_eq!(column.into_dyn(), array.select::<i32>(&[Select::All, [0].into()])?.remove_axis(Axis(1)));
//! # Ok::<(), Error>(())
//! ```
#![deny(unsafe_code)]

mod array;
mod attributes;
mod byte_ranges;
pub mod codec;
mod concat;
mod edit;
mod element;
mod error;
mod flat;
mod frame;
mod huge_pages;
mod options;
mod read;
#[cfg(feature = "object_store")]
mod remote;
mod repack;
mod shapes;
mod threads;
mod write;

pub use array::Array;
pub use attributes::Attributes;
pub use b2nd_frame::{Buffer, Pieces, Source};
pub use b2nd_store::Bytes;
pub use concat::{ConcatOptions, concat};
pub use edit::ArrayEditor;
pub use edit::append::Appender;
pub use element::Element;
pub use error::{Error, Result};
pub use ndarray::s;
#[cfg(feature = "object_store")]
pub use object_store;
pub use options::Options;
pub use read::chunks::ArrayChunk;
pub use read::elements::Elements;
pub use read::select::Select;
#[cfg(feature = "object_store")]
pub use remote::Remote;
pub use repack::{RepackOptions, repack, repack_from};
pub use write::{to_frame, write, write_bytes, write_from, write_slabs};
