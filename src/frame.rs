//! The container: a frame's header, chunks and trailer, and files that hold them.

mod chunk;
mod chunk_header;
#[cfg(feature = "std")]
mod edit;
#[cfg(feature = "std")]
mod file;
mod header;
mod memory;
mod metalayers;
#[cfg(feature = "std")]
mod msgpack;
mod offsets;
mod pipeline;
#[cfg(feature = "std")]
mod rewrite;
#[cfg(feature = "std")]
mod storage;
mod trailer;
mod writer;

pub use chunk::{Chunk, Decompress};
pub use chunk_header::{ChunkHeader, Special};
#[cfg(feature = "std")]
pub use file::File;
pub use header::{FrameType, Header};
pub use memory::Frame;
pub use metalayers::{MAX_METALAYERS, Metalayers};
#[cfg(feature = "std")]
pub use msgpack::{decode_msgpack, encode_msgpack};
pub use offsets::{Offset, Offsets};
pub use pipeline::{Codec, Filter, SplitMode};
#[cfg(feature = "std")]
pub use rewrite::{rewrite, rewrite_in};
#[cfg(feature = "std")]
pub use storage::{Disk, Handle, Storage};
pub use trailer::Trailer;
#[cfg(feature = "std")]
pub use writer::{Directory, OneFile};
pub use writer::{Memory, Target, Writer};
