//! [`Seen`]: the slice that is viewed. The slice is decompressed chunk by chunk.

use b2nd_frame::{Error, Result, Source};
use b2nd_ndarray::{Array, Select};
use b2nd_view::slice::{ChunkPart, Selection};
use serde::Serialize;

use super::View;

/// The maximum number of uncompressed bytes of a slice.
const MOST: usize = 256 << 20;

/// The maximum number of chunks from which a slice is read.
const MOST_CHUNKS: u64 = 1 << 14;

/// The number of bytes of elements after which `ValueReader::advance` returns, so that the page can cancel.
pub(crate) const AT_ONCE: usize = 8 << 20;

/// The maximum compressed length in bytes of a chunk that is always fetched as a whole. Of a longer chunk, only the necessary blocks are
/// fetched, unless many blocks are necessary.
const SHORT: u64 = 256 << 10;

/// A slice, with the elements that have been decompressed so far.
pub(crate) struct Seen {
    pub selection: Selection,
    pub lengths: Vec<usize>,
    pub bytes: Vec<u8>,
    itemsize: usize,
    /// For each element, whether its chunk cannot be read. Empty if no chunk has failed so far.
    pub broken: Vec<bool>,
    parts: Vec<ChunkPart>,
    done: usize,
    mistakes: Vec<Mistake>,
    /// How many chunks the requested slice touches, and how many of them have to be read with the chosen steps.
    chunks: [u64; 2],
}

/// A chunk that cannot be read, and the elements of the slice that are therefore missing.
#[derive(Clone, Serialize)]
pub(crate) struct Mistake {
    message: String,
    /// The start and end of the missing elements along each axis, as coordinates in the array.
    elements: Vec<[i64; 2]>,
}

#[derive(Serialize)]
pub(crate) struct Progress<'a> {
    pub(crate) done: usize,
    pub(crate) of: usize,
    pub(crate) broken: &'a [Mistake],
    /// The ranges that are missing for the next chunk, as a flat list of file index, start and end.
    missing: Vec<f64>,
}

/// Selects the elements of a view, before `room` increases the steps.
fn selection(array: &Array, view: &View) -> Selection {
    let shape = array.grid().shape();
    let mut selection = Selection::whole(shape);
    for ((range, (&start, &end)), &length) in selection.ranges.iter_mut().zip(view.start.iter().zip(&view.end)).zip(shape) {
        range.start = start.clamp(0, length);
        range.end = end.clamp(range.start, length);
    }
    for (each, &step) in selection.steps.iter_mut().zip(&view.step) {
        *each = step.max(1);
    }
    selection
}

impl Seen {
    pub(crate) fn new(array: &Array, view: &View) -> Result<Seen> {
        let grid = array.grid();
        let mut selection = selection(array, view);
        let all = selection.touched(grid);
        if !view.room.is_empty() {
            let axes = view.drawn.iter().copied().zip(view.room.iter().copied());
            let (drawn, room): (Vec<usize>, Vec<i64>) = axes.filter(|&(axis, _)| axis < grid.shape().len()).unzip();
            // Estimate how many chunks fit in `budget` compressed bytes, assuming that all chunks have a similar length.
            let each = u64::try_from(array.header().cbytes()).unwrap_or(0).checked_div(grid.nchunks()).unwrap_or(0);
            let most = (view.budget / each.max(1)).clamp(1, 1024);
            selection.coarsen(grid, &drawn, &room, view.square, most);
        }
        let read = selection.touched(grid);
        if read > MOST_CHUNKS {
            return Err(Error::custom(format_args!(
                "the slice is in {read} chunks, but at most {MOST_CHUNKS} can be read at once"
            )));
        }
        let too_long = || Error::custom(format_args!("the slice is too large: at most {MOST} bytes can be read at once"));
        // Lengths may not fit the 32 bits of a `usize` on wasm32.
        let lengths: Option<Vec<usize>> = selection.lengths().iter().map(|&length| usize::try_from(length).ok()).collect();
        let lengths = lengths.ok_or_else(too_long)?;
        let size = lengths.iter().try_fold(array.itemsize(), |size, &length| size.checked_mul(length));
        let size = size.filter(|&size| size <= MOST).ok_or_else(too_long)?;
        let parts = selection.parts(grid).collect();
        Ok(Seen {
            selection,
            lengths,
            bytes: vec![0; size],
            itemsize: array.itemsize(),
            broken: Vec::new(),
            parts,
            done: 0,
            mistakes: Vec::new(),
            chunks: [all, read],
        })
    }

