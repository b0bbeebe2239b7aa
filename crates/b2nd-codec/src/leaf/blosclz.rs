//! BloscLZ, the default codec of C-Blosc2. If the index of chunks in a frame is compressed, it is compressed with BloscLZ.

pub(super) mod decode;
pub(super) mod encode;

/// A match whose distance minus 1 is at least this number stores its distance in two additional bytes.
const FAR: usize = 8191;
