//! [`Area`]: a box of an array's elements, and the part of a view that belongs to such a box.

use std::ops::Range;

use b2nd::Grid;
use ndarray::Slice;

use crate::read::axis_selection::Wanted;

/// A box of an array's elements: a range of indices for each dimension.
pub(crate) type Area = Vec<Range<i64>>;

/// Returns the area of a whole array with this shape.
pub(crate) fn whole(shape: &[i64]) -> Area {
    shape.iter().map(|&length| 0..length).collect()
}

/// Returns the area of the chunk with this number, without its padding.
pub(crate) fn extent(grid: &Grid, number: u64) -> Area {
    grid.chunk_extent(number).map(|extent| extent.to_vec()).unwrap_or_default()
}

/// Returns the intersection of a chunk and a slice that touches it.
pub(crate) fn shared(chunk: &[Range<i64>], slice: &[Range<i64>]) -> Area {
    chunk.iter().zip(slice).map(|(chunk, slice)| chunk.start.max(slice.start)..chunk.end.min(slice.end)).collect()
}

/// Returns the range of a view's entries along one axis that belongs to an area of the array. The view's first element has the coordinates
/// `origin` in the array. Along the last axis of the area, each element takes `scale` entries.
pub(crate) fn each_axis(area: &[Range<i64>], axis: usize, scale: usize, origin: impl Fn(usize) -> i64) -> Slice {
    let Some(range) = area.get(axis) else { return Slice::from(..) };
    let scale = if axis + 1 == area.len() { scale } else { 1 };
    let at = |at: i64| isize::try_from(at - origin(axis)).unwrap_or(0).saturating_mul(isize::try_from(scale).unwrap_or(0));
    Slice::from(at(range.start)..at(range.end))
}

/// Returns the range of a view's entries along one axis that holds the wanted elements of an area of the array. The view's first element
/// has the coordinates `origin` in the array. If the wanted elements are given as a list, the range covers the whole area, not only these
/// elements.
pub(crate) fn each_wanted(area: &[Range<i64>], axis: usize, wanted: &[Wanted<'_>], origin: impl Fn(usize) -> i64) -> Slice {
    let slice = each_axis(area, axis, 1, origin);
    match wanted.get(axis) {
        Some(Wanted::Each(step)) => Slice { step: isize::try_from(*step).unwrap_or(isize::MAX), ..slice },
        _ => slice,
    }
}
