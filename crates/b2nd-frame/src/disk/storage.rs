//! [`Storage`]: the file operations for edits and new frames, which tests can replace.

use alloc::boxed::Box;
use core::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::Path;
use std::sync::Arc;

use super::permissions;

#[cfg(debug_assertions)]
pub(super) mod replaced;

/// The file operations for edits and new frames. [`Disk`] implements them for the file system. A test can wrap `Disk`, for example to make
/// some operations fail.
///
/// The guarantees of [`Editor`](super::Editor) require that [`Handle::sync`] blocks until written data is on stable storage, a rename is
/// atomic, and a write inside one aligned sector of 512 bytes is atomic.
pub trait Storage: fmt::Debug + Send + Sync {
    /// Opens an existing file for reading and writing.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be opened.
    fn open(&self, path: &Path) -> io::Result<Box<dyn Handle>>;

    /// Creates a file for reading and writing.
    ///
    /// # Errors
    ///
    /// Returns `AlreadyExists` if the path exists. Also fails if the file cannot be created.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Handle>>;

    /// Creates a directory.
    ///
    /// # Errors
    ///
    /// Returns `AlreadyExists` if the path exists. Also fails if the directory cannot be created.
    fn create_dir(&self, path: &Path) -> io::Result<()>;

    /// Renames a file or directory. A file replaces an existing file with the new name.
    ///
    /// # Errors
    ///
    /// Fails if the path cannot be renamed.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Renames a file or directory, unless the new name exists.
    ///
    /// # Errors
    ///
    /// Returns `AlreadyExists` if the new name exists. Also fails if the path cannot be renamed.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        if fs::symlink_metadata(to).is_ok() { Err(ErrorKind::AlreadyExists.into()) } else { self.rename(from, to) }
    }

    /// Removes a file, or a directory and its content.
    ///
    /// # Errors
    ///
    /// Fails if the path cannot be removed.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Copies the permissions of `from` to `to`, and the owner, group and extended attributes as far as possible. If a file's
    /// permissions are copied to a directory, permission to read becomes permission to read and search the directory.
    ///
    /// # Errors
    ///
    /// Fails if the permissions cannot be read or set.
    fn copy_attributes(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Syncs a directory, so that the names in it survive a crash.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be synced.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
}

/// An open file of a [`Storage`].
pub trait Handle: fmt::Debug + Read + Write + Seek + Send + Sync {
    /// Blocks until written data is on stable storage.
    ///
    /// # Errors
    ///
    /// Fails if the data cannot be written.
    fn sync(&mut self) -> io::Result<()>;

    /// Truncates the file to this length, or extends it with zeros.
    ///
    /// # Errors
    ///
    /// Fails if the length cannot be set.
    fn set_len(&mut self, length: u64) -> io::Result<()>;

    /// Returns the underlying file.
    fn file(&self) -> &fs::File;
}

/// The [`Storage`] that uses the file system.
#[derive(Clone, Copy, Default, Debug)]
pub struct Disk;

/// Returns the storage to which this thread writes: the disk, unless a test has replaced it.
pub(super) fn storage() -> Arc<dyn Storage> {
    #[cfg(debug_assertions)]
    if let Some(storage) = replaced::replaced() {
        return storage;
    }
    Arc::new(Disk)
}

impl Storage for Disk {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Handle>> {
        Ok(Box::new(to_write().open(path)?))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Handle>> {
        Ok(Box::new(to_write().create_new(true).open(path)?))
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_vendor = "apple"))]
        {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).map_err(io::Error::from) {
                // Some file systems do not support this operation: use a hard link instead.
                Err(error) if !matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::NotFound) => {}
                done => return done,
            }
        }
        match fs::hard_link(from, to) {
            Ok(()) => fs::remove_file(from),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
            // Some file systems have no hard links either. In this case, a file that is created between this check and the rename is
            // replaced.
            Err(_) if fs::symlink_metadata(to).is_ok() => Err(ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(from, to),
        }
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        // A link is removed, and the directory that it names is kept.
        if fs::symlink_metadata(path)?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
    }

    fn copy_attributes(&self, from: &Path, to: &Path) -> io::Result<()> {
        permissions::copy(from, to)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        // On Windows, `File::open` cannot open directories.
        if cfg!(unix) { fs::File::open(path)?.sync_all() } else { Ok(()) }
    }
}

impl Handle for fs::File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }

    fn set_len(&mut self, length: u64) -> io::Result<()> {
        fs::File::set_len(self, length)
    }

    fn file(&self) -> &fs::File {
        self
    }
}

/// The share mode of files that are opened for writing or with a shared lock: other processes can read and replace such a file, but not
/// open it for writing.
#[cfg(windows)]
pub(super) const SHARED_TO_READ: u32 = 0x1 | 0x4; // FILE_SHARE_READ, FILE_SHARE_DELETE

fn to_write() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, SHARED_TO_READ);
    options
}

/// Opens a file for reading. If the path is a FIFO, this does not wait for a writer.
pub(super) fn open_to_read(path: &Path) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits() as i32);
    options.open(path)
}
