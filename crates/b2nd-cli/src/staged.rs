//! New files of other formats than ours, which appear when they are whole.

use std::fs;
use std::io;
use std::path::Path;

use b2nd::ErrorKind;
use b2nd::frame::NewFile;

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

pub(crate) fn exists(path: &Path) -> Error {
    Error::new(format_args!("{} exists, and nothing is overwritten", path.display()))
}
