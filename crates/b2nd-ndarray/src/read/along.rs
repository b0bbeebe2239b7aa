//! [`Along`]: the coordinates that are read along one axis.

use std::ops::Range;
use std::sync::Arc;

/// Coordinates along one axis, in ascending order.
#[derive(Clone, Debug)]
pub(crate) enum Along {
    /// Every n-th coordinate of a range, starting with the first.
    Steps(Range<i64>, i64),
    /// A part of a list.
    List(Arc<[i64]>, Range<usize>),
}

/// Returns all coordinates of a slice.
pub(crate) fn all(slice: &[Range<i64>]) -> Vec<Along> {
    slice.iter().map(|range| Along::Steps(range.clone(), 1)).collect()
}

impl Along {
    /// Returns the coordinates of an ascending list.
    pub(crate) fn list(list: Vec<i64>) -> Along {
        let range = list.first().zip(list.last()).map_or(0..0, |(&first, &last)| first..last + 1);
        if i64::try_from(list.len()) == Ok(range.end - range.start) {
            return Along::Steps(range, 1);
        }
        Along::List(list.as_slice().into(), 0..list.len())
    }

    /// Returns a range that contains all coordinates.
    pub(crate) fn range(&self) -> Range<i64> {
        match self {
            Along::Steps(range, _) => range.clone(),
            Along::List(..) => self.get(0)..self.last() + 1,
        }
    }

    /// Returns the number of coordinates.
    pub(crate) fn len(&self) -> usize {
        match self {
            Along::Steps(range, _) if range.is_empty() => 0,
            Along::Steps(range, step) => usize::try_from((range.end - range.start - 1) / step + 1).unwrap_or(usize::MAX),
            Along::List(_, part) => part.len(),
        }
    }

    /// Returns the coordinate with this index, which must be less than [`len`](Along::len).
    pub(crate) fn get(&self, index: usize) -> i64 {
        match self {
            Along::Steps(range, step) => range.start + index as i64 * step,
            Along::List(list, part) => list[part.start + index],
        }
    }

    pub(crate) fn last(&self) -> i64 {
        self.get(self.len() - 1)
    }

    /// Splits the coordinates into those less than `at` and the others. `at` must be greater than the first coordinate.
    pub(crate) fn split(&self, at: i64) -> (Along, Along) {
        match self {
            Along::Steps(range, step) => {
                let next = range.start + ((at - range.start - 1) / step + 1) * step;
                (Along::Steps(range.start..at, *step), Along::Steps(next..range.end, *step))
            }
            Along::List(list, part) => {
                let next = part.start + list[part.clone()].partition_point(|&coordinate| coordinate < at);
                (Along::List(list.clone(), part.start..next), Along::List(list.clone(), next..part.end))
            }
        }
    }

    /// Divides the axis into cells of this length, such as blocks. The first cell starts at `origin`. Returns how many cells hold a
    /// coordinate.
    pub(crate) fn count_cells(&self, origin: i64, length: i64) -> i64 {
        let cell = |at: i64| (at - origin).checked_div(length).unwrap_or(0);
        match self {
            // If the step is at least the length of a cell, no two coordinates are in the same cell.
            Along::Steps(_, step) if *step >= length => self.len() as i64,
            Along::Steps(..) => cell(self.last()) - cell(self.get(0)) + 1,
            Along::List(list, part) => list[part.clone()].chunk_by(|&one, &next| cell(one) == cell(next)).count() as i64,
        }
    }
}
