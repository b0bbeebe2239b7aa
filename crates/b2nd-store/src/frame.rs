//! [`Frame`], a frame in any source, and [`Bytes`], a source that several owners and threads share.

use std::sync::Arc;

use b2nd_frame::Source;

/// A frame that is read from any source.
pub type Frame<'s> = b2nd_frame::Frame<&'s dyn Source>;

/// A source that several owners share, and that several threads can read.
pub type Bytes = Arc<dyn Source + Send + Sync>;
