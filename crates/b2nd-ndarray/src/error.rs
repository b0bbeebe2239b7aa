//! [`Error`]: why an array is not read or written.

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why an array is not read or written.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file, its metadata or a chunk of it.
    #[error(transparent)]
    B2nd(#[from] b2nd::Error),
    /// The frame's metalayers say of no array.
    #[error("the frame holds no array: it has neither a metalayer b2nd nor caterva")]
    NoArray,
    /// Other elements than those asked for.
    #[error("the array's elements are {found}, not {expected}")]
    DType {
        /// The type that was asked for.
        expected: String,
        /// What the array has.
        found: String,
    },
    /// A chunk whose data is not what the array's shapes say.
    #[error("chunk {number}: {what}")]
    Chunk {
        /// The chunk's number.
        number: u64,
        /// What is wrong with it.
        what: String,
    },
    /// Bytes to write that are not the array's.
    #[error("the array has {expected} bytes, {found} are given")]
    Length {
        /// The product of shape and itemsize.
        expected: usize,
        /// The length that was given.
        found: usize,
    },
    /// What does not fit into this machine's memory.
    #[error("no memory for {items} elements of {itemsize} bytes")]
    Memory {
        /// The number of elements.
        items: i64,
        /// The size of one in bytes.
        itemsize: usize,
    },
    /// Values and shape do not fit together.
    #[error("the values do not fit their shape: {0}")]
    Shape(#[from] ndarray::ShapeError),
}
