//! BloscLZ, the codec with which C-Blosc2 compresses indexes.

pub(super) mod decode;
pub(super) mod encode;

/// A match whose distance minus 1 is at least this number stores its distance in two additional bytes.
const FAR: usize = 8191;
