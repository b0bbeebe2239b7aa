#![doc = include_str!("../README.md")]
//!
//! ## What to use
//!
//! | to | use |
//! | --- | --- |
//! | read Blosc2 and Blosc data with hdf5-reader | [`register`], [`register_with_limit`] |
//! | open a file, and list its datasets | [`File::open`], [`File::datasets`] |
//! | read a dataset as an array | [`File::array`] |
//! | get the dtype, the shapes, the attributes and the filters of a dataset | [`File::dataset`], [`Dataset`] |
//! | find the chunks of a dataset in the file, and copy Blosc2 frames without decompressing them | [`Dataset::chunks`], [`Dataset::chunk_frame`] |
//! | read the attributes of a group | [`File::group_attributes`] |
//! | open HDF5 files with `b2nd_store`, like stores whose leaves are the datasets | [`open_as_stores`] |

mod attributes;
mod chunk_index;
mod dataset;
mod dims;
mod dtype;
mod error;
mod file;
mod filters;
mod folder;
mod frame;

pub use attributes::Attribute;
pub use dataset::{ChunkInfo, Dataset};
pub use file::File;
pub use filters::{BLOSC, BLOSC2, register, register_with_limit};
pub use folder::open_as_stores;
pub use hdf5_reader;
