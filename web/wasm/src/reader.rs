//! [`Reader`]: answers the page's questions about metadata.

use std::sync::Arc;

use wasm_bindgen::prelude::*;

use crate::pieces::Files;

/// A file or a folder that the page shows.
///
/// The answer of [`ask`](Reader::ask) is valid if [`missing`](Reader::missing) returns no ranges afterwards. If it returns ranges, the page
/// fetches their bytes, passes them to [`put`](Reader::put) and asks again.
#[wasm_bindgen]
#[derive(Default)]
pub struct Reader {
    name: String,
    files: Arc<Files>,
    reader: Option<b2nd_page::Reader>,
}

#[wasm_bindgen]
impl Reader {
    /// Creates a reader for a file or folder with this name.
    #[wasm_bindgen(constructor)]
    pub fn new(name: String) -> Reader {
        Reader { name, ..Reader::default() }
    }

    /// Adds a file and its length in bytes. `path` is the path of the file in the folder, or an empty string for a single file.
    pub fn add(&mut self, path: String, length: f64) {
        Arc::make_mut(&mut self.files).add(path, length as u64);
    }

    /// Stores bytes that were missing. `file` is the index of the file.
    ///
    /// # Errors
    ///
    /// Fails if the bytes contradict the length with which the file was added, which means that the file has changed.
    pub fn put(&self, file: usize, start: f64, end: f64, bytes: Vec<u8>) -> Result<(), JsError> {
        Ok(self.files.file(file)?.put(start as u64..end as u64, bytes)?)
    }

    /// Returns the ranges that calls have needed since the last call of `missing`, as a flat list: the index of the file, start, end, and
    /// so on.
    pub fn missing(&self) -> Vec<f64> {
        self.files.missing(0)
    }

    /// Answers a question, by its name and its numbers, about a leaf of the store, or about the file itself if `leaf` is `None`.
    ///
    /// # Errors
    ///
    /// Fails if the files of a folder cannot be listed.
    pub fn ask(&mut self, leaf: Option<usize>, name: &str, numbers: &[f64]) -> Result<String, JsError> {
        if self.reader.is_none() {
            self.reader = Some(b2nd_page::Reader::new(self.files.place(&self.name)?));
        }
        Ok(self.reader.as_mut().map_or_else(String::new, |reader| reader.ask(leaf, name, numbers)))
    }
}
