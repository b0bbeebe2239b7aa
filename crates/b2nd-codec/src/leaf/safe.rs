//! Decoders for bytes that nobody trusts: miniz_oxide without `unsafe` code, ruzstd with least.

use b2nd::Result;
use b2nd::frame::Codec;
use miniz_oxide::inflate::decompress_slice_iter_to_slice;
#[cfg(feature = "safe")]
use ruzstd::decoding::{Dictionary, FrameDecoder};

use super::failed;

/// The length of what a stream of zlib expands to.
pub(super) fn zlib(stream: &[u8], place: &mut [u8]) -> Result<usize> {
    decompress_slice_iter_to_slice(place, [stream].into_iter(), true, false)
        .map_err(|error| failed(Codec::Zlib, format_args!("{error:?}")))
}

/// The state of a decoder of Zstandard.
#[derive(Default)]
pub(super) struct Safe {
    #[cfg(feature = "safe")]
    decoder: Option<FrameDecoder>,
}

impl Safe {
    /// The length of what a stream of Zstandard expands to.
    #[cfg(feature = "safe")]
    pub(super) fn zstd(&mut self, dictionary: Option<&[u8]>, stream: &[u8], place: &mut [u8]) -> Result<usize> {
        let codec = Codec::Zstd;
        let mut decoder = match (self.decoder.take(), dictionary) {
            (Some(decoder), None) => decoder,
            _ => FrameDecoder::new(),
        };
        let length = crate::guard::guarded("ruzstd", || {
            if let Some(dictionary) = dictionary {
                let dictionary = Dictionary::decode_dict(dictionary).map_err(|error| failed(codec, error))?;
                decoder.add_dict(dictionary).map_err(|error| failed(codec, error))?;
            }
            decoder.decode_all(stream, place).map_err(|error| failed(codec, error))
        })??;
        if dictionary.is_none() {
            self.decoder = Some(decoder);
        }
        Ok(length)
    }

    /// Nothing here expands Zstandard safely.
    #[cfg(not(feature = "safe"))]
    pub(super) fn zstd(&mut self, _dictionary: Option<&[u8]>, _stream: &[u8], _place: &mut [u8]) -> Result<usize> {
        Err(crate::support::no_safe_zstd())
    }
}
