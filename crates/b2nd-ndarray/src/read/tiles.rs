//! Splits a mutable view along a grid, so that its parts can be filled in parallel without unsafe code.

use std::ops::Range;

use ndarray::{ArrayViewMut, Axis, IxDyn, Slice};

use crate::error::Result;
use crate::read::axis_selection::Wanted;

/// A box of elements: a range for each dimension.
pub(crate) type Area = Vec<Range<i64>>;

/// A grid of cells.
pub(crate) struct Tiles<'a> {
    /// The start of the first cell.
    pub(crate) origin: &'a [i64],
    /// The length of a cell in each dimension, in elements.
    pub(crate) lengths: &'a [i64],
    /// The number of entries that an element takes along the view's last axis.
    pub(crate) scale: usize,
    /// The wanted elements along each axis. If empty, all elements are wanted.
    pub(crate) wanted: &'a [Wanted<'a>],
    /// Whether parts are filled in parallel.
    pub(crate) parallel: bool,
}

impl Tiles<'_> {
    /// Calls `fill` for each cell that holds a wanted element. The arguments are the part of the area in that cell, and the corresponding
    /// part of the view. The first element of the area must be wanted.
    pub(crate) fn each<A: Send, F>(&self, area: Area, view: ArrayViewMut<'_, A, IxDyn>, fill: &F) -> Result<()>
    where
        F: Fn(Area, ArrayViewMut<'_, A, IxDyn>) -> Result<()> + Sync,
    {
        let Some((axis, at)) = self.cut(&area) else { return fill(self.within(area), view) };
        let Some(range) = area.get(axis) else { return fill(self.within(area), view) };
        let (count, next) = self.along(axis).split(range, at);
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

    /// Returns an axis along which the area lies in several cells, and the border between two of these cells.
    fn cut(&self, area: &[Range<i64>]) -> Option<(usize, i64)> {
        area.iter().enumerate().find_map(|(axis, range)| {
            let (origin, length) = (*self.origin.get(axis)?, *self.lengths.get(axis)?);
            let first = (range.start - origin).checked_div(length)?;
            let last = (self.along(axis).last(range) - origin).checked_div(length)?;
            (first < last).then(|| (axis, origin + (first + (last - first).div_euclid(2) + 1) * length))
        })
    }

    /// Cuts the area after the last wanted element along each axis.
    fn within(&self, mut area: Area) -> Area {
        for (axis, range) in area.iter_mut().enumerate().take(self.wanted.len()) {
            range.end = self.along(axis).last(range) + 1;
        }
        area
    }

    fn along(&self, axis: usize) -> Wanted<'_> {
        self.wanted.get(axis).copied().unwrap_or(Wanted::Each(1))
    }

    /// Returns the number of cells that hold a wanted element of the area.
    pub(crate) fn count(&self, area: &[Range<i64>]) -> i64 {
        let lengths = self.origin.iter().zip(self.lengths);
        let cells = area.iter().enumerate().zip(lengths);
        let cells = cells.map(|((axis, range), (origin, length))| self.along(axis).count_cells(range, *origin, *length));
        cells.product()
    }
}

/// Returns the intersection of a chunk and a slice that touches it.
pub(crate) fn shared(chunk: &[Range<i64>], slice: &[Range<i64>]) -> Area {
    chunk.iter().zip(slice).map(|(chunk, slice)| chunk.start.max(slice.start)..chunk.end.min(slice.end)).collect()
}

/// Returns the part of a view along one axis that belongs to an area. The view starts at `origin`.
pub(crate) fn each_axis(area: &[Range<i64>], axis: usize, scale: usize, origin: impl Fn(usize) -> i64) -> Slice {
    let Some(range) = area.get(axis) else { return Slice::from(..) };
    let scale = if axis + 1 == area.len() { scale } else { 1 };
    let at = |at: i64| isize::try_from(at - origin(axis)).unwrap_or(0).saturating_mul(isize::try_from(scale).unwrap_or(0));
    Slice::from(at(range.start)..at(range.end))
}

/// Returns the part of a view along one axis that holds the wanted elements of an area. The view starts at `origin`. If the elements are
/// given as a list, the part is the whole range of the area.
pub(crate) fn each_wanted(area: &[Range<i64>], axis: usize, wanted: &[Wanted<'_>], origin: impl Fn(usize) -> i64) -> Slice {
    let slice = each_axis(area, axis, 1, origin);
    match wanted.get(axis) {
        Some(Wanted::Each(step)) => Slice { step: isize::try_from(*step).unwrap_or(isize::MAX), ..slice },
        _ => slice,
    }
}
