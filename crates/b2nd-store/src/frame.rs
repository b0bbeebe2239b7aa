//! [`Frame`], a frame in any source, and [`Bytes`], a source that several owners and threads share.

use std::sync::Arc;

use b2nd::frame::Source;

/// A frame that is read from any source.
pub type Frame<'s> = b2nd::frame::Frame<&'s dyn Source>;

/// A source that several owners share, and that several threads can read.
pub type Bytes = Arc<dyn Source + Send + Sync>;

/// Returns the name of the file that contains a chunk of a sparse frame.
pub fn chunk_file_name(number: u64) -> String {
    format!("{number:08X}.chunk")
}
