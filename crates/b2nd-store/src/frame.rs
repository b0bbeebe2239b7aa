//! [`Frame`] and [`Bytes`]: a frame in any source, and a source with an owner.

use std::sync::Arc;

use b2nd::frame::Source;

/// A frame in any source.
pub type Frame<'s> = b2nd::frame::Frame<&'s dyn Source>;

/// A source that owns its bytes and that several threads can read.
pub type Bytes = Arc<dyn Source + Send + Sync>;

/// The name of the file of a sparse frame's chunk.
pub fn chunk_file_name(number: u64) -> String {
    format!("{number:08X}.chunk")
}
