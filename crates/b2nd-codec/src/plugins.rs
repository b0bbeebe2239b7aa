//! The codecs and filters whose only implementation in Rust is in `blosc2-pure-rs`.

use alloc::vec::Vec;

use blosc2_pure_rs::compress::{CParams, DParams, compress_chunk, decompress_chunk_into_with_dparams};

use crate::error::{Error, Result};
use crate::guard::guarded;
use crate::options::Settings;

pub(crate) fn decompress(metalayer: &[u8], chunk: &[u8], data: &mut [u8]) -> Result<()> {
    let params = DParams { b2nd_metalayer: (!metalayer.is_empty()).then(|| metalayer.to_vec()), ..DParams::default() };
    let length = data.len();
    let written = guarded("blosc2-pure-rs", || decompress_chunk_into_with_dparams(chunk, data, &params))?;
    match written {
        Ok(written) if written == length => Ok(()),
        Ok(written) => {
            Err(Error::custom(format_args!("blosc2-pure-rs: expected {length} bytes, but decompression returned {written}")))
        }
        Err(error) => Err(Error::custom(format_args!("blosc2-pure-rs: {error}"))),
    }
}

pub(crate) fn compress(with: &Settings, data: &[u8]) -> Result<Vec<u8>> {
    let params = CParams {
        compcode: with.codec.code(),
        clevel: with.level,
        typesize: with.typesize.into(),
        blocksize: i32::try_from(with.blocksize).unwrap_or(0),
        splitmode: with.split_mode.code().into(),
        filters: with.filters,
        filters_meta: with.filters_meta,
        b2nd_metalayer: Some(with.metalayer.clone()),
        ..CParams::default()
    };
    let done = guarded("blosc2-pure-rs", || compress_chunk(data, &params))?;
    done.map_err(|error| Error::custom(format_args!("blosc2-pure-rs: {error}")))
}
