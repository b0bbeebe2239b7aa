//! The crate's error.

use alloc::string::String;

/// The result of what can fail here.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why a tile or a message was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The frame, or what is in it. `?` makes one out of a [`b2nd_frame::Error`].
    #[error("not a tile")]
    Frame(#[from] b2nd_frame::Error),
    /// The metadata of the array. `?` makes one out of a [`b2nd::Error`].
    #[error("not a tile")]
    Metadata(#[from] b2nd::Error),
    /// The frame is sound, and something that a tile has is not in it.
    #[error("the frame has no metalayer {0:?}")]
    Missing(&'static str),
    /// The array has another number of dimensions than a tile.
    #[error("a tile has bands, rows and columns, the array has {0} dimension(s)")]
    Dimensions(usize),
    /// A message could not be written or read.
    #[error("{format} message: {message}")]
    Message {
        /// Which format it is in.
        format: &'static str,
        /// The sentence of its crate.
        message: String,
    },
}
