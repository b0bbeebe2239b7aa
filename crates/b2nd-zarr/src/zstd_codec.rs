//! Zarr's codec `zstd`, implemented without C code.

use serde::{Deserialize, Serialize};
use zarrs::array::codec::api::CodecError;
use zstd_pure_rs::common::zstd_common::{ZSTD_getErrorName, ZSTD_isError};
use zstd_pure_rs::compress::zstd_compress::{ZSTD_compress, ZSTD_compressBound};
use zstd_pure_rs::decompress::zstd_decompress::{
    ZSTD_CONTENTSIZE_ERROR, ZSTD_CONTENTSIZE_UNKNOWN, ZSTD_decompress, ZSTD_getFrameContentSize,
};

use crate::bytes_codec::{BytesCodec, LARGEST, register};

/// The valid compression levels of Zstandard. 0 means the default level.
const LEVELS: std::ops::RangeInclusive<i32> = -131_072..=22;

/// A codec that stores each chunk as a Zstandard frame.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ZstdCodec {
    level: i32,
    checksum: bool,
}

register!(ZstdCodec, "zstd");

impl BytesCodec for ZstdCodec {
    fn validate(&self) -> Result<(), String> {
        if LEVELS.contains(&self.level) {
            Ok(())
        } else {
            Err(format!("expected a level of at most {}, found {}", LEVELS.end(), self.level))
        }
    }

    fn compress(&self, data: &[u8]) -> Result<Vec<u8>, CodecError> {
        let mut frame = vec![0; ZSTD_compressBound(data.len())];
        let length = checked(ZSTD_compress(&mut frame, data, self.level))?;
        frame.truncate(length);
        Ok(frame)
    }

    fn decompress(&self, bytes: &[u8], length: Option<u64>) -> Result<Vec<u8>, CodecError> {
        let claimed = ZSTD_getFrameContentSize(bytes);
        let is_known = claimed != ZSTD_CONTENTSIZE_UNKNOWN && claimed != ZSTD_CONTENTSIZE_ERROR;
        // Prefer the expected length, so that a damaged header cannot cause an allocation of more memory than the array needs.
        let length = length.or(is_known.then_some(claimed)).ok_or_else(|| failed("the frame has no length"))?;
        if length > LARGEST {
            return Err(failed(format_args!("the frame has {length} bytes; at most {LARGEST} are supported")));
        }
        let length = usize::try_from(length).map_err(failed)?;
        let mut data = Vec::new();
        data.try_reserve_exact(length).map_err(failed)?;
        data.resize(length, 0);
        // The decoder may panic on damaged frames.
        let code = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| ZSTD_decompress(&mut data, bytes)));
        match checked(code.map_err(|_| failed("the frame is damaged"))?)? {
            found if found == length => Ok(data),
            found => Err(failed(format_args!("expected {length} bytes, found {found}"))),
        }
    }
}

fn checked(code: usize) -> Result<usize, CodecError> {
    if ZSTD_isError(code) { Err(failed(ZSTD_getErrorName(code))) } else { Ok(code) }
}

fn failed(error: impl std::fmt::Display) -> CodecError {
    CodecError::Other(format!("codec zstd: {error}"))
}
