//! [`Values`]: reads slices of an array from pieces of files, and returns them as texts, numbers and pixels.

use std::sync::Arc;

use wasm_bindgen::prelude::*;

use b2nd_page::View;

use crate::pieces::Files;

/// Missing ranges are joined if at most this many bytes are between them.
const GAP: u64 = 4096;

/// The maximum number of fetched bytes that are kept when another slice is viewed.
const KEPT: u64 = 128 << 20;

/// An array that is viewed slice by slice.
///
/// The answer of a method is valid if [`missing`](Values::missing) returns no ranges afterwards. If it returns ranges, the page fetches
/// their bytes, passes them to [`put`](Values::put) and calls the method again.
#[wasm_bindgen]
#[derive(Default)]
pub struct Values {
    files: Arc<Files>,
    values: Option<b2nd_page::Values>,
    view: View,
}

#[wasm_bindgen]
impl Values {
    /// Creates an empty folder, to which files are added.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Values {
        Values::default()
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

    /// Stores the reason why bytes cannot be fetched, so that calls that need these bytes return it as their error.
    ///
    /// # Errors
    ///
    /// Fails if there is no file with this index.
    pub fn fail(&self, file: usize, start: f64, end: f64, why: String) -> Result<(), JsError> {
        self.files.file(file)?.fail(start as u64..end as u64, why);
        Ok(())
    }

    /// Returns the ranges that calls have needed since the last call of `missing`, as a flat list: the index of the file, start, end, and
    /// so on.
    pub fn missing(&self) -> Vec<f64> {
        self.files.missing(GAP)
    }

    /// Opens an array: the leaf of a store with this key, or the file itself if `key` is `None`. With `is_batches`, opens an object array, a
    /// batch array or a list array.
    ///
    /// # Errors
    ///
    /// Fails if the files of a folder cannot be listed.
    pub fn open(&mut self, key: Option<String>, is_batches: bool) -> Result<String, JsError> {
        if self.values.is_none() {
            self.values = Some(b2nd_page::Values::new(self.files.place("")?));
        }
        Ok(self.values.as_mut().map_or_else(String::new, |values| values.open(key.as_deref(), is_batches)))
    }

    /// Returns the values in these ranges (start, end, start, end, …) of the open batches, as a list of JSON texts.
    ///
    /// # Errors
    ///
    /// Fails if nothing is open. The same holds for the methods below.
    pub fn cells(&self, ranges: Vec<f64>) -> Result<String, JsError> {
        let ranges: Vec<u64> = ranges.into_iter().map(|place| place as u64).collect();
        Ok(self.opened()?.cells(&ranges))
    }

    /// Starts to view a slice. Returns the shape, the steps and the numbers of chunks. The arguments are fields of a
    /// [`View`](b2nd_page::View).
    #[allow(clippy::too_many_arguments)]
    pub fn begin(
        &mut self,
        start: Vec<f64>,
        end: Vec<f64>,
        step: Vec<f64>,
        drawn: Vec<usize>,
        room: Vec<f64>,
        square: bool,
        budget: f64,
    ) -> Result<String, JsError> {
        self.files.forget(KEPT);
        let [start, end, step, room] = [start, end, step, room].map(|list| list.into_iter().map(|each| each as i64).collect());
        self.view = View { start, end, step, drawn, room, square, budget: budget as u64, ..View::default() };
        Ok(self.values.as_mut().ok_or_else(nothing)?.begin(&self.view))
    }

    /// Requests the bytes that the slice needs, except those of long chunks of which few blocks are needed. Afterwards,
    /// [`missing`](Values::missing) returns their ranges.
    pub fn ask(&self) -> Result<String, JsError> {
        Ok(self.opened()?.ask())
    }

    /// Decompresses the next few million bytes of the slice. Returns how many chunks have been read so far, the errors of chunks that
    /// cannot be read, and the missing ranges of the next chunk.
    pub fn advance(&mut self) -> Result<String, JsError> {
        let files = &self.files;
        Ok(self.values.as_mut().ok_or_else(nothing)?.advance(|| files.missing(GAP)))
    }

    /// Returns the slice in the requested forms: JSON and buffers. The arguments are fields of a [`View`](b2nd_page::View).
    #[allow(clippy::too_many_arguments)]
    pub fn forms(
        &self,
        forms: Vec<String>,
        rows: i32,
        columns: i32,
        column: usize,
        part: u8,
        range: Vec<f64>,
        log: bool,
        fields: bool,
    ) -> Result<Vec<u8>, JsError> {
        let view = View { forms, rows, columns, column, part, range, log, fields, ..View::default() };
        Ok(self.opened()?.forms(&view))
    }

    /// Returns the text of an element of the slice, by its index in C order.
    pub fn text(&self, element: usize) -> Result<String, JsError> {
        Ok(self.opened()?.text(element))
    }
}

impl Values {
    fn opened(&self) -> Result<&b2nd_page::Values, JsError> {
        self.values.as_ref().ok_or_else(nothing)
    }
}

fn nothing() -> JsError {
    JsError::new("no array is open")
}
