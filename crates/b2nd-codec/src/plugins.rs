//! The codecs and filters that `blosc2-pure-rs` adds: ndlz, zfp, ndcell and ndmean.

use alloc::vec::Vec;

use blosc2_pure_rs::compress::{CParams, DParams, compress_chunk, decompress_chunk_into_with_dparams};

use crate::error::{Error, Result};
use crate::guard::guarded;
use crate::header::MAX_FILTERS;
use crate::options::Options;

pub(crate) fn decompress(metalayer: &[u8], chunk: &[u8], data: &mut [u8]) -> Result<()> {
    let params = DParams { b2nd_metalayer: (!metalayer.is_empty()).then(|| metalayer.to_vec()), ..DParams::default() };
    let length = data.len();
    let written = guarded("blosc2-pure-rs", || decompress_chunk_into_with_dparams(chunk, data, &params))?;
    match written {
        Ok(written) if written == length => Ok(()),
        Ok(written) => Err(Error::custom(format_args!("expected {length} bytes from the plugin, found {written}"))),
        Err(error) => Err(Error::custom(format_args!("the plugin failed: {error}"))),
    }
}

pub(crate) fn compress(options: &Options, metalayer: &[u8], data: &[u8]) -> Result<Vec<u8>> {
    let mut params = CParams {
        compcode: options.codec.code(),
        compcode_meta: options.codec_meta,
        clevel: options.level,
        typesize: i32::try_from(options.typesize).unwrap_or(1),
        blocksize: i32::try_from(options.blocksize).unwrap_or(0),
        splitmode: options.split_mode.code().into(),
        filters: [0; MAX_FILTERS],
        b2nd_metalayer: Some(metalayer.to_vec()),
        ..CParams::default()
    };
    for (slot, (filter, meta)) in (MAX_FILTERS.saturating_sub(options.filters.len())..MAX_FILTERS).zip(&options.filters) {
        (params.filters[slot], params.filters_meta[slot]) = (filter.code(), *meta);
    }
    let done = guarded("blosc2-pure-rs", || compress_chunk(data, &params))?;
    done.map_err(|error| Error::custom(format_args!("the plugin failed: {error}")))
}
