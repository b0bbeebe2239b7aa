//! [`Rows`]: the positions of selected elements in data in C order.

use ndarray::{ArrayBase, Axis, Ix2, IxDyn, RawData};

use crate::error::Result;
use crate::read::along::Along;
use crate::read::buffers::BytesMut;

/// The filter shuffle restores this number of elements at a time. Restoring fewer, but at least [`FEW`], usually takes the same time.
const STEP: usize = 64;

/// The filter shuffle restores rows with fewer elements than this byte by byte.
const FEW: usize = 8;

/// The rows of selected elements in a box of elements in C order, such as a block. A row is a run of elements along the last axis, or a
/// single element.
pub(crate) struct Rows<'a> {
    /// The axes along which rows follow each other.
    axes: Vec<RowAxis<'a>>,
    /// The offset of each row along the last axis in bytes, if a row is a run.
    start: u64,
    /// The length of a row in elements.
    length: usize,
    itemsize: usize,
}

struct RowAxis<'a> {
    along: &'a Along,
    /// The coordinate at which the box starts.
    origin: i64,
    /// The distance in bytes between elements whose coordinates differ by 1.
    stride: u64,
}

impl RowAxis<'_> {
    /// Returns the distance in bytes from the start of the box to the coordinate with this index.
    fn offset(&self, index: usize) -> u64 {
        (self.along.get(index) - self.origin).unsigned_abs() * self.stride
    }
}

impl<'a> Rows<'a> {
    /// Returns the rows of a selection in a box of this shape. `origin` returns the coordinate at which the box starts along an axis.
    pub(crate) fn new(selected: &'a [Along], origin: impl Fn(usize) -> i64, shape: &[i64], itemsize: usize) -> Rows<'a> {
        let mut stride = itemsize as u64;
        let axes = selected.iter().zip(shape).enumerate().rev().map(|(axis, (along, length))| {
            let axis = RowAxis { along, origin: origin(axis), stride };
            stride *= length.unsigned_abs();
            axis
        });
        let mut axes: Vec<_> = axes.collect();
        axes.reverse();
        let has_runs = matches!(selected.last(), Some(Along::Steps(_, 1)));
        let run = if has_runs { axes.pop() } else { None };
        let (start, length) = run.map_or((0, 1), |run| (run.offset(0), run.along.len()));
        Rows { axes, start, length, itemsize }
    }

    /// Estimates whether it is faster to decode these rows than a whole block of this number of elements.
    pub(crate) fn are_few(&self, elements: i64) -> bool {
        let effort = if self.length < FEW { self.length * FEW } else { self.length.next_multiple_of(STEP) };
        let effort = self.axes.iter().try_fold(effort, |effort, axis| effort.checked_mul(axis.along.len()));
        effort.is_some_and(|effort| effort as u64 <= elements.unsigned_abs())
    }

    /// Returns the position at which the last row ends, in bytes.
    pub(crate) fn end(&self) -> u64 {
        let last: u64 = self.axes.iter().map(|axis| axis.offset(axis.along.len() - 1)).sum();
        self.start + last + (self.length * self.itemsize) as u64
    }

    /// Calls `work` for each row, with its position in the box in bytes, and its bytes in a view of the selected elements.
    pub(crate) fn each(&self, view: BytesMut<'_>, work: &mut impl FnMut(u64, &mut [u8]) -> Result<()>) -> Result<()> {
        let is_run = view.ndim() > self.axes.len() + 1;
        each_row(&self.axes, self.start, if is_run { join_bytes(view) } else { view }, work)
    }
}

fn each_row(
    axes: &[RowAxis<'_>],
    start: u64,
    mut view: BytesMut<'_>,
    work: &mut impl FnMut(u64, &mut [u8]) -> Result<()>,
) -> Result<()> {
    match axes {
        [] => work(start, view.into_slice().unwrap_or_default()),
        // Iterating over two dimensions is much faster than iterating over a dynamic number of dimensions.
        [axis] => {
            let mut rows = view.into_dimensionality::<Ix2>()?;
            let mut rows = rows.rows_mut().into_iter().enumerate();
            rows.try_for_each(|(index, row)| work(start + axis.offset(index), row.into_slice().unwrap_or_default()))
        }
        [axis, inner @ ..] => {
            let mut parts = view.axis_iter_mut(Axis(0)).enumerate();
            parts.try_for_each(|(index, part)| each_row(inner, start + axis.offset(index), part, work))
        }
    }
}

/// Joins the last axis of a view, which holds the bytes of an element, with the axis before it.
pub(crate) fn join_bytes<S: RawData>(mut view: ArrayBase<S, IxDyn>) -> ArrayBase<S, IxDyn> {
    let Some(axis) = view.ndim().checked_sub(2) else { return view };
    view.merge_axes(Axis(axis), Axis(axis + 1));
    view.index_axis_move(Axis(axis), 0)
}
