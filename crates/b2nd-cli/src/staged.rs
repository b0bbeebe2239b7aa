//! New files of other formats than ours, which appear when they are whole.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use b2nd::ErrorKind;
use b2nd::frame::{NewDirectory, NewFile};

use crate::error::{Error, Result};
use crate::signals;

/// Refuses a path where something is.
pub(crate) fn must_not_exist(path: &Path) -> Result<()> {
    if fs::symlink_metadata(path).is_ok() { Err(exists(path)) } else { Ok(()) }
}

/// Makes a file that must not exist. It is written next to its place, and put there when it is whole.
/// With `overwrite`, one that is there is replaced then.
pub(crate) fn new_file(path: &Path, overwrite: bool, write: impl FnOnce(&mut NewFile) -> Result<()>) -> Result<()> {
    let failed = |error: b2nd::Error| match error.kind() {
        ErrorKind::Io(io) if io.kind() == io::ErrorKind::AlreadyExists => exists(path),
        _ => Error::new(error),
    };
    signals::clean_up();
    let file = if overwrite { NewFile::create(path) } else { NewFile::create_new(path) };
    let mut file = file.map_err(failed)?;
    write(&mut file)?;
    file.finish().map_err(failed)
}

/// Makes a directory next to `target` that never gets its name: it is removed with what is in it.
pub(crate) fn scratch(target: &Path) -> Result<NewDirectory> {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    Ok(NewDirectory::create_new(target.with_file_name(name))?)
}

/// A directory that is written next to the one that it replaces.
pub(crate) struct Replaced {
    /// The new directory is in it until it is complete.
    scratch: NewDirectory,
    path: PathBuf,
    target: PathBuf,
}

impl Replaced {
    /// Begins one. `None` if nothing is at the path; something there is an error without `overwrite`.
    pub(crate) fn at(target: &Path, overwrite: bool) -> Result<Option<Replaced>> {
        if !target.is_dir() || !overwrite {
            return must_not_exist(target).map(|()| None);
        }
        let scratch = scratch(target)?;
        let path = scratch.path().join(target.file_name().unwrap_or_default());
        Ok(Some(Replaced { path, scratch, target: target.to_owned() }))
    }

    /// Where the new directory is to be written.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the old directory, which is then removed. If that fails, the old one keeps its name.
    pub(crate) fn finish(self) -> Result<()> {
        // Not in the scratch directory, which a signal removes.
        let parent = self.scratch.path().parent().unwrap_or(Path::new("."));
        let aside = tempfile::Builder::new().prefix(".b2nd-old-").tempdir_in(parent)?;
        let old = aside.path().join("old");
        fs::rename(&self.target, &old)?;
        if let Err(error) = fs::rename(&self.path, &self.target) {
            if fs::rename(&old, &self.target).is_err() {
                // It is left where it is rather than removed.
                std::mem::forget(aside);
            }
            return Err(error.into());
        }
        Ok(())
    }
}

pub(crate) fn exists(path: &Path) -> Error {
    Error::new(format_args!("{} already exists", path.display()))
}
