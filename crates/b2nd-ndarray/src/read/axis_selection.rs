//! [`Wanted`]: the elements that are read along one axis.

use std::ops::Range;

/// Which elements of a range along one axis are wanted: they are read, and the others are skipped. The first element of the range is always
/// wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'a> {
    /// Every n-th element of the range, starting with the first.
    Each(i64),
    /// The elements at these coordinates, in ascending order. Coordinates outside the range are ignored.
    At(&'a [i64]),
}

impl Wanted<'_> {
    /// Returns the coordinate of the last wanted element of a range.
    pub(crate) fn last(self, range: &Range<i64>) -> i64 {
        match self {
            Wanted::Each(step) => range.start + (range.end - 1 - range.start) / step * step,
            Wanted::At(at) => before(at, range.end).last().copied().unwrap_or(range.start),
        }
    }

    /// Splits a range at a coordinate. Returns the number of wanted elements before the coordinate, and the first wanted element at or
    /// after it.
    pub(crate) fn split(self, range: &Range<i64>, coordinate: i64) -> (i64, i64) {
        match self {
            Wanted::Each(step) => {
                let count = (coordinate - range.start - 1) / step + 1;
                (count, range.start + count * step)
            }
            Wanted::At(at) => {
                let all = before(at, coordinate).len();
                ((all - before(at, range.start).len()) as i64, at.get(all).copied().unwrap_or(range.end))
            }
        }
    }

    /// Returns the coordinates of the wanted elements of a range, counted from `origin`, or `None` if a coordinate does not fit a `usize`.
    pub(crate) fn places(self, range: &Range<i64>, origin: i64) -> Option<Vec<usize>> {
        let place = |at: i64| usize::try_from(at - origin).ok();
        match self {
            Wanted::Each(step) => range.clone().step_by(usize::try_from(step).ok()?).map(place).collect(),
            Wanted::At(at) => within(at, range).iter().map(|&at| place(at)).collect(),
        }
    }

    /// Divides the axis into cells of this length, such as blocks. The first cell starts at `origin`. Returns how many cells hold a wanted
    /// element of the range.
    pub(crate) fn count_cells(self, range: &Range<i64>, origin: i64, length: i64) -> i64 {
        let cell = |at: i64| (at - origin).checked_div(length).unwrap_or(0);
        let last = self.last(range);
        match self {
            // If the step is at least the length of a cell, no two elements are in the same cell.
            Wanted::Each(step) if step >= length => (last - range.start) / step + 1,
            Wanted::Each(_) => cell(last) - cell(range.start) + 1,
            Wanted::At(at) => {
                let mut previous = None;
                within(at, range).iter().filter(|&&at| previous.replace(cell(at)) != Some(cell(at))).count() as i64
            }
        }
    }
}

/// Returns the coordinates that are less than `end`.
fn before(at: &[i64], end: i64) -> &[i64] {
    at.get(..at.partition_point(|&at| at < end)).unwrap_or(at)
}

/// Returns the coordinates that lie in a range.
fn within<'a>(at: &'a [i64], range: &Range<i64>) -> &'a [i64] {
    let at = before(at, range.end);
    at.get(before(at, range.start).len()..).unwrap_or_default()
}
