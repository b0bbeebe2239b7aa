//! [`BlockRows`]: the contiguous parts of a block that lie in an area.

use std::ops::Range;

use b2nd_codec::Part;

use crate::read::axis_selection::Wanted;
use crate::read::buffers::BytesMut;

/// The number of elements that the filters decode together. Decoding fewer elements takes the same time.
const STEP: usize = 64;

/// Rows with fewer elements than this are decoded element by element.
const FEW: usize = 8;

/// The rows of a block that are read, in C order. A row is a run of elements along the last axis, or a single element. There is one row for
/// each combination of offsets, one offset per axis.
pub(crate) struct BlockRows {
    /// The offsets in the block, in bytes, of the wanted indices along each axis. A row starts at the sum of one offset per axis.
    axes: Vec<Vec<usize>>,
    /// The length of a row in bytes.
    length: usize,
}

impl BlockRows {
    /// Returns the rows of an area that lies in one block of this shape. `origin` has the coordinates at which the grid of blocks starts.
    /// If `wanted` is not empty, each wanted element is a row.
    ///
    /// Returns `None` if it is faster to decode the whole block.
    pub(crate) fn new(
        area: &[Range<i64>],
        wanted: &[Wanted<'_>],
        origin: &[i64],
        shape: &[i64],
        itemsize: usize,
    ) -> Option<BlockRows> {
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
                wanted => {
                    let places = wanted.unwrap_or(&Wanted::Each(1)).places(range, range.start - first)?;
                    places.into_iter().map(|place| place.checked_mul(stride)).collect()
                }
            };
            *axes.get_mut(axis)? = places?;
            stride = stride.checked_mul(usize::try_from(size).ok()?)?;
            elements = elements.checked_mul(usize::try_from(size).ok()?)?;
        }
        let rows = BlockRows { axes, length };
        let row = length.checked_div(itemsize)?;
        let effort = if row < FEW { row * FEW } else { row.next_multiple_of(STEP) };
        (rows.count().checked_mul(effort)? <= elements).then_some(rows)
    }

    fn count(&self) -> usize {
        self.axes.iter().map(Vec::len).product()
    }

    /// Returns the position in the block at which the last row ends, in bytes.
    pub(crate) fn end(&self) -> usize {
        self.axes.iter().filter_map(|places| places.last()).sum::<usize>() + self.length
    }

    /// Copies the rows from a decoded block, or the decoded part of a block, to a view.
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
