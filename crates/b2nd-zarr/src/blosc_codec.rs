//! Zarr's codec `blosc`, only for reading.

use serde::{Deserialize, Serialize};
use zarrs::array::codec::api::CodecError;

use crate::blosc2_codec::decompress;
use crate::bytes_codec::{BytesCodec, register};

/// A codec for chunks of C-Blosc 1, whose header has 16 bytes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
struct BloscCodec(serde_json::Map<String, serde_json::Value>);

register!(BloscCodec, "blosc");

impl BytesCodec for BloscCodec {
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }

    fn compress(&self, _data: &[u8]) -> Result<Vec<u8>, CodecError> {
        Err(CodecError::Other("codec blosc can only be read: write with blosc2 or zstd".to_owned()))
    }

    fn decompress(&self, bytes: &[u8], length: Option<u64>) -> Result<Vec<u8>, CodecError> {
        decompress(bytes, length)
    }
}
