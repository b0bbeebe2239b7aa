//! [`Opened`]: a file as a source of bytes.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use b2nd_view::Source;
use bytes::{Buf, Bytes, BytesMut};
use futures::{StreamExt, TryStreamExt, stream};
use object_store::path::Path;
use object_store::{GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore};

use crate::listing::micros;
use crate::place::Object;
use crate::row::Row;

/// How much is read first. 99.8% of known headers fit.
const FIRST: u64 = 4096;

/// More bytes of a file than these are not held for its rows.
const HELD: u64 = 1 << 28;

const CHANGED: &str = "it was changed meanwhile";

/// How many parts of a file, and files of a store, are fetched at the same time.
pub(super) const FETCHED: usize = 64;

/// A file on a disk, or the parts of a remote one that were fetched.
pub(super) enum Opened {
    /// It is open only while it is read: a store may have more files than a process may have open.
    Disk {
        path: PathBuf,
        size: u64,
        modified: Option<i64>,
    },
    Remote(Parts),
}

/// What is at hand of a remote file, and what was asked for and is not.
pub(super) struct Parts {
    store: Arc<dyn ObjectStore>,
    path: Path,
    found: Option<Found>,
    at_least: u64,
    held: Vec<(Range<u64>, Result<Bytes, String>)>,
    missing: Mutex<Vec<Range<u64>>>,
}

struct Found {
    size: u64,
    etag: Option<String>,
    modified: Option<i64>,
}

impl Opened {
    pub(super) fn on_disk(path: &std::path::Path, size: Option<u64>) -> Opened {
        let (size, modified) = match size {
            Some(size) => (size, None),
            // Whoever reads it is told why it cannot be read.
            None => path.metadata().map_or((0, None), |found| (found.len(), micros(&found))),
        };
        Opened::Disk { path: path.to_owned(), size, modified }
    }

    pub(super) fn remote(store: Arc<dyn ObjectStore>, path: Path, object: &Object, at_least: u64) -> Opened {
        let found = object.size.map(|size| Found { size, etag: object.etag.clone(), modified: object.modified });
        Opened::Remote(Parts { store, path, found, at_least, held: Vec::new(), missing: Mutex::default() })
    }

    /// Puts into a row what is known since the file was opened.
    pub(super) fn identify(&self, row: &mut Row) {
        let (size, etag, modified) = match self {
            Opened::Disk { size, modified, .. } => (Some(*size), &None, *modified),
            Opened::Remote(Parts { found: Some(found), .. }) => (Some(found.size), &found.etag, found.modified),
            Opened::Remote(_) => return,
        };
        row.size = size.and_then(|size| size.try_into().ok());
        row.etag = row.etag.take().or_else(|| etag.clone());
        row.modified = row.modified.or(modified);
    }

    /// Fetches what is missing, if anything is.
    pub(super) async fn fetch(&mut self) -> bool {
        let Opened::Remote(parts) = self else { return false };
        let missing = std::mem::take(parts.missing.get_mut().unwrap_or_else(PoisonError::into_inner));
        let gets: Vec<_> = missing.iter().map(|range| parts.get(range.clone())).collect();
        let fetched: Vec<_> = stream::iter(gets).buffered(FETCHED).collect().await;
        for (range, result) in missing.iter().zip(fetched) {
            match result {
                Ok((found, bytes)) => {
                    parts.found.get_or_insert(found);
                    parts.held.push((range.start..range.start + bytes.len() as u64, Ok(bytes)));
                }
                Err(message) => parts.held.push((range.clone(), Err(message))),
            }
        }
        !missing.is_empty()
    }
}

impl Source for Opened {
    fn len(&self) -> u64 {
        match self {
            Opened::Disk { size, .. } => *size,
            Opened::Remote(parts) => parts.found.as_ref().map_or(u64::MAX, |found| found.size),
        }
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        // A frame's own numbers may say that it ends before it starts.
        let start = range.start.min(self.len());
        let range = start..range.end.min(self.len()).max(start);
        match self {
            Opened::Disk { path, .. } => read_file(path, range).map(Cow::Owned),
            Opened::Remote(parts) => parts.read(range).map(Cow::Borrowed),
        }
    }
}

