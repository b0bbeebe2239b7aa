//! BloscLZ: what C-Blosc2 compresses indexes with.

pub(super) mod decode;
pub(super) mod encode;

/// A match this far away names its distance in two more bytes.
const FAR: usize = 8191;
