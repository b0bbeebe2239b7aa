//! Reads MessagePack, and builds Arrow arrays from its values.

pub(crate) mod builder;
pub(crate) mod reader;
