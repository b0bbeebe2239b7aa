//! [`ValueReader`]: reads slices of an array, and returns them as bytes, strings, numbers and pixels. Also reads the
//! values of object arrays, batch arrays and list arrays.

mod drawn;
mod opened;
mod seen;

use std::sync::Arc;

use b2nd_arrow::JsonCells;
use b2nd_frame::{Error, Result};
use b2nd_ndarray::Array;
use b2nd_store::Bytes;
use b2nd_view::elements::{self, Column, figures};
use b2nd_view::histogram::{Scale, histogram_in};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::{answer, parse, problem, to_json};
use crate::shown::Shown;
use drawn::Plane;
use seen::{AT_ONCE, Seen};

/// The maximum length in bytes of a file of batches that is fetched as a whole.
const SHORT_FILE: u64 = 1 << 20;

/// The number of bins of a histogram.
const BINS: usize = 64;

/// The approximate maximum number of bytes of the numbers, strings and pixels of a slice together.
const MOST: usize = 256 << 20;

/// The approximate number of bytes of memory that an element takes as text.
const TEXT: usize = 128;

/// The maximum number of values in batches that are read at once.
const CELLS: u64 = 1 << 20;

/// The slice that is viewed, and the forms in which it is requested.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct View {
    /// The first element along each axis.
    pub start: Vec<i64>,
    /// The end of the elements along each axis.
    pub end: Vec<i64>,
    /// Every `step`th of these elements is read along each axis; every one if `step` is empty. `room` can increase the steps.
    pub step: Vec<i64>,
    /// The axes that are drawn.
    pub drawn: Vec<usize>,
    /// The maximum number of elements along each of the `drawn` axes. If it is empty, the steps are not increased.
    pub room: Vec<i64>,
    /// Whether `room` increases the steps along the `drawn` axes by the same factor.
    pub square: bool,
    /// If `room` is not empty, steps along the `drawn` axes are increased until at most about this number of compressed bytes is read, as
    /// far as that is possible.
    pub budget: u64,
    /// The axis of the plane's rows, or -1 if there is none.
    pub rows: i32,
    /// The axis of the plane's columns, or -1 if there is none.
    pub columns: i32,
    /// The index of the column (a field of the elements) for the forms `numbers` and `count`.
    pub column: usize,
    /// For complex numbers, 0 for the magnitude and 1 for the phase.
    pub part: u8,
    /// The ends of the color scale. If it is empty, they are determined from the numbers.
    pub range: Vec<f64>,
    /// Whether the color scale is logarithmic.
    pub log: bool,
    /// Whether each field of a structure is a separate string.
    pub fields: bool,
    /// What is returned:
    ///
    /// * `bytes`: the bytes of the elements, in C order. The elements of damaged chunks are zeros.
    /// * `numbers`: the numbers of a column in the plane, row by row, as little-endian f64. The numbers of elements in damaged chunks are
    ///   NaN.
    /// * `image`: the plane as an image, with four bytes (red, green, blue, alpha) for each pixel. The last axis contains the channels.
    /// * `texts`: the plane as strings, row by row. Elements in damaged chunks are null.
    /// * `csv`: the plane as CSV.
    /// * `count`: statistics of a column of the slice, a histogram of its numbers in the plane, and the ends of their color scale.
    pub forms: Vec<String>,
}

/// An array that is viewed slice by slice, or a file of batches.
pub struct ValueReader {
    place: Arc<Shown>,
    array: Option<Array>,
    /// The source of the bytes of the array's frame.
    source: Option<Bytes>,
    columns: Vec<Column>,
    cells: Option<JsonCells>,
    seen: Option<Seen>,
}

impl ValueReader {
    /// Creates a reader. Nothing is read yet.
    #[must_use]
    pub fn new(place: Arc<Shown>) -> ValueReader {
        ValueReader { place, array: None, source: None, columns: Vec::new(), cells: None, seen: None }
    }

    /// Opens an array: the leaf of a store with this key, or the file itself if `key` is `None`. Returns a description with the shape, the
    /// chunkshape, the dtype and the columns. With `is_batches`, opens an object array, a batch array or a list array, and returns `{}`.
    ///
    /// An error because of a missing file is marked, since the page shows a table even if files of its columns are missing.
    pub fn open(&mut self, key: Option<&str>, is_batches: bool) -> String {
        match self.opened(key, is_batches) {
            Err(error) if key.is_some_and(|key| self.place.is_missing(key)) => problem(&error, Some("missing")),
            opened => answer(opened),
        }
    }

