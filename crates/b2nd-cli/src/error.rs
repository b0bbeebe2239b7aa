//! [`Error`]: the reason why a command fails.

use std::fmt;
use std::io;

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// The end of a message about what this build lacks.
#[cfg(not(all(feature = "arrow", feature = "page", feature = "zarr")))]
pub(crate) const INSTALL: &str = "install one that can, with `cargo install --path crates/b2nd-cli --features full`";

/// The reason why a command fails, for one file or as a whole.
///
/// `?` turns errors of other crates into [`Error::Read`]. Errors of writing output are mapped to [`Error::Write`] where they occur.
#[derive(Debug)]
pub(crate) enum Error {
    /// For example, a file cannot be read or created, or an argument is wrong. Most commands report the error and continue with the next
    /// file, if there is one.
    Read(Box<dyn std::error::Error + Send + Sync>),
    /// Standard output or standard error cannot be written. The command ends.
    Write(io::Error),
}

impl Error {
    /// Creates an [`Error::Read`] with this sentence.
    pub(crate) fn new(sentence: impl fmt::Display) -> Error {
        Error::Read(sentence.to_string().into())
    }

    /// Returns true for errors of b2nd-ndarray that are caused by the kind of the file, not by damage.
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
