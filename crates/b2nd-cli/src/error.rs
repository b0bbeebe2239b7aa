//! [`Error`]: why a command does not go on: what it reads, or where it writes.

use std::fmt;
use std::io;

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a command does not go on.
///
/// Every error of another crate is one of reading: `?` makes it so. Output is written with [`Error::Write`].
#[derive(Debug)]
pub(crate) enum Error {
    /// Something that was named cannot be read, or not be made: a line says so, and the next is looked at.
    Read(Box<dyn std::error::Error + Send + Sync>),
    /// Output cannot be written: nothing else may be tried.
    Write(io::Error),
}

impl Error {
    /// An error of reading, in a sentence.
    pub(crate) fn new(sentence: impl fmt::Display) -> Error {
        Error::Read(sentence.to_string().into())
    }
}

impl Error {
    /// True if nothing is damaged: what was named has no values of its own.
    pub(crate) fn is_of_kind(&self) -> bool {
        use b2nd_ndarray::Error::{Elsewhere, NoArray};
        let Error::Read(error) = self else { return false };
        matches!(error.downcast_ref().map(b2nd_ndarray::Error::kind), Some(NoArray | Elsewhere { .. }))
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for Error {
    fn from(error: E) -> Error {
        Error::Read(error.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::Read(error) => error.fmt(f),
            Error::Write(error) => write!(f, "cannot write: {error}"),
        }
    }
}
