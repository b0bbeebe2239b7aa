//! Zarr's codec `zstd`, implemented without C code.

use serde::{Deserialize, Serialize};
use zarrs::array::codec::api::CodecError;

use crate::bytes_codec::{BytesCodec, register};

/// A codec that stores each chunk as a Zstandard frame.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ZstdCodec {
    level: i32,
    checksum: bool,
}

register!(ZstdCodec, "zstd");

impl BytesCodec for ZstdCodec {
    fn compress(&self, data: &[u8]) -> Result<Vec<u8>, CodecError> {
        if self.level > 22 {
            return Err(CodecError::Other(format!("codec zstd: expected a level of at most 22, found {}", self.level)));
        }
        b2nd_codec::zstd::compress(data, self.level, self.checksum).map_err(failed)
    }

    fn decompress(&self, bytes: &[u8], length: Option<u64>) -> Result<Vec<u8>, CodecError> {
        let length = length.map(usize::try_from).transpose().map_err(failed)?;
        b2nd_codec::zstd::decompress(bytes, length).map_err(failed)
    }
}

fn failed(error: impl std::fmt::Display) -> CodecError {
    CodecError::Other(format!("codec zstd: {error}"))
}
