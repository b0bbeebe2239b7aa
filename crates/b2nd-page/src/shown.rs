//! [`Shown`]: the file or the folder that the page shows.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use b2nd_frame::{Error, Result, Source};
use b2nd_store::{Bytes, Folder, Frame, Kind, SPARSE_FRAME, Store, Target, chunk_file_name, is_of_source};
#[cfg(feature = "values")]
use b2nd_store::{Leaf, find};

/// The file or the folder that the page shows. A store is opened when it is first needed, and stays open.
pub struct Shown {
    name: String,
    what: What,
    store: OnceLock<Option<Store>>,
}

enum What {
    File(Bytes),
    Folder(Arc<dyn Folder + Send + Sync>),
}

impl Shown {
    /// Creates a `Shown` for a file, or for a leaf of a store, whose bytes are `file`.
    pub fn file(name: impl Into<String>, file: Bytes) -> Shown {
        Shown { name: name.into(), what: What::File(file), store: OnceLock::new() }
    }

    /// Creates a `Shown` for a folder: a store, or the directory of a sparse frame.
    ///
    /// # Errors
    ///
    /// Fails if the file of a sparse frame in the folder cannot be opened.
    pub fn folder(name: impl Into<String>, folder: Arc<dyn Folder + Send + Sync>) -> Result<Shown> {
        let what = match folder.member(SPARSE_FRAME)? {
            Some(frame) => What::File(Arc::new(SparseFrame { frame, folder })),
            None => What::Folder(folder),
        };
        Ok(Shown { name: name.into(), what, store: OnceLock::new() })
    }

    /// Returns the name of the file or the folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the open store, or `None` if this is not a store. Invalid frames are not stores.
    pub(crate) fn store(&self) -> Result<Option<&Store>> {
        if self.store.get().is_none() {
            let store = match &self.what {
                What::Folder(folder) => Some(Store::from_folder(self.name.as_str(), folder.clone())),
                What::File(file) => match Store::of_folder(&self.name, &Target::File(file.clone()))? {
                    Some(store) => Some(store),
                    None if is_embedded(file)? => Some(Store::from_source(self.name.as_str(), file.clone())?),
                    None => None,
                },
            };
            let _ = self.store.set(store);
        }
        Ok(self.store.get().and_then(Option::as_ref))
    }

    /// Opens the file itself, or the leaf of the store with this key.
    pub(crate) fn source(&self, key: Option<&str>) -> Result<Bytes> {
        match (&self.what, key) {
            (What::File(file), None) => Ok(file.clone()),
            (What::Folder(_), None) => Err(Error::custom("this folder is not a Blosc2 frame")),
            (_, Some(key)) => self.store()?.ok_or_else(|| Error::custom("this is not a store"))?.leaf(key),
        }
    }

    /// Returns true if the store can be listed, but has no leaf with this key or does not contain the leaf's file.
    #[cfg(feature = "values")]
    pub(crate) fn is_missing(&self, key: &str) -> bool {
        let Ok(Some(store)) = self.store() else { return false };
        let (Err(error), Ok(listing)) = (store.leaf(key), store.list()) else { return false };
        let is_absent = |leaf: Leaf| leaf.member.is_some_and(|member| matches!(store.member(&member), Ok(None)));
        !is_of_source(&error) && find(&listing.leaves, store, key).map_or(true, is_absent)
    }
}

/// Returns true if a file is the frame of an `EmbedStore`. If it is not a valid frame, the error is shown later, together with the bytes.
fn is_embedded(file: &Bytes) -> Result<bool> {
    match Frame::open(&**file) {
        Ok(frame) => Ok(Kind::of(frame.header(), None) == Kind::EmbedStore),
        Err(error) if is_of_source(&error) => Err(error),
        Err(_) => Ok(false),
    }
}

/// A sparse frame: the file that contains its header, index and trailer, and the files of its chunks in the same directory.
struct SparseFrame {
    frame: Bytes,
    folder: Arc<dyn Folder + Send + Sync>,
}

impl Source for SparseFrame {
    fn len(&self) -> Result<u64> {
        self.frame.len()
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        self.frame.read(range)
    }

    fn chunk_file(&self, number: u64, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let file = self.folder.open(&chunk_file_name(number))?;
        Ok(Cow::Owned(file.read(range)?.into_owned()))
    }
}
