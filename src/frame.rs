//! Frames: their headers, chunks and trailers, and the files that hold frames.
//!
//! ```text
//! header | chunk 0 | chunk 1 | … | index chunk | trailer
//! ```
//!
//! The [`Header`] holds the fixed-length [`Metalayers`], the [`Trailer`] holds the variable-length metalayers, and the index ([`Offsets`])
//! gives the location of each [`Chunk`]. A contiguous frame stores all of these in one file or buffer. A sparse frame is a directory with
//! one file per chunk, and a file `chunks.b2frame` for everything else. [`File`] reads both kinds from disk, [`Editor`] changes their
//! metalayers, and [`ChunkEditor`] changes their chunks. [`Frame`] reads a frame from any source, such as memory. [`Writer`] writes new
//! frames. [`rewrite()`] copies a frame and changes its metalayers.
//!
//! ```
//! let bytes = std::fs::read("tests/data/example.b2nd")?;
//! let frame = b2nd::frame::Frame::from_slice(&bytes)?;
//! for (name, content) in frame.header().metalayers().iter() {
//!     println!("{}: {} bytes", name.escape_ascii(), content.len());
//! }
//! let chunk = frame.chunk(0)?;
//! println!("the first of {} chunks is compressed with {}", frame.offsets()?.len(), chunk.header().codec());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cell;
mod chunk;
#[cfg(feature = "std")]
mod disk;
mod header;
mod limits;
mod memory;
mod metalayers;
#[cfg(feature = "msgpack")]
mod msgpack;
mod open;
mod pieces;
mod source;
mod trailer;
mod writer;

pub use b2nd_codec::{Blocks, ChunkHeader, CodecId, Compressor, Decompressor, Filter, Special, SplitMode};
pub use chunk::{Chunk, Offset, Offsets, chunk_file_name};
#[cfg(feature = "std")]
#[doc(hidden)]
pub use disk::storage as testing;
#[cfg(feature = "std")]
pub use disk::{
    ChunkEditor, Directory, Editor, File, FileSource, NewDirectory, NewFile, OneFile, SPARSE_FRAME, remove_temporary_files,
    rewrite, rewrite_checked,
};
pub use header::{FrameType, Header, HeaderField, Sizes};
pub use limits::FIRST_READ;
#[doc(hidden)]
pub use limits::LONGEST;
pub use metalayers::{MAX_METALAYERS, Metalayers};
#[cfg(feature = "msgpack")]
pub use msgpack::{decode_msgpack, encode_msgpack};
pub use open::{ChunkReader, Frame};
pub use pieces::{Pieces, join};
pub use source::{Buffer, Source, Window};
pub use trailer::Trailer;
pub use writer::{Memory, Target, Writer};
