//! Files that are not whole yet: under a name of their own, and locked, so that those of killed processes are told apart and removed.

use std::fs::{File, Permissions, read_dir, remove_file};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::NamedTempFile;

/// The first part of their names.
const PREFIX: &str = ".b2nd-catalog-";
const SUFFIX: &str = ".tmp";

/// True if a file's name is that of a temporary one.
pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// A file that is going to be put into its place in this directory. What killed processes left there is removed.
pub(crate) fn temporary_in(directory: &Path) -> io::Result<NamedTempFile> {
    remove_left(directory);
    loop {
        // The umask takes from it what it takes from every file.
        let readable = Permissions::from_mode(0o666);
        let file = tempfile::Builder::new().prefix(PREFIX).suffix(SUFFIX).permissions(readable).tempfile_in(directory)?;
        // Not every file system has locks; where there are none, nothing is taken for left.
        let _ = file.as_file().try_lock();
        // Before it was locked, another process may have taken it for left.
        if file.path().exists() {
            return Ok(file);
        }
    }
}

/// Removes the temporary files that nobody has locked. What cannot be removed stays.
fn remove_left(directory: &Path) {
    let Ok(entries) = read_dir(directory) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| is_temporary(name) && name.ends_with(SUFFIX));
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_ours && is_file && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = remove_file(entry.path());
        }
    }
}
