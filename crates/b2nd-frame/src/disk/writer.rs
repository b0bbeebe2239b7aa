//! Writes new frames to disk: to one file, or to the directory of a sparse frame.

use alloc::boxed::Box;
use alloc::vec::Vec;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::SPARSE_FRAME;
use super::new_file::NewFile;
use super::staged::{Staged, directory};
use super::storage::{Handle, storage};
use crate::chunk_file_name;
use crate::error::{Error, Result};
use crate::header::{FrameType, Header};
use crate::writer::Writer;
use crate::writer::target::{put_at, sealed};

/// A contiguous frame in a file, as the destination of a [`Writer`].
#[derive(Debug)]
pub struct OneFile {
    staged: Staged,
    file: Box<dyn Handle>,
    header_len: u64,
    /// The position in the file at which the last appended chunk ends.
    end: u64,
    /// The position in the file at which the written bytes end, including parts of a chunk that was not appended. The frame may end before
    /// this position.
    end_of_parts: u64,
}

/// A sparse frame in a directory, as the destination of a [`Writer`].
#[derive(Debug)]
pub struct Directory {
    pub(super) staged: Staged,
    /// The number in the name of a chunk's file is the sum of this number and the chunk's index.
    first: u64,
    /// The `chunks.b2frame` of the frame that this frame replaces, if any. New files get the permissions of this file.
    like: Option<PathBuf>,
    /// A buffer for the parts of the next chunk.
    parts: Vec<u8>,
}

impl Writer<OneFile> {
    /// Creates a writer of a frame in a file. The file has a temporary name until [`finish`](Writer::finish) gives it its final name. If a
    /// file exists at `path` now, `finish` replaces it, after waiting while another thread or process has an editor of it or has it open by
    /// [`File::open_shared`](crate::File::open_shared). If no file exists now, but another process creates one, `finish` fails.
    ///
    /// # Errors
    ///
    /// Fails if the temporary file cannot be created, or if `path` names something that cannot be replaced, such as a read-only file, a
    /// directory, or a symbolic link to a file that does not exist.
    pub fn create(path: impl AsRef<Path>, header: Header) -> Result<Self> {
        Ok(Writer::into_file(header, NewFile::create(path)?))
    }

    /// Creates a writer of a frame in a file that must not exist yet. The file has a temporary name in the directory of `path` until
    /// [`finish`](Writer::finish) renames it to `path`. `finish` fails if another process creates `path` first.
    ///
    /// # Errors
    ///
    /// Fails if `path` exists, or the temporary file cannot be created.
    pub fn create_new(path: impl AsRef<Path>, header: Header) -> Result<Self> {
        Ok(Writer::into_file(header, NewFile::create_new(path)?))
    }

    /// Copies the permissions and other attributes of `source`, the frame that is copied, to the new file. Does nothing if the new file
    /// replaces another file, whose attributes it keeps.
    ///
    /// # Errors
    ///
    /// Fails if the permissions cannot be set. If `source` does not exist or its metadata cannot be read, nothing is copied, without an
    /// error.
    pub fn copy_attributes(&self, source: impl AsRef<Path>) -> Result<()> {
        Ok(self.target.staged.copy_attributes(source.as_ref())?)
    }

    fn into_file(header: Header, NewFile { staged, file, .. }: NewFile) -> Self {
        let header_len = header.header_len() as u64;
        Writer::to(header, OneFile { staged, file, header_len, end: header_len, end_of_parts: header_len })
    }
}

impl Writer<Directory> {
    /// Creates a writer of a sparse frame in a directory that must not exist yet. The directory has a temporary name until
    /// [`finish`](Writer::finish) renames it to `path`.
    ///
    /// # Errors
    ///
    /// Fails if `path` exists, or the temporary directory cannot be created.
    pub fn create_sparse(path: impl AsRef<Path>, header: Header) -> Result<Self> {
        let staged = Staged::directory(path.as_ref()).map_err(|error| Error::from(error).in_file(path.as_ref()))?;
        Ok(Writer::to(header, Directory { staged, first: 0, like: None, parts: Vec::new() }))
    }

