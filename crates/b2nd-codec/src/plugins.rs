//! `blosc2-pure-rs`: the codecs and filters that nobody else has in Rust.

use b2nd::{Error, Result};
use blosc2_pure_rs::compress::{DParams, decompress_chunk_into_with_dparams};

use crate::guard::guarded;

pub(crate) fn decompress(metalayer: &[u8], chunk: &[u8], data: &mut [u8]) -> Result<()> {
    let params = DParams { b2nd_metalayer: (!metalayer.is_empty()).then(|| metalayer.to_vec()), ..DParams::default() };
    let length = data.len();
    let written = guarded("blosc2-pure-rs", || decompress_chunk_into_with_dparams(chunk, data, &params))?;
    match written {
        Ok(written) if written == length => Ok(()),
        Ok(written) => Err(Error::custom(format_args!("blosc2-pure-rs: expected {length} bytes, it gave {written}"))),
        Err(error) => Err(Error::custom(format_args!("blosc2-pure-rs: {error}"))),
    }
}
