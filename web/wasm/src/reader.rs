//! [`Reader`]: answers the page's requests for metadata with JSON.

use std::sync::Arc;

use b2nd::Grid;
use b2nd_frame::{Error, Offsets, Result, Source};
use b2nd_store::{Frame, Leaf, SPARSE_FRAME, Store, StoreListing};
use b2nd_view::colors::COLOR_MAPS;
use b2nd_view::facts::Facts;
use b2nd_view::{Array, json};
use wasm_bindgen::prelude::*;

use crate::answer::{answer, to_json};
use crate::pieces::{Files, SparseFrame};
use crate::{bytes, chunk, store};

/// A file or a folder that the page shows.
///
/// The answer of a method is valid if [`missing`](Reader::missing) returns no ranges afterwards. If it returns ranges, the page fetches
/// their bytes, passes them to [`put`](Reader::put) and calls the method again.
#[wasm_bindgen]
#[derive(Default)]
pub struct Reader {
    name: String,
    files: Arc<Files>,
    store: Option<(Store, StoreListing)>,
    /// The index of the selected leaf of the store, or `None` if the file itself is selected.
    leaf: Option<usize>,
    grid: Option<Grid>,
    offsets: Option<Offsets>,
    /// The offset of the frame in its file.
    start: u64,
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
    pub fn put(&self, file: usize, start: f64, end: f64, bytes: Vec<u8>) -> std::result::Result<(), JsError> {
        Ok(self.files.file(file)?.put(start as u64..end as u64, bytes)?)
    }

    /// Returns the ranges that calls have needed since the last call of `missing`, as a flat list: the index of the file, start, end, and
    /// so on.
    pub fn missing(&self) -> Vec<f64> {
        self.files.missing(0)
    }

    /// Describes a store and its leaves as `{"store": …, "leaves": […]}`. For anything else, returns `{"store": null}`; the metadata of a
    /// frame are not read yet.
    pub fn look(&mut self) -> String {
        let described = store::open(&self.name, &self.files).and_then(|store| {
            let Some(store) = store else { return Ok(r#"{"store":null}"#.to_owned()) };
            let (listing, text) = store::describe(&store)?;
            self.store = Some((store, listing));
            Ok(text)
        });
        answer(described)
    }

    /// Selects the frame for the following calls: a leaf of the store, or the file itself if `leaf` is `None`.
    pub fn choose(&mut self, leaf: Option<usize>) {
        self.leaf = leaf;
        (self.grid, self.offsets) = (None, None);
    }

    /// Returns the metadata of the frame, as the same object that `b2nd info --json` prints. Must be called before the methods about
    /// chunks.
    pub fn info(&mut self) -> String {
        let place = json::Place { path: &self.name, ..json::Place::default() };
        let place = match self.chosen() {
            Some((_, leaf)) => json::Place { key: Some(&leaf.key), member: leaf.member.as_deref(), offset: leaf.offset, ..place },
            None => place,
        };
        let found = self.frame(|frame, start| {
            let grid = Array::find(frame.header()).ok().flatten().and_then(|array| array.meta.geometry().grid().ok());
            let object = json::Object::new(frame, place, &json::Options::default())?;
            Ok((to_json(&object), grid, start))
        });
        answer(found.map(|(text, grid, start)| {
            (self.grid, self.start) = (grid, start);
            text
        }))
    }

    /// Returns the metadata of the frame as text: `{"array": [[label, text, field], …], "frame": […]}`.
    pub fn facts(&self) -> String {
        answer(self.frame(|frame, _| Ok(to_json(&Facts::of(frame.header())))))
    }

    /// Returns the annotated bytes of the header and the trailer, also for an invalid frame.
    pub fn bytes(&self) -> String {
        answer(self.source(|source, start| Ok(to_json(&bytes::parts(source, start)?))))
    }

    /// Reads the index, and returns the number of chunks as `{"chunks": …}`.
    pub fn index(&mut self) -> String {
        let offsets = self.frame(|frame, _| frame.offsets().cloned());
        answer(offsets.map(|offsets| format!(r#"{{"chunks":{}}}"#, self.offsets.insert(offsets).len())))
    }

    /// Returns the number of chunks along each axis, or null if there are no chunks to draw.
    pub fn grid(&self) -> String {
        to_json(&self.grid.as_ref().filter(|grid| grid.nchunks() != 0).map(Grid::chunks_per_dimension))
    }

    /// Draws chunks, starting with the chunk at the coordinates `first`: at most `most` chunks along each of two axes. `axes` contains the
    /// axis of the rows and the axis of the columns; -1 means that the array has no such axis.
    pub fn picture(&self, axes: Vec<i32>, first: Vec<f64>, most: u32) -> String {
        let Some(grid) = &self.grid else { return "null".to_owned() };
        to_json(&chunk::picture(grid, &axes, &integers(&first), most.into()))
    }

    /// Returns an overview of the compressed sizes of all chunks along two axes, or null if [`index`](Reader::index) has not been called.
    pub fn overview(&self, axes: Vec<i32>, at: Vec<f64>) -> String {
        let (Some(grid), Some(offsets)) = (&self.grid, &self.offsets) else { return "null".to_owned() };
        to_json(&chunk::overview(grid, offsets, &axes, &integers(&at)))
    }

    /// Describes the chunk at the coordinates `at`: its elements and, if [`index`](Reader::index) has been called, its position in the file
    /// or the value of all its elements.
    pub fn chunk(&self, at: Vec<f64>) -> String {
        let Some(grid) = &self.grid else { return "null".to_owned() };
        to_json(&chunk::describe(grid, self.offsets.as_ref(), self.start, &self.files, &integers(&at)))
    }
}

impl Reader {
    fn chosen(&self) -> Option<(&Store, &Leaf)> {
        let (store, listing) = self.store.as_ref()?;
        Some((store, listing.leaves.get(self.leaf?)?))
    }

    /// Calls `look` with the bytes of the selected frame, and with the offset of the frame in its file.
    fn source<T>(&self, look: impl FnOnce(&dyn Source, u64) -> Result<T>) -> Result<T> {
        if let Some(frame) = self.files.get(SPARSE_FRAME) {
            return look(&SparseFrame { frame: frame.clone(), files: self.files.clone() }, 0);
        }
        match self.chosen() {
            Some((store, leaf)) => look(&*leaf.open(store)?, store::start(leaf)),
            None => look(&**self.files.get("").ok_or_else(|| Error::custom("this folder has no Blosc2 frame and no store"))?, 0),
        }
    }

    fn frame<T>(&self, look: impl FnOnce(&Frame, u64) -> Result<T>) -> Result<T> {
        self.source(|source, start| look(&Frame::open(source)?, start))
    }
}

/// Returns the name and the colors of each color map.
#[wasm_bindgen]
pub fn color_maps() -> String {
    to_json(&COLOR_MAPS)
}

fn integers(numbers: &[f64]) -> Vec<i64> {
    numbers.iter().map(|&number| number as i64).collect()
}
