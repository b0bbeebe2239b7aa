//! [`FileSource`]: an open file as a [`Source`], which threads can share.

use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::SPARSE_FRAME;
use super::lock::{Sidecars, unlock};
use super::storage::open_to_read;
use crate::chunk_file_name;
use crate::error::{Error, ErrorKind, Result};
use crate::source::{Source, ends, zeros};

/// The maximum length, in bytes, of a `read` for which the file's length is not checked first. The check costs a system call.
const UNSEEN: u64 = 1 << 16;

/// A [`Source`] that reads an open file and, for a sparse frame, the chunk files next to it.
///
/// The file stays open: if it is replaced, a `FileSource` still reads the old file. The file of a chunk is opened for each read of the
/// chunk.
#[derive(Debug)]
pub struct FileSource {
    file: fs::File,
    path: PathBuf,
    /// The path with symbolic links resolved, if the file is open for editing. The chunk files are next to this path, even if `path` is a
    /// symbolic link that now names another file.
    real: Option<PathBuf>,
    /// Locks on the lock files of C-Blosc2, if the file was opened by `File::open_shared`.
    sidecars: Option<Sidecars>,
}

impl FileSource {
    /// Opens a file. If `path` is a directory, opens `chunks.b2frame` in it.
    ///
    /// # Errors
    ///
    /// Fails if the file does not exist or cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<FileSource> {
        FileSource::open_file(frame_file(path.as_ref()))
    }

    /// Opens a file like [`open`](FileSource::open), but does not check whether `path` is a directory, which would cost a system call.
    ///
    /// # Errors
    ///
    /// Fails if the file does not exist or cannot be opened.
    pub fn open_file(path: impl Into<PathBuf>) -> Result<FileSource> {
        let path = path.into();
        let file = open_to_read(&path).map_err(|error| Error::from(error).in_file(&path))?;
        Ok(FileSource::new(file, path))
    }

    pub(super) fn new(file: fs::File, path: PathBuf) -> FileSource {
        FileSource { file, path, real: None, sidecars: None }
    }

    /// Returns this source with locks, which are held until the source is dropped.
    pub(super) fn holding(mut self, sidecars: Sidecars) -> FileSource {
        self.sidecars = Some(sidecars);
        self
    }

    /// Returns this source, with the chunk files next to `real`.
    pub(super) fn beside(mut self, real: &Path) -> FileSource {
        self.real = Some(real.to_owned());
        self
    }

    /// Returns another source that reads the same open file. Except on Windows, it does not keep the file locked.
    ///
    /// # Errors
    ///
    /// Fails if the file descriptor cannot be duplicated, for example because the process has too many open files.
    pub fn try_clone(&self) -> Result<FileSource> {
        let file = self.named(self.file.try_clone().map_err(Error::from))?;
        Ok(FileSource { file, path: self.path.clone(), real: self.real.clone(), sidecars: None })
    }

    /// Returns the open file.
    pub fn file(&self) -> &fs::File {
        &self.file
    }

    /// Returns the path of the open file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn named<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|error| name_file(error, &self.path))
    }
}

impl Drop for FileSource {
    fn drop(&mut self) {
        if self.sidecars.is_some() {
            unlock(&self.file);
        }
    }
}

impl Source for FileSource {
    fn len(&self) -> Result<u64> {
        self.named(self.file.len())
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        self.named(self.file.read(range))
    }

    fn read_into(&self, start: u64, buffer: &mut [u8]) -> Result<()> {
        self.named(self.file.read_into(start, buffer))
    }

    fn chunk_file(&self, number: u64, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let path = self.real.as_ref().unwrap_or(&self.path).with_file_name(chunk_file_name(number));
        // Put the path into the message, so that the error reads: the index of the chunk (which the frame adds), the path, the reason.
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let bytes = read(&open_to_read(&path).map_err(named)?, range);
        Ok(Cow::Owned(bytes.map_err(|error| name_file(error, &path))?))
    }
}

/// Reads only this file, not the chunks of a sparse frame. [`FileSource`] reads both.
impl Source for fs::File {
    fn len(&self) -> Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        Ok(Cow::Owned(read(self, range)?))
    }

    fn read_into(&self, start: u64, buffer: &mut [u8]) -> Result<()> {
        match fill(self, start, buffer, false)? {
            filled if filled < buffer.len() => Err(ends(start.saturating_add(filled as u64), buffer.len() - filled)),
            _ => Ok(()),
        }
    }
}

/// Reads a range of bytes, or fewer bytes if the file ends before the range does.
fn read(file: &fs::File, range: Range<u64>) -> Result<Vec<u8>> {
    let mut length = range.end.saturating_sub(range.start);
    let is_short = length <= UNSEEN;
    if !is_short {
        length = length.min(file.metadata()?.len().saturating_sub(range.start));
    }
    let mut bytes = zeros(length)?;
    let filled = fill(file, range.start, &mut bytes, is_short)?;
    bytes.truncate(filled);
    Ok(bytes)
}

/// Fills a buffer from position `start` on. Returns the number of bytes that were read, which is less than the buffer's length if the file
/// ends first. The system may return fewer bytes than requested, so this continues until all bytes are read. If the buffer `is_short`, this
/// does not continue after fewer bytes: for at most `UNSEEN` bytes, a call is expected to return fewer bytes only at the end of the file.
fn fill(file: &fs::File, start: u64, buffer: &mut [u8], is_short: bool) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        let read = match read_once(file, &mut buffer[filled..], start.saturating_add(filled as u64)) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        filled += read;
        if read == 0 || is_short {
            break;
        }
    }
    Ok(filled)
}

#[cfg(unix)]
fn read_once(file: &fs::File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, position)
}

#[cfg(windows)]
fn read_once(file: &fs::File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, position)
}

/// On systems without positioned reads, only one thread at a time moves the cursor of a file and reads, so that threads do not disturb each
/// other.
#[cfg(not(any(unix, windows)))]
fn read_once(mut file: &fs::File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    use std::io::{Read, Seek, SeekFrom};
    use std::sync::{Mutex, PoisonError};

    static CURSOR: Mutex<()> = Mutex::new(());

    let _turn = CURSOR.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(position))?;
    Read::read(&mut file, buffer)
}

/// Adds the path of the file to an I/O error or an error about a lock, which do not contain the path. Returns any other error unchanged.
pub(super) fn name_file(error: Error, path: &Path) -> Error {
    match error.kind() {
        ErrorKind::Io(_) | ErrorKind::Locked { .. } => error.in_file(path),
        _ => error,
    }
}

/// Returns the path of the file that holds a frame's header: `path`, or `chunks.b2frame` in `path` if `path` is a directory.
pub(super) fn frame_file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(SPARSE_FRAME) } else { path.to_owned() }
}
