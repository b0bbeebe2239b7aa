//! [`Opened`]: a file as a source of bytes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use b2nd_view::Source;
use bytes::Bytes;
use futures::{StreamExt, stream};
use object_store::ObjectStore;
use object_store::path::Path;
use rustix::fs::{Mode, OFlags, openat};

use crate::place::{Object, micros};
use crate::remote::{Answer, CHANGED, Found, HELD, get};
use crate::row::Row;

/// The length of the first read. 99.8% of known headers fit.
const FIRST: u64 = 4096;

/// The bytes of each place that are read where many are asked for at the same time: the header of a zip's member, and the first 4 KiB of its frame.
const OF_MEMBER: u64 = FIRST + 1024;

/// Ranges with less between them are fetched as one, unless that has more bytes than [`MOST`].
const GAP: u64 = FIRST;

/// The longest range that is not asked for as such.
const MOST: u64 = 1 << 20;

/// The parts of a file, and files of a store, that are fetched at the same time.
pub(super) const FETCHED: usize = 64;

/// A file on a disk, or the parts of a remote one that were fetched.
pub(super) enum Opened {
    Disk {
        file: File,
        size: u64,
        modified: Option<i64>,
        first: Vec<u8>,
    },
    /// A file of a store with many files, more than a process may have open: it is open only while it is read.
    Member {
        path: PathBuf,
        size: u64,
    },
    Remote(Parts),
}

/// Parts of a remote file that are at hand, and those that were asked for and are not.
pub(super) struct Parts {
    store: Arc<dyn ObjectStore>,
    path: Path,
    /// As the listing knows it, or the first answer.
    found: Option<Found>,
    /// As the first answer had it: a listing may have other tags, and times of another precision.
    answered: Option<Found>,
    at_least: u64,
    /// By where they start: where they end, and the bytes or why they cannot be had.
    held: BTreeMap<u64, (u64, Result<Bytes, String>)>,
    /// The bytes of them together.
    total: u64,
    missing: Mutex<Vec<Range<u64>>>,
}

impl Opened {
    pub(super) fn on_disk(path: &std::path::Path, disk: &mut Disk) -> io::Result<Opened> {
        let file = disk.open(path)?;
        let found = file.metadata()?;
        let mut first = std::mem::take(&mut disk.buffer);
        first.resize(found.len().min(FIRST) as usize, 0);
        read_exactly(&file, &mut first, 0)?;
        Ok(Opened::Disk { file, size: found.len(), modified: micros(&found), first })
    }

    pub(super) fn remote(store: Arc<dyn ObjectStore>, path: Path, object: &Object, at_least: u64) -> Opened {
        let found = object.size.map(|size| Found { size, etag: object.etag.clone(), modified: object.modified });
        Opened::Remote(Parts {
            store,
            path,
            found,
            answered: None,
            at_least,
            held: BTreeMap::new(),
            total: 0,
            missing: Mutex::default(),
        })
    }

    /// The length, as far as it is known.
    fn size(&self) -> u64 {
        match self {
            Opened::Disk { size, .. } | Opened::Member { size, .. } => *size,
            Opened::Remote(parts) => parts.found.as_ref().map_or(u64::MAX, |found| found.size),
        }
    }

    /// Puts into a row what is known since the file was opened.
    pub(super) fn identify(&self, row: &mut Row) {
        let (size, etag, modified) = match self {
            Opened::Disk { size, modified, .. } => (Some(*size), &None, *modified),
            Opened::Member { .. } => return,
            Opened::Remote(Parts { found: Some(found), .. }) => (Some(found.size), &found.etag, found.modified),
            Opened::Remote(_) => return,
        };
        row.size = size.and_then(|size| size.try_into().ok());
        row.etag = row.etag.take().or_else(|| etag.clone());
        row.modified = modified.or(row.modified);
    }

    /// Fetches what is missing, if anything is.
    pub(super) async fn fetch(&mut self) -> bool {
        let Opened::Remote(parts) = self else { return false };
        let missing = parts.missing();
        let (store, path, known) = (&parts.store, &parts.path, parts.found.as_ref());
        let gets: Vec<_> = missing.iter().map(|range| get(store, path, known, range.clone())).collect();
        let fetched: Vec<_> = stream::iter(gets).buffered(FETCHED).collect().await;
        for (range, result) in missing.iter().zip(fetched) {
            let (end, bytes) = match result {
                Ok(Answer { found, .. }) if parts.is_changed(&found) => (range.end, Err(CHANGED.to_owned())),
                Ok(Answer { found, bytes, .. }) => {
                    parts.answered.get_or_insert_with(|| found.clone());
                    parts.found.get_or_insert(found);
                    parts.total += bytes.len() as u64;
                    (range.start + bytes.len() as u64, Ok(bytes))
                }
                Err(message) => (range.end, Err(message)),
            };
            parts.held.insert(range.start, (end, bytes));
        }
        !missing.is_empty()
    }
}

/// Buffers that a thread keeps from one file of a disk to the next.
#[derive(Default)]
pub(super) struct Disk {
    /// The path of a directory is followed once for all files that come after each other in it.
    directory: Option<(PathBuf, File)>,
    buffer: Vec<u8>,
}