impl Source for &Opened {
    fn len(&self) -> u64 {
        Source::len(*self)
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        Source::read(*self, range)
    }
}

fn read_file(path: &std::path::Path, range: Range<u64>) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let mut bytes = vec![0; held(0, &range)?];
    file.read_exact_at(&mut bytes, range.start).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::other(CHANGED),
        _ => error,
    })?;
    Ok(bytes)
}

/// How long a range is, unless more would be held with it than should be.
fn held(already: u64, range: &Range<u64>) -> io::Result<usize> {
    let length = range.end - range.start;
    if already.saturating_add(length) > HELD {
        return Err(io::Error::other(format!("more than {HELD} bytes of it would be read for its metadata")));
    }
    Ok(length as usize)
}

impl Parts {
    fn read(&self, range: Range<u64>) -> io::Result<&[u8]> {
        if range.is_empty() {
            return Ok(&[]);
        }
        for (held, bytes) in &self.held {
            match bytes {
                Ok(bytes) if held.start <= range.start && range.end <= held.end => {
                    let place = (range.start - held.start) as usize..(range.end - held.start) as usize;
                    return Ok(&bytes[place]);
                }
                Err(message) if held.start <= range.start && range.start < held.end => {
                    return Err(io::Error::other(message.clone()));
                }
                _ => {}
            }
        }
        held(self.held.iter().map(|(held, _)| held.end - held.start).sum(), &range)?;
        self.missing.lock().unwrap_or_else(PoisonError::into_inner).push(self.widened(range));
        Err(io::ErrorKind::WouldBlock.into())
    }

    /// What follows will probably be asked for next: of a frame's end what stands before it.
    fn widened(&self, range: Range<u64>) -> Range<u64> {
        let size = self.found.as_ref().map_or(u64::MAX, |found| found.size);
        if range.start == 0 && range.end <= FIRST {
            return range;
        }
        if range.end == size {
            return range.start.min(size.saturating_sub(self.at_least))..range.end;
        }
        range.start..range.end.max(range.start.saturating_add(self.at_least)).min(size)
    }

    async fn get(&self, range: Range<u64>) -> Result<(Found, Bytes), String> {
        // A weak tag cannot be compared.
        let etag = self.found.as_ref().and_then(|found| found.etag.clone()).filter(|etag| !etag.starts_with("W/"));
        let whole = GetOptions { if_match: etag, ..GetOptions::default() };
        let part = GetOptions { range: Some(GetRange::Bounded(range.clone())), ..whole.clone() };
        let (got, has_ranges) = match self.store.get_opts(&self.path, part).await {
            Err(object_store::Error::NotSupported { .. }) => (self.store.get_opts(&self.path, whole).await, false),
            got => (got, true),
        };
        let got = got.map_err(|error| message(&error))?;
        let ObjectMeta { size, e_tag, last_modified, .. } = got.meta.clone();
        let wanted = self.found.as_ref().map_or(size, |found| found.size).min(range.end).saturating_sub(range.start);
        let bytes = if has_ranges { got.bytes().await } else { part_of(got, range.start, wanted).await };
        let bytes = bytes.map_err(|error| message(&error))?;
        if (bytes.len() as u64) < wanted {
            return Err(CHANGED.to_owned());
        }
        Ok((Found { size, etag: e_tag, modified: Some(last_modified.timestamp_micros()) }, bytes))
    }
}

/// Of a whole file so many bytes after those that are skipped. What comes after them is not waited for.
async fn part_of(got: GetResult, mut skipped: u64, wanted: u64) -> object_store::Result<Bytes> {
    let mut part = BytesMut::new();
    let mut pieces = got.into_stream();
    while (part.len() as u64) < wanted
        && let Some(mut piece) = pieces.try_next().await?
    {
        let before = skipped.min(piece.len() as u64);
        skipped -= before;
        piece.advance(before as usize);
        piece.truncate((wanted - part.len() as u64).min(piece.len() as u64) as usize);
        part.extend_from_slice(&piece);
    }
    Ok(part.freeze())
}

fn message(error: &object_store::Error) -> String {
    match error {
        object_store::Error::NotFound { .. } => "it is not there".to_owned(),
        object_store::Error::Precondition { .. } => CHANGED.to_owned(),
        error => error.to_string(),
    }
}
