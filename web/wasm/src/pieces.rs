//! [`Files`]: the files of a folder, whose bytes are fetched piece by piece.

use std::collections::BTreeMap;
use std::sync::Arc;

use b2nd_frame::{Error, Pieces, Result};
use b2nd_page::Shown;
use b2nd_store::{Bytes, Folder, LeftOut};

/// The files of a folder, or a single file, whose name is empty.
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
        self.files.get(index).map(|file| &**file).ok_or_else(|| Error::custom(format_args!("no file has the index {index}")))
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

    /// Creates a [`Shown`] for these files.
    pub fn place(self: &Arc<Self>, name: &str) -> Result<Arc<Shown>> {
        let place = match self.get("") {
            Some(file) => Shown::file(name, file.clone()),
            None => Shown::folder(name, self.clone())?,
        };
        Ok(Arc::new(place))
    }

    fn get(&self, name: &str) -> Option<&Arc<Pieces>> {
        self.files.get(*self.names.get(name)?)
    }
}

impl Folder for Files {
    fn contents(&self) -> Result<(Vec<String>, Vec<LeftOut>)> {
        Ok((self.names.keys().cloned().collect(), Vec::new()))
    }

    fn member(&self, name: &str) -> Result<Option<Bytes>> {
        Ok(self.get(name).map(|file| file.clone() as Bytes))
    }
}
