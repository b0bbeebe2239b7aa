//! [`OnDisk`]: a file on a disk as a source of bytes.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use b2nd_frame::FIRST_READ;
use b2nd_view::Source;
use rustix::fs::{Mode, OFlags, openat};

use super::fetched::too_much;
use crate::place::micros;
use crate::remote::{CHANGED, HELD};
use crate::row::CatalogRow;

pub(super) struct OnDisk {
    file: File,
    size: u64,
    modified: Option<i64>,
    first: Vec<u8>,
}

/// A file of a store. The file is opened again for each read, because a store may have more files than a process can keep open.
pub(super) struct Closed {
    pub(super) path: PathBuf,
    pub(super) size: u64,
}

/// Opens files on a disk, and reuses the directory and the buffer of one file for the next file.
#[derive(Default)]
pub(super) struct Disk {
    /// The directory of the last file. It is opened only once for consecutive files in the same directory.
    directory: Option<(PathBuf, File)>,
    buffer: Vec<u8>,
}

impl Disk {
    pub(super) fn open(&mut self, path: &std::path::Path) -> io::Result<OnDisk> {
        let file = self.file(path)?;
        let found = file.metadata()?;
        let mut first = std::mem::take(&mut self.buffer);
        first.resize(found.len().min(FIRST_READ) as usize, 0);
        read_exactly(&file, &mut first, 0)?;
        Ok(OnDisk { file, size: found.len(), modified: micros(&found), first })
    }

    /// Closes a file and takes back its buffer, to be reused for the next file.
    pub(super) fn close(&mut self, file: OnDisk) {
        self.buffer = file.first;
    }

    fn file(&mut self, path: &std::path::Path) -> io::Result<File> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return File::open(path) };
        let opened = match self.directory.take() {
            Some(last) if last.0.as_os_str() == parent => last,
            _ => match File::open(parent) {
                Ok(directory) => (parent.to_owned(), directory),
                // A file may be readable although its directory is not.
                Err(_) => return File::open(path),
            },
        };
        let (_, directory) = self.directory.insert(opened);
        // Without `NONBLOCK`, opening a pipe would block.
        let how = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        Ok(openat(directory, name, how, Mode::empty())?.into())
    }
}

impl OnDisk {
    /// Fills in the columns of a row that are known as soon as the file is open.
    pub(super) fn identify(&self, row: &mut CatalogRow) {
        row.size = self.size.try_into().ok();
        row.modified = self.modified.or(row.modified);
    }
}

impl Source for OnDisk {
    fn len(&self) -> b2nd_frame::Result<u64> {
        Ok(self.size)
    }

    fn read(&self, range: Range<u64>) -> b2nd_frame::Result<Cow<'_, [u8]>> {
        let range = inside(range, self.size);
        if range.end <= self.first.len() as u64 {
            return Ok(Cow::Borrowed(&self.first[range.start as usize..range.end as usize]));
        }
        Ok(Cow::Owned(read_file(&self.file, range)?))
    }
}

impl Source for Closed {
    fn len(&self) -> b2nd_frame::Result<u64> {
        Ok(self.size)
    }

    fn read(&self, range: Range<u64>) -> b2nd_frame::Result<Cow<'_, [u8]>> {
        Ok(Cow::Owned(read_file(&File::open(&self.path)?, inside(range, self.size))?))
    }
}

/// Returns the part of a range that is inside the file. If the frame is damaged, the given range may end before it starts.
fn inside(range: Range<u64>, size: u64) -> Range<u64> {
    let start = range.start.min(size);
    start..range.end.min(size).max(start)
}

fn read_file(file: &File, range: Range<u64>) -> io::Result<Vec<u8>> {
    let length = range.end - range.start;
    if length > HELD {
        return Err(io::Error::other(too_much()));
    }
    let mut bytes = vec![0; length as usize];
    read_exactly(file, &mut bytes, range.start)?;
    Ok(bytes)
}

fn read_exactly(file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    file.read_exact_at(bytes, start).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::other(CHANGED),
        _ => error,
    })
}
