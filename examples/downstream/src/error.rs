//! The error type of the crate.

use alloc::string::String;

/// The result of functions that can fail.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// The reason why a tile or a message cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error in the frame. `?` converts a [`b2nd_frame::Error`] to it.
    #[error("the frame cannot be read or written")]
    Frame(#[from] b2nd_frame::Error),
    /// An error in the metadata of the array. `?` converts a [`b2nd::Error`] to it.
    #[error("the metadata of the array cannot be used")]
    Metadata(#[from] b2nd::Error),
    /// The frame lacks a metalayer that a tile needs.
    #[error("the frame has no metalayer {0:?}")]
    Missing(&'static str),
    /// The array has the wrong number of dimensions for a tile.
    #[error("expected 3 dimensions (bands, rows and columns), found {0}")]
    Dimensions(usize),
    /// A message could not be written or read.
    #[error("{format} message: {message}")]
    Message {
        /// The format of the message.
        format: &'static str,
        /// The error of the format's crate.
        message: String,
    },
}