    pub(crate) fn describe(&self) -> serde_json::Value {
        serde_json::json!({ "shape": self.lengths, "steps": self.selection.steps, "chunks": self.chunks })
    }

    /// Makes the source record the missing ranges of all chunks that will be fetched as a whole, by trying to read them. These are short
    /// chunks, and chunks of which many blocks are needed.
    pub(crate) fn ask(&self, array: &Array, source: &dyn Source) -> Result<()> {
        for part in &self.parts[self.done..] {
            let ranges = array.byte_ranges(&part.ranges, 0).map_err(Error::custom)?;
            let length: u64 = ranges.iter().map(|range| range.end - range.start).sum();
            let blocks = u64::try_from(part.blocks).unwrap_or(u64::MAX);
            if length <= SHORT || blocks.saturating_mul(4) >= array.grid().blocks_per_chunk() || blocks > 16 {
                // The error is ignored, because the read has recorded the missing range.
                ranges.into_iter().for_each(|range| drop(source.read(range)));
            }
        }
        Ok(())
    }

    /// Decompresses the next chunks, until their elements in the slice have more than `most` bytes. Stops if bytes are missing.
    pub(crate) fn advance(&mut self, array: &Array, most: usize, mut ask: impl FnMut() -> Vec<f64>) -> Progress<'_> {
        let (mut decompressed, mut missing) = (0, Vec::new());
        while let Some(part) = self.parts.get(self.done).cloned() {
            match Select::steps(&part.ranges, &self.selection.steps).and_then(|steps| array.select_bytes(&steps)) {
                Ok(elements) => {
                    decompressed += elements.len();
                    self.place(&part, &elements);
                }
                Err(error) => {
                    missing = ask();
                    if !missing.is_empty() {
                        break;
                    }
                    self.mistake(&part, &error);
                }
            }
            self.done += 1;
            if decompressed > most {
                break;
            }
        }
        Progress { done: self.done, of: self.parts.len(), broken: &self.mistakes, missing }
    }

    /// Splits a part of a chunk into runs of elements that are consecutive in the slice. Returns the index in the slice's C order of the
    /// first element of each run, and the length that all runs have.
    fn runs(&self, part: &ChunkPart) -> (Vec<usize>, usize) {
        let axes = part.ranges.iter().zip(&self.selection.ranges).zip(&self.selection.steps).zip(&self.lengths);
        let mut runs = (vec![0], 1);
        for (axis, (((part, whole), &step), &length)) in axes.enumerate() {
            let place = |at: i64| usize::try_from((at - whole.start) / step.max(1)).unwrap_or(0);
            let places = place(part.start)..place(part.end - 1) + 1;
            runs = if axis + 1 == self.lengths.len() {
                (runs.0.iter().map(|start| start * length + places.start).collect(), places.len())
            } else {
                (runs.0.iter().flat_map(|start| places.clone().map(move |place| start * length + place)).collect(), 1)
            };
        }
        runs
    }

    fn place(&mut self, part: &ChunkPart, elements: &[u8]) {
        let (size, (starts, run)) = (self.itemsize, self.runs(part));
        for (start, items) in starts.into_iter().zip(elements.chunks((run * size).max(1))) {
            if let Some(place) = self.bytes.get_mut(start * size..start * size + items.len()) {
                place.copy_from_slice(items);
            }
        }
    }

    fn mistake(&mut self, part: &ChunkPart, error: &impl ToString) {
        self.broken.resize(self.lengths.iter().product(), false);
        let (starts, run) = self.runs(part);
        for start in starts {
            if let Some(place) = self.broken.get_mut(start..start + run) {
                place.fill(true);
            }
        }
        let elements = part.ranges.iter().map(|range| [range.start, range.end]).collect();
        self.mistakes.push(Mistake { message: error.to_string(), elements });
    }

    /// Returns the bytes of an element by its index in C order, or `None` if its chunk is damaged or there is no such element.
    pub(crate) fn element(&self, element: usize) -> Option<&[u8]> {
        let start = element.checked_mul(self.itemsize)?;
        let bytes = self.bytes.get(start..start.checked_add(self.itemsize)?)?;
        (self.broken.get(element) != Some(&true)).then_some(bytes)
    }
}
