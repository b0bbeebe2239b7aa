//! Decoders for bytes that nobody trusts: miniz_oxide without `unsafe` code, ruzstd with least.

use b2nd::Result;
use b2nd::frame::Codec;
use miniz_oxide::inflate::decompress_slice_iter_to_slice;

use super::failed;
#[cfg(feature = "safe")]
use super::ruzstd::Zstd;

/// The length of what a stream of zlib expands to.
pub(super) fn zlib(stream: &[u8], place: &mut [u8]) -> Result<usize> {
    decompress_slice_iter_to_slice(place, [stream].into_iter(), true, false)
        .map_err(|error| failed(Codec::Zlib, format_args!("{error:?}")))
}

/// The state of a decoder of Zstandard.
#[derive(Default)]
pub(super) struct Safe {
    #[cfg(feature = "safe")]
    decoder: Zstd,
}

impl Safe {
    /// The length of what a stream of Zstandard expands to.
    #[cfg(feature = "safe")]
    pub(super) fn zstd(&mut self, dictionary: Option<&[u8]>, stream: &[u8], place: &mut [u8]) -> Result<usize> {
        self.decoder.expand(dictionary, stream, place)
    }

    /// Nothing here expands Zstandard safely.
    #[cfg(not(feature = "safe"))]
    pub(super) fn zstd(&mut self, _dictionary: Option<&[u8]>, _stream: &[u8], _place: &mut [u8]) -> Result<usize> {
        Err(crate::support::no_safe_zstd())
    }
}
