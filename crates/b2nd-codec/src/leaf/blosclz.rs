//! BloscLZ, the codec that C-Blosc2 compresses indexes with.

pub(super) mod decode;
pub(super) mod encode;

/// The distance from which on a match has two more bytes for its distance.
const FAR: usize = 8191;
