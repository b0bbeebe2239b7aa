//! [`Error`]: an error of a conversion between Blosc2 and Zarr.

/// The result type of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of a conversion between Blosc2 and Zarr.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The Blosc2 file cannot be read or written, an option is not valid, or `import` cannot read the elements of the Zarr array.
    #[error(transparent)]
    Array(#[from] b2nd_ndarray::Error),
    /// The frame of the Blosc2 array or its metadata cannot be read, or the directory for the Zarr array cannot be created or renamed.
    #[error(transparent)]
    Frame(#[from] b2nd_frame::Error),
    /// The elements cannot be converted to a data type of Zarr version 3.
    #[error("{dtype} cannot be converted to a Zarr data type")]
    NoDataType {
        /// The dtype of the elements, as NumPy writes it, or `elements of a missing or unknown dtype`.
        dtype: String,
    },
    /// The elements of the Zarr array cannot be converted to a dtype of a Blosc2 array.
    #[error("conversion from Zarr does not support the data type {data_type}")]
    NoDType {
        /// The data type, as it is written in the metadata of the Zarr array.
        data_type: String,
    },
    /// The Zarr array cannot be found, read or written, an attribute cannot be converted, or an option of `export` is not valid.
    #[error("{0}")]
    Zarr(String),
}

impl From<b2nd::Error> for Error {
    fn from(error: b2nd::Error) -> Error {
        Error::Frame(error.into())
    }
}

impl Error {
    pub(crate) fn zarr(error: impl std::fmt::Display) -> Error {
        Error::Zarr(error.to_string())
    }
}
