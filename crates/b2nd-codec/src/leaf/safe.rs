//! Decoders for untrusted input: miniz_oxide without `unsafe` code, ruzstd with least.

#[cfg(feature = "zlib")]
use miniz_oxide::inflate::decompress_slice_iter_to_slice;

#[cfg(feature = "safe")]
pub(super) use super::ruzstd::Zstd;
#[cfg(any(feature = "zlib", not(feature = "safe")))]
use crate::error::Result;

/// The length of what a stream of zlib expands to.
#[cfg(feature = "zlib")]
pub(super) fn zlib(stream: &[u8], place: &mut [u8]) -> Result<usize> {
    decompress_slice_iter_to_slice(place, [stream].into_iter(), true, false)
        .map_err(|error| super::failed(crate::ids::CodecId::Zlib, format_args!("{error:?}")))
}

/// Without the feature `safe` nothing here expands Zstandard safely.
#[cfg(all(feature = "zstd", not(feature = "safe")))]
#[derive(Default)]
pub(super) struct Zstd;

#[cfg(all(feature = "zstd", not(feature = "safe")))]
impl Zstd {
    pub(super) fn expand(&mut self, _dictionary: Option<&[u8]>, _stream: &[u8], _place: &mut [u8]) -> Result<usize> {
        Err(crate::available::no_safe_zstd())
    }
}
