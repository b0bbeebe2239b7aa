//! BloscLZ, the codec with which C-Blosc2 compresses indexes.

pub(super) mod decode;
pub(super) mod encode;

/// The smallest distance for which a match has two more bytes for the distance. Here, distances count from 0.
const FAR: usize = 8191;
