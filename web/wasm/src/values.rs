//! [`Values`]: reads slices of an array from pieces of files, and returns them as texts, numbers and pixels.

mod drawn;
mod opened;
mod seen;

use std::sync::Arc;

use b2nd_arrow::JsonCells;
use b2nd_frame::{Error, Result};
use b2nd_ndarray::Array;
use b2nd_store::Bytes;
use b2nd_view::elements::{self, Column, figures, reader};
use serde_json::json;
use wasm_bindgen::prelude::*;

use crate::answer::{answer, missing, to_json};
use crate::pieces::Files;
use drawn::Plane;
use seen::{GAP, Room, Seen, selection};

/// The maximum number of fetched bytes that are kept when another slice is viewed.
const KEPT: u64 = 128 << 20;

/// The maximum length in bytes of a file that [`Values::open_cells`] fetches as a whole.
const SHORT_FILE: u64 = 1 << 20;

/// The number of bins of a histogram.
const BINS: usize = 64;

/// An array that is viewed slice by slice.
///
/// The answer of a method is valid if [`missing`](Values::missing) returns no ranges afterwards. If it returns ranges, the page fetches
/// their bytes, passes them to [`put`](Values::put) and calls the method again.
#[wasm_bindgen]
#[derive(Default)]
pub struct Values {
    files: Arc<Files>,
    array: Option<Array>,
    /// The source of the bytes of the array's frame.
    source: Option<Bytes>,
    columns: Vec<Column>,
    /// The reader of the leaf that [`Values::open_cells`] opened, or `None` if no such leaf is open.
    cells: Option<JsonCells>,
    seen: Option<Seen>,
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
    pub fn put(&self, file: usize, start: f64, end: f64, bytes: Vec<u8>) -> std::result::Result<(), JsError> {
        Ok(self.files.file(file)?.put(start as u64..end as u64, bytes)?)
    }

    /// Stores the reason why bytes cannot be fetched, so that calls that need these bytes return it as their error.
    ///
    /// # Errors
    ///
    /// Fails if there is no file with this index.
    pub fn fail(&self, file: usize, start: f64, end: f64, why: String) -> std::result::Result<(), JsError> {
        self.files.file(file)?.fail(start as u64..end as u64, why);
        Ok(())
    }

    /// Returns the ranges that calls have needed since the last call of `missing`, as a flat list: the index of the file, start, end, and
    /// so on.
    pub fn missing(&self) -> Vec<f64> {
        self.files.missing(GAP)
    }

    /// Opens an array: the leaf of a store with this key, or the file itself if `key` is `None`. Returns a description with the shape, the
    /// chunkshape, the dtype and the columns.
    pub fn open(&mut self, key: Option<String>) -> String {
        let opened = opened::open(&self.files, key.as_deref()).map(|(source, array, columns)| {
            let text = opened::describe(&array, &columns).to_string();
            (self.source, self.array, self.columns, self.seen) = (Some(source), Some(array), columns, None);
            text
        });
        self.opened(key.as_deref(), opened)
    }

    /// Opens a leaf of a store that is an object array, a batch array or a list array.
    pub fn open_cells(&mut self, key: String) -> String {
        let source = opened::source(&self.files, Some(&key)).and_then(|source| {
            // A short file is fetched as a whole, not range by range.
            let length = source.len()?;
            if length <= SHORT_FILE {
                source.read(0..length)?;
            }
            Ok(source)
        });
        let opened = source.and_then(|source| {
            self.cells = Some(JsonCells::new(source).map_err(Error::custom)?);
            Ok("{}".to_owned())
        });
        self.opened(Some(&key), opened)
    }

    /// Returns the values in these ranges (start, end, start, end, …) of the leaf that [`open_cells`](Values::open_cells) opened, as a list
    /// of JSON texts.
    pub fn cells(&self, ranges: Vec<f64>) -> String {
        let ranges: Vec<_> = ranges.chunks_exact(2).map(|range| range[0] as u64..range[1] as u64).collect();
        let cells = self.cells.as_ref().ok_or_else(nothing);
        answer(cells.and_then(|cells| Ok(to_json(&cells.read(&ranges).map_err(Error::custom)?))))
    }

    /// Starts to view a slice, and chooses steps that leave out elements if necessary. `room` is the maximum number of elements along each
    /// of the `drawn` axes; if it is empty, no limits apply. With `square`, the steps along these axes grow by the same factor. `bytes` is
    /// the approximate maximum number of compressed bytes to read. Returns the shape, the steps and the numbers of chunks.
    pub fn begin(&mut self, start: Vec<f64>, end: Vec<f64>, drawn: Vec<u32>, room: Vec<f64>, square: bool, bytes: f64) -> String {
        let room = (!room.is_empty()).then_some(Room { drawn: &drawn, room: &room, square, bytes: bytes as u64 });
        self.look(&start, &end, &[], room)
    }

    /// Starts to view a slice with the given steps. Returns the shape, the steps and the numbers of chunks.
    pub fn slice(&mut self, start: Vec<f64>, end: Vec<f64>, step: Vec<f64>) -> String {
        self.look(&start, &end, &step, None)
    }

    /// Returns the bytes of the elements of the slice, in C order. The elements of damaged chunks are zeros.
    pub fn bytes(&self) -> Vec<u8> {
        self.seen.as_ref().map_or_else(Vec::new, |seen| seen.bytes.clone())
    }

