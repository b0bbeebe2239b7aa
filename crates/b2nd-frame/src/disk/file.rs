//! [`File`]: a frame on disk.

use alloc::borrow::ToOwned;
use core::ops::Deref;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::SPARSE_FRAME;
use super::lock::{Ask, Sidecars, open_shared};
use super::source::{FileSource, frame_file, name_file};
use super::storage::open_to_read;
use crate::error::{ErrorKind, Result};
use crate::open::{Frame, read_header};

/// A frame on disk: a file, such as `NAME.b2nd` or `NAME.b2frame`, or the directory of a sparse frame.
///
/// The file stays open: if it is replaced, a `File` still reads the old file. Several threads can read from the same `File`. In a sparse
/// frame, the file of a chunk is opened for each read of the chunk.
///
/// ```
/// let file = b2nd_frame::File::open("../../tests/data/example.b2nd")?;
/// assert_eq!(file.header().array()?.map(|array| array.geometry().ndim()), Some(3));
/// # Ok::<(), b2nd_frame::Error>(())
/// ```
#[derive(Debug)]
pub struct File {
    frame: Frame<FileSource>,
}

impl File {
    /// Opens a frame, which is a file or the directory of a sparse frame, for reading.
    ///
    /// This takes no lock. If another program edits the frame later, parts that have not been read by then may be overwritten: reading them
    /// fails, or returns newer bytes. Use [`open_shared`](File::open_shared) to block editors.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or does not start with a header of a supported version.
    pub fn open(path: impl AsRef<Path>) -> Result<File> {
        File::open_at(path, 0)
    }

    /// Opens a frame that starts at byte `offset` of a larger file.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](File::open).
    pub fn open_at(path: impl AsRef<Path>, offset: u64) -> Result<File> {
        let path = path.as_ref();
        let open = |path: &Path| File::of(path.to_owned(), open_to_read(path)?, offset);
        match open(path) {
            // The path is opened as a file first, since checking whether it is a directory costs a system call. On some systems, a
            // directory can be opened as a file, and only reading it fails.
            Err(error) if matches!(error.kind(), ErrorKind::Io(_)) && path.is_dir() => {
                let path = path.join(SPARSE_FRAME);
                open(&path).map_err(|error| name_file(error, &path))
            }
            done => done.map_err(|error| name_file(error, path)),
        }
    }

    /// Opens a frame for reading, and blocks editors while the frame is open. This waits while an [`Editor`](super::Editor) has the frame
    /// open. If the lock file of C-Blosc2 exists or the environment variable `BLOSC_LOCKING` is set, this also takes a shared lock on the
    /// lock file. Any number of readers can have the frame open in this way at the same time.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](File::open), and [`ErrorKind::Locked`] if this thread has an `Editor` of the frame. Also fails if the
    /// lock file of C-Blosc2 cannot be opened or created.
    pub fn open_shared(path: impl AsRef<Path>) -> Result<File> {
        let path = frame_file(path.as_ref());
        let open = || -> Result<File> {
            let real = fs::canonicalize(&path)?;
            let file = open_shared(&real)?;
            let sidecars = Sidecars::lock(&path, &real, Ask { exclusive: false, wait: true })?;
            File::from_source(FileSource::new(file, path.clone()).holding(sidecars), 0)
        };
        open().map_err(|error| name_file(error, &path))
    }

    /// Opens the frame at byte `offset` of an open file.
    pub(super) fn of(path: PathBuf, file: fs::File, offset: u64) -> Result<File> {
        File::from_source(FileSource::new(file, path), offset)
    }

    /// Opens the frame at the start of an open file that is being edited. The chunk files of a sparse frame are next to the file `real`.
    pub(super) fn of_edited(path: PathBuf, file: fs::File, real: &Path) -> Result<File> {
        File::from_source(FileSource::new(file, path).beside(real), 0)
    }

    fn from_source(source: FileSource, offset: u64) -> Result<File> {
        match read_header(&source, offset) {
            Ok(header) => Ok(File { frame: Frame::new(source, offset, header) }),
            Err(error) => match source.file().metadata() {
                Ok(found) if !found.is_file() && !found.is_dir() => {
                    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe, a device or a socket, not a file").into())
                }
                _ => Err(error),
            },
        }
    }

    /// Returns the open file as a source of bytes, with the locks of [`open_shared`](File::open_shared).
    pub fn into_source(self) -> FileSource {
        self.frame.into_source()
    }

    pub(super) fn file(&self) -> &fs::File {
        self.frame.source().file()
    }

    /// Returns the path of the file that holds the header: the file that was opened, or `chunks.b2frame` in the directory of a sparse
    /// frame.
    pub fn path(&self) -> &Path {
        self.frame.source().path()
    }
}

impl Deref for File {
    type Target = Frame<FileSource>;

    fn deref(&self) -> &Frame<FileSource> {
        &self.frame
    }
}
