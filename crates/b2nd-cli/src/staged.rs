//! Creates files and directories that get their final name only when they are complete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use b2nd_frame::{ErrorKind, NewDirectory, NewFile, SPARSE_FRAME};
use b2nd_store::{Directory, Folder, Location, Store, is_store_directory};

use crate::error::{Error, Result};
use crate::signals;

/// Fails if the path exists.
pub(crate) fn must_not_exist(path: &Path) -> Result<()> {
    if fs::symlink_metadata(path).is_ok() { Err(exists(path)) } else { Ok(()) }
}

/// Fails if the new file or directory `target` would replace `source`, the argument that names the input, or a directory that contains it.
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
pub(crate) fn new_file(path: &Path, overwrite: bool, write: impl FnOnce(&mut &fs::File) -> Result<()>) -> Result<()> {
    let failed = |error: b2nd_frame::Error| match error.kind() {
        ErrorKind::Io(io) if io.kind() == io::ErrorKind::AlreadyExists => exists(path),
        _ => Error::new(error),
    };
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let name = path.display();
        return Err(Error::new(format_args!("{name}: it is a pipe or a device, not a file: use `-` for standard output")));
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

/// What a command writes.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Output {
    File,
    SparseFrame,
    Store,
    ZarrArray,
}

impl Output {
    /// Fails unless the existing directory is what the command writes, and contains nothing else.
    fn must_be_at(self, path: &Path) -> Result<()> {
        let refused = |why: &str| Err(Error::new(format_args!("{}: it is not replaced: {why}", path.display())));
        if fs::symlink_metadata(path)?.is_symlink() {
            return refused("it is a link to a directory. Give the name of the directory itself");
        }
        let (is_it, what) = match self {
            Output::File => return refused("it is a directory, but the command writes a file"),
            Output::SparseFrame => (path.join(SPARSE_FRAME).is_file(), "a sparse frame"),
            Output::Store => (is_store_directory(path) && Store::open(path)?.list().is_ok(), "a store"),
            Output::ZarrArray => (is_zarr_array(&path.join("zarr.json")), "a Zarr array"),
        };
        if !is_it {
            return refused(&format!("it is not {what}"));
        }
        let is_part =
            |name: &String| self.is_part(name) && fs::symlink_metadata(path.join(name)).is_ok_and(|found| found.is_file());
        let (names, left_out) = Directory(path.to_owned()).contents()?;
        let all = left_out.iter().map(|one| &one.name).chain(&names);
        match all.into_iter().find(|name| !is_part(name)) {
            Some(name) => refused(&format!("{name:?} is not a part of {what}")),
            None => Ok(()),
        }
    }

    /// Returns true if a file with this name in a directory can be a part of what the command writes.
    fn is_part(self, name: &str) -> bool {
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        match self {
            Output::File => false,
            Output::SparseFrame => {
                let is_chunk = ending == "chunk" && stem.len() == 8 && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
                is_chunk || [SPARSE_FRAME, ".b2lock"].contains(&name)
            }
            Output::Store => ["b2nd", "b2f", "b2b", "b2e", "b2frame", "b2lock"].contains(&ending),
            Output::ZarrArray => {
                let is_key = |key: &str| key.split('/').all(|part| part.parse::<u64>().is_ok());
                ["zarr.json", "c"].contains(&name) || name.strip_prefix("c/").is_some_and(is_key)
            }
        }
    }
}

/// Returns true if a file contains the metadata of an array in Zarr version 3.
fn is_zarr_array(file: &Path) -> bool {
    let metadata = fs::read(file).ok().and_then(|text| serde_json::from_slice::<serde_json::Value>(&text).ok());
    metadata.is_some_and(|metadata| metadata["zarr_format"] == 3 && metadata["node_type"] == "array")
}

/// A new directory that replaces an existing directory when the new directory is complete.
pub(crate) struct Replaced {
    /// The temporary directory that contains the new directory until it is complete.
    scratch: NewDirectory,
    path: PathBuf,
    target: PathBuf,
    output: Output,
}

impl Replaced {
    /// Prepares to replace a directory. Returns `None` if the path does not exist. Fails if the path exists and `overwrite` is false, if
    /// something other than a directory exists at the path, or if the directory is not what the command writes.
    pub(crate) fn at(target: &Path, overwrite: bool, output: Output) -> Result<Option<Replaced>> {
        if !target.is_dir() || !overwrite {
            return must_not_exist(target).map(|()| None);
        }
        output.must_be_at(target)?;
        let scratch = scratch(target)?;
        let path = scratch.path().join(target.file_name().unwrap_or_default());
        Ok(Some(Replaced { path, scratch, target: target.to_owned(), output }))
    }

    /// Returns the temporary path of the new directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the old directory by the new directory. If the new directory cannot be renamed, the old directory is kept under its name.
    pub(crate) fn finish(self) -> Result<()> {
        // Files may have been added to the old directory in the meantime.
        self.output.must_be_at(&self.target)?;
        Ok(self.scratch.exchange(self.path, self.target)?)
    }
}

pub(crate) fn exists(path: &Path) -> Error {
    Error::new(format_args!("{} already exists", path.display()))
}
