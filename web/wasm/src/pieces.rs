//! Files of which only pieces are here.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use b2nd::{Error, Result};
use b2nd_view::Source;
use b2nd_view::store::Folder;

/// A file, and the pieces of it that were asked for.
#[derive(Default)]
pub struct Pieces {
    length: u64,
    /// By their first byte.
    pieces: BTreeMap<u64, Vec<u8>>,
    missing: RefCell<Vec<Range<u64>>>,
}

impl Pieces {
    pub fn new(length: u64) -> Pieces {
        Pieces { length, ..Pieces::default() }
    }

    /// The bytes of a range that was missing. Where there are fewer, the file has become shorter.
    pub fn put(&mut self, range: Range<u64>, bytes: Vec<u8>) {
        if (bytes.len() as u64) < range.end - range.start {
            self.length = self.length.min(range.start + bytes.len() as u64);
        }
        let longer = self.pieces.get(&range.start).is_none_or(|piece| piece.len() < bytes.len());
        if longer {
            self.pieces.insert(range.start, bytes);
        }
    }

    /// The ranges that were asked for and are not here.
    pub fn take_missing(&mut self) -> Vec<Range<u64>> {
        self.missing.take()
    }

    fn find(&self, range: &Range<u64>) -> Option<&[u8]> {
        self.pieces.range(..=range.start).rev().find_map(|(start, piece)| {
            let place = |at: u64| usize::try_from(at - start).ok();
            piece.get(place(range.start)?..place(range.end)?)
        })
    }
}

impl Source for Pieces {
    fn len(&self) -> u64 {
        self.length
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        let range = range.start.min(self.length)..range.end.min(self.length);
        if range.is_empty() {
            return Ok(Cow::Borrowed(&[]));
        }
        if let Some(bytes) = self.find(&range) {
            return Ok(Cow::Borrowed(bytes));
        }
        let mut missing = self.missing.borrow_mut();
        if !missing.contains(&range) {
            missing.push(range);
        }
        Err(io::ErrorKind::WouldBlock.into())
    }
}

/// The files of a folder, or one file alone, whose name is then empty.
#[derive(Default)]
pub struct Files {
    /// In the order in which they were added.
    pub files: Vec<Pieces>,
    /// Their places in that order.
    pub names: BTreeMap<String, usize>,
}

impl Files {
    pub fn get(&self, name: &str) -> Option<&Pieces> {
        self.files.get(*self.names.get(name)?)
    }
}

impl Folder for Files {
    fn files(&self) -> Result<Vec<String>> {
        Ok(self.names.keys().cloned().collect())
    }

    fn open(&self, name: &str) -> Result<Box<dyn Source + '_>> {
        match self.get(name) {
            Some(file) => Ok(Box::new(Of(file))),
            None => Err(Error::custom(format_args!("{name:?} is not in the folder"))),
        }
    }
}

/// A borrowed file.
struct Of<'a>(&'a Pieces);

impl Source for Of<'_> {
    fn len(&self) -> u64 {
        self.0.len()
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        self.0.read(range)
    }
}

/// The frame file of a sparse frame's directory, with the files of its chunks beside it.
pub struct SparseFrame<'a> {
    pub frame: &'a Pieces,
    pub files: &'a Files,
}

impl Source for SparseFrame<'_> {
    fn len(&self) -> u64 {
        self.frame.len()
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        self.frame.read(range)
    }

    fn chunk_file(&self, number: u64, length: usize) -> io::Result<Vec<u8>> {
        let name = b2nd_view::chunks::file_name(number);
        let file = self.files.get(&name).ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("there is no {name}")))?;
        Ok(file.read(0..length as u64)?.into_owned())
    }
}
