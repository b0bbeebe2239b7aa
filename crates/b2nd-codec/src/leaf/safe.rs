//! Decoders for untrusted input: miniz_oxide, which has no `unsafe` code, and ruzstd, which has the least.

#[cfg(feature = "zlib")]
use miniz_oxide::inflate::decompress_slice_iter_to_slice;

#[cfg(feature = "safe")]
pub(super) use super::ruzstd::Zstd;
#[cfg(any(feature = "zlib", not(feature = "safe")))]
use crate::deadline::Deadline;
#[cfg(any(feature = "zlib", not(feature = "safe")))]
use crate::error::Result;

/// The deadline is checked after this many bytes of a stream.
#[cfg(feature = "zlib")]
const STREAM: usize = 64 << 10;

/// Decompresses a stream of zlib, and returns the length of the data.
#[cfg(feature = "zlib")]
pub(super) fn zlib(stream: &[u8], place: &mut [u8], deadline: Deadline) -> Result<usize> {
    // A byte of a zlib stream decompresses to at most 1032 bytes, which limits the time between two checks of the deadline.
    let pieces = stream.chunks(STREAM).take_while(|_| deadline.check().is_ok());
    decompress_slice_iter_to_slice(place, pieces, true, false).map_err(|error| match deadline.check() {
        Ok(()) => super::failed(crate::ids::CodecId::Zlib, format_args!("{error:?}")),
        Err(late) => late,
    })
}

/// The decoder in a build without the feature `safe`. It rejects every stream.
#[cfg(all(feature = "zstd", not(feature = "safe")))]
#[derive(Default)]
pub(super) struct Zstd;

#[cfg(all(feature = "zstd", not(feature = "safe")))]
impl Zstd {
    pub(super) fn expand(&mut self, _: Option<&[u8]>, _: &[u8], _: &mut [u8], _: Deadline) -> Result<usize> {
        Err(crate::available::no_safe_zstd())
    }
}
