//! [`Storage`]: the file operations behind edits and new frames, so that something else than the disk can stand in.

use alloc::boxed::Box;
use core::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use super::attributes;

/// Where edits and new frames go: [`Disk`], or something of your own over it (a test that fails on purpose).
///
/// The promises of [`Editor`](super::Editor) hold if [`Handle::sync`] blocks until what was written is on stable storage, a rename
/// is atomic, and a write inside one aligned sector of 512 bytes happens as a whole or not at all.
// Hidden: it serves tests that make a disk fail.
#[doc(hidden)]
pub trait Storage: fmt::Debug + Send + Sync {
    /// Opens a file that exists, to read and write.
    fn open(&self, path: &Path) -> io::Result<Box<dyn Handle>>;

    /// Creates a file, to read and write. One that exists is an error of the kind `AlreadyExists`.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Handle>>;

    /// Creates a directory. One that exists is an error of the kind `AlreadyExists`.
    fn create_dir(&self, path: &Path) -> io::Result<()>;

    /// Gives a file or directory another name. A file of that name is replaced.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file, or a directory with what is in it.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Gives a file or directory the permissions of another, and its owner, group and extended attributes where the system lets it.
    fn copy_attributes(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Fsyncs a directory, so that the names in it survive a crash.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
}

/// An open file of a [`Storage`].
// Hidden: it serves tests that make a disk fail.
#[doc(hidden)]
pub trait Handle: Read + Write + Seek + Send + Sync {
    /// Blocks until what was written is on stable storage.
    fn sync(&mut self) -> io::Result<()>;

    /// Cuts the file to this length, or fills it up with zeros.
    fn set_len(&mut self, length: u64) -> io::Result<()>;

    /// The file itself: it is locked, and read beside what the handle reads.
    fn file(&self) -> &fs::File;
}

/// The file system.
// Hidden: it serves tests that make a disk fail.
#[doc(hidden)]
#[derive(Clone, Copy, Default, Debug)]
pub struct Disk;

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

    fn remove(&self, path: &Path) -> io::Result<()> {
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
    }

    fn copy_attributes(&self, from: &Path, to: &Path) -> io::Result<()> {
        attributes::copy(from, to)
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

    fn set_len(&mut self, length: u64) -> io::Result<()> {
        fs::File::set_len(self, length)
    }

    fn file(&self) -> &fs::File {
        self
    }
}

/// Others may read and replace a file that is open to write, and not write it.
#[cfg(windows)]
pub(super) const SHARED_TO_READ: u32 = 0x1 | 0x4; // FILE_SHARE_READ, FILE_SHARE_DELETE

fn to_write() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, SHARED_TO_READ);
    options
}

/// Opens a file to read. A FIFO opens at once, and has nothing to read.
pub(super) fn open_to_read(path: &Path) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits() as i32);
    options.open(path)
}
