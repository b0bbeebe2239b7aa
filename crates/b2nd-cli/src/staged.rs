//! Checks the names of new files and directories, and creates files that get their final name only when they are complete.

use std::fs;
use std::io;
use std::path::Path;

use b2nd_frame::{ErrorKind, NewDirectory, NewFile};
use b2nd_store::Location;

use crate::error::{Error, Result};
use crate::piped::is_standard;
use crate::signals;

/// Fails if the path exists.
pub(crate) fn must_not_exist(path: &Path) -> Result<()> {
    if fs::symlink_metadata(path).is_ok() { Err(exists(path)) } else { Ok(()) }
}

/// Fails if the path exists and `overwrite` is false, or if it is a directory. Directories are never replaced, so that a wrong name cannot
/// delete their files.
pub(crate) fn must_be_free(path: &Path, overwrite: bool) -> Result<()> {
    match overwrite {
        false => must_not_exist(path),
        true if path.is_dir() => {
            Err(Error::new(format_args!("{}: a directory is not replaced: remove it first", path.display())))
        }
        true => Ok(()),
    }
}

/// Fails if the target of a command exists and `overwrite` is false, if it is a directory, or if it would replace the input, which the
/// argument `source` names. Standard output is always free.
pub(crate) fn must_be_new(target: &Path, overwrite: bool, source: &Path) -> Result<()> {
    must_not_be_input(target, source)?;
    if is_standard(target) { Ok(()) } else { must_be_free(target, overwrite) }
}

/// Fails if an argument is a URL or a leaf of a store. The commands call it for input that they only read from local files.
pub(crate) fn must_be_local(word: &Path, command: &str) -> Result<()> {
    let location = Location::new(word.as_os_str());
    let what_to_do = match (location.path(), location.key()) {
        (_, Some(_)) => "by its key: `b2nd repack` copies an array in a store to a file",
        (None, None) if !location.is_stdin() => "from a server: download the file first",
        _ => return Ok(()),
    };
    Err(Error::new(format_args!("`b2nd {command}` cannot read it {what_to_do}")))
}

/// Fails if the new file or directory `target` would replace the input, which the argument `source` names, or a directory
/// that contains the input.
pub(crate) fn must_not_be_input(target: &Path, source: &Path) -> Result<()> {
    let location = Location::new(source.as_os_str());
    let Some(source) = location.path() else { return Ok(()) };
    match (fs::canonicalize(source), fs::canonicalize(target)) {
        (Ok(source), Ok(target)) if source.starts_with(&target) => {
            Err(Error::new(format_args!("{}: it is the input, or contains it: choose another name", target.display())))
        }
        _ => Ok(()),
    }
}

/// Fails if the name of a new frame or store has an ending such as `.npy`, which belongs to another format.
pub(crate) fn must_not_look_foreign(path: &Path, is_store: bool) -> Result<()> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let is_foreign = ["npy", "npz", "csv", "json", "txt", "arrow", "parquet", "zarr", "h5", "hdf5"].contains(&&*ending);
    let wanted = match is_store {
        true if is_foreign => ".b2z or .b2d",
        false if is_foreign || ["b2z", "b2d"].contains(&&*ending) => ".b2nd",
        _ => return Ok(()),
    };
    let name = path.display();
    Err(Error::new(format_args!("{name}: .{ending} is the ending of another format: choose a name that ends in {wanted}")))
}

/// Creates a file: `write` fills a temporary file, which is then renamed to `path` with links resolved. Fails if the file exists and
/// `overwrite` is false, or if it is not a regular file.
pub(crate) fn new_file(path: &Path, overwrite: bool, write: impl FnOnce(&mut &fs::File) -> Result<()>) -> Result<()> {
    let failed = |error: b2nd_frame::Error| match error.kind() {
        ErrorKind::Io(io) if io.kind() == io::ErrorKind::AlreadyExists => exists(path),
        _ => Error::new(error),
    };
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let name = path.display();
        return Err(Error::new(format_args!("{name}: it is not a regular file: use `-` for standard output")));
    }
    signals::clean_up();
    let file = if overwrite { NewFile::create(path) } else { NewFile::create_new(path) };
    let file = file.map_err(failed)?;
    write(&mut file.file())?;
    file.finish().map_err(failed)
}

/// Creates a temporary directory next to `target`. The directory and its contents are removed when the returned value is dropped.
pub(crate) fn scratch(target: &Path) -> Result<NewDirectory> {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    Ok(NewDirectory::create_new(target.with_file_name(name))?)
}

pub(crate) fn exists(path: &Path) -> Error {
    Error::new(format_args!("{} already exists", path.display()))
}
