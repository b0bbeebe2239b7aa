//! BloscLZ, the default codec of C-Blosc2, also for the index of chunks in a frame.

pub(super) mod decode;
pub(super) mod encode;

/// A match whose distance minus 1 is at least this number stores its distance in two additional bytes.
const FAR: usize = 8191;
