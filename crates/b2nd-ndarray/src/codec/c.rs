//! C-Blosc2, through its contexts: the one room with unsafe code, built with the feature `c` alone.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::ptr::NonNull;

use b2nd::frame::{ChunkHeader, Codec, Filter};
use blosc2_src::{
    BLOSC2_DPARAMS_DEFAULTS, blosc2_context, blosc2_create_dctx, blosc2_decompress_ctx, blosc2_free_ctx, blosc2_init,
};

/// Whether the library, as it is built here, has what this chunk needs.
pub(super) fn has(chunk: &ChunkHeader) -> bool {
    let filters = |(filter, _)| matches!(filter, Filter::Shuffle | Filter::BitShuffle | Filter::TruncPrec);
    matches!(chunk.codec(), Codec::BloscLz | Codec::Lz4 | Codec::Lz4Hc | Codec::Zstd) && chunk.filters().all(filters)
}

/// A context to decompress with, of one thread.
struct Context(NonNull<blosc2_context>);

impl Context {
    fn new() -> Option<Context> {
        static INIT: std::sync::Once = std::sync::Once::new();
        // SAFETY: it takes no arguments, and is called once.
        INIT.call_once(|| unsafe { blosc2_init() });
        // SAFETY: the parameters are the library's defaults, in which every pointer is null.
        NonNull::new(unsafe { blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS) }).map(Context)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: it was created by `new`, and nobody else has it.
        unsafe { blosc2_free_ctx(self.0.as_ptr()) }
    }
}

thread_local! {
    /// A context keeps its buffers from one chunk to the next.
    static CONTEXT: RefCell<Option<Context>> = const { RefCell::new(None) };
}

/// Decompresses a whole chunk, whose header has been checked, into exactly its `nbytes`.
pub(super) fn decompress(chunk: &[u8], data: &mut [u8]) -> b2nd::Result<()> {
    let lengths = i32::try_from(chunk.len()).ok().zip(i32::try_from(data.len()).ok());
    let (cbytes, nbytes) = lengths.ok_or_else(|| b2nd::Error::custom("C-Blosc2: a chunk has at most 2 GiB"))?;
    CONTEXT.with_borrow_mut(|kept| {
        if kept.is_none() {
            *kept = Context::new();
        }
        let context = kept.as_ref().ok_or_else(|| b2nd::Error::custom("C-Blosc2: no memory for a context"))?;
        // SAFETY: the context is alive and used by this thread alone; both buffers are as long as they are said to be, and the
        // library reads and writes no further.
        let written =
            unsafe { blosc2_decompress_ctx(context.0.as_ptr(), chunk.as_ptr().cast(), cbytes, data.as_mut_ptr().cast(), nbytes) };
        if written != nbytes {
            return Err(b2nd::Error::custom(format_args!("C-Blosc2: expected {nbytes} bytes, it gave {written}")));
        }
        Ok(())
    })
}
