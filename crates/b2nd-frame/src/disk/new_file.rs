//! [`NewFile`] and [`NewDirectory`]: files and directories that get their final names only when they are complete.

use alloc::boxed::Box;
use std::fs;
use std::path::Path;

use super::lock::Claim;
use super::staged::{Staged, replaceable};
use super::storage::Handle;
use crate::error::{Error, Result};

/// A file that gets its final name only when it is complete, like the files that a [`Writer`](super::super::Writer) writes. A `NewFile` can
/// have any content.
///
/// The file is written under a temporary name. If a `NewFile` is dropped before [`finish`](NewFile::finish), the file is removed. If the
/// process is killed, the temporary file is usually removed when this crate creates the next frame or `NewFile` in its directory.
///
/// ```
/// use std::io::Write;
///
/// # let path = std::env::temp_dir().join(format!("b2nd-new-file-{}.csv", std::process::id()));
/// let file = b2nd_frame::NewFile::create_new(&path)?;
/// file.file().write_all(b"1,2,3\n")?;
/// assert!(!path.exists());
/// file.finish()?;
/// assert_eq!(std::fs::read(&path)?, b"1,2,3\n");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), b2nd_frame::Error>(())
/// ```
#[derive(Debug)]
pub struct NewFile {
    pub(super) staged: Staged,
    pub(super) file: Box<dyn Handle>,
    /// The lock on the file that is replaced, if `replace` created this file.
    claim: Option<Claim>,
}

impl NewFile {
    /// Creates a file. If `path` exists, `finish` replaces the existing file, and the new file gets the permissions and, as far as the
    /// system allows, other attributes of the existing file.
    ///
    /// # Errors
    ///
    /// Fails if the temporary file cannot be created, or if `path` names something that cannot be replaced, such as a read-only file, a
    /// directory, or a symbolic link to a file that does not exist.
    pub fn create(path: impl AsRef<Path>) -> Result<NewFile> {
        let created = Staged::file(path.as_ref());
        let (staged, file) = created.map_err(|error| Error::from(error).in_file(path.as_ref()))?;
        Ok(NewFile { staged, file, claim: None })
    }

    /// Creates a file that must not exist yet. [`finish`](NewFile::finish) fails if another process creates a file of that name first.
    ///
    /// # Errors
    ///
    /// Fails if `path` exists, or the temporary file cannot be created.
    pub fn create_new(path: impl AsRef<Path>) -> Result<NewFile> {
        let created = Staged::new_file(path.as_ref());
        let (staged, file) = created.map_err(|error| Error::from(error).in_file(path.as_ref()))?;
        Ok(NewFile { staged, file, claim: None })
    }

    /// Creates a file that replaces an existing file, which stays locked until [`finish`](NewFile::finish) replaces it. Waits while
    /// an editor, or a reader by [`open_shared`](crate::File::open_shared), has the existing file open. Read the existing file after this
    /// call, so that the changes of other editors are read, too.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`create`](NewFile::create). Also fails if `path` does not exist, or the lock file of C-Blosc2 cannot be
    /// opened or created, and returns [`ErrorKind::Locked`](crate::ErrorKind::Locked) if this thread has an [`Editor`](crate::Editor) of
    /// the file or has it open by [`open_shared`](crate::File::open_shared).
    pub fn replace(path: impl AsRef<Path>) -> Result<NewFile> {
        let path = path.as_ref();
        let create = || {
            let claim = Claim::new(path, &replaceable(path)?, true)?;
            Ok(NewFile { claim: Some(claim), ..NewFile::create(path)? })
        };
        create().map_err(|error: Error| error.in_file(path))
    }

    /// Copies the permissions and other attributes of `source`, the file or directory whose content is copied to this file. Does nothing if
    /// this file replaces another file, whose attributes it keeps.
    ///
    /// # Errors
    ///
    /// Fails if the permissions cannot be set. If `source` does not exist or its metadata cannot be read, nothing is copied, without an
    /// error.
    pub fn copy_attributes(&self, source: impl AsRef<Path>) -> Result<()> {
        Ok(self.staged.copy_attributes(source.as_ref())?)
    }

    /// Returns the open file.
    pub fn file(&self) -> &fs::File {
        self.file.file()
    }

    /// Returns the temporary path, at which the content is written until `finish` renames it.
    pub fn path(&self) -> &Path {
        self.staged.path()
    }

    /// Gives the file its final name, and blocks until the file is on stable storage. If this file was created by
    /// [`create`](NewFile::create), it replaces an existing file even if an editor has locked that file. To replace a frame, use a
    /// [`Writer`](super::super::Writer), which waits for editors.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written or renamed. Fails with [`ErrorKind::Changed`](crate::ErrorKind::Changed) if the file that
    /// [`replace`](NewFile::replace) locked no longer exists under its name. Also fails if no file of that name existed when
    /// this `NewFile` was created, but another process has created such a file since. The file of the other process is then kept.
    pub fn finish(mut self) -> Result<()> {
        let target = self.staged.target().to_path_buf();
        let synced = self.file.sync().map_err(Into::into);
        let staged = self.staged;
        let put = |()| match self.claim {
            Some(mut claim) => staged.replace(&mut claim),
            None => staged.rename(),
        };
        synced.and_then(put).map_err(|error| error.in_file(&target))
    }
}

/// A directory that gets its final name only when it is complete, like a [`NewFile`].
#[derive(Debug)]
pub struct NewDirectory(Staged);

impl NewDirectory {
    /// Creates a directory that must not exist yet.
    ///
    /// # Errors
    ///
    /// Fails if `path` exists, or the temporary directory cannot be created.
    pub fn create_new(path: impl AsRef<Path>) -> Result<NewDirectory> {
        let created = Staged::directory(path.as_ref());
        Ok(NewDirectory(created.map_err(|error| Error::from(error).in_file(path.as_ref()))?))
    }

    /// Returns the temporary path, at which the content is written until `finish` renames it.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Copies the permissions and other attributes of `source`, the file or directory whose content is copied to this directory.
    ///
    /// # Errors
    ///
    /// Fails if the permissions cannot be set. If `source` does not exist or its metadata cannot be read, nothing is copied, without an
    /// error.
    pub fn copy_attributes(&self, source: impl AsRef<Path>) -> Result<()> {
        Ok(self.0.copy_attributes(source.as_ref())?)
    }

    /// Gives the directory its final name. Before you call this, sync the directory and the files in it, so that they are on stable
    /// storage.
    ///
    /// # Errors
    ///
    /// Fails if another process has created a file or directory of that name since this directory was created, or if the directory cannot
    /// be renamed.
    pub fn finish(self) -> Result<()> {
        let target = self.0.target().to_path_buf();
        self.0.rename().map_err(|error| error.in_file(&target))
    }
}
