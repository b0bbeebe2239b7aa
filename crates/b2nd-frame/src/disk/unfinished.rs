//! The files and directories that this process has not finished, which [`remove_temporary_files`] removes.

use alloc::vec::Vec;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::SPARSE_FRAME;
use super::storage::{Disk, Storage};
use crate::chunk::file_name::chunk_number;

/// The paths of the files and directories that this process has created and not finished yet.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Returns the paths that [`remove_temporary_files`] removes. As long as the guard exists, that function waits.
pub(super) fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `create`, which creates the file or directory `path` or renames one to it, and adds `path` to the unfinished paths.
pub(super) fn begin<T>(path: &Path, create: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let mut unfinished = unfinished();
    let created = create(path)?;
    unfinished.push(path.to_path_buf());
    Ok(created)
}

/// If `frame` is the `chunks.b2frame` of a sparse frame, removes the paths of the chunk files next to it from the unfinished paths.
pub(super) fn keep_chunks(unfinished: &mut Vec<PathBuf>, frame: &Path) {
    if frame.ends_with(SPARSE_FRAME) {
        unfinished.retain(|path| path.parent() != frame.parent() || path.file_name().and_then(chunk_number).is_none());
    }
}

/// The maximum number of attempts to remove a path. If the path is a directory, an attempt can fail because another thread creates a file
/// in it.
const ATTEMPTS: usize = 100;

/// Removes the files and directories that this process has created with this crate and not finished. Call this when a signal ends the
/// program. Unfinished files then never get their final names. As long as the returned guard exists, this crate creates no temporary files,
/// so hold it until the program ends.
pub fn remove_temporary_files() -> impl Sized {
    // While this lock is held, no path is added and no file gets its final name, so only unfinished files are removed.
    let mut unfinished = unfinished();
    for path in unfinished.drain(..) {
        let is_removed = |_: &usize| Disk.remove(&path).is_ok() || fs::symlink_metadata(&path).is_err();
        (0..ATTEMPTS).find(is_removed);
    }
    unfinished
}