    /// Copies the permissions and other attributes of `source`, the frame that is copied, to the new directory.
    ///
    /// # Errors
    ///
    /// Fails if the permissions cannot be set. If `source` does not exist or its metadata cannot be read, nothing is copied, without an
    /// error.
    pub fn copy_attributes(&self, source: impl AsRef<Path>) -> Result<()> {
        Ok(self.target.staged.copy_attributes(source.as_ref())?)
    }

    /// Creates a writer of a sparse frame that will replace the sparse frame with this `chunks.b2frame`. The new files are in a temporary
    /// directory inside the old frame's directory. The number of a chunk's file is the sum of `first` and the chunk's index.
    pub(super) fn inside(frame: &Path, first: u64, header: Header) -> Result<Self> {
        let staged = Staged::directory(&frame.with_file_name("new.b2frame"))?;
        staged.keep_attributes(directory(frame))?;
        Ok(Writer::to(header, Directory { staged, first, like: Some(frame.to_path_buf()), parts: Vec::new() }))
    }
}

impl sealed::Target for OneFile {
    type Output = ();
    const FRAME_TYPE: FrameType = FrameType::Contiguous;

    fn put_part(&mut self, position: u64, offset: usize, part: &[u8]) -> Result<()> {
        // Seek before each write, since a write that fails after some bytes may be tried again.
        let start = self.header_len + position + offset as u64;
        self.end_of_parts = self.end_of_parts.max(start + part.len() as u64);
        self.file.seek(SeekFrom::Start(start))?;
        Ok(self.file.write_all(part)?)
    }

    fn end_parts(&mut self, _number: u64, position: u64, length: usize) -> Result<u64> {
        self.end = self.header_len + position + length as u64;
        Ok(position)
    }

    fn finish(self, header: &[u8], tail: &[u8]) -> Result<()> {
        self.complete(header, tail)?.0.finish()
    }
}

impl OneFile {
    /// Writes the index, the trailer and the header, and returns the file, which still has its temporary name.
    pub(super) fn complete(mut self, header: &[u8], tail: &[u8]) -> Result<(Staged, Box<dyn Handle>)> {
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(tail)?;
        let end = self.end + tail.len() as u64;
        if self.end_of_parts > end {
            self.file.set_len(end)?;
        }
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(header)?;
        self.file.sync()?;
        Ok((self.staged, self.file))
    }
}

impl Directory {
    fn write(&self, name: &str, parts: [&[u8]; 2]) -> Result<()> {
        let path = self.staged.path().join(name);
        let mut file = storage().create(&path)?;
        let like = self.like.as_ref().map_or(Ok(()), |like| storage().copy_attributes(like, &path));
        let written = like.and_then(|()| parts.iter().try_for_each(|part| file.write_all(part))).and_then(|()| file.sync());
        if written.is_err() {
            // Remove the file so that the write can be tried again.
            let _ = storage().remove(&path);
        }
        Ok(written?)
    }
}

impl sealed::Target for Directory {
    type Output = ();
    const FRAME_TYPE: FrameType = FrameType::Sparse;

    fn put_part(&mut self, _position: u64, offset: usize, part: &[u8]) -> Result<()> {
        put_at(&mut self.parts, offset, part)
    }

    fn end_parts(&mut self, number: u64, _position: u64, length: usize) -> Result<u64> {
        let location = self.first + number;
        self.write(&chunk_file_name(location), [self.parts.get(..length).unwrap_or(&self.parts), &[]])?;
        Ok(location)
    }

    fn finish(self, header: &[u8], tail: &[u8]) -> Result<()> {
        self.write(SPARSE_FRAME, [header, tail])?;
        storage().sync_dir(self.staged.path())?;
        self.staged.finish()
    }
}