    pub(crate) fn opened(&mut self, key: Option<&str>, is_batches: bool) -> Result<String> {
        let source = self.place.source(key)?;
        self.seen = None;
        if is_batches {
            // A short file is fetched as a whole, not range by range.
            let length = source.len()?;
            if length <= SHORT_FILE {
                source.read(0..length)?;
            }
            self.cells = Some(JsonCells::new(source).map_err(Error::custom)?);
            return Ok("{}".to_owned());
        }
        let (array, columns) = opened::open(&source)?;
        let text = opened::describe(&array, &columns).to_string();
        (self.source, self.array, self.columns) = (Some(source), Some(array), columns);
        Ok(text)
    }

    /// Returns the values in these ranges (start, end, start, end, …) of the open batches, as a JSON list of strings, each of which is one
    /// value as JSON.
    pub fn cells(&self, ranges: &[u64]) -> String {
        let ranges: Vec<_> = ranges.chunks_exact(2).map(|range| range[0]..range[1]).collect();
        let count = ranges.iter().fold(0_u64, |count, range| count.saturating_add(range.end.saturating_sub(range.start)));
        if count > CELLS {
            return answer(Err(Error::custom(format_args!("{count} cells are too many: at most {CELLS} can be read at once"))));
        }
        let cells = self.cells.as_ref().ok_or_else(nothing);
        answer(cells.and_then(|cells| Ok(to_json(&cells.read(&ranges).map_err(Error::custom)?))))
    }

    /// Starts to view a slice, which is a [`View`] in JSON, and chooses steps that leave out elements if necessary. Returns the shape, the
    /// steps, and the numbers of chunks that the slice covers and that have to be read.
    pub fn begin(&mut self, view: &str) -> String {
        answer(parse(view.as_bytes()).and_then(|view| Ok(self.begun(&view)?.to_string())))
    }

    pub(crate) fn begun(&mut self, view: &View) -> Result<Value> {
        let array = self.array.as_ref().ok_or_else(nothing)?;
        Ok(self.seen.insert(Seen::new(array, view)?).describe())
    }

    /// Reads the bytes that the slice needs, except those of long chunks of which few blocks are needed, so that a source that lacks them
    /// records their ranges.
    pub fn ask(&self) -> String {
        let source = self.source.as_ref().ok_or_else(nothing);
        answer(self.current().and_then(|(array, seen)| Ok(to_json(&seen.ask(array, &**source?)?))))
    }

    /// Decompresses the next chunks of the slice. Returns how many chunks have been read so far, the errors of chunks that
    /// cannot be read, and the ranges of the next chunk that are `missing`.
    pub fn advance(&mut self, missing: impl FnMut() -> Vec<f64>) -> String {
        let (Some(array), Some(seen)) = (&self.array, &mut self.seen) else { return answer(Err(nothing())) };
        to_json(&seen.advance(array, AT_ONCE, missing))
    }

    /// Decompresses the whole slice. Returns the errors of chunks that cannot be read, or `None` if `goes_on` returned false or no
    /// slice is viewed.
    pub(crate) fn read(&mut self, goes_on: &dyn Fn() -> bool) -> Option<Value> {
        let (Some(array), Some(seen)) = (&self.array, &mut self.seen) else { return None };
        while goes_on() {
            let progress = seen.advance(array, 0, Vec::new);
            if progress.done == progress.of {
                return Some(json!(progress.broken));
            }
        }
        None
    }

    /// Returns the slice in the forms that the view requests: the length of a JSON text as little-endian u32, the JSON text, and the
    /// buffers that it lists as pairs of a name and a length in bytes.
    pub fn forms(&self, view: &str) -> Vec<u8> {
        framed(parse(view.as_bytes()).and_then(|view| self.formed(json!({}), &view)))
    }

