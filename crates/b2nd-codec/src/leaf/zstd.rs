//! Zstandard, by zstd-pure-rs.

use b2nd::Result;
use b2nd::frame::Codec;
use zstd_pure_rs::common::error::ERR_isError;
use zstd_pure_rs::common::xxhash::XXH64_state_t;
use zstd_pure_rs::common::zstd_common::ZSTD_getErrorName;
use zstd_pure_rs::decompress::zstd_ddict::{ZSTD_DDict, ZSTD_createDDict};
use zstd_pure_rs::decompress::zstd_decompress::{ZSTD_createDCtx, ZSTD_decompress_usingDDict, ZSTD_decompressDCtx};
use zstd_pure_rs::decompress::zstd_decompress_block::{ZSTD_DCtx, ZSTD_decoder_entropy_rep};

use super::failed;
use crate::guard::guarded;

/// A context, which keeps its tables from one stream to the next, and the dictionary of the last chunk that had one.
#[derive(Default)]
pub(super) struct Zstd {
    context: Option<Box<ZSTD_DCtx>>,
    dictionary: Option<(Vec<u8>, Box<ZSTD_DDict>)>,
}

impl Zstd {
    /// The length of what a stream expands to.
    pub(super) fn expand(&mut self, dictionary: Option<&[u8]>, stream: &[u8], place: &mut [u8]) -> Result<usize> {
        // A panic leaves no context behind that is half changed.
        let mut context = match self.context.take() {
            Some(context) => context,
            None => ZSTD_createDCtx(),
        };
        let prepared = match dictionary {
            Some(dictionary) => Some(self.prepared(dictionary)?),
            None => None,
        };
        let length = guarded("zstd-pure-rs", || match prepared {
            Some(dictionary) => ZSTD_decompress_usingDDict(&mut context, place, stream, dictionary),
            None => {
                let (mut repeated, mut hash) = (ZSTD_decoder_entropy_rep::default(), XXH64_state_t::default());
                ZSTD_decompressDCtx(&mut context, &mut repeated, &mut hash, place, stream)
            }
        })?;
        self.context = Some(context);
        if ERR_isError(length) {
            return Err(failed(Codec::Zstd, ZSTD_getErrorName(length)));
        }
        Ok(length)
    }

    fn prepared(&mut self, dictionary: &[u8]) -> Result<&ZSTD_DDict> {
        if self.dictionary.as_ref().is_none_or(|(known, _)| known != dictionary) {
            let made = guarded("zstd-pure-rs", || ZSTD_createDDict(dictionary))?;
            let made = made.ok_or_else(|| failed(Codec::Zstd, "the dictionary is damaged"))?;
            self.dictionary = Some((dictionary.to_vec(), made));
        }
        self.dictionary.as_ref().map(|(_, made)| &**made).ok_or_else(|| failed(Codec::Zstd, "no dictionary"))
    }
}
