//! [`Opened`]: a file as a source of bytes.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use b2nd_view::Source;
use bytes::Bytes;
use futures::TryFutureExt;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore};

use crate::listing::micros;
use crate::place::Object;
use crate::row::Row;

/// How much is read first. 99.8% of known headers fit.
const FIRST: u64 = 4096;

/// More bytes of a file than these are not held for its rows.
const HELD: u64 = 1 << 28;

/// A file on a disk, or the parts of a remote one that were fetched.
pub(super) enum Opened {
    Disk { file: io::Result<File>, size: u64, modified: Option<i64> },
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
        let file = File::open(path);
        let (size, modified) = match (size, &file) {
            (None, Ok(file)) => file.metadata().map_or((0, None), |found| (found.len(), micros(&found))),
            (size, _) => (size.unwrap_or(0), None),
        };
        Opened::Disk { file, size, modified }
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
        let fetched = futures::future::join_all(missing.iter().map(|range| parts.get(range.clone()))).await;
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
            Opened::Disk { file: Ok(file), .. } => read_file(file, range).map(Cow::Owned),
            Opened::Disk { file: Err(error), .. } => Err(io::Error::new(error.kind(), error.to_string())),
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

fn read_file(mut file: &File, range: Range<u64>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity((range.end - range.start).min(FIRST) as usize);
    file.seek(SeekFrom::Start(range.start))?;
    file.take(range.end - range.start).read_to_end(&mut bytes)?;
    Ok(bytes)
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
        let held: u64 = self.held.iter().map(|(held, _)| held.end - held.start).sum();
        if held.saturating_add(range.end - range.start) > HELD {
            return Err(io::Error::other(format!("more than {HELD} bytes of it would be read for its metadata")));
        }
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
        let options = GetOptions { range: Some(GetRange::Bounded(range)), if_match: etag, ..GetOptions::default() };
        let got = self.store.get_opts(&self.path, options).map_err(|error| message(&error)).await?;
        let ObjectMeta { size, e_tag, last_modified, .. } = got.meta.clone();
        let bytes = got.bytes().map_err(|error| message(&error)).await?;
        Ok((Found { size, etag: e_tag, modified: Some(last_modified.timestamp_micros()) }, bytes))
    }
}

fn message(error: &object_store::Error) -> String {
    match error {
        object_store::Error::NotFound { .. } => "it is not there".to_owned(),
        object_store::Error::Precondition { .. } => "it was changed meanwhile".to_owned(),
        error => error.to_string(),
    }
}
