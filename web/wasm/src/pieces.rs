//! The files of a folder, of which only pieces are here.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use b2nd::frame::{Pieces, Source};
use b2nd::{Error, Result};
use b2nd_store::{Folder, chunk_file_name};

/// A file of which pieces are here: more come while an array reads it.
pub type Shared = Arc<RwLock<Pieces>>;

/// The files of a folder, or one file alone, whose name is then empty.
#[derive(Clone, Default)]
pub struct Files {
    /// In the order in which they were added.
    files: Vec<(Shared, u64)>,
    /// Their places in that order.
    names: BTreeMap<String, usize>,
}

impl Files {
    pub fn add(&mut self, path: String, length: u64) {
        self.names.insert(path, self.files.len());
        self.files.push((Arc::new(RwLock::new(Pieces::with_len(length))), length));
    }

    /// Puts in what was read of a file, which is named by its place.
    pub fn put(&self, file: usize, range: Range<u64>, bytes: Vec<u8>) -> Result<()> {
        self.change(file, |pieces| pieces.put(range, bytes))?
    }

    /// Notes why a range of a file cannot be read.
    #[cfg(feature = "values")]
    pub fn fail(&self, file: usize, range: Range<u64>, why: String) -> Result<()> {
        self.change(file, |pieces| pieces.fail(range, why))
    }

    fn change<T>(&self, file: usize, change: impl FnOnce(&mut Pieces) -> T) -> Result<T> {
        let (file, _) = self.files.get(file).ok_or_else(|| Error::custom("there is no such file"))?;
        Ok(change(&mut file.write().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Bytes that reads have lacked since the last call: the file's place, start, end; and again. Ranges with at most `gap` bytes between
    /// them are one.
    pub fn missing(&self, gap: u64) -> Vec<f64> {
        let take = |file: &Shared| RwLock::read(file).unwrap_or_else(PoisonError::into_inner).take_missing(gap);
        let files = self.files.iter().enumerate();
        let missing = files.flat_map(|(place, (file, _))| take(file).into_iter().map(move |range| (place, range)));
        missing.flat_map(|(file, range)| [file as f64, range.start as f64, range.end as f64]).collect()
    }

    /// Lets go of all pieces where they are more bytes than these.
    #[cfg(feature = "values")]
    pub fn forget(&self, most: u64) {
        let held = |(file, _): &(Shared, u64)| RwLock::read(file).unwrap_or_else(PoisonError::into_inner).held();
        if self.files.iter().map(held).sum::<u64>() > most {
            for (file, length) in &self.files {
                *file.write().unwrap_or_else(PoisonError::into_inner) = Pieces::with_len(*length);
            }
        }
    }

    pub fn get(&self, name: &str) -> Option<&Shared> {
        Some(&self.files.get(*self.names.get(name)?)?.0)
    }

    fn expect(&self, name: &str) -> Result<&Shared> {
        self.get(name).ok_or_else(|| Error::custom(format_args!("{name:?} is not in the folder")))
    }
}

impl Folder for Files {
    fn files(&self) -> Result<Vec<String>> {
        Ok(self.names.keys().cloned().collect())
    }

    fn open(&self, name: &str) -> Result<Box<dyn Source + '_>> {
        Ok(Box::new(&**self.expect(name)?))
    }
}

/// The frame file of a sparse frame's directory, with the files of its chunks beside it.
pub struct SparseFrame {
    pub frame: Shared,
    pub files: Arc<Files>,
}

impl Source for SparseFrame {
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
