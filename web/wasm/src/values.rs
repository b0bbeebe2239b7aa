//! Reads slices of an array and cells of batches from pieces of files.

use wasm_bindgen::prelude::*;

use crate::{GAP, Module};

/// The maximum number of fetched bytes that are kept when another slice is viewed.
const KEPT: u64 = 128 << 20;

#[wasm_bindgen]
impl Module {
    /// Opens an array: the leaf of a store with this key, or the file itself if `key` is `None`. With `is_batches`, opens an object array,
    /// a batch array or a list array.
    ///
    /// # Errors
    ///
    /// Never fails: the list of files is in memory, and an error in a file is part of the answer. The same holds for the methods below.
    pub fn open(&mut self, key: Option<String>, is_batches: bool) -> Result<String, JsError> {
        Ok(self.asked()?.open(key.as_deref(), is_batches))
    }

    /// Returns the values in these ranges (start, end, start, end, …) of the open batches, as a JSON list of strings, each of which is one
    /// value as JSON.
    pub fn cells(&mut self, ranges: Vec<f64>) -> Result<String, JsError> {
        let ranges: Vec<u64> = ranges.into_iter().map(|place| place as u64).collect();
        Ok(self.asked()?.cells(&ranges))
    }

    /// Starts to view a slice, which is a [`View`](b2nd_page::View) in JSON. Returns the shape, the steps and the numbers of chunks.
    pub fn begin(&mut self, view: &str) -> Result<String, JsError> {
        self.files.forget(KEPT);
        Ok(self.asked()?.begin(view))
    }

    /// Requests the bytes that the slice needs, except those of long chunks of which few blocks are needed. Afterwards,
    /// [`missing`](Module::missing) returns the ranges of the bytes that have not been fetched.
    pub fn ask(&mut self) -> Result<String, JsError> {
        Ok(self.asked()?.ask())
    }

    /// Decompresses the next chunks of the slice. Returns how many chunks are finished, with or without an error, the errors of chunks that
    /// cannot be read, and the missing ranges of the next chunk.
    pub fn advance(&mut self) -> Result<String, JsError> {
        let files = self.files.clone();
        Ok(self.asked()?.advance(|| files.missing(GAP)))
    }

    /// Returns the slice in the forms that a [`View`](b2nd_page::View) in JSON requests: JSON and buffers.
    pub fn forms(&mut self, view: &str) -> Result<Vec<u8>, JsError> {
        Ok(self.asked()?.forms(view))
    }

    /// Returns the text of an element of the slice, by its index in C order.
    pub fn text(&mut self, element: usize) -> Result<String, JsError> {
        Ok(self.asked()?.text(element))
    }
}
