//! What an array's shapes come to, and which chunks a slice touches.

use std::ops::Range;
use std::str::FromStr;

use b2nd::Grid;

/// How many chunks of a slice are listed.
const MAX_LISTED: usize = 10_000;

/// The share of the chunks' elements that are not the array's, from 0 to 1. `None` where there are no chunks.
pub fn padding(grid: &Grid) -> Option<f64> {
    let held = i128::from(grid.nchunks()) * i128::from(grid.extchunknitems());
    (held != 0).then(|| 1.0 - grid.nitems() as f64 / held as f64)
}

/// A slice as it is written in Python: `0:10,5,:`, `...,0`.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice(Vec<Index>);

#[derive(Clone, Debug, PartialEq)]
enum Index {
    /// `...`: as many whole dimensions as are left.
    Rest,
    At(i64),
    Range(Option<i64>, Option<i64>),
}

impl FromStr for Slice {
    type Err = String;

    fn from_str(text: &str) -> Result<Slice, String> {
        if text.trim().is_empty() {
            return Ok(Slice(Vec::new()));
        }
        let indices: Vec<Index> = text.split(',').map(|index| Index::parse(index.trim())).collect::<Result<_, _>>()?;
        match indices.iter().filter(|index| **index == Index::Rest).count() {
            0 | 1 => Ok(Slice(indices)),
            _ => Err("... stands in it more than once".to_owned()),
        }
    }
}

impl Index {
    fn parse(text: &str) -> Result<Index, String> {
        let number = |text: &str| match text.trim() {
            "" => Ok(None),
            digits => {
                digits.parse().map(Some).map_err(|_| format!("{digits:?} is no integer: expected START:STOP, an index or :"))
            }
        };
        if text == "..." {
            return Ok(Index::Rest);
        }
        match text.split_once(':') {
            Some((start, stop)) => {
                let (stop, step) = stop.split_once(':').unwrap_or((stop, ""));
                match number(step)? {
                    None | Some(1) => Ok(Index::Range(number(start)?, number(stop)?)),
                    Some(step) => Err(format!("{text:?} has a step of {step}, and a slice here has none but 1")),
                }
            }
            None => number(text)?.map(Index::At).ok_or_else(|| "an index is empty".to_owned()),
        }
    }

    /// The elements of a dimension, with Python's rules: a negative number counts from the end, and a range is cut to
    /// the dimension.
    fn within(&self, dimension: usize, length: i64) -> Result<Range<i64>, String> {
        let from_end = |number: i64| if number < 0 { number.saturating_add(length) } else { number };
        match *self {
            Index::Rest => Ok(0..length),
            Index::At(number) => match from_end(number) {
                at if (0..length).contains(&at) => Ok(at..at + 1),
                _ => Err(format!("index {number} is outside dimension {dimension}, whose length is {length}")),
            },
            Index::Range(start, stop) => {
                let start = from_end(start.unwrap_or(0)).clamp(0, length);
                let stop = from_end(stop.unwrap_or(length)).clamp(start, length);
                Ok(start..stop)
            }
        }
    }
}

/// The chunks that a slice touches.
pub struct Touched {
    /// The elements in each dimension.
    pub ranges: Vec<Range<i64>>,
    /// Numbers of chunks, and of how many of their blocks.
    pub chunks: Vec<(u64, usize)>,
    /// How many chunks are not listed.
    pub more: usize,
}

impl Slice {
    /// The elements in each dimension of an array of this shape. Dimensions that the slice leaves out are taken whole.
    ///
    /// # Errors
    ///
    /// It has too many indices, or one is outside its dimension.
    pub fn ranges(&self, shape: &[i64]) -> Result<Vec<Range<i64>>, String> {
        let at_rest = self.0.iter().position(|index| *index == Index::Rest);
        let (before, after) = self.0.split_at(at_rest.unwrap_or(self.0.len()));
        let after = after.get(1..).unwrap_or_default();
        let (indices, ndim) = (before.len() + after.len(), shape.len());
        let Some(left) = ndim.checked_sub(indices) else {
            return Err(format!("{indices} indices, and the array has {ndim} dimensions"));
        };
        let rest = std::iter::repeat_n(&Index::Rest, left);
        let dimensions = shape.iter().enumerate().zip(before.iter().chain(rest).chain(after));
        dimensions.map(|((dimension, &length), index)| index.within(dimension, length)).collect()
    }

    /// Whether each dimension of an array of so many is a range, and stays. An index takes its dimension away, as in Python.
    pub fn kept(&self, ndim: usize) -> Vec<bool> {
        let rest = ndim.saturating_sub(self.0.iter().filter(|index| **index != Index::Rest).count());
        let mut kept = Vec::new();
        for index in &self.0 {
            match index {
                Index::Rest => kept.resize(kept.len() + rest, true),
                index => kept.push(matches!(index, Index::Range(..))),
            }
        }
        kept.resize(ndim, true);
        kept
    }

    /// The chunks that it touches.
    ///
    /// # Errors
    ///
    /// As of [`ranges`](Slice::ranges).
    pub fn touched(&self, grid: &Grid) -> Result<Touched, String> {
        let ranges = self.ranges(grid.shape())?;
        let numbers = grid.chunks_in(&ranges).map_err(|error| error.to_string())?;
        let more = numbers.len().saturating_sub(MAX_LISTED);
        let blocks = |chunk| Ok((chunk, grid.blocks_in(chunk, &ranges)?.len()));
        let chunks = numbers.take(MAX_LISTED).map(blocks).collect::<b2nd::Result<_>>().map_err(|error| error.to_string())?;
        Ok(Touched { ranges, chunks, more })
    }
}
