//! BloscLZ, the codec with which C-Blosc2 compresses indexes.

pub(super) mod decode;
pub(super) mod encode;

/// The smallest distance, counted from 0, for which a match has two more bytes for the distance.
const FAR: usize = 8191;
