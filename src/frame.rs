//! The container: a frame's header and metalayers, and files that hold them.

#[cfg(feature = "std")]
mod file;
mod header;
mod metalayers;
mod pipeline;

#[cfg(feature = "std")]
pub use file::File;
pub use header::{FrameType, Header};
pub use metalayers::{MAX_METALAYERS, Metalayers};
pub use pipeline::{Codec, Filter, SplitMode};
