//! Chunks: a picture of them, and the description of one.

use b2nd::Grid;
use b2nd::frame::{Offset, Offsets, Source};
use b2nd_store::chunk_file_name;
use b2nd_view::picture::drawing::Drawing;
use b2nd_view::picture::window::Window;
use serde::Serialize;

use crate::pieces::Files;

/// The size of the picture.
const SIZE: [f64; 2] = [720.0, 560.0];

/// The number, coordinates, elements and position of a chunk.
#[derive(Serialize)]
pub struct Description {
    number: u64,
    coords: Vec<i64>,
    ranges: Vec<[i64; 2]>,
    /// The value of all its elements, if it has no bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    special: Option<String>,
    /// The range in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[u64; 2]>,
    /// The file of the chunk, and its length.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<(String, u64)>,
}

pub fn picture(grid: &Grid, axes: &[i32], first: &[i64], most: i64) -> Option<Drawing> {
    let &[rows, columns] = axes else { return None };
    let axis = |axis: i32| usize::try_from(axis).ok().filter(|&axis| axis < grid.shape().len());
    let window = Window { axes: [axis(rows), axis(columns)], first: first.to_vec(), most };
    window.draw(grid, SIZE)
}

/// The limit of cells of an overview along an axis.
const CELLS: i64 = 256;

/// All chunks along two axes, in at most [`CELLS`] by [`CELLS`] cells.
#[derive(Serialize)]
pub struct Overview {
    /// Rows and columns.
    cells: [i64; 2],
    /// The number of chunks that a cell represents along each axis: its bytes are those of the first.
    step: [i64; 2],
    /// The compressed size of the chunk of each cell, row by row; null if it has no bytes or its position is unknown.
    bytes: Vec<Option<u64>>,
}

/// Returns the chunks along `axes`, rows then columns (-1 if there is none), at these coordinates along the others.
pub fn overview(grid: &Grid, offsets: &Offsets, axes: &[i32], at: &[i64]) -> Option<Overview> {
    let per_axis = grid.chunks_per_dimension();
    let length = |axis: i32| usize::try_from(axis).ok().map_or(Some(1), |axis| per_axis.get(axis).copied());
    let &[rows, columns] = axes else { return None };
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

/// `start` is the offset of the frame in its file. A sparse frame has `files`, one for each chunk.
pub fn describe(grid: &Grid, offsets: Option<&Offsets>, start: u64, files: &Files, at: &[i64]) -> Option<Description> {
    let number = grid.chunk_from_coords(at)?;
    let ranges = grid.chunk_extent(number)?.iter().map(|range| [range.start, range.end]).collect();
    let mut description = Description { number, coords: at.to_vec(), ranges, special: None, range: None, file: None };
    if let Some(offsets) = offsets {
        match offsets.get(number) {
            Some(Offset::Special(special)) => description.special = Some(special.to_string()),
            Some(Offset::At(place)) => match offsets.range(number) {
                Some(range) => description.range = Some([start + range.start, start + range.end]),
                None => {
                    let name = chunk_file_name(place);
                    description.file = files.get(&name).and_then(|file| Some((name, file.len().ok()?)));
                }
            },
            _ => {}
        }
    }
    Some(description)
}
