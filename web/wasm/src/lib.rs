//! The two WebAssembly modules of the page. Each holds the pieces of files that the page has read, and answers questions with `b2nd-page`.
//! Without features, this crate compiles to the module that answers questions about metadata. With the feature `values`, it compiles to
//! the module that reads values.

mod pieces;
#[cfg(feature = "values")]
mod values;

use std::sync::Arc;

#[cfg(not(feature = "values"))]
use b2nd_page::MetadataReader as Asked;
#[cfg(feature = "values")]
use b2nd_page::ValueReader as Asked;
use wasm_bindgen::prelude::*;

use pieces::Files;

/// Missing ranges are joined if at most this many bytes are between them.
const GAP: u64 = if cfg!(feature = "values") { 4096 } else { 0 };

/// A file or a folder about which the page asks questions.
///
/// The answer of a method is valid if [`missing`](Module::missing) returns no ranges afterwards. If it returns ranges, the page fetches
/// their bytes, passes them to [`put`](Module::put) and calls the method again.
#[wasm_bindgen]
#[derive(Default)]
pub struct Module {
    name: String,
    files: Arc<Files>,
    asked: Option<Asked>,
}

#[wasm_bindgen]
impl Module {
    /// Creates an empty folder with this name, to which files are added.
    #[wasm_bindgen(constructor)]
    pub fn new(name: String) -> Module {
        Module { name, ..Module::default() }
    }

    /// Adds a file and its length in bytes. `path` is the path of the file in the folder, or an empty string for a single file.
    pub fn add(&mut self, path: String, length: f64) {
        Arc::make_mut(&mut self.files).add(path, length as u64);
    }

    /// Stores bytes that were missing. `file` is the index of the file.
    ///
    /// # Errors
    ///
    /// Fails if there is no file with this index. Usually also fails if the bytes contradict the length with which the file was added,
    /// for example because the file has changed.
    pub fn put(&self, file: usize, start: f64, end: f64, bytes: Vec<u8>) -> Result<(), JsError> {
        Ok(self.files.file(file)?.put(start as u64..end as u64, bytes)?)
    }

    /// Stores the reason why bytes cannot be fetched, so that calls that need these bytes report it.
    ///
    /// # Errors
    ///
    /// Fails if there is no file with this index.
    pub fn fail(&self, file: usize, start: f64, end: f64, why: String) -> Result<(), JsError> {
        self.files.file(file)?.fail(start as u64..end as u64, why);
        Ok(())
    }

    /// Returns the ranges that calls since the last call of `missing` needed but that are not stored, as a flat list: the index of the
    /// file, start, end, and so on. Ranges that are close together may be joined.
    pub fn missing(&self) -> Vec<f64> {
        self.files.missing(GAP)
    }

    /// Answers a question about a leaf of the store, or about the file itself if `leaf` is `None`. The question and the answer are JSON.
    ///
    /// # Errors
    ///
    /// Never fails: the list of files is in memory, and an error in a file is part of the answer.
    #[cfg(not(feature = "values"))]
    pub fn ask(&mut self, leaf: Option<usize>, question: &str) -> Result<String, JsError> {
        Ok(self.asked()?.ask(leaf, question))
    }
}

impl Module {
    fn asked(&mut self) -> Result<&mut Asked, JsError> {
        if self.asked.is_none() {
            self.asked = Some(Asked::new(self.files.place(&self.name)?));
        }
        self.asked.as_mut().ok_or_else(|| JsError::new("nothing is open"))
    }
}
