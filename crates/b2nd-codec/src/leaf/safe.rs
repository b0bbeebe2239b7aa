//! Decoders for bytes that nobody trusts: miniz_oxide without `unsafe` code, ruzstd with least.

use b2nd::Result;
use b2nd::frame::Codec;
use miniz_oxide::inflate::decompress_slice_iter_to_slice;
use ruzstd::decoding::{Dictionary, FrameDecoder};

use super::failed;
use crate::guard::guarded;

/// The state of a decoder of Zstandard.
#[derive(Default)]
pub(super) struct Safe(Option<FrameDecoder>);

impl Safe {
    /// The length of what a stream expands to.
    pub(super) fn expand(&mut self, codec: Codec, dictionary: Option<&[u8]>, stream: &[u8], place: &mut [u8]) -> Result<usize> {
        if codec == Codec::Zlib {
            return decompress_slice_iter_to_slice(place, [stream].into_iter(), true, false)
                .map_err(|error| failed(codec, format_args!("{error:?}")));
        }
        let mut decoder = match (self.0.take(), dictionary) {
            (Some(decoder), None) => decoder,
            _ => FrameDecoder::new(),
        };
        let length = guarded("ruzstd", || {
            if let Some(dictionary) = dictionary {
                let dictionary = Dictionary::decode_dict(dictionary).map_err(|error| failed(codec, error))?;
                decoder.add_dict(dictionary).map_err(|error| failed(codec, error))?;
            }
            decoder.decode_all(stream, place).map_err(|error| failed(codec, error))
        })??;
        if dictionary.is_none() {
            self.0 = Some(decoder);
        }
        Ok(length)
    }
}
