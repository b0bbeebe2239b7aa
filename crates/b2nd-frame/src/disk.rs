//! Frames on disk. These modules need `std`.

mod copy;
mod editor;
mod file;
mod held;
mod lock;
mod new_file;
mod permissions;
mod rewrite;
mod source;
mod staged;
mod storage;
mod unfinished;
mod writer;

pub use editor::Editor;
pub use editor::chunks::ChunkEditor;
pub use file::File;
pub use new_file::{NewDirectory, NewFile};
pub use rewrite::{rewrite, rewrite_to};
pub use source::FileSource;
pub use unfinished::remove_temporary_files;
pub use writer::{Directory, OneFile};

/// The file operations for edits and new frames, which tests can replace.
pub mod testing {
    #[cfg(debug_assertions)]
    pub use super::storage::replaced::{Replaced, replace_storage};
    pub use super::storage::{Disk, Handle, Storage};
}

/// The name of the file that holds the header, index and trailer of a sparse frame, in its directory.
pub const SPARSE_FRAME: &str = "chunks.b2frame";
