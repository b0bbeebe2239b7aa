//! [`Wanted`]: which elements of an axis are read.

use std::ops::Range;

/// Which elements of a range are wanted, along one axis. The first element of the range is one of them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'a> {
    /// One of so many, from the first on.
    Each(i64),
    /// Those at these coordinates, which ascend. They may reach beyond the range.
    At(&'a [i64]),
}

impl Wanted<'_> {
    /// The last element of a range that is wanted.
    pub(crate) fn last(self, range: &Range<i64>) -> i64 {
        match self {
            Wanted::Each(step) => range.start + (range.end - 1 - range.start) / step * step,
            Wanted::At(at) => before(at, range.end).last().copied().unwrap_or(range.start),
        }
    }

    /// The number of wanted elements of a range before a coordinate in it, and the first one after it.
    pub(crate) fn split(self, range: &Range<i64>, coordinate: i64) -> (i64, i64) {
        match self {
            Wanted::Each(step) => {
                let count = (coordinate - range.start - 1) / step + 1;
                (count, range.start + count * step)
            }
            Wanted::At(at) => {
                let (all, before) = (before(at, coordinate), before(at, range.start).len());
                let count = i64::try_from(all.len() - before).unwrap_or(i64::MAX);
                (count, at.get(all.len()).copied().unwrap_or(range.end))
            }
        }
    }

    /// The elements that are wanted in a range, counted from `origin`, where they are a list.
    pub(crate) fn places(self, range: &Range<i64>, origin: i64) -> Option<Vec<usize>> {
        let Wanted::At(at) = self else { return None };
        let at = before(at, range.end);
        let skipped = before(at, range.start).len();
        Some(at.iter().skip(skipped).map(|at| usize::try_from(at - origin).unwrap_or(usize::MAX)).collect())
    }

    /// The cells of this length that hold a wanted element, in ascending order.
    pub(crate) fn cells(self, range: Range<i64>, length: i64) -> Vec<i64> {
        let cell = |at: i64| at.checked_div(length).unwrap_or(0);
        match self {
            _ if range.is_empty() => Vec::new(),
            Wanted::Each(step) if step < length => (cell(range.start)..=cell(self.last(&range))).collect(),
            Wanted::Each(step) => {
                let count = (self.last(&range) - range.start) / step;
                (0..=count).map(|number| cell(range.start + number * step)).collect()
            }
            Wanted::At(at) => {
                let skipped = before(at, range.start).len();
                let mut cells: Vec<_> = before(at, range.end).iter().skip(skipped).map(|&at| cell(at)).collect();
                cells.dedup();
                cells
            }
        }
    }

    /// The number of cells of this length, from `origin` on, that hold a wanted element.
    pub(crate) fn count_cells(self, range: &Range<i64>, origin: i64, length: i64) -> i64 {
        let cell = |at: i64| (at - origin).checked_div(length).unwrap_or(0);
        let last = self.last(range);
        match self {
            // With larger steps each element has a cell of its own.
            Wanted::Each(step) if step >= length => (last - range.start) / step + 1,
            Wanted::Each(_) => cell(last) - cell(range.start) + 1,
            Wanted::At(at) => {
                let inside = before(at, range.end);
                let skipped = before(inside, range.start).len();
                let mut previous = None;
                let changes = inside.iter().skip(skipped).filter(|&&at| previous.replace(cell(at)) != Some(cell(at)));
                i64::try_from(changes.count()).unwrap_or(i64::MAX)
            }
        }
    }
}

/// The coordinates below this one.
fn before(at: &[i64], end: i64) -> &[i64] {
    at.get(..at.partition_point(|&at| at < end)).unwrap_or(at)
}
