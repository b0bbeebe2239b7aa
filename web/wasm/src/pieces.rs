//! [`Files`]: the files of a folder, whose bytes are fetched piece by piece.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use b2nd_frame::{Error, Pieces, Result, Source};
use b2nd_store::{Bytes, Folder, chunk_file_name};

/// The files of a folder, or a single file, which then has an empty name.
#[derive(Clone, Default)]
pub struct Files {
    /// The files, in the order in which they were added.
    files: Vec<Arc<Pieces>>,
    /// The index of each file by its name.
    names: BTreeMap<String, usize>,
}

impl Files {
    pub fn add(&mut self, path: String, length: u64) {
        self.names.insert(path, self.files.len());
        self.files.push(Arc::new(Pieces::with_len(length)));
    }

    /// Returns the file with this index.
    pub fn file(&self, index: usize) -> Result<&Pieces> {
        self.files.get(index).map(|file| &**file).ok_or_else(|| Error::custom("there is no such file"))
    }

    /// Returns the ranges that have not been fetched although reads have needed them since the last call of `missing`, as a flat list: the
    /// index of the file, start, end, and so on. Ranges with at most `gap` bytes between them are joined.
    pub fn missing(&self, gap: u64) -> Vec<f64> {
        let files = self.files.iter().enumerate();
        let missing = files.flat_map(|(index, file)| file.take_missing(gap).into_iter().map(move |range| (index, range)));
        missing.flat_map(|(file, range)| [file as f64, range.start as f64, range.end as f64]).collect()
    }

    /// Drops all fetched pieces if they have more than `most` bytes together.
    #[cfg(feature = "values")]
    pub fn forget(&self, most: u64) {
        if self.files.iter().map(|file| file.held()).sum::<u64>() > most {
            self.files.iter().for_each(|file| file.clear());
        }
    }

    pub fn get(&self, name: &str) -> Option<&Arc<Pieces>> {
        self.files.get(*self.names.get(name)?)
    }
}

impl Folder for Files {
    fn files(&self) -> Result<Vec<String>> {
        Ok(self.names.keys().cloned().collect())
    }

    fn member(&self, name: &str) -> Result<Option<Bytes>> {
        Ok(self.get(name).map(|file| file.clone() as Bytes))
    }
}

/// A sparse frame: the file that contains its header, index and trailer, and the files of its chunks in the same directory.
pub struct SparseFrame {
    pub frame: Arc<Pieces>,
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
        let file = self.files.open(&chunk_file_name(number))?;
        Ok(Cow::Owned(file.read(range)?.into_owned()))
    }
}
