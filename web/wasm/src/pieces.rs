//! The files of a folder, of which only pieces are here.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use b2nd::frame::{Pieces, Source};
use b2nd::{Error, Result};
use b2nd_store::{Folder, chunk_file_name};

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

    fn expect(&self, name: &str) -> Result<&Pieces> {
        self.get(name).ok_or_else(|| Error::custom(format_args!("{name:?} is not in the folder")))
    }
}

impl Folder for Files {
    fn files(&self) -> Result<Vec<String>> {
        Ok(self.names.keys().cloned().collect())
    }

    fn open(&self, name: &str) -> Result<Box<dyn Source + '_>> {
        Ok(Box::new(self.expect(name)?))
    }
}

/// The frame file of a sparse frame's directory, with the files of its chunks beside it.
pub struct SparseFrame<'a> {
    pub frame: &'a Pieces,
    pub files: &'a Files,
}

impl Source for SparseFrame<'_> {
    fn len(&self) -> Result<u64> {
        self.frame.len()
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        self.frame.read(range)
    }

    fn chunk_file(&self, number: u64, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        self.files.expect(&chunk_file_name(number))?.read(range)
    }
}
