//! Zarr's codec `gzip`. Unlike the codec of zarrs, it stops decompressing when the data is longer than the chunk.

use std::io::Read;

use flate2::Compression;
use flate2::bufread::{GzEncoder, MultiGzDecoder};
use serde::{Deserialize, Serialize};
use zarrs::array::codec::api::CodecError;

use crate::bytes_codec::{BytesCodec, LARGEST, register};

/// A codec that stores each chunk in the format of gzip.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GzipCodec {
    level: u32,
}

register!(GzipCodec, "gzip");

impl BytesCodec for GzipCodec {
    fn compress(&self, data: &[u8]) -> Result<Vec<u8>, CodecError> {
        if self.level > 9 {
            return Err(CodecError::Other(format!("codec gzip: expected a level of at most 9, found {}", self.level)));
        }
        let mut encoded = Vec::new();
        GzEncoder::new(data, Compression::new(self.level)).read_to_end(&mut encoded)?;
        Ok(encoded)
    }

    fn decompress(&self, bytes: &[u8], length: Option<u64>) -> Result<Vec<u8>, CodecError> {
        let (mut data, most) = (Vec::new(), length.unwrap_or(LARGEST));
        MultiGzDecoder::new(bytes).take(most.saturating_add(1)).read_to_end(&mut data)?;
        let found = data.len() as u64;
        if found > most || length.is_some_and(|length| length != found) {
            let (at, found) = (length.map_or("at most ", |_| ""), if found > most { "more".into() } else { found.to_string() });
            return Err(CodecError::Other(format!("codec gzip: expected {at}{most} bytes, found {found}")));
        }
        Ok(data)
    }
}
