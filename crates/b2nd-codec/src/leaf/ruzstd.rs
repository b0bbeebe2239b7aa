//! Zstandard, with ruzstd, which has the least `unsafe` code. It is used for untrusted input, and on 32-bit platforms.

use alloc::format;
use std::io::Read;

use crate::deadline::{Deadline, PACE};
use crate::error::Result;
use crate::ids::CodecId;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, Dictionary, FrameDecoder};

use super::failed;
use crate::guard::guarded;

/// The state of a decoder, which keeps its tables for the next stream.
#[derive(Default)]
pub(super) struct Zstd(Option<FrameDecoder>);

impl Zstd {
    /// Decompresses a stream, and returns the length of the data.
    pub(super) fn expand(
        &mut self,
        dictionary: Option<&[u8]>,
        stream: &[u8],
        place: &mut [u8],
        deadline: Deadline,
    ) -> Result<usize> {
        let mut decoder = match (self.0.take(), dictionary) {
            (Some(decoder), None) => decoder,
            _ => FrameDecoder::new(),
        };
        let length = guarded("ruzstd", || {
            if let Some(dictionary) = dictionary {
                let dictionary = Dictionary::decode_dict(dictionary).map_err(|error| failed(CodecId::Zstd, error))?;
                // An offset outside of the dictionary's content is an error, as in Zstandard's own decoder. C-Blosc2 2 aborts because of
                // this error.
                let content = 1..=u32::try_from(dictionary.dict_content.len()).unwrap_or(u32::MAX);
                if let Some(offset) = dictionary.offset_hist.iter().find(|offset| !content.contains(offset)) {
                    let sentence =
                        format!("its dictionary's offsets: expected {} to {}, found {offset}", content.start(), content.end());
                    return Err(failed(CodecId::Zstd, sentence));
                }
                decoder.add_dict(dictionary).map_err(|error| failed(CodecId::Zstd, error))?;
            }
            decode_all(&mut decoder, stream, place, deadline)
        })??;
        if dictionary.is_none() {
            self.0 = Some(decoder);
        }
        Ok(length)
    }
}

/// Decodes all frames of a stream as [`FrameDecoder::decode_all`] does, and checks the deadline.
fn decode_all(decoder: &mut FrameDecoder, mut stream: &[u8], place: &mut [u8], deadline: Deadline) -> Result<usize> {
    let failed = |error: FrameDecoderError| failed(CodecId::Zstd, error);
    let mut filled = 0;
    while !stream.is_empty() {
        match decoder.init(&mut stream) {
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                let rest = usize::try_from(length).ok().and_then(|length| stream.get(length..));
                stream = rest.ok_or_else(|| failed(FrameDecoderError::FailedToSkipFrame))?;
                continue;
            }
            done => done.map_err(failed)?,
        }
        let mut is_finished = false;
        while !is_finished {
            deadline.check()?;
            is_finished = decoder.decode_blocks(&mut stream, BlockDecodingStrategy::UptoBytes(PACE)).map_err(failed)?;
            let room = place.get_mut(filled..).unwrap_or_default();
            filled += decoder.read(room).map_err(|error| failed(FrameDecoderError::FailedToDrainDecodebuffer(error)))?;
            if decoder.can_collect() != 0 {
                return Err(failed(FrameDecoderError::TargetTooSmall));
            }
        }
    }
    Ok(filled)
}
