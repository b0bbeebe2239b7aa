//! The container: a frame's header and metalayers, and files that hold them.

mod chunk;
mod chunk_header;
#[cfg(feature = "std")]
mod file;
mod header;
mod memory;
mod metalayers;
mod offsets;
mod pipeline;
mod trailer;

pub use chunk::{Chunk, Decompress};
pub use chunk_header::{ChunkHeader, Special};
#[cfg(feature = "std")]
pub use file::File;
pub use header::{FrameType, Header};
pub use memory::Frame;
pub use metalayers::{MAX_METALAYERS, Metalayers};
pub use offsets::{Offset, Offsets};
pub use pipeline::{Codec, Filter, SplitMode};
pub use trailer::Trailer;
