//! Creates files and directories that get their final name only when they are complete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use b2nd_frame::{ErrorKind, NewDirectory, NewFile};

use crate::error::{Error, Result};
use crate::signals;

/// Fails if the path exists.
pub(crate) fn must_not_exist(path: &Path) -> Result<()> {
    if fs::symlink_metadata(path).is_ok() { Err(exists(path)) } else { Ok(()) }
}

/// Fails if the ending of a new frame's or store's name belongs to another format, such as `.npy`.
pub(crate) fn must_not_look_foreign(path: &Path, is_store: bool) -> Result<()> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let is_foreign = ["npy", "npz", "csv", "json", "txt", "arrow", "parquet", "zarr", "h5", "hdf5"].contains(&&*ending);
    let wanted = match is_store {
        true if is_foreign => ".b2z or .b2d",
        false if is_foreign || ["b2z", "b2d"].contains(&&*ending) => ".b2nd",
        _ => return Ok(()),
    };
    let name = path.display();
    Err(Error::new(format_args!(
        "{name}: .{ending} is the ending of another format: give the new file a name that ends in {wanted}"
    )))
}

/// Creates a file: `write` fills a temporary file, which is then renamed to `path`. Fails if the file exists and `overwrite` is false.
pub(crate) fn new_file(path: &Path, overwrite: bool, write: impl FnOnce(&mut NewFile) -> Result<()>) -> Result<()> {
    let failed = |error: b2nd_frame::Error| match error.kind() {
        ErrorKind::Io(io) if io.kind() == io::ErrorKind::AlreadyExists => exists(path),
        _ => Error::new(error),
    };
    signals::clean_up();
    let file = if overwrite { NewFile::create(path) } else { NewFile::create_new(path) };
    let mut file = file.map_err(failed)?;
    write(&mut file)?;
    file.finish().map_err(failed)
}

/// Creates a temporary directory next to `target`. The directory and its contents are removed when the returned value is dropped.
pub(crate) fn scratch(target: &Path) -> Result<NewDirectory> {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    Ok(NewDirectory::create_new(target.with_file_name(name))?)
}

/// A new directory that replaces an existing directory when the new directory is complete.
pub(crate) struct Replaced {
    /// The temporary directory that contains the new directory until it is complete.
    scratch: NewDirectory,
    path: PathBuf,
    target: PathBuf,
}

impl Replaced {
    /// Prepares to replace a directory. Returns `None` if the path does not exist. Fails if the path exists and `overwrite` is false, or if
    /// something other than a directory exists at the path.
    pub(crate) fn at(target: &Path, overwrite: bool) -> Result<Option<Replaced>> {
        if !target.is_dir() || !overwrite {
            return must_not_exist(target).map(|()| None);
        }
        let scratch = scratch(target)?;
        let path = scratch.path().join(target.file_name().unwrap_or_default());
        Ok(Some(Replaced { path, scratch, target: target.to_owned() }))
    }

    /// Returns the temporary path of the new directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the old directory by the new directory. If the new directory cannot be renamed, the old directory is kept under its name.
    pub(crate) fn finish(self) -> Result<()> {
        // The old directory is not moved to `scratch`, because a signal would remove it there.
        let parent = self.scratch.path().parent().unwrap_or(Path::new("."));
        let aside = tempfile::Builder::new().prefix(".b2nd-old-").tempdir_in(parent)?;
        let old = aside.path().join("old");
        fs::rename(&self.target, &old)?;
        if let Err(error) = fs::rename(&self.path, &self.target) {
            if fs::rename(&old, &self.target).is_err() {
                // The old directory is kept in its temporary directory, which is not removed.
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
