//! New frames on disk: one file, or a sparse frame's directory.

use alloc::boxed::Box;
use core::fmt;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use super::SPARSE_FRAME;
use super::source::chunk_name;
use super::staged::Staged;
use super::storage::{Handle, storage};
use crate::error::{Error, Result};
use crate::frame::header::{FrameType, Header};
use crate::frame::writer::{Writer, sealed};

/// A contiguous frame in a file.
pub struct OneFile {
    staged: Staged,
    file: Box<dyn Handle>,
    header_len: u64,
    /// The end of the last chunk that was written.
    end: u64,
}

/// A sparse frame in a directory.
pub struct Directory(Staged);

impl Writer<OneFile> {
    /// Makes a writer into a file. It writes under a temporary name next to `path`. [`finish`](Writer::finish) renames the file to
    /// `path`, and replaces an existing one.
    ///
    /// # Errors
    ///
    /// Fails if the temporary file cannot be created, or `path` names something that is read-only or not a regular file.
    pub fn create(path: impl AsRef<Path>, header: Header) -> Result<Self> {
        let in_file = |error| Error::from(error).in_file(path.as_ref());
        let (staged, file) = Staged::file(path.as_ref()).map_err(in_file)?;
        staged.keep_attributes(staged.target()).map_err(in_file)?;
        Ok(Writer::into_file(header, staged, file))
    }

    /// Makes a writer into a file that does not exist yet. It writes under a temporary name next to `path`, and
    /// [`finish`](Writer::finish) fails if another process has created that file.
    ///
    /// # Errors
    ///
    /// Fails if `path` exists, or the temporary file cannot be created.
    pub fn create_new(path: impl AsRef<Path>, header: Header) -> Result<Self> {
        let created = Staged::new_file(path.as_ref());
        let (staged, file) = created.map_err(|error| Error::from(error).in_file(path.as_ref()))?;
        Ok(Writer::into_file(header, staged, file))
    }

    fn into_file(header: Header, staged: Staged, file: Box<dyn Handle>) -> Self {
        let header_len = header.header_len() as u64;
        Writer::to(header, OneFile { staged, file, header_len, end: header_len })
    }
}

impl Writer<Directory> {
    /// Makes a writer into a sparse frame's directory, which gets its name when it is finished.
    ///
    /// # Errors
    ///
    /// Fails if `path` exists, or the temporary directory cannot be created.
    pub fn create_sparse(path: impl AsRef<Path>, header: Header) -> Result<Self> {
        let staged = Staged::directory(path.as_ref()).map_err(|error| Error::from(error).in_file(path.as_ref()))?;
        Ok(Writer::to(header, Directory(staged)))
    }
}

impl sealed::Target for OneFile {
    type Output = ();
    const FRAME_TYPE: FrameType = FrameType::Contiguous;

    fn put_chunk(&mut self, _number: u64, position: u64, chunk: &[u8]) -> Result<()> {
        // Seek each time, since a write that failed half-way may be tried again.
        let start = self.header_len + position;
        self.file.seek(SeekFrom::Start(start))?;
        self.file.write_all(chunk)?;
        self.end = start + chunk.len() as u64;
        Ok(())
    }

    fn finish(self, header: &[u8], tail: &[u8]) -> Result<()> {
        self.complete(header, tail)?.0.finish()
    }
}

impl OneFile {
    /// Writes the rest of the frame, which then still has its temporary name.
    pub(super) fn complete(mut self, header: &[u8], tail: &[u8]) -> Result<(Staged, Box<dyn Handle>)> {
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(tail)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(header)?;
        self.file.sync()?;
        Ok((self.staged, self.file))
    }
}

impl Directory {
    fn write(&self, name: &str, parts: [&[u8]; 2]) -> Result<()> {
        let path = self.0.path().join(name);
        let mut file = storage().create(&path)?;
        let written = parts.iter().try_for_each(|part| file.write_all(part)).and_then(|()| file.sync());
        if written.is_err() {
            // So that it may be tried again.
            let _ = storage().remove(&path);
        }
        Ok(written?)
    }
}

impl sealed::Target for Directory {
    type Output = ();
    const FRAME_TYPE: FrameType = FrameType::Sparse;

    fn put_chunk(&mut self, number: u64, _position: u64, chunk: &[u8]) -> Result<()> {
        self.write(&chunk_name(number), [chunk, &[]])
    }

    fn finish(self, header: &[u8], tail: &[u8]) -> Result<()> {
        self.write(SPARSE_FRAME, [header, tail])?;
        storage().sync_dir(self.0.path())?;
        self.0.finish()
    }
}

impl fmt::Debug for OneFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OneFile").field(&self.staged.target()).finish()
    }
}

impl fmt::Debug for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Directory").field(&self.0.target()).finish()
    }
}
