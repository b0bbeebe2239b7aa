#![doc = include_str!("../README.md")]
//!
//! ## What to use
//!
//! | to | use |
//! | --- | --- |
//! | read a file's header | [`File::open`], [`Header`] |
//! | read a header from bytes, or over a network in one or two requests | [`Header::from_slice`], [`Error::needed`] |
//! | read a frame in memory: an HDF5 chunk, a zip member | [`Frame`] |
//! | get the metadata of an array | [`Header::array`] |
//! | find the bytes of a chunk in a file | [`Header::tail_range`], [`Offsets::from_tail`], [`Offsets::range`] |
//! | read and decompress chunks | [`Frame::chunk`], [`Chunk::data`], [`Decompressor`] |
//! | compress chunks | [`Writer::append_elements`], [`Header::compressor`] |
//! | change metadata in a file | [`File::edit`], [`Editor::overwrite_metalayer`] |
//! | read and write vlmetalayers (variable-length metalayers) | [`Vlmetalayers`], [`Editor::set_vlmetalayer`] |
//! | add or lengthen metalayers of a file that already holds data | [`rewrite()`] |
//! | write a new frame, contiguous or sparse | [`Header::for_array`], [`Writer`] |
//! | handle errors | [`Error`], [`ErrorKind`] |
//! | learn how a frame is stored, byte by byte, and how real files differ from the specification | [`docs`] |
//!
//! ```text
//! header | chunk 0 | chunk 1 | … | index chunk | trailer
//! ```
//!
//! The [`Header`] holds the fixed-length [`Metalayers`], the [`Trailer`] holds the vlmetalayers, and the index ([`Offsets`])
//! gives the location of each [`Chunk`]. A contiguous frame stores all of these in one file or buffer. A sparse frame is a directory with
//! the chunks in files of their own, and a file `chunks.b2frame` for everything else. [`File`] reads both kinds from disk, [`Editor`]
//! changes their metalayers, and [`ChunkEditor`] changes the chunks of an array. [`Frame`] reads a frame from any source, such as memory.
//! [`Writer`] writes new frames. [`rewrite()`] changes the metalayers of a frame, and [`rewrite_to`] those of a copy.
//!
//! Indices and counts of chunks, and positions in files, are `u64`. Offsets in errors are `usize`.
//!
//! ## Frames inside other files
//!
//! A contiguous frame can start at any position of a file or another [`Source`], and can be appended to a file:
//!
//! ```
//! use b2nd_frame::{File, Frame, Header, Sizes, Writer};
//! use std::io::Write;
//!
//! # let path = std::env::temp_dir().join(format!("b2nd-inside-{}.asdf", std::process::id()));
//! # std::fs::write(&path, "another format")?;
//! let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 })?);
//! writer.append_elements(b"abcd")?;
//! let mut file = std::fs::OpenOptions::new().append(true).open(&path)?;
//! let position = file.metadata()?.len();
//! file.write_all(&writer.finish()?)?;
//!
//! assert_eq!(File::open_at(&path, position)?.chunk(0)?.data()?, b"abcd");
//! assert_eq!(Frame::open_at(std::fs::read(&path)?, position)?.chunk(0)?.data()?, b"abcd");
//! # std::fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod cell;
mod chunk;
#[cfg(feature = "std")]
mod disk;
#[cfg(any(doc, doctest))]
pub mod docs;
mod error;
mod header;
mod limits;
mod memory;
mod metalayers;
mod open;
mod pieces;
mod source;
mod trailer;
mod vlmetalayers;
mod writer;

pub use b2nd_codec::{Blocks, ChunkHeader, CodecId, Compressor, Decompressor, Filter, Special, SplitMode};
pub use chunk::{Chunk, Offset, Offsets, chunk_file_name};
#[cfg(feature = "std")]
#[doc(hidden)]
pub use disk::testing;
#[cfg(feature = "std")]
pub use disk::{
    ChunkEditor, Directory, Editor, File, FileSource, OneFile, SPARSE_FRAME, remove_temporary_files, rewrite, rewrite_to,
};
// These are for the other crates of this workspace.
#[cfg(feature = "std")]
#[doc(hidden)]
pub use disk::{NewDirectory, NewFile};
pub use error::{Error, ErrorKind, Result};
#[doc(hidden)]
pub use header::HeaderField;
pub use header::{FrameType, Header, Sizes};
pub use limits::FIRST_READ;
#[doc(hidden)]
pub use limits::LONGEST;
pub use metalayers::{MAX_METALAYERS, Metalayers};
pub use open::{ChunkReader, Frame};
pub use pieces::{Pieces, join};
pub use source::{Buffer, Fetched, Source, Window};
pub use trailer::Trailer;
pub use vlmetalayers::Vlmetalayers;
#[doc(hidden)]
pub use writer::Outline;
pub use writer::{Memory, Target, Writer};

#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../../../docs/c-blosc2-4.md")]
struct Pages;
