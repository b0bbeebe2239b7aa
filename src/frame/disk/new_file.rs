//! [`NewFile`] and [`NewDirectory`]: files of any content that appear under their name only when they are complete.

use alloc::boxed::Box;
use core::fmt;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::lock::named;
use super::staged::Staged;
use super::storage::Handle;
use crate::error::Result;

/// A file of any content that appears under its name only when it is complete, as the frames of a [`Writer`](super::super::Writer) do.
///
/// It is written under a temporary name next to its final one. Dropping it before [`finish`](NewFile::finish) removes it, and what a
/// killed process left is removed when the next file is made in the directory.
///
/// ```
/// use std::io::Write;
///
/// # let path = std::env::temp_dir().join(format!("b2nd-new-file-{}.csv", std::process::id()));
/// let mut file = b2nd::frame::NewFile::create_new(&path)?;
/// file.write_all(b"1,2,3\n")?;
/// assert!(!path.exists());
/// file.finish()?;
/// assert_eq!(std::fs::read(&path)?, b"1,2,3\n");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), b2nd::Error>(())
/// ```
pub struct NewFile {
    staged: Staged,
    file: Box<dyn Handle>,
}

impl NewFile {
    /// Makes a file that replaces the one of its name, and keeps its permissions and other attributes.
    ///
    /// # Errors
    ///
    /// Fails if the temporary file cannot be created, or `path` names something that is read-only or not a regular file.
    pub fn create(path: impl AsRef<Path>) -> Result<NewFile> {
        let create = || {
            let (staged, file) = Staged::file(path.as_ref())?;
            staged.keep_attributes(staged.target())?;
            Ok(NewFile { staged, file })
        };
        create().map_err(|error: io::Error| named(error.into(), path.as_ref()))
    }

    /// Makes a file that does not exist yet. [`finish`](NewFile::finish) fails if another process has created one of that name.
    ///
    /// # Errors
    ///
    /// Fails if `path` exists, or the temporary file cannot be created.
    pub fn create_new(path: impl AsRef<Path>) -> Result<NewFile> {
        let created = Staged::new_file(path.as_ref());
        let (staged, file) = created.map_err(|error| named(error.into(), path.as_ref()))?;
        Ok(NewFile { staged, file })
    }

    /// Returns the open file.
    pub fn file(&self) -> &fs::File {
        self.file.file()
    }

    /// Returns its temporary path.
    pub fn path(&self) -> &Path {
        self.staged.path()
    }

    /// Gives the file its name, and blocks until it is on stable storage. It waits for no lock on a file that it replaces: a frame, which
    /// has editors, is better replaced by a [`Writer`](super::super::Writer).
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written, or another process has created one of that name, which is not replaced.
    pub fn finish(mut self) -> Result<()> {
        let target = self.staged.target().to_path_buf();
        let synced = self.file.sync().map_err(Into::into);
        synced.and_then(|()| self.staged.rename()).map_err(|error| named(error, &target))
    }
}

impl Read for NewFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for NewFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl fmt::Debug for NewFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NewFile").field(&self.staged.target()).finish()
    }
}

/// A directory that appears under its name only when it is complete, as a [`NewFile`] does.
pub struct NewDirectory(Staged);

impl NewDirectory {
    /// Makes a directory that does not exist yet.
    ///
    /// # Errors
    ///
    /// Fails if `path` exists, or the temporary directory cannot be created.
    pub fn create_new(path: impl AsRef<Path>) -> Result<NewDirectory> {
        let created = Staged::directory(path.as_ref());
        Ok(NewDirectory(created.map_err(|error| named(error.into(), path.as_ref()))?))
    }

    /// Returns its temporary path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Gives the directory its name. Its content must be on stable storage.
    ///
    /// # Errors
    ///
    /// Fails if another process has created something of that name.
    pub fn finish(self) -> Result<()> {
        let target = self.0.target().to_path_buf();
        self.0.rename().map_err(|error| named(error, &target))
    }
}

impl fmt::Debug for NewDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NewDirectory").field(&self.0.target()).finish()
    }
}
