//! Calls C-Blosc2. This module has `unsafe` code, and is compiled only with the feature `c`.
#![allow(unsafe_code)]

use alloc::vec;
use alloc::vec::Vec;
use core::ptr::NonNull;
use std::cell::RefCell;

use blosc2_src::{
    BLOSC2_CPARAMS_DEFAULTS, BLOSC2_DPARAMS_DEFAULTS, BLOSC2_MAX_OVERHEAD, blosc2_compress_ctx, blosc2_context, blosc2_cparams,
    blosc2_create_cctx, blosc2_create_dctx, blosc2_decompress_ctx, blosc2_free_ctx, blosc2_init,
};

use crate::error::{Error, Result};
use crate::header::ChunkHeader;
use crate::ids::{CodecId, Filter};
use crate::options::Settings;

/// Returns true if this build of C-Blosc2 supports a codec and all of these filters.
fn has(codec: CodecId, mut filters: impl Iterator<Item = (Filter, u8)>) -> bool {
    // This version of C-Blosc2 supports a shuffle only if its parameter is 0. Any other parameter sets the length of the units to shuffle.
    let own = |filter: (Filter, u8)| matches!(filter, (Filter::Shuffle | Filter::BitShuffle, 0) | (Filter::TruncPrec, _));
    matches!(codec, CodecId::BloscLz | CodecId::Lz4 | CodecId::Lz4Hc | CodecId::Zstd) && filters.all(own)
}

/// Returns true if C-Blosc2 can decompress a chunk. This version of C-Blosc2 supports neither dictionaries nor blocks of variable length.
pub(crate) fn decodes(chunk: &ChunkHeader) -> bool {
    !chunk.has_dictionary() && chunk.version() <= 5 && has(chunk.codec(), chunk.filters())
}

/// Returns true if C-Blosc2 can compress with these settings.
pub(crate) fn encodes(with: &Settings) -> bool {
    let filters = with.filters.into_iter().zip(with.filters_meta).map(|(filter, meta)| (Filter::from_code(filter), meta));
    has(with.codec, filters.filter(|(filter, _)| *filter != Filter::None))
}

/// A single-threaded context of C-Blosc2 for compression or decompression.
struct Context(NonNull<blosc2_context>);

impl Context {
    fn new(create: impl FnOnce() -> *mut blosc2_context) -> Result<Context> {
        static INIT: std::sync::Once = std::sync::Once::new();
        // SAFETY: `blosc2_init` takes no arguments, and is called once.
        INIT.call_once(|| unsafe { blosc2_init() });
        NonNull::new(create()).map(Context).ok_or_else(|| Error::custom("C-Blosc2: no memory for a context"))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context was created by `new`, and nothing else refers to it.
        unsafe { blosc2_free_ctx(self.0.as_ptr()) }
    }
}

std::thread_local! {
    /// This thread's context for decompression. It keeps its buffers from one chunk to the next.
    static CONTEXT: RefCell<Option<Context>> = const { RefCell::new(None) };
}

/// Decompresses a whole chunk. The caller has checked the chunk's header, and `data` has exactly the length that the header gives as
/// nbytes.
pub(crate) fn decompress(chunk: &[u8], data: &mut [u8]) -> Result<()> {
    let (cbytes, nbytes) = (length(chunk.len())?, length(data.len())?);
    CONTEXT.with_borrow_mut(|kept| {
        let context = match kept {
            Some(context) => context,
            // SAFETY: the parameters are the library's defaults, in which every pointer is null.
            None => kept.insert(Context::new(|| unsafe { blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS) })?),
        };
        // SAFETY: the context is alive and used only by this thread; the lengths are those of the buffers, and the library neither reads
        // nor writes beyond them.
        let written =
            unsafe { blosc2_decompress_ctx(context.0.as_ptr(), chunk.as_ptr().cast(), cbytes, data.as_mut_ptr().cast(), nbytes) };
        if written != nbytes {
            return Err(Error::custom(format_args!("C-Blosc2: expected {nbytes} bytes, but decompression returned {written}")));
        }
        Ok(())
    })
}

/// Compresses data into a chunk.
pub(crate) fn compress(with: &Settings, data: &[u8]) -> Result<Vec<u8>> {
    let params = blosc2_cparams {
        compcode: with.codec.code(),
        clevel: with.level,
        typesize: with.typesize.into(),
        blocksize: length(with.blocksize)?,
        splitmode: with.split_mode.code().into(),
        filters: with.filters,
        filters_meta: with.filters_meta,
        ..BLOSC2_CPARAMS_DEFAULTS
    };
    // SAFETY: the parameters are plain numbers, and every pointer in them is null.
    let context = Context::new(|| unsafe { blosc2_create_cctx(params) })?;
    let mut chunk = vec![0; data.len().saturating_add(BLOSC2_MAX_OVERHEAD as usize)];
    let (nbytes, room) = (length(data.len())?, length(chunk.len())?);
    // SAFETY: the context is used only here; the lengths are those of the buffers.
    let written =
        unsafe { blosc2_compress_ctx(context.0.as_ptr(), data.as_ptr().cast(), nbytes, chunk.as_mut_ptr().cast(), room) };
    match usize::try_from(written) {
        Ok(written @ 1..) => chunk.truncate(written),
        _ => return Err(Error::custom(format_args!("C-Blosc2: compressing {nbytes} bytes failed with the code {written}"))),
    }
    Ok(chunk)
}

fn length(length: usize) -> Result<i32> {
    i32::try_from(length).map_err(|_| Error::custom("C-Blosc2: a chunk has at most 2 GiB"))
}