    /// Adds the requested forms to `answer`. Also returns the buffers.
    pub(crate) fn formed(&self, mut answer: Value, view: &View) -> Result<(Value, Vec<u8>)> {
        let (array, seen) = self.current()?;
        let plane = Plane::new(seen, view.rows, view.columns);
        let (mut buffers, mut names, mut total) = (Vec::new(), Vec::new(), 0_usize);
        let fields = array.dtype().map_or(1, |dtype| dtype.fields().len()).max(1);
        for (nth, form) in view.forms.iter().enumerate() {
            if view.forms[..nth].contains(form) {
                return Err(Error::custom(format_args!("the page requests the form {form:?} twice: load the page again")));
            }
            let each = match form.as_str() {
                "bytes" => 0,
                "texts" | "csv" if view.fields => TEXT.saturating_mul(fields),
                "texts" | "csv" => TEXT,
                _ => size_of::<f64>(),
            };
            total = total.saturating_add(plane.rows.saturating_mul(plane.columns).saturating_mul(each));
            // A plane without columns may still have too many rows.
            if total.max(plane.rows).max(plane.columns) > MOST {
                return Err(Error::custom("the selection is too large to be shown at once: select a smaller one"));
            }
            let mut add = |name: &str, bytes: &[u8]| {
                names.push(json!([name, bytes.len()]));
                buffers.extend_from_slice(bytes);
            };
            match form.as_str() {
                "bytes" => add("bytes", &seen.bytes),
                "numbers" => {
                    let numbers = self.numbers(seen, plane, view);
                    add("numbers", &numbers.into_iter().flat_map(f64::to_le_bytes).collect::<Vec<u8>>());
                }
                "image" => add("pixels", &drawn::image(seen, &plane)),
                "texts" => answer["texts"] = json!(drawn::texts(array, seen, plane, view.fields)),
                "csv" => answer["csv"] = json!(drawn::csv(array, seen, plane, view.fields)),
                "count" => answer["count"] = self.count(array, seen, plane, view)?,
                other => return Err(Error::custom(format!("the page requests the unknown form {other:?}: load the page again"))),
            }
        }
        answer["buffers"] = Value::Array(names);
        Ok((answer, buffers))
    }

    /// Returns the text of an element of the slice as JSON, by its index in C order.
    pub fn text(&self, element: usize) -> String {
        answer(self.current().map(|(array, seen)| to_json(&seen.element(element).map(|bytes| text(array.dtype(), bytes)))))
    }

    fn numbers(&self, seen: &Seen, plane: Plane, view: &View) -> Vec<f64> {
        let column = self.columns.get(view.column);
        column.map_or_else(Vec::new, |column| drawn::numbers(seen, plane, column, view.part))
    }

    fn count(&self, array: &Array, seen: &Seen, plane: Plane, view: &View) -> Result<Value> {
        let chosen = self.columns.get(view.column).ok_or_else(|| Error::custom("no such column: load the page again"))?;
        let numbers = self.numbers(seen, plane, view);
        let scale = match *view.range {
            [least, greatest] => Scale::new(least, greatest, view.log),
            _ => Scale::of(&numbers, view.log),
        };
        let tally = drawn::tally(array, seen, chosen);
        let figures: Vec<_> = figures(&tally, chosen.dtype.as_ref());
        Ok(json!({
            "count": tally.count, "nan": tally.nan, "zeros": tally.zeros, "figures": figures,
            "range": [scale.least(), scale.greatest()],
            "bins": histogram_in(&numbers, BINS, scale),
            "labels": drawn::labels(chosen, &[scale.least(), scale.greatest()]),
        }))
    }

    fn current(&self) -> Result<(&Array, &Seen)> {
        self.array.as_ref().zip(self.seen.as_ref()).ok_or_else(nothing)
    }
}

/// Joins an answer and its buffers, as [`ValueReader::forms`] describes. An error has no buffers.
pub(crate) fn framed(formed: Result<(Value, Vec<u8>)>) -> Vec<u8> {
    let (text, buffers) = match formed {
        Ok((value, buffers)) => (value.to_string(), buffers),
        Err(error) => (answer(Err(error)), Vec::new()),
    };
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    [&length.to_le_bytes(), text.as_bytes(), &buffers].concat()
}

fn nothing() -> Error {
    Error::custom("nothing is open or selected: load the page again")
}

/// Returns the text of an element. If its dtype is unknown, returns its bytes in hexadecimal digits.
fn text(dtype: Option<&b2nd::dtype::DType>, bytes: &[u8]) -> String {
    dtype.map_or_else(|| b2nd_view::text::hex(bytes, ""), |dtype| elements::text(dtype, bytes))
}
