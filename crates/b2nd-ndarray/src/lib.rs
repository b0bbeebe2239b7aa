//! Whole arrays of `.b2nd` files in pure Rust: `b2nd` reads and writes the container, `blosc2-pure-rs` the chunks in it, and
//! the values are `ndarray`'s.
//!
//! ```
//! use b2nd_ndarray::{Options, Reader};
//! use ndarray::array;
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("array.b2nd");
//! b2nd_ndarray::write(&path, &array![[1.5, 2.5, 3.5], [4.5, 5.5, 6.5]], &Options::default())?;
//!
//! let mut reader = Reader::open(&path)?;
//! assert_eq!(reader.read::<f64>(&[1..2, 0..2])?, array![[4.5, 5.5]].into_dyn());
//! assert_eq!(reader.counts().chunks, 1);
//!
//! let error = reader.read::<i32>(&[1..2, 0..2]).unwrap_err();
//! assert_eq!(error.to_string(), "the array's elements are float64, little-endian, not int32");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod codec;
mod error;
mod layout;
mod reader;
mod value;
mod writer;

pub use error::{Error, Result};
pub use reader::{Counts, Reader};
pub use value::Value;
pub use writer::{Options, write, write_bytes};
