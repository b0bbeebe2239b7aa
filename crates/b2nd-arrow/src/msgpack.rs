//! Values of MessagePack: read one after the other, and put together to Arrow arrays.

pub(crate) mod builder;
pub(crate) mod reader;
