#![doc = include_str!("../README.md")]
//!
//! ## What to use
//!
//! | to | use |
//! | --- | --- |
//! | open a path or a URL | [`Location`], [`Target`] |
//! | read bytes by position | [`Source`], [`LocalFile`], [`Window`]; for remote files `RangeCache` (feature `range-cache`) |
//! | fetch ranges of a remote file | [`requests()`], which merges and divides ranges; `get_range` (feature `object_store`) |
//! | read a frame in ranges | [`Frame`] |
//! | find frames below a directory | [`walk`] |
//! | open and list a store | [`Store`], [`StoreListing`] |
//! | list a directory, an archive or a frame as a store | [`list`], [`embedded()`], [`Zip`], [`Directory`] |
//! | determine what a frame contains | [`Kind`], [`Array`] |
//! | list the chunks of a frame | [`chunks`] |
//! | read attributes, and values of MessagePack | [`attributes`], [`value`] |

mod array;
pub mod attributes;
pub mod chunks;
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
#[cfg(feature = "object_store")]
mod object;
#[cfg(feature = "range-cache")]
mod range_cache;
mod requests;
mod store;
mod table;
pub mod text;
pub mod value;
pub mod walk;
mod zip;

pub use array::Array;
pub use attributes::Attributes;
pub use b2nd_frame::{Source, Window, chunk_file_name};
pub use file::{Directory, LocalFile, SPARSE_FRAME, is_store_directory};
pub use folder::{Folder, LeftOut, Why, is_frame, is_of_source, is_zip, readable};
pub use frame::{Bytes, Frame};
pub use kind::Kind;
pub use leaf::{Content, Leaf, find};
pub use listing::{StoreListing, embedded, list};
pub use location::{Location, Target, no_key, without_password};
#[cfg(feature = "object_store")]
pub use object::{ObjectPart, get_range};
#[cfg(feature = "range-cache")]
pub use range_cache::RangeCache;
pub use requests::{AT_ONCE, requests};
pub use store::Store;
pub use table::Table;
pub use zip::Zip;
