//! Chunks: the picture of them, and what there is to say of one.

use b2nd::Grid;
use b2nd::frame::{Offset, Offsets};
use b2nd_view::Source;
use b2nd_view::picture::window::{Drawing, Window};
use serde::Serialize;

use crate::pieces::Files;

/// The space for the picture.
const SIZE: [f64; 2] = [720.0, 560.0];

/// A chunk's number, coordinates, elements and place.
#[derive(Serialize)]
pub struct Description {
    number: u64,
    coords: Vec<i64>,
    ranges: Vec<[i64; 2]>,
    /// What all its elements are, where it takes no bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    special: Option<String>,
    /// Its bytes in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[u64; 2]>,
    /// The file that it has to itself, and its length.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<(String, u64)>,
}

pub fn picture(grid: &Grid, axes: &[i32], first: &[i64], most: i64) -> Option<Drawing> {
    let &[rows, columns] = axes else { return None };
    let axis = |axis: i32| usize::try_from(axis).ok().filter(|&axis| axis < grid.shape().len());
    let window = Window { axes: [axis(rows), axis(columns)], first: first.to_vec(), most };
    window.draw(grid, SIZE)
}

/// `start` is the byte of the file at which the frame starts. A sparse frame has `files`, one for each chunk.
pub fn describe(grid: &Grid, offsets: Option<&Offsets>, start: u64, files: &Files, at: &[i64]) -> Option<Description> {
    let number = grid.chunk_from_coords(at)?;
    let ranges = grid.chunk_extent(number)?.iter().map(|range| [range.start, range.end]).collect();
    let mut description = Description { number, coords: at.to_vec(), ranges, special: None, range: None, file: None };
    if let Some(offsets) = offsets {
        match offsets.get(number) {
            Some(Offset::Special(special)) => description.special = Some(special.to_string()),
            Some(Offset::At(place)) => match offsets.range(number) {
                Some(range) => description.range = Some(super::pair(start + range.start..start + range.end)),
                None => {
                    let name = b2nd_view::chunks::file_name(place);
                    description.file = files.get(&name).map(|file| (name, file.len()));
                }
            },
            _ => {}
        }
    }
    Some(description)
}
