//! [`Scratch`]: the buffers that a thread uses to read blocks.

use std::sync::Mutex;

use b2nd_frame::Decompressor;
use ndarray::{ArrayViewMut, IxDyn};

/// A view of elements as bytes. The last axis holds the bytes of an element.
pub(crate) type BytesMut<'a> = ArrayViewMut<'a, u8, IxDyn>;

/// The buffers of one thread.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(crate) decompressor: Decompressor,
    pub(crate) compressed: Vec<u8>,
    pub(crate) block: Vec<u8>,
}

/// Buffers that are reused from one read to the next. Each thread that is reading uses one `Scratch`.
#[derive(Default)]
pub(crate) struct Pool(Mutex<Vec<Scratch>>);

impl Pool {
    /// Calls `work` with buffers that no other thread uses.
    pub(crate) fn lend<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let mut scratch = self.0.lock().ok().and_then(|mut pool| pool.pop()).unwrap_or_default();
        let done = work(&mut scratch);
        if let Ok(mut pool) = self.0.lock() {
            pool.push(scratch);
        }
        done
    }
}
