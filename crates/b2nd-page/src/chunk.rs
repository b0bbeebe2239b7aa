//! Draws and describes the chunks of an array.

use b2nd::Grid;
use b2nd_frame::{Offset, Offsets, Result};
use b2nd_store::{Frame, chunk_file_name, readable};
use b2nd_view::picture::drawing::Drawing;
use serde::Serialize;

/// The intended maximum width and height of the drawing.
const SIZE: [f64; 2] = [720.0, 560.0];

/// The description of a chunk: its index, coordinates, elements and position.
#[derive(Serialize)]
pub(crate) struct Description {
    number: u64,
    coords: Vec<i64>,
    ranges: Vec<[i64; 2]>,
    /// The kind of the chunk, such as `zeros`, if it has no bytes in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    special: Option<String>,
    /// The range of bytes that contains the chunk, and unused bytes after it if there are any. `None` if the frame is sparse, or
    /// the chunk has no known place in it. The range
    /// is that in the frame, plus the frame's offset in the archive (see `store::start`).
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[u64; 2]>,
    /// The name of the chunk's own file, and the length of the chunk according to its header, if the frame is sparse.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<(String, u64)>,
}

pub(crate) fn picture(grid: &Grid, [rows, columns]: [i32; 2], first: &[i64], most: i64) -> Option<Drawing> {
    let axis = |axis: i32| usize::try_from(axis).ok().filter(|&axis| axis < grid.shape().len());
    Drawing::new(grid, [axis(rows), axis(columns)], first, Some(most), SIZE)
}

/// The maximum number of cells of an overview along an axis.
const CELLS: i64 = 256;

/// An overview of all chunks along two axes, with at most [`CELLS`] cells along each axis.
#[derive(Serialize)]
pub(crate) struct Overview {
    /// The number of rows and the number of columns.
    cells: [i64; 2],
    /// The number of chunks that a cell represents along each axis; the last cell may represent fewer. For each cell, `bytes` has the size
    /// of only the first of its chunks.
    step: [i64; 2],
    /// For each cell, row by row, the length of the range of the frame that contains the cell's first chunk, with unused bytes after it.
    /// The length is null if the chunk has no bytes, or if the frame is sparse.
    bytes: Vec<Option<u64>>,
}

/// Returns an overview of the chunks along two axes of the array. `axes` contains the axis of the rows and the axis of the columns; -1
/// means that the array has no such axis. `at` selects the chunks along all other axes by their coordinates, in chunks.
pub(crate) fn overview(grid: &Grid, offsets: &Offsets, [rows, columns]: [i32; 2], at: &[i64]) -> Option<Overview> {
    let per_axis = grid.chunks_per_dimension();
    let length = |axis: i32| usize::try_from(axis).ok().map_or(Some(1), |axis| per_axis.get(axis).copied());
    let lengths = [length(rows)?, length(columns)?];
    let steps = |length: i64, step: i64| (length + step - 1) / step;
    let step = lengths.map(|length| steps(length, CELLS).max(1));
    let cells = [0, 1].map(|axis| steps(lengths[axis], step[axis]));
    let mut at = at.to_vec();
    let mut bytes = Vec::new();
    for row in 0..cells[0] {
        for column in 0..cells[1] {
            for (axis, place) in [(rows, row * step[0]), (columns, column * step[1])] {
                if let Some(coordinate) = usize::try_from(axis).ok().and_then(|axis| at.get_mut(axis)) {
                    *coordinate = place;
                }
            }
            let range = grid.chunk_from_coords(&at).and_then(|number| offsets.range(number));
            bytes.push(range.map(|range| range.end - range.start));
        }
    }
    Some(Overview { cells, step, bytes })
}

/// Describes the chunk at the coordinates `at`, which count chunks. `start` is the offset of the frame in the archive (see
/// `store::start`).
pub(crate) fn describe(
    grid: &Grid,
    frame: &Frame,
    offsets: Option<&Offsets>,
    start: u64,
    at: &[i64],
) -> Result<Option<Description>> {
    let chunk = grid.chunk_from_coords(at).and_then(|number| Some((number, grid.chunk_extent(number)?)));
    let Some((number, extent)) = chunk else { return Ok(None) };
    let ranges = extent.iter().map(|range| [range.start, range.end]).collect();
    let mut description = Description { number, coords: at.to_vec(), ranges, special: None, range: None, file: None };
    if let Some(offsets) = offsets {
        match offsets.get(number) {
            Some(Offset::Special(special)) => description.special = Some(special.to_string()),
            Some(Offset::At(place)) => match offsets.range(number) {
                Some(range) => description.range = Some([start + range.start, start + range.end]),
                None => {
                    let header = readable(frame.chunk_header(number))?.ok();
                    description.file = header.map(|header| (chunk_file_name(place), header.cbytes() as u64));
                }
            },
            _ => {}
        }
    }
    Ok(Some(description))
}
