//! [`Error`]: the errors of reading and writing arrays.

use std::path::{Path, PathBuf};

use b2nd_frame::ErrorKind;
use b2nd_store::text::{count, thousands};

/// The result type of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// An error of reading or writing an array.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An error without a variant of its own, for example in the file, its metadata, a chunk or the arguments of a call.
    #[error(transparent)]
    B2nd(#[from] b2nd_frame::Error),
    /// An error about a file, with its path. [`kind`](Error::kind) returns the error without the path.
    #[error("{}: {source}", path.display())]
    File {
        /// The path of the file or object. For an array in a store: the store's path, `::` and the key.
        path: PathBuf,
        /// The error without the path.
        source: Box<Error>,
    },
    /// No metalayer of the frame describes an array.
    #[error("the frame has no metalayer that describes an array (b2nd or caterva)")]
    NoArray,
    /// The elements of the array or of a field do not have the expected dtype.
    #[error("the elements are {found}, not {expected}")]
    DType {
        /// The dtype that was requested, that of the values to write, or that of the first array to join.
        expected: String,
        /// The dtype of the elements.
        found: String,
    },
    /// The elements of the array or of a field do not have the size of the requested type, or of the value for new elements.
    #[error("the elements have {}, not {expected}", count(found, "byte"))]
    Itemsize {
        /// The size of the requested type or of the value, in bytes.
        expected: usize,
        /// The size of an element in bytes.
        found: usize,
    },
    /// The file may not contain all elements of the array: they may have to be computed, or are stored elsewhere.
    #[error("the file may not contain all values: python-blosc2 computes or fetches them (metalayer {metalayer})")]
    Elsewhere {
        /// The name of the metalayer by which such a file is recognized.
        metalayer: &'static str,
    },
    /// A slice in ndarray's notation, a selection, a list of steps or a new shape has too many or too few dimensions.
    #[error("expected {}, found {found}", count(expected, "dimension"))]
    Dimensions {
        /// The number of dimensions of the array, or of the slice to which the steps belong.
        expected: usize,
        /// The number of dimensions that was given.
        found: usize,
    },
    /// A slice in ndarray's notation or a list of indices has an index outside the array.
    #[error("index {index} is outside dimension {axis}, whose length is {length}")]
    Index {
        /// The index of the dimension, counted from 0.
        axis: usize,
        /// The index.
        index: i64,
        /// The length of the dimension.
        length: i64,
    },
    /// The view, or the array of new values, does not have the shape of the slice.
    #[error("expected the shape {expected:?} of the slice, found {found:?}")]
    View {
        /// The slice's shape.
        expected: Vec<usize>,
        /// The shape of the view or of the new values.
        found: Vec<usize>,
    },
    /// The rows to write or to append do not have the shape of the array's rows.
    #[error("expected rows of the shape {expected:?}, found an array of the shape {found:?}")]
    Rows {
        /// The shape of the array without its first axis.
        expected: Vec<i64>,
        /// The shape of the array of rows that was given.
        found: Vec<i64>,
    },
    /// A chunk cannot be read, or does not fit the array's shapes.
    #[error("chunk {number}: {source}")]
    Chunk {
        /// The index of the chunk.
        number: u64,
        /// The error in the chunk.
        source: Box<Error>,
    },
    /// The number of bytes to write does not match the array or the slice, or the bytes are not whole rows.
    #[error("expected {}, found {}", count(expected, "byte"), thousands(found))]
    Length {
        /// A number of bytes that would match.
        expected: usize,
        /// The number of bytes that were given.
        found: usize,
    },
    /// Elements or the index of chunks do not fit into memory.
    #[error("no memory for {} of {}", count(items, "item"), count(itemsize, "byte"))]
    Memory {
        /// The number of elements, or of entries of the index.
        items: i64,
        /// The size of an element or entry in bytes.
        itemsize: usize,
    },
    /// The chunks of arrays to join do not align.
    #[error("{why}: the arrays can be joined only by compressing their chunks again")]
    Misaligned {
        /// The part of the sentence that says why the chunks do not align.
        why: String,
    },
    /// A request to an object store failed, or its response cannot be used.
    #[cfg(feature = "object_store")]
    #[error("bytes {}..{} of {path}: {}", range.start, range.end, said(&**source))]
    Request {
        /// The path of the object.
        path: String,
        /// The range of bytes that was requested or written.
        range: std::ops::Range<u64>,
        /// The cause, such as the error of the object store.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The values do not fit the shape.
    #[error("the values do not fit their shape: {0}")]
    Shape(#[from] ndarray::ShapeError),
}

impl From<b2nd_codec::Error> for Error {
    fn from(error: b2nd_codec::Error) -> Error {
        Error::B2nd(error.into())
    }
}

impl From<b2nd::Error> for Error {
    fn from(error: b2nd::Error) -> Error {
        Error::B2nd(error.into())
    }
}

impl Error {
    /// Returns an error with this sentence.
    pub(crate) fn custom(sentence: impl std::fmt::Display) -> Error {
        Error::B2nd(b2nd_frame::Error::custom(sentence))
    }

    /// Returns the error inside an [`Error::File`]. Other errors are returned unchanged.
    pub fn kind(&self) -> &Error {
        if let Error::File { source, .. } = self { source } else { self }
    }

    /// Returns true if bytes are missing that have not been fetched yet.
    pub(crate) fn is_missing(&self) -> bool {
        match self {
            Error::B2nd(error) => matches!(error.kind(), ErrorKind::Missing { .. }),
            Error::File { source, .. } | Error::Chunk { source, .. } => source.is_missing(),
            _ => false,
        }
    }

    /// Adds the path of the file to an error, unless the error is an [`Error::File`] or already names this file.
    pub(crate) fn in_file(path: &Path, error: Error) -> Error {
        match error {
            Error::File { .. } => error,
            Error::B2nd(source) if source.file().is_some_and(|file| file == path.to_string_lossy()) => Error::B2nd(source),
            error => Error::File { path: path.to_owned(), source: Box::new(error) },
        }
    }

    /// Adds the index of the chunk to an error, unless the error is an [`Error::Chunk`].
    pub(crate) fn in_chunk(number: u64, error: Error) -> Error {
        match error {
            Error::Chunk { .. } => error,
            error => Error::Chunk { number, source: Box::new(error) },
        }
    }
}

/// Returns the message of an object store's error. The most common errors get a short message, which does not repeat the path.
#[cfg(feature = "object_store")]
fn said(error: &(dyn std::error::Error + Send + Sync + 'static)) -> String {
    use object_store::Error;
    match error.downcast_ref::<Error>() {
        Some(Error::NotFound { .. }) => "it does not exist".to_owned(),
        Some(Error::AlreadyExists { .. }) => "it already exists".to_owned(),
        Some(Error::Precondition { .. }) => "a precondition of the request failed: the object may have been replaced".to_owned(),
        _ => error.to_string(),
    }
}
