//! Places of Blosc2 frames, and what the frames are: files, addresses, archives, directories; kinds, attributes, tables.
//!
//! | to | look at |
//! | --- | --- |
//! | name a place, and open what is there | [`Location`], [`Target`] |
//! | read bytes by their position | [`Source`], [`LocalFile`], [`Window`]; of a remote file `RangeCache` (feature `range-cache`) |
//! | read a frame in ranges | [`Frame`] |
//! | find frames below a directory | [`walk`] |
//! | open a store, and what is in it | [`Store`], [`StoreListing`] |
//! | list any files as a store | [`list`], [`embedded()`], [`Zip`], [`Directory`] |
//! | know what a frame is | [`Kind`], [`Array`] |
//! | list its chunks | [`chunks`] |
//! | read attributes, and values of MessagePack | [`attributes`], [`Value`] |
//!
//! It compiles to wasm32 without its features. Compressed attributes are decompressed by every codec of `b2nd`.

mod array;
pub mod attributes;
pub mod chunks;
mod embedded;
mod file;
mod folder;
pub mod foreign;
mod frame;
#[cfg(feature = "http")]
mod http;
pub mod json;
mod kind;
mod leaf;
mod listing;
mod location;
pub mod marker;
#[cfg(feature = "range-cache")]
mod range_cache;
mod store;
mod table;
pub mod text;
pub mod value;
pub mod walk;
mod zip;

pub use array::Array;
pub use attributes::Attributes;
pub use b2nd::frame::{Source, Window};
pub use embedded::embedded;
pub use file::{Directory, LocalFile, SPARSE_FRAME, is_store_directory};
pub use folder::{Folder, is_frame, is_of_source, is_zip, readable};
pub use frame::{Frame, chunk_file_name};
pub use kind::Kind;
pub use leaf::{Content, Leaf, find};
pub use listing::{StoreListing, list};
pub use location::{Bytes, Location, Target, no_key};
#[cfg(feature = "range-cache")]
pub use range_cache::{BLOCK, RangeCache};
pub use store::Store;
pub use table::Table;
pub use value::Value;
pub use zip::Zip;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
