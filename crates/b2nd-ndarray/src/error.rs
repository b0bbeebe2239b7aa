//! [`Error`]: why an array is not read or written.

use std::path::{Path, PathBuf};

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why an array is not read or written.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file, its metadata or a chunk of it.
    #[error(transparent)]
    B2nd(#[from] b2nd::Error),
    /// An error about a file; [`kind`](Error::kind) is the one without the path.
    #[error("{}: {source}", path.display())]
    File {
        /// The path; of an array in a store the store's, `::` and the key.
        path: PathBuf,
        /// The error without the path.
        source: Box<Error>,
    },
    /// No metalayer of the frame describes an array.
    #[error("the frame holds no array: it has neither a metalayer b2nd nor caterva")]
    NoArray,
    /// The elements have another type than the one requested.
    #[error("the array's elements are {found}, not {expected}")]
    DType {
        /// The type that was requested.
        expected: String,
        /// The array's own.
        found: String,
    },
    /// The elements have another size than the type that was requested.
    #[error("the array's elements take {found} bytes each, the type asked for takes {expected}")]
    Itemsize {
        /// The size of that type, in bytes.
        expected: usize,
        /// The size in the frame, in bytes.
        found: usize,
    },
    /// The file is a recipe or a proxy: the array's elements are not in it.
    #[error("its values are computed or fetched when python-blosc2 opens it, and are not in the file (metalayer {metalayer})")]
    Elsewhere {
        /// The metalayer that marks it as one.
        metalayer: &'static str,
    },
    /// The slice has too many or too few dimensions.
    #[error("the array has {expected} dimensions, the slice {found}")]
    Dimensions {
        /// The number of dimensions of the array.
        expected: usize,
        /// The number of dimensions of the slice.
        found: usize,
    },
    /// The slice has an index outside the array.
    #[error("slice[{axis}]: {index} is outside a dimension of {length}")]
    Index {
        /// The dimension.
        axis: usize,
        /// The index.
        index: i64,
        /// The array's length there.
        length: i64,
    },
    /// The view does not have the shape of the slice.
    #[error("the slice has the shape {expected:?}, the view {found:?}")]
    View {
        /// The slice's shape.
        expected: Vec<usize>,
        /// The view's.
        found: Vec<usize>,
    },
    /// The rows have another shape than the array's.
    #[error("the array's rows have the shape {expected:?}, those to append {found:?}")]
    Rows {
        /// The array's shape after its first axis.
        expected: Vec<i64>,
        /// The shape of the rows.
        found: Vec<i64>,
    },
    /// A chunk's data is not what the array's shapes say.
    #[error("chunk {number}: {source}")]
    Chunk {
        /// The chunk's number.
        number: u64,
        /// The fault.
        source: Box<Error>,
    },
    /// The bytes to write are more or fewer than the array's.
    #[error("the array has {expected} bytes, {found} are given")]
    Length {
        /// The product of shape and itemsize.
        expected: usize,
        /// The length that was given.
        found: usize,
    },
    /// The slice does not fit into memory.
    #[error("no memory for {items} elements of {itemsize} bytes")]
    Memory {
        /// The number of elements.
        items: i64,
        /// The size of one in bytes.
        itemsize: usize,
    },
    /// A request to an object store failed.
    #[cfg(feature = "object_store")]
    #[error("bytes {}..{} of {path}: {}", range.start, range.end, said(&**source))]
    Request {
        /// The object.
        path: String,
        /// The range of bytes that was requested.
        range: std::ops::Range<u64>,
        /// The store's error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Values and shape do not fit together.
    #[error("the values do not fit their shape: {0}")]
    Shape(#[from] ndarray::ShapeError),
}

impl From<b2nd_codec::Error> for Error {
    fn from(error: b2nd_codec::Error) -> Error {
        Error::B2nd(error.into())
    }
}

impl Error {
    /// Returns the error without the path of its file.
    pub fn kind(&self) -> &Error {
        if let Error::File { source, .. } = self { source } else { self }
    }

    /// Adds the path of the file, unless the error has it already.
    pub(crate) fn in_file(path: &Path, error: Error) -> Error {
        match error {
            Error::File { .. } => error,
            Error::B2nd(source) if source.to_string().starts_with(&format!("{}: ", path.display())) => Error::B2nd(source),
            error => Error::File { path: path.to_owned(), source: Box::new(error) },
        }
    }

    /// Adds the number of the chunk, unless the error has one already.
    pub(crate) fn in_chunk(number: u64, error: Error) -> Error {
        match error {
            Error::Chunk { .. } => error,
            error => Error::Chunk { number, source: Box::new(error) },
        }
    }
}

/// What a store says, without the path and without what it says twice.
#[cfg(feature = "object_store")]
fn said(error: &(dyn std::error::Error + Send + Sync + 'static)) -> String {
    use object_store::Error;
    match error.downcast_ref::<Error>() {
        Some(Error::NotFound { .. }) => "it does not exist".to_owned(),
        Some(Error::AlreadyExists { .. }) => "it already exists".to_owned(),
        Some(Error::Precondition { .. }) => "it was replaced: a precondition of the request failed".to_owned(),
        _ => error.to_string(),
    }
}
