//! Packs elements in C order into chunks, and unpacks them.

use std::error::Error;
use std::ops::Range;

use b2nd::Geometry;
use serde_json::Value;

use crate::hex::{self, Hex};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Returns the data of every chunk of an array.
pub fn pack(geometry: &Geometry, itemsize: usize, Hex(elements): &Hex) -> Result<Value> {
    let grid = geometry.grid()?;
    let whole: Vec<Range<i64>> = grid.shape().iter().map(|&length| 0..length).collect();
    let mut chunks = Vec::new();
    for number in grid.chunks_in(&whole)? {
        let mut data = vec![0; usize::try_from(grid.extchunknitems())? * itemsize];
        grid.pack(number, &whole, itemsize, elements, &mut data)?;
        chunks.push(hex::of(&data));
    }
    Ok(chunks.into())
}

/// Returns the elements of a slice from the data of every chunk.
pub fn unpack(geometry: &Geometry, itemsize: usize, chunks: &[Hex], slice: &[Range<i64>]) -> Result<Value> {
    let nitems: i64 = slice.iter().map(|range| range.end - range.start).product();
    let mut out = vec![0; usize::try_from(nitems)? * itemsize];
    let grid = geometry.grid()?;
    for number in grid.chunks_in(slice)? {
        let Hex(data) = chunks
            .get(usize::try_from(number)?)
            .ok_or_else(|| format!("chunk {number} is missing; number of chunks: {}", chunks.len()))?;
        grid.unpack(number, slice, itemsize, data, &mut out)?;
    }
    Ok(hex::of(&out).into())
}
