//! [`Area`]: a box of an array's elements, and the part of a view that belongs to such a box.

use std::ops::Range;

use b2nd::Grid;
use ndarray::{ArrayViewD, Slice};

/// A box of an array's elements: a range of indices for each dimension.
pub(crate) type Area = Vec<Range<i64>>;

/// Returns the area of a whole array with this shape.
pub(crate) fn whole(shape: &[i64]) -> Area {
    shape.iter().map(|&length| 0..length).collect()
}

/// Returns the area of the chunk with this index, without its padding.
pub(crate) fn extent(grid: &Grid, number: u64) -> Area {
    grid.chunk_extent(number).map(|extent| extent.to_vec()).unwrap_or_default()
}

/// Returns the intersection of a chunk and a slice that touches it.
pub(crate) fn shared(chunk: &[Range<i64>], slice: &[Range<i64>]) -> Area {
    chunk.iter().zip(slice).map(|(chunk, slice)| chunk.start.max(slice.start)..chunk.end.min(slice.end)).collect()
}

/// Returns the part of a view that belongs to an area of the array. `origin` returns the coordinate of the view's first element along an
/// axis. The view can have another axis for the bytes of an element.
pub(crate) fn part<'a, A>(mut view: ArrayViewD<'a, A>, area: &[Range<i64>], origin: impl Fn(usize) -> i64) -> ArrayViewD<'a, A> {
    view.slice_each_axis_inplace(|axis| match (axis.axis.index(), area.get(axis.axis.index())) {
        (axis, Some(range)) => Slice::from((range.start - origin(axis)) as isize..(range.end - origin(axis)) as isize),
        (_, None) => Slice::from(..),
    });
    view
}

/// Copies the elements of a view, in C order.
pub(crate) fn contiguous<T: Clone>(view: ArrayViewD<'_, T>) -> Vec<T> {
    view.as_standard_layout().into_owned().into_raw_vec_and_offset().0
}
