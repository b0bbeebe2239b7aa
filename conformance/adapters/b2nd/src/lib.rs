//! The adapter for the crates of b2nd: returns the facts about a file, which belongs to one of the layers.

mod encode;
mod frame;
mod grid;
mod layers;
mod store;
mod table;

use std::fmt;
use std::path::Path;

use b2nd_conformance::{Fact, Layer};

pub use encode::encode;

/// Why a file was rejected.
#[derive(Debug)]
pub struct Refused {
    /// The name of the error's [`ErrorKind`](b2nd_frame::ErrorKind), or of its [`b2nd::ErrorKind`] if it is an error of the format.
    /// `None` for other errors.
    pub kind: Option<String>,
    /// The whole message.
    pub sentence: String,
}

/// The facts about a file, or why it was rejected.
pub type Result<T = Fact> = std::result::Result<T, Refused>;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl From<b2nd::Error> for Refused {
    fn from(error: b2nd::Error) -> Refused {
        b2nd_frame::Error::from(error).into()
    }
}

impl From<b2nd_frame::Error> for Refused {
    fn from(error: b2nd_frame::Error) -> Refused {
        let kind = match error.kind() {
            b2nd_frame::ErrorKind::Format(error) => format!("{:?}", error.kind()),
            kind => format!("{kind:?}"),
        };
        let kind = kind.split([' ', '(', '{']).next().unwrap_or_default().to_owned();
        Refused { kind: Some(kind), sentence: error.to_string() }
    }
}

impl From<b2nd_ndarray::Error> for Refused {
    fn from(error: b2nd_ndarray::Error) -> Refused {
        match error {
            // The path is removed, because the runner knows it.
            b2nd_ndarray::Error::File { source, .. } => (*source).into(),
            b2nd_ndarray::Error::B2nd(error) => error.into(),
            error => refuse(error.to_string()),
        }
    }
}

impl From<std::io::Error> for Refused {
    fn from(error: std::io::Error) -> Refused {
        b2nd_frame::Error::from(error).into()
    }
}

/// Rejects a file without the name of an `ErrorKind`.
fn refuse(sentence: impl Into<String>) -> Refused {
    Refused { kind: None, sentence: sentence.into() }
}

/// Returns the facts about a file of this layer.
///
/// # Errors
///
/// Fails if the file cannot be read or is not valid.
pub fn read(layer: Layer, path: &Path) -> Result {
    match layer {
        Layer::Metalayer => layers::metalayer(&std::fs::read(path)?),
        Layer::Header => layers::header(&std::fs::read(path)?),
        Layer::Trailer => layers::trailer(&std::fs::read(path)?),
        Layer::Index => layers::index(&std::fs::read(path)?),
        Layer::Chunk => layers::chunk(&std::fs::read(path)?),
        Layer::Dtype => layers::dtype(&std::fs::read(path)?),
        Layer::Grid => grid::read(&std::fs::read(path)?),
        Layer::Frame | Layer::Sparse => frame::read(path),
        Layer::Store => store::read(path),
        Layer::Table => table::read(path),
    }
}
