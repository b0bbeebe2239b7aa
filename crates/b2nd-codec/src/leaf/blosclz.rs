//! BloscLZ: the codec with which C-Blosc2 compresses indexes.

pub(super) mod decode;
pub(super) mod encode;

/// The distance from which on a match stores its distance in two more bytes.
const FAR: usize = 8191;