    /// Requests the bytes that the slice needs, except those of long chunks of which few blocks are needed. Afterwards,
    /// [`missing`](Values::missing) returns their ranges.
    pub fn ask(&self) -> String {
        self.drawn(|array, seen| Ok(to_json(&seen.ask(array, self.source.as_ref().ok_or_else(nothing)?)?)))
    }

    /// Decompresses the next few million bytes of the slice. Returns how many chunks have been read so far, the errors of chunks that
    /// cannot be read, and the missing ranges of the next chunk.
    pub fn advance(&mut self) -> String {
        let (Some(array), Some(seen)) = (&self.array, &mut self.seen) else { return answer(Err(nothing())) };
        to_json(&seen.advance(array, &self.files))
    }

    /// Returns a plane of the slice as texts, row by row. `rows` and `columns` are the axes of the plane, or -1 for an axis that the array
    /// does not have. With `fields`, each field of a structure is a separate text. The texts of elements in damaged chunks are null.
    pub fn texts(&self, rows: i32, columns: i32, fields: bool) -> String {
        self.drawn(|array, seen| Ok(to_json(&drawn::texts(array, seen, Plane::new(seen, rows, columns), fields))))
    }

    /// Returns a plane of the slice as CSV. The arguments are those of [`texts`](Values::texts).
    pub fn csv(&self, rows: i32, columns: i32, fields: bool) -> String {
        self.drawn(|array, seen| Ok(drawn::csv(array, seen, Plane::new(seen, rows, columns), fields)))
    }

    /// Returns the text of an element of the slice, by its index in C order.
    pub fn text(&self, element: usize) -> String {
        self.drawn(|array, seen| Ok(to_json(&drawn::element(array, seen, element))))
    }

    /// Returns the numbers of a column (a field of the elements) in a plane of the slice, row by row. `rows` and `columns` are the axes of
    /// the plane. For complex numbers, `part` is 0 for the magnitude and 1 for the phase. The numbers of elements in damaged chunks are
    /// NaN.
    pub fn numbers(&self, rows: i32, columns: i32, column: usize, part: u8) -> Vec<f64> {
        let (Some(seen), Some(array), Some(column)) = (&self.seen, &self.array, self.columns.get(column)) else {
            return Vec::new();
        };
        drawn::numbers(array, seen, Plane::new(seen, rows, columns), column, part)
    }

    /// Returns a plane of the slice as an image, with four bytes (red, green, blue, alpha) for each pixel. The last axis of the slice
    /// contains the channels.
    pub fn image(&self, rows: i32, columns: i32) -> Vec<u8> {
        self.seen.as_ref().map_or_else(Vec::new, |seen| drawn::image(seen, &Plane::new(seen, rows, columns)))
    }

    /// Returns statistics of a column of the slice. Also returns a histogram of the numbers that [`numbers`](Values::numbers) returns, and
    /// the ends of their color scale. The ends are those of `range`, or of the numbers if `range` is empty.
    pub fn count(&self, rows: i32, columns: i32, column: usize, part: u8, range: Vec<f64>, log: bool) -> String {
        let Some(chosen) = self.columns.get(column) else { return answer(Err(nothing())) };
        let numbers = self.numbers(rows, columns, column, part);
        let scale = drawn::scale(&numbers, &range, log);
        self.drawn(|array, seen| {
            let tally = drawn::tally(array, seen, chosen);
            let figures: Vec<_> = figures(&tally, chosen.dtype.as_ref());
            Ok(json!({
                "count": tally.count, "nan": tally.nan, "zeros": tally.zeros, "figures": figures,
                "range": [scale.least(), scale.greatest()],
                "bins": b2nd_view::histogram::histogram_in(&numbers, BINS, scale),
                "labels": drawn::labels(chosen, &[scale.least(), scale.greatest()]),
            })
            .to_string())
        })
    }
}

impl Values {
    /// Converts the result of opening the leaf with this key to the answer of the call. An error because of a missing file is marked, since
    /// the page shows a table even if files of its columns are missing.
    fn opened(&self, key: Option<&str>, opened: Result<String>) -> String {
        match opened {
            Err(error) if key.is_some_and(|key| opened::is_missing(&self.files, key)) => missing(&error),
            opened => answer(opened),
        }
    }

    fn look(&mut self, start: &[f64], end: &[f64], step: &[f64], room: Option<Room>) -> String {
        self.files.forget(KEPT);
        let array = self.array.as_ref().ok_or_else(|| Error::custom("no array is open"));
        let seen = array.and_then(|array| Seen::new(array, selection(array, start, end, step), room));
        answer(seen.map(|seen| to_json(&self.seen.insert(seen).describe())))
    }

    fn drawn(&self, draw: impl FnOnce(&Array, &Seen) -> Result<String>) -> String {
        let opened = self.array.as_ref().zip(self.seen.as_ref()).ok_or_else(nothing);
        answer(opened.and_then(|(array, seen)| draw(array, seen)))
    }
}

/// Returns true if a column has exactly one number in each element, and can therefore be drawn.
fn is_drawable(column: &Column) -> bool {
    column.offsets.len() == 1 && column.dtype.as_ref().and_then(reader).is_some()
}

fn nothing() -> Error {
    Error::custom("no slice has been read")
}

/// Returns the text of an element. If its dtype is unknown, returns its bytes in hexadecimal digits.
fn text(dtype: Option<&b2nd::dtype::DType>, bytes: &[u8]) -> String {
    dtype.map_or_else(|| b2nd_view::text::hex(bytes, ""), |dtype| elements::text(dtype, bytes))
}
