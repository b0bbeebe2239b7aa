//! Whole arrays of `.b2nd` files in pure Rust: `b2nd` reads and writes the container, `blosc2-pure-rs` the chunks in it, and
//! the values are `ndarray`'s.
//!
//! ```
//! use b2nd_ndarray::{Array, Options};
//! use ndarray::array;
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("array.b2nd");
//! b2nd_ndarray::write(&path, &array![[1.5, 2.5, 3.5], [4.5, 5.5, 6.5]], &Options::default())?;
//!
//! let stored = Array::open(&path)?;
//! assert_eq!(stored.read::<f64>(&[1..2, 0..2])?, array![[4.5, 5.5]].into_dyn());
//!
//! let error = stored.read::<i32>(&[1..2, 0..2]).unwrap_err();
//! assert_eq!(error.to_string(), "the array's elements are float64, little-endian, not int32");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(not(feature = "c"), forbid(unsafe_code))]
#![cfg_attr(feature = "c", deny(unsafe_code))]

mod append;
mod array;
mod blocks;
pub mod codec;
mod copy;
mod decode;
mod error;
mod options;
mod read;
mod source;
mod store;
mod tiles;
mod value;
mod write;

pub use append::Appender;
pub use array::Array;
pub use error::{Error, Result};
pub use ndarray::s;
pub use options::Options;
pub use source::{Memory, Source};
pub use value::Value;
pub use write::{to_frame, write, write_bytes};

/// How many threads there are: those of the pool that the caller is in.
fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    1
}

/// What becomes of each item, in their order.
fn in_parallel<A: Send, B: Send>(items: Vec<A>, work: impl Fn(A) -> Result<B> + Sync + Send) -> Result<Vec<B>> {
    #[cfg(feature = "rayon")]
    use rayon::iter::{IntoParallelIterator, ParallelIterator};
    #[cfg(feature = "rayon")]
    return items.into_par_iter().map(work).collect();
    #[cfg(not(feature = "rayon"))]
    items.into_iter().map(work).collect()
}
