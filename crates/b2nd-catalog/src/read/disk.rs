//! [`OnDisk`]: a file on a disk as a source of bytes.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use b2nd_frame::FIRST_READ;
use b2nd_view::Source;
use rustix::fs::OFlags;

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

impl OnDisk {
    pub(super) fn open(path: &Path) -> io::Result<OnDisk> {
        // Without `NONBLOCK`, opening a pipe would block.
        let file = File::options().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
        let found = file.metadata()?;
        let mut first = vec![0; found.len().min(FIRST_READ) as usize];
        read_exactly(&file, &mut first, 0)?;
        Ok(OnDisk { file, size: found.len(), modified: micros(&found), first })
    }

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

/// Returns the part of a range that is inside the file. The result is empty if the given range ends before it starts.
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
