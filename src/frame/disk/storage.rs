//! [`Storage`]: the file operations behind edits and new frames, so that something else than the disk can stand in.

use alloc::boxed::Box;
use core::fmt;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where edits and new frames go: [`Disk`], or something of your own (a test that fails on purpose, a file system in memory).
///
/// The promises of [`File::edit`](crate::frame::File::edit) hold if [`Handle::sync`] makes what was written last, a rename is
/// atomic, and a write inside one aligned sector of 512 bytes happens as a whole or not at all.
pub trait Storage: fmt::Debug + Send + Sync {
    /// Opens a file that exists, to read and write.
    fn open(&self, path: &Path) -> io::Result<Box<dyn Handle>>;

    /// Creates a file, to write. One that exists is an error of the kind `AlreadyExists`.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Handle>>;

    /// Creates a directory. One that exists is an error of the kind `AlreadyExists`.
    fn create_dir(&self, path: &Path) -> io::Result<()>;

    /// Gives a file or directory another name. A file of that name is replaced.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file, or a directory with what is in it.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Gives a file the permissions of another.
    fn copy_permissions(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Makes the names in a directory last.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
}

/// An open file of a [`Storage`].
pub trait Handle: Read + Write + Seek + Send {
    /// Returns when what was written will last.
    fn sync(&mut self) -> io::Result<()>;
}

/// The file system.
#[derive(Clone, Copy, Default, Debug)]
pub struct Disk;

impl Storage for Disk {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Handle>> {
        Ok(Box::new(fs::OpenOptions::new().read(true).write(true).open(path)?))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Handle>> {
        Ok(Box::new(fs::OpenOptions::new().read(true).write(true).create_new(true).open(path)?))
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
    }

    fn copy_permissions(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::set_permissions(to, fs::metadata(from)?.permissions())
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        // Other systems do not open directories, and keep their names without being asked.
        if cfg!(unix) { fs::File::open(path)?.sync_all() } else { Ok(()) }
    }
}

impl Handle for fs::File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// A file or directory that appears under its name only when it is complete. Dropped before that, it leaves nothing.
pub(super) struct Staged {
    storage: Arc<dyn Storage>,
    temporary: PathBuf,
    target: PathBuf,
    finished: bool,
}

impl Staged {
    /// A new file beside `target`; beside the file that it names, where it is a symbolic link.
    pub(super) fn file(storage: Arc<dyn Storage>, target: &Path) -> io::Result<(Self, Box<dyn Handle>)> {
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_path_buf());
        Staged::new(storage, &target, |storage, path| storage.create(path))
    }

    /// A new directory beside `target`.
    pub(super) fn directory(storage: Arc<dyn Storage>, target: &Path) -> io::Result<Self> {
        if target.exists() {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it exists already"));
        }
        Staged::new(storage, target, |storage, path| storage.create_dir(path)).map(|(staged, ())| staged)
    }

    fn new<T>(
        storage: Arc<dyn Storage>,
        target: &Path,
        create: impl Fn(&dyn Storage, &Path) -> io::Result<T>,
    ) -> io::Result<(Self, T)> {
        let name = target.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name"))?;
        // A crash leaves its temporary file behind: the next one takes another name.
        let mut number = 0u32;
        loop {
            let mut hidden = OsString::from(".");
            hidden.push(name);
            hidden.push(alloc::format!(".{number}.tmp"));
            let temporary = target.with_file_name(hidden);
            match create(&*storage, &temporary) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < u32::MAX => number += 1,
                Err(error) => return Err(error),
                Ok(created) => {
                    return Ok((Staged { storage, temporary, target: target.to_path_buf(), finished: false }, created));
                }
            }
        }
    }

    /// Where it is until it is complete.
    pub(super) fn path(&self) -> &Path {
        &self.temporary
    }

    /// Where it will be.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// Takes over the permissions of a file that it will replace; before it has content, so that nobody reads in the new file what
    /// the old one kept to its owner.
    pub(super) fn keep_permissions(&self) -> io::Result<()> {
        if self.target.exists() { self.storage.copy_permissions(&self.target, &self.temporary) } else { Ok(()) }
    }

    /// Gives it its name, and makes that last. Its content has been synced.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.storage.rename(&self.temporary, &self.target)?;
        self.finished = true;
        sync_parent(&*self.storage, &self.target)
    }
}

/// Makes the name of a file or directory last.
pub(super) fn sync_parent(storage: &dyn Storage, path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    storage.sync_dir(parent.unwrap_or(Path::new(".")))
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.finished {
            // Nobody is left to tell, and the file that matters is untouched.
            let _ = self.storage.remove(&self.temporary);
        }
    }
}
