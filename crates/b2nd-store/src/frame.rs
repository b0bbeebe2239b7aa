//! [`Frame`]: a frame in any source.

use b2nd::frame::Source;

/// A frame in any source.
pub type Frame<'s> = b2nd::frame::Frame<&'s dyn Source>;

/// The name of the file of a sparse frame's chunk.
pub fn chunk_file_name(number: u64) -> String {
    format!("{number:08X}.chunk")
}
