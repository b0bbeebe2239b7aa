//! Frames on disk: everything that needs `std`.

mod attributes;
mod copy;
mod editor;
mod file;
mod growth;
mod held;
mod lock;
mod rewrite;
mod source;
mod staged;
mod storage;
mod writer;

pub use editor::Editor;
pub use editor::chunks::ChunkEditor;
pub use file::File;
pub use rewrite::{rewrite, rewrite_in};
pub use source::FileSource;
pub use storage::{Disk, Handle, Storage};
pub use writer::{Directory, OneFile};

/// The file of a sparse frame's directory that holds header, index and trailer.
pub const SPARSE_FRAME: &str = "chunks.b2frame";
