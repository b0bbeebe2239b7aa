//! The container: a frame's header, chunks and trailer, and files that hold them.
//!
//! ```text
//! header | chunk 0 | chunk 1 | … | index chunk | trailer
//! ```
//!
//! The [`Header`] holds the [`Metalayers`], the [`Trailer`] the variable-length ones, and the index ([`Offsets`]) says where
//! each [`Chunk`] is. A contiguous frame is all of that in one file or buffer; a sparse one is a directory with a file for each
//! chunk, and the rest in `chunks.b2frame`. [`File`] reads both from disk and edits them, [`Frame`] reads the first from memory,
//! [`Writer`] makes new ones, and [`rewrite()`] puts the same chunks under another header.
//!
//! ```
//! let bytes = std::fs::read("tests/data/example.b2nd")?;
//! let frame = b2nd::frame::Frame::from_slice(&bytes)?;
//! for (name, content) in frame.header().metalayers().iter() {
//!     println!("{}: {} bytes", name.escape_ascii(), content.len());
//! }
//! let chunk = frame.chunk(0)?;
//! println!("the first of {} chunks is compressed with {}", frame.offsets(())?.len(), chunk.header().codec());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
