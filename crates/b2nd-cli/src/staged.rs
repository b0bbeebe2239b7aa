//! New files of other formats than ours, which appear when they are whole.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

use crate::error::{Error, Result};

/// The beginning and the end of temporary files' names.
const PREFIX: &str = ".b2nd-";
const SUFFIX: &str = ".tmp";

/// Refuses a path where something is.
pub(crate) fn must_not_exist(path: &Path) -> Result<()> {
    if fs::symlink_metadata(path).is_ok() {
        return Err(Error::new(format_args!("{} exists, and nothing is overwritten", path.display())));
    }
    Ok(())
}

/// Makes a file that must not exist. It is written beside its place, and put there when it is whole.
pub(crate) fn new_file(path: &Path, write: impl FnOnce(&mut fs::File) -> Result<()>) -> Result<()> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => Error::new(format_args!("{} exists, and nothing is overwritten", path.display())),
        _ => Error::new(format_args!("{}: {error}", path.display())),
    };
    must_not_exist(path)?;
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    clean(directory);
    let mut file = temporary(directory).map_err(failed)?;
    write(file.as_file_mut())?;
    file.persist_noclobber(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// A temporary file that is locked while it is written, so that others see that it is not a remnant.
fn temporary(directory: &Path) -> io::Result<NamedTempFile> {
    loop {
        let mut temporary = tempfile::Builder::new();
        temporary.prefix(PREFIX).suffix(SUFFIX);
        #[cfg(unix)]
        // The umask takes from it what it takes from every file.
        temporary.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = temporary.tempfile_in(directory)?;
        // Before it was locked somebody may have taken it for a remnant.
        if lock(file.as_file()) != Some(false) && file.path().exists() {
            return Ok(file);
        }
    }
}

/// Removes temporary files that killed processes left in a directory. What cannot be removed stays.
fn clean(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        if is_ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            if let Some(_file) = fs::File::open(entry.path()).ok().filter(|file| lock(file) == Some(true)) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Takes a file's lock: `None` where the system has none.
#[cfg(unix)]
fn lock(file: &fs::File) -> Option<bool> {
    use rustix::fs::{FlockOperation, flock};
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Some(true),
        Err(rustix::io::Errno::WOULDBLOCK) => Some(false),
        Err(_) => None,
    }
}

#[cfg(not(unix))]
fn lock(_: &fs::File) -> Option<bool> {
    None
}
