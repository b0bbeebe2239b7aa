//! The limits of nesting and of dimensions.

/// The maximum depth of nested values, in encoding and decoding.
pub(crate) const MAX_DEPTH: u8 = 128;

/// The maximum number of dimensions of an array, which is C-Blosc2's.
pub(crate) const MAX_DIMENSIONS: usize = 16;
