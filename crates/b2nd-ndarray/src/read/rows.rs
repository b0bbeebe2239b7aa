//! [`Rows`]: the contiguous parts of a block that belong to an area.

use std::ops::Range;

use b2nd_codec::Part;

use crate::read::axis_selection::Wanted;
use crate::read::buffers::BytesMut;

/// The filters put elements together in groups of this many, so a smaller group takes as long.
const STEP: usize = 64;

/// Groups smaller than this are put together element by element.
const FEW: usize = 8;

/// Rows of a block: one for each combination of an index along each axis, in C order.
pub(crate) struct Rows {
    /// For each axis, the offset in bytes of each index.
    axes: Vec<Vec<usize>>,
    /// The length of a row in bytes.
    length: usize,
}

impl Rows {
    /// Returns the rows of an area in one block, which starts at `origin`. If single elements are wanted, each of them is a row.
    ///
    /// Returns `None` if it is faster to put the whole block together.
    pub(crate) fn new(
        area: &[Range<i64>],
        wanted: &[Wanted<'_>],
        origin: &[i64],
        shape: &[i64],
        itemsize: usize,
    ) -> Option<Rows> {
        let mut axes = vec![Vec::new(); area.len()];
        let (mut stride, mut length, mut elements) = (itemsize, itemsize, 1_usize);
        for axis in (0..area.len()).rev() {
            let (range, size) = (area.get(axis)?, *shape.get(axis)?);
            let first = (range.start - origin.get(axis)?).checked_rem(size)?;
            let bytes = |place: i64| usize::try_from(place).ok()?.checked_mul(stride);
            let places: Option<Vec<_>> = match wanted.get(axis) {
                None if axis + 1 == area.len() => {
                    length = bytes(range.end - range.start)?;
                    Some(vec![bytes(first)?])
                }
                None => (first..first + range.end - range.start).map(bytes).collect(),
                Some(Wanted::Each(step)) => {
                    let step = usize::try_from(*step).ok()?;
                    (first..first + range.end - range.start).step_by(step).map(bytes).collect()
                }
                Some(list) => {
                    let places = list.places(range, range.start - first)?;
                    places.into_iter().map(|place| bytes(i64::try_from(place).ok()?)).collect()
                }
            };
            *axes.get_mut(axis)? = places?;
            stride = stride.checked_mul(usize::try_from(size).ok()?)?;
            elements = elements.checked_mul(usize::try_from(size).ok()?)?;
        }
        let rows = Rows { axes, length };
        let row = length.checked_div(itemsize)?;
        let effort = if row < FEW { row * FEW } else { row.next_multiple_of(STEP) };
        (rows.count().checked_mul(effort)? <= elements).then_some(rows)
    }

    fn count(&self) -> usize {
        self.axes.iter().map(Vec::len).product()
    }

    /// Returns the end of the last row, in bytes of the block.
    pub(crate) fn end(&self) -> usize {
        self.axes.iter().filter_map(|places| places.last()).sum::<usize>() + self.length
    }

    /// Copies the rows to a view.
    pub(crate) fn copy(&self, block: &Part<'_>, mut view: BytesMut<'_>) {
        let mut at = vec![0; self.axes.len()];
        for mut row in view.rows_mut() {
            let start = self.axes.iter().zip(&at).filter_map(|(places, &at)| places.get(at)).sum();
            if let Some(row) = row.as_slice_mut() {
                block.copy(start, row);
            } else {
                let mut bytes = vec![0; row.len()];
                block.copy(start, &mut bytes);
                row.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
            }
            for (at, places) in at.iter_mut().zip(&self.axes).rev() {
                *at += 1;
                if *at < places.len() {
                    break;
                }
                *at = 0;
            }
        }
    }
}
