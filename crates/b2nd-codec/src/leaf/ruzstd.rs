//! Zstandard, by ruzstd: with least `unsafe` code, and on processors of 32 bits.

use alloc::format;

use crate::error::Result;
use crate::ids::CodecId;
use ruzstd::decoding::{Dictionary, FrameDecoder};

use super::failed;
use crate::guard::guarded;

/// The state of a decoder, which keeps its tables from one stream to the next.
#[derive(Default)]
pub(super) struct Zstd(Option<FrameDecoder>);

impl Zstd {
    /// The length of what a stream expands to.
    pub(super) fn expand(&mut self, dictionary: Option<&[u8]>, stream: &[u8], place: &mut [u8]) -> Result<usize> {
        let mut decoder = match (self.0.take(), dictionary) {
            (Some(decoder), None) => decoder,
            _ => FrameDecoder::new(),
        };
        let length = guarded("ruzstd", || {
            if let Some(dictionary) = dictionary {
                let dictionary = Dictionary::decode_dict(dictionary).map_err(|error| failed(CodecId::Zstd, error))?;
                // The format asks for it, and C-Blosc2 2 aborts where Zstandard refuses a dictionary.
                let content = 1..=u32::try_from(dictionary.dict_content.len()).unwrap_or(u32::MAX);
                if let Some(offset) = dictionary.offset_hist.iter().find(|offset| !content.contains(offset)) {
                    let sentence =
                        format!("its dictionary's offsets: expected {} to {}, found {offset}", content.start(), content.end());
                    return Err(failed(CodecId::Zstd, sentence));
                }
                decoder.add_dict(dictionary).map_err(|error| failed(CodecId::Zstd, error))?;
            }
            decoder.decode_all(stream, place).map_err(|error| failed(CodecId::Zstd, error))
        })??;
        if dictionary.is_none() {
            self.0 = Some(decoder);
        }
        Ok(length)
    }
}
