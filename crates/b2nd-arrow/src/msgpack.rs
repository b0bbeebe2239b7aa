//! Values of MessagePack: a reader, and a builder of Arrow arrays.

pub(crate) mod builder;
pub(crate) mod reader;
