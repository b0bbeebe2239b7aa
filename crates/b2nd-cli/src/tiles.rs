//! [`Tiles`]: reads a selection of an array in pieces along its chunks, so that each chunk is read once.

use std::ops::Range;

use b2nd_ndarray::Array;
use b2nd_view::slice::{Axis, Selection};
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::values::length;

/// The approximate size of a piece in bytes, if chunks are smaller than this.
const SMALL: usize = 1 << 22;

/// The maximum size of a piece in bytes, unless one block is larger.
const LARGE: usize = 1 << 26;

/// The number of pieces in memory at the same time. Their results are merged in order, so that the total does not depend on the number of
/// threads.
const AT_ONCE: u64 = 64;

/// The pieces of a selection.
pub(crate) struct Tiles<'a> {
    array: &'a Array,
    selection: &'a Selection,
    /// The axes of the selection, with the lengths of a piece in place of the lengths of a chunk.
    axes: Vec<Axis>,
}

impl<'a> Tiles<'a> {
    pub(crate) fn new(array: &'a Array, selection: &'a Selection) -> Tiles<'a> {
        let grid = array.grid();
        let mut axes = selection.axes(grid);
        let bytes = |axes: &[Axis]| {
            let items = axes.iter().map(|axis| usize::try_from(axis.chunk).unwrap_or(usize::MAX));
            items.fold(array.itemsize(), usize::saturating_mul)
        };
        for axis in (0..axes.len()).rev() {
            while bytes(&axes) <= SMALL / 2 && axes[axis].count() > 1 && axes[axis].step <= axes[axis].chunk {
                axes[axis].chunk *= 2;
            }
        }
        while bytes(&axes) > LARGE {
            let Some(axis) = axes.iter_mut().find(|axis| axis.chunk > axis.block) else { break };
            axis.chunk = (axis.chunk / 2 / axis.block * axis.block).max(axis.block);
        }
        Tiles { array, selection, axes }
    }

    /// Returns the number of pieces.
    pub(crate) fn count(&self) -> u64 {
        self.axes.iter().fold(1, |count: u64, axis| count.saturating_mul(u64::try_from(axis.count()).unwrap_or(0)))
    }

    /// Returns the range of a piece along each axis, from its first to its last selected element.
    fn ranges(&self, mut number: u64) -> Vec<Range<i64>> {
        let mut ranges = Vec::new();
        for axis in self.axes.iter().rev() {
            let count = u64::try_from(axis.count()).unwrap_or(1).max(1);
            ranges.push(axis.range_at(i64::try_from(number % count).unwrap_or(0)));
            number /= count;
        }
        ranges.reverse();
        ranges
    }

    /// Reads the pieces on all cores. `make` gets the elements of a piece. `take` gets the results of `make` in order, each with the number
    /// of bytes that the piece spans.
    pub(crate) fn each<T: Send>(
        &self,
        make: impl Fn(&[Range<i64>], &[u8]) -> T + Sync,
        mut take: impl FnMut(T, u64) -> Result<()>,
    ) -> Result<()> {
        let count = self.count();
        for start in (0..count).step_by(AT_ONCE as usize) {
            let numbers = start..count.min(start.saturating_add(AT_ONCE));
            let made: Vec<Result<(T, u64)>> = numbers
                .into_par_iter()
                .map(|number| {
                    let ranges = self.ranges(number);
                    let elements = self.array.read_bytes_steps(&ranges, &self.selection.steps)?;
                    let read = length(self.array, &ranges) as u64;
                    Ok((make(&ranges, &elements), read))
                })
                .collect();
            for made in made {
                let (made, read) = made?;
                take(made, read)?;
            }
        }
        Ok(())
    }

    /// Returns all selected elements, in C order.
    pub(crate) fn gather(&self) -> Result<Vec<u8>> {
        let (lengths, size) = (self.selection.lengths(), self.array.itemsize());
        let lengths: Vec<usize> = lengths.iter().map(|&length| usize::try_from(length)).collect::<Result<_, _>>()?;
        let bytes = lengths.iter().try_fold(size, |bytes, &length| bytes.checked_mul(length));
        let bytes = bytes
            .filter(|&bytes| bytes <= 4 * LARGE)
            .ok_or_else(|| Error::new("it is too large to be drawn: draw a part of it, as in `b2nd show FILE 0:1000`"))?;
        let mut all = vec![0; bytes];
        let place = |ranges: &[Range<i64>], elements: &[u8]| (ranges.to_vec(), elements.to_vec());
        self.each(place, |(ranges, elements), _| {
            let mut places = Vec::new();
            for (axis, range) in self.axes.iter().zip(&ranges) {
                let first = usize::try_from((range.start - axis.range.start) / axis.step)?;
                places.push((first, usize::try_from((range.end - range.start + axis.step - 1) / axis.step)?));
            }
            let Some((&(first, run), outer)) = places.split_last() else {
                all.copy_from_slice(&elements);
                return Ok(());
            };
            for (row, items) in elements.chunks((run * size).max(1)).enumerate() {
                let (mut rest, mut at, mut stride) = (row, first, lengths.last().copied().unwrap_or(1));
                for (&(start, count), length) in outer.iter().zip(&lengths).rev() {
                    at += (start + rest % count.max(1)) * stride;
                    rest /= count.max(1);
                    stride *= length;
                }
                if let Some(place) = all.get_mut(at * size..at * size + items.len()) {
                    place.copy_from_slice(items);
                }
            }
            Ok(())
        })?;
        self.selection.reverse(&mut all, &self.selection.lengths(), size);
        Ok(all)
    }
}
