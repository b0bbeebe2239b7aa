//! A view cut along a grid, so that the parts can be filled at the same time: each part has its own place, and the borrow checker
//! sees it. (`b2nd::Grid::runs` gives places in one flat result, which threads cannot share without unsafe code, and which a view need
//! not be.)

use std::ops::Range;

use ndarray::{ArrayViewMut, Axis, IxDyn, Slice};

use crate::error::Result;

/// A box of elements of the array: a range for each dimension.
pub(crate) type Area = Vec<Range<i64>>;

/// A grid of cells.
pub(crate) struct Tiles<'a> {
    /// Where the first cell starts.
    pub(crate) origin: &'a [i64],
    /// The length of a cell in each dimension, in elements.
    pub(crate) lengths: &'a [i64],
    /// How many entries of the view an element takes along the last axis.
    pub(crate) scale: usize,
    /// Of how many elements one is wanted in each dimension; every one where nothing is said.
    pub(crate) steps: &'a [i64],
    /// Whether parts may be filled in parallel.
    pub(crate) parallel: bool,
}

impl Tiles<'_> {
    /// Calls `fill` with every cell of which an element is wanted: what it shares with the area, and its part of the view. An area
    /// starts with an element that is wanted.
    pub(crate) fn each<A: Send, F>(&self, area: Area, view: ArrayViewMut<'_, A, IxDyn>, fill: &F) -> Result<()>
    where
        F: Fn(Area, ArrayViewMut<'_, A, IxDyn>) -> Result<()> + Sync,
    {
        let Some((axis, at)) = self.cut(&area) else { return fill(self.within(area), view) };
        let Some(range) = area.get(axis) else { return fill(self.within(area), view) };
        let step = self.step(axis);
        let count = (at - range.start - 1) / step + 1;
        let next = range.start + count * step;
        let mut index = usize::try_from(count).unwrap_or(0);
        if axis + 1 == area.len() {
            index *= self.scale;
        }
        let (left, right) = view.split_at(Axis(axis), index);
        let (mut before, mut after) = (area.clone(), area);
        if let (Some(before), Some(after)) = (before.get_mut(axis), after.get_mut(axis)) {
            (before.end, after.start) = (at, next);
        }
        #[cfg(feature = "rayon")]
        if self.parallel {
            let (left, right) = rayon::join(|| self.each(before, left, fill), || self.each(after, right, fill));
            return left.and(right);
        }
        self.each(before, left, fill)?;
        self.each(after, right, fill)
    }

    /// The axis along which the area lies in several cells, and the border between two of them.
    fn cut(&self, area: &[Range<i64>]) -> Option<(usize, i64)> {
        area.iter().enumerate().find_map(|(axis, range)| {
            let (origin, length) = (*self.origin.get(axis)?, *self.lengths.get(axis)?);
            let first = (range.start - origin).checked_div(length)?;
            let last = (self.last(axis, range) - origin).checked_div(length)?;
            (first < last).then(|| (axis, origin + (first + (last - first).div_euclid(2) + 1) * length))
        })
    }

    /// An area in one cell, up to the last elements that are wanted: it may reach into cells of which none is.
    fn within(&self, mut area: Area) -> Area {
        for (axis, range) in area.iter_mut().enumerate().take(self.steps.len()) {
            range.end = self.last(axis, range) + 1;
        }
        area
    }

    fn step(&self, axis: usize) -> i64 {
        self.steps.get(axis).copied().unwrap_or(1).max(1)
    }

    /// The last element of a range that is wanted.
    fn last(&self, axis: usize, range: &Range<i64>) -> i64 {
        let step = self.step(axis);
        range.start + (range.end - 1 - range.start) / step * step
    }

    /// How many cells the area touches.
    pub(crate) fn count(&self, area: &[Range<i64>]) -> i64 {
        let lengths = self.origin.iter().zip(self.lengths);
        let cells = area.iter().enumerate().zip(lengths).map(|((axis, range), (origin, length))| {
            let cell = |at: i64| (at - origin).checked_div(*length).unwrap_or(0);
            let (last, step) = (self.last(axis, range), self.step(axis));
            // With larger steps each element has a cell of its own.
            if step >= *length { (last - range.start) / step + 1 } else { cell(last) - cell(range.start) + 1 }
        });
        cells.product()
    }
}

/// Where an area is along an axis of a view whose first element has this coordinate.
pub(crate) fn each_axis(area: &[Range<i64>], axis: usize, scale: usize, origin: impl Fn(usize) -> i64) -> Slice {
    let Some(range) = area.get(axis) else { return Slice::from(..) };
    let scale = if axis + 1 == area.len() { scale } else { 1 };
    let at = |at: i64| isize::try_from(at - origin(axis)).unwrap_or(0).saturating_mul(isize::try_from(scale).unwrap_or(0));
    Slice::from(at(range.start)..at(range.end))
}

/// Where an area of which one of `steps` elements is wanted is along an axis of a view of whole elements.
pub(crate) fn each_step(area: &[Range<i64>], axis: usize, steps: &[i64], origin: impl Fn(usize) -> i64) -> Slice {
    let slice = each_axis(area, axis, 1, origin);
    let step = steps.get(axis).copied().unwrap_or(1).max(1);
    Slice { step: isize::try_from(step).unwrap_or(isize::MAX), ..slice }
}
