//! Re-exports from the crate `b2nd-codec`, and the encoding of an array's metalayer for its decompressor.

use b2nd::{ArrayMeta, B2ndMeta};
pub use b2nd_codec::{Decompressor, Error, ErrorKind, accept, quiet_panics};
use b2nd_frame::{Compressor, Filter, Header};

use crate::error::Result;

/// Encodes an array's metalayer for [`Decompressor::with_metalayer`], in the layout that C-Blosc2 has written since 2.7.0. The unused bytes
/// that follow the metadata in some files are left out.
///
/// # Errors
///
/// Fails if the metadata cannot be written in this layout.
pub fn metalayer(meta: &ArrayMeta<&str>) -> b2nd::Result<Vec<u8>> {
    b2nd::to_vec(&meta.upgrade(Some("|u1"))?)
}

/// Creates the compressor for the chunks of an array whose frame has this header. Fails for the filter delta.
pub(crate) fn compressor(header: &Header, meta: &B2ndMeta) -> Result<Compressor> {
    if header.filters().any(|(filter, _)| filter == Filter::Delta) {
        let message = "C-Blosc2 3.3.5 reads wrong values from slices of arrays with the filter delta: other filters are needed";
        return Err(b2nd_frame::Error::custom(message).into());
    }
    Ok(header.compressor()?.with_metalayer(b2nd::to_vec(meta)?))
}
