//! Zstandard, with zstd-pure-rs.

use alloc::boxed::Box;

use crate::error::Result;
use crate::ids::CodecId;
use crate::options::Options;
use zstd_pure_rs::common::error::ERR_isError;
use zstd_pure_rs::common::{xxhash::XXH64_state_t, zstd_common::ZSTD_getErrorName};
use zstd_pure_rs::compress::zstd_compress::{
    ZSTD_CCtx, ZSTD_compress_advanced, ZSTD_createCCtx, ZSTD_getParams, ZSTD_maxCLevel, ZSTD_parameters,
};
use zstd_pure_rs::compress::zstd_compress_sequences::{ZSTD_lazy, ZSTD_lazy2};
use zstd_pure_rs::decompress::zstd_decompress::{ZSTD_createDCtx, ZSTD_decompress_usingDict, ZSTD_decompressDCtx};
use zstd_pure_rs::decompress::zstd_decompress_block::{ZSTD_DCtx, ZSTD_decoder_entropy_rep};

use super::failed;
use crate::guard::guarded;

/// The decompression context, which keeps its tables from one stream to the next, or `None` if the next stream needs a new one.
#[derive(Default)]
pub(super) struct Zstd(Option<Box<ZSTD_DCtx>>);

impl Zstd {
    /// Decompresses a stream, and returns the decompressed length.
    pub(super) fn expand(&mut self, dictionary: Option<&[u8]>, stream: &[u8], place: &mut [u8]) -> Result<usize> {
        // Take the context out, so that a panic does not leave a context in an invalid state.
        let mut context = match self.0.take() {
            Some(context) => context,
            None => ZSTD_createDCtx(),
        };
        let length = guarded("zstd-pure-rs", || match dictionary {
            Some(dictionary) => ZSTD_decompress_usingDict(&mut context, place, stream, dictionary),
            None => {
                let (mut repeated, mut hash) = (ZSTD_decoder_entropy_rep::default(), XXH64_state_t::default());
                ZSTD_decompressDCtx(&mut context, &mut repeated, &mut hash, place, stream)
            }
        })?;
        // The context is kept for the next stream, unless this stream had a dictionary or caused an error.
        if ERR_isError(length) {
            return Err(failed(CodecId::Zstd, ZSTD_getErrorName(length)));
        }
        self.0 = dictionary.is_none().then_some(context);
        Ok(length)
    }
}

/// The minimum length in bytes of a plane that is compressed with other parameters.
const MANY: usize = 4 << 10;

/// The maximum number of different values in a sample of a plane for which only matches of at least six bytes are searched.
const FEW: usize = 24;

/// The compression context, which keeps its tables from one stream to the next, or `None` if the next stream needs a new one.
#[derive(Default)]
pub(super) struct Packer(Option<Box<ZSTD_CCtx>>);

impl Packer {
    /// Compresses bytes, and returns the length of the stream, or 0 if it does not fit into the buffer.
    pub(super) fn pack(&mut self, options: &Options, bytes: &[u8], stream: &mut [u8]) -> Result<usize> {
        let context = self.0.take().or_else(ZSTD_createCCtx);
        let mut context = context.ok_or_else(|| failed(CodecId::Zstd, "no memory for a context"))?;
        // Blosc's level 9 is the highest level of Zstandard.
        let level = if options.level < 9 { i32::from(options.level) * 2 - 1 } else { ZSTD_maxCLevel() };
        let parameters = parameters(level, is_plane(options, bytes), bytes);
        let length = guarded("zstd-pure-rs", || ZSTD_compress_advanced(&mut context, stream, bytes, &[], parameters))?;
        self.0 = Some(context);
        // The expected error is that the buffer is too small.
        Ok(if ERR_isError(length) { 0 } else { length })
    }
}

/// Returns true if these are probably the bytes at one position of many elements.
fn is_plane(options: &Options, bytes: &[u8]) -> bool {
    let typesize = options.typesize;
    let is_split = typesize > 1 && options.splits(bytes.len().saturating_mul(typesize));
    is_split && options.has_shuffle() && bytes.len() >= MANY
}

/// Returns the parameters of Zstandard for a level. If the strategy is lazy2, it is lazy instead for planes, which saves time. In a plane
/// with few values, the same four bytes occur in a large number of places, and the search ends before it has tried those with longer
/// matches. The same six bytes occur in fewer places, so only matches of at least six bytes are searched.
fn parameters(level: i32, is_plane: bool, bytes: &[u8]) -> ZSTD_parameters {
    let mut parameters = ZSTD_getParams(level, bytes.len() as u64, 0);
    if is_plane && parameters.cParams.strategy == ZSTD_lazy2 {
        parameters.cParams.strategy = ZSTD_lazy;
        let mut seen = [false; 256];
        bytes.iter().step_by(16).for_each(|byte| seen[usize::from(*byte)] = true);
        if seen.iter().filter(|seen| **seen).count() <= FEW {
            parameters.cParams.minMatch = 6;
        }
    }
    parameters
}
