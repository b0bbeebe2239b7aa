//! Errors of hdf5-reader as errors of frames.

use b2nd_codec::{Error as Codec, ErrorKind::NoCodec};
use b2nd_frame::Error;
use b2nd_store::is_of_source;
use hdf5_reader::error::Error as Fault;

/// Converts an error of hdf5-reader.
pub(crate) fn fault(error: Fault) -> Error {
    match error {
        Fault::Io(error) => error.into(),
        Fault::Context { path, source } => match fault(*source) {
            error if is_of_source(&error) => error,
            error => Error::custom(format_args!("{path}: {error}")),
        },
        Fault::UnsupportedLayoutClass(3) => Error::custom("virtual datasets are not read; other datasets are, by their paths"),
        Fault::UnsupportedFilter(codec) => Codec::from(NoCodec { reason: format!("{codec} is not supported"), codec }).into(),
        error => Error::custom(format_args!("{error}")),
    }
}