impl Disk {
    /// Takes back what was lent to a file.
    pub(super) fn close(&mut self, files: Vec<Opened>) {
        if let Some(Opened::Disk { first, .. }) = files.into_iter().next() {
            self.buffer = first;
        }
    }

    fn open(&mut self, path: &std::path::Path) -> io::Result<File> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return File::open(path) };
        let opened = match self.directory.take() {
            Some(last) if last.0.as_os_str() == parent => last,
            _ => match File::open(parent) {
                Ok(directory) => (parent.to_owned(), directory),
                // Its files may be readable although it is not.
                Err(_) => return File::open(path),
            },
        };
        let (_, directory) = self.directory.insert(opened);
        // A pipe with this name would be waited for.
        let how = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        Ok(openat(directory, name, how, Mode::empty())?.into())
    }
}

impl Source for Opened {
    fn len(&self) -> b2nd::Result<u64> {
        Ok(self.size())
    }

    fn read(&self, range: Range<u64>) -> b2nd::Result<Cow<'_, [u8]>> {
        // A frame's own numbers may say that it ends before it starts.
        let start = range.start.min(self.size());
        let range = start..range.end.min(self.size()).max(start);
        Ok(match self {
            Opened::Disk { first, .. } if range.end <= first.len() as u64 => {
                Cow::Borrowed(&first[range.start as usize..range.end as usize])
            }
            Opened::Disk { file, .. } => Cow::Owned(read_file(file, range)?),
            Opened::Member { path, .. } => Cow::Owned(read_file(&File::open(path)?, range)?),
            Opened::Remote(parts) => Cow::Borrowed(parts.read(range)?),
        })
    }
}

fn read_file(file: &File, range: Range<u64>) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; held(0, &range)?];
    read_exactly(file, &mut bytes, range.start)?;
    Ok(bytes)
}

fn read_exactly(file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    file.read_exact_at(bytes, start).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::other(CHANGED),
        _ => error,
    })
}

/// The length of a range, unless more would be held with it than should be.
fn held(already: u64, range: &Range<u64>) -> io::Result<usize> {
    let length = range.end - range.start;
    if already.saturating_add(length) > HELD {
        return Err(io::Error::other(too_much()));
    }
    Ok(length as usize)
}

fn too_much() -> String {
    format!("more than {HELD} bytes of it would be read for its metadata")
}

impl Parts {
    fn read(&self, range: Range<u64>) -> io::Result<&[u8]> {
        if range.is_empty() {
            return Ok(&[]);
        }
        // The first answer says how long it is.
        let range = if self.found.is_some() { range } else { 0..FIRST };
        match self.held.range(..=range.start).next_back() {
            Some((start, (end, Ok(bytes)))) if range.end <= *end => {
                return Ok(&bytes[(range.start - start) as usize..(range.end - start) as usize]);
            }
            Some((_, (end, Err(message)))) if range.start < *end => return Err(io::Error::other(message.clone())),
            _ => {}
        }
        held(self.total, &range)?;
        self.missing.lock().unwrap_or_else(PoisonError::into_inner).push(range);
        Err(io::ErrorKind::WouldBlock.into())
    }

    /// Ranges to fetch of what was asked for and is not at hand: of neighbours one.
    fn missing(&mut self) -> Vec<Range<u64>> {
        let mut asked = std::mem::take(self.missing.get_mut().unwrap_or_else(PoisonError::into_inner));
        asked.sort_unstable_by_key(|range| (range.start, range.end));
        let at_least = if asked.len() == 1 { self.at_least } else { OF_MEMBER };
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for range in asked {
            let range = self.widened(range, at_least);
            match ranges.last_mut() {
                Some(last) if range.start <= last.end.saturating_add(GAP) && range.end.saturating_sub(last.start) <= MOST => {
                    last.end = last.end.max(range.end);
                }
                _ => ranges.push(range),
            }
        }
        let mut left = HELD.saturating_sub(self.total);
        ranges.retain(|range| {
            let length = range.end - range.start;
            let fits = length <= left;
            if fits {
                left -= length;
            } else {
                self.held.insert(range.start, (range.end, Err(too_much())));
            }
            fits
        });
        ranges
    }

    /// The bytes that will probably be asked for next: those that follow, or of a frame's end those before it.
    fn widened(&self, range: Range<u64>, at_least: u64) -> Range<u64> {
        let size = self.found.as_ref().map_or(u64::MAX, |found| found.size);
        if range.start == 0 && range.end <= FIRST {
            return 0..FIRST.min(size);
        }
        if range.end == size {
            return range.start.min(size.saturating_sub(at_least))..range.end;
        }
        // A long list is read piece by piece: in pieces that grow.
        let before = self.held.range(..range.start).next_back();
        let read = before.filter(|(_, (end, _))| *end == range.start).map_or(0, |(start, (end, _))| end - start);
        let at_least = at_least.max((4 * read).min(MOST));
        range.start..range.end.max(range.start.saturating_add(at_least)).min(size)
    }

    /// True if an answer is of another file than those before: not every store minds the condition that requests have.
    fn is_changed(&self, now: &Found) -> bool {
        self.found.as_ref().is_some_and(|found| found.size != now.size)
            || self.answered.as_ref().is_some_and(|first| first != now)
    }
}
