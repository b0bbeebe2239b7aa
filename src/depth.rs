//! The limit of nesting.

/// The maximum depth of nested values, in encoding and decoding.
pub(crate) const MAX_DEPTH: u8 = 128;
