//! [`register`] adds the filters Blosc2 (32026) and Blosc (32001) to the crate [`hdf5_reader`], without C.
//!
//! ```
//! use hdf5_reader::{FilterRegistry, Hdf5File, OpenOptions};
//!
//! let mut filters = FilterRegistry::new();
//! b2nd_hdf5::register(&mut filters);
//! let options = OpenOptions::default().with_filter_registry(filters);
//! let file = Hdf5File::open_with_options("tests/data/h5py.h5", options)?;
//! let values = file.dataset("/cube")?.read_array::<f32>()?;
//! assert_eq!(values.shape(), [6, 20, 30]);
//! # Ok::<(), hdf5_reader::error::Error>(())
//! ```
//!
//! [`File`] opens a dataset as an array of `b2nd_ndarray`. A slice decodes only the chunks that it touches, and only the touched blocks of
//! chunks that Blosc2 compressed.
//!
//! ```
//! use std::sync::Arc;
//!
//! let file = b2nd_hdf5::File::open(Arc::new(b2nd_store::LocalFile::open("tests/data/h5py.h5".as_ref())?))?;
//! assert!(file.datasets()?.contains(&"/cube".to_owned()));
//! let array = file.array("/cube")?;
//! assert_eq!(array.geometry().chunkshape(), [2, 10, 15]);
//! assert_eq!(array.read::<f32>(&[3..4, 0..1, 2..4])?.into_raw_vec_and_offset().0, [1802.0, 1803.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`open_as_stores`] makes `b2nd_store` open HDF5 files like stores, whose leaves are the datasets.
//!
//! Elements of all types with a fixed size are read, with the dtypes that h5py and PyTables have for them. Datasets of strings and
//! sequences of variable length and of references, virtual datasets, and datasets whose data are in other files return errors.

mod attributes;
mod dataset;
mod dtype;
mod file;
mod filters;
mod frame;

pub use dataset::{ChunkInfo, Dataset};
pub use file::{Attribute, File, open_as_stores};
pub use filters::{BLOSC, BLOSC2, register, register_with_limit};
pub use hdf5_reader;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
