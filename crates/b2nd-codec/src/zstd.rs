//! Compresses and decompresses frames of Zstandard without a Blosc2 chunk around them, as Zarr's codec `zstd` stores them.
//!
//! ```
//! let frame = b2nd_codec::zstd::compress(&[7; 1000], 3, true)?;
//! assert!(frame.len() < 30);
//! assert_eq!(b2nd_codec::zstd::decompress(&frame, None)?, [7; 1000]);
//! # Ok::<(), b2nd_codec::Error>(())
//! ```

use alloc::vec;
use alloc::vec::Vec;

use zstd_pure_rs::common::zstd_common::{ZSTD_getErrorName, ZSTD_isError};
use zstd_pure_rs::compress::zstd_compress::ZSTD_cParameter::{ZSTD_c_checksumFlag, ZSTD_c_compressionLevel};
use zstd_pure_rs::compress::zstd_compress::{ZSTD_CCtx_setParameter, ZSTD_compress2, ZSTD_compressBound, ZSTD_createCCtx};
use zstd_pure_rs::decompress::zstd_decompress::{ZSTD_CONTENTSIZE_ERROR, ZSTD_CONTENTSIZE_UNKNOWN, ZSTD_getFrameContentSize};

use crate::buffer::front;
use crate::decompressor::Decompressor;
use crate::error::{Error, Result};
use crate::guard::guarded;
use crate::ids::CodecId;

/// The data of a frame is at most this number of times as long as the frame: a block of 128 KiB takes at least 4 bytes.
const MAX_RATIO: u64 = 1 << 15;

/// Compresses data into a frame. Levels above 22 count as 22, and 0 is the default level. With `checksum`, the frame has a checksum of
/// the data.
///
/// # Errors
///
/// Fails if the data is too long, or the codec fails.
pub fn compress(data: &[u8], level: i32, checksum: bool) -> Result<Vec<u8>> {
    let mut context = ZSTD_createCCtx().ok_or_else(|| Error::custom("zstd: no memory for a context"))?;
    for (parameter, value) in [(ZSTD_c_compressionLevel, level), (ZSTD_c_checksumFlag, checksum.into())] {
        checked(ZSTD_CCtx_setParameter(&mut context, parameter, value))?;
    }
    let mut frame = vec![0; checked(ZSTD_compressBound(data.len()))?];
    let length = checked(guarded("zstd-pure-rs", || ZSTD_compress2(&mut context, &mut frame, data))?)?;
    frame.truncate(length);
    Ok(frame)
}

/// Decompresses a frame to `length` bytes. If `length` is `None`, the frame must contain the length of its data.
///
/// # Errors
///
/// Fails if the frame is not valid, its data does not have this length, the length is not known, or memory cannot be allocated.
pub fn decompress(frame: &[u8], length: Option<usize>) -> Result<Vec<u8>> {
    let length = match length {
        Some(length) => length as u64,
        None => match ZSTD_getFrameContentSize(frame) {
            ZSTD_CONTENTSIZE_UNKNOWN => return Err(Error::custom("zstd: the frame does not contain the length of its data")),
            ZSTD_CONTENTSIZE_ERROR => return Err(Error::custom("zstd: the header of the frame is damaged or cut off")),
            claimed => claimed,
        },
    };
    // Without this limit, a short frame could claim any length, and the buffer would take that much memory.
    let limit = (frame.len() as u64).saturating_mul(MAX_RATIO).min(usize::MAX as u64);
    let fits = usize::try_from(length).ok().filter(|_| length <= limit);
    let short =
        || Error::custom(format_args!("zstd: a frame of length {} holds at most {limit} bytes, not {length}", frame.len()));
    let length = fits.ok_or_else(short)?;
    let mut data = Vec::new();
    let place = front(&mut data, length)?;
    Decompressor::lend(|decompressor| decompressor.leaves.expand(CodecId::Zstd, None, frame, place, length))?;
    Ok(data)
}

fn checked(code: usize) -> Result<usize> {
    if ZSTD_isError(code) { Err(Error::custom(format_args!("zstd: {}", ZSTD_getErrorName(code)))) } else { Ok(code) }
}
