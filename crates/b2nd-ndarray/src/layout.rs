//! Where the elements of a block stand: in its chunk's data, and in a slice of the array.

use std::ops::Range;

use b2nd::Grid;

/// Bytes that follow one another in a chunk's data and in a slice of the array in C order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    pub(crate) chunk: Range<usize>,
    pub(crate) slice: Range<usize>,
}

/// Cuts what a block and a slice share into runs along the last dimension. The padding of chunks and blocks is in none.
pub(crate) fn runs(
    grid: &Grid,
    chunk: u64,
    block: u64,
    slice: &[Range<i64>],
    itemsize: usize,
) -> impl Iterator<Item = Run> + use<> {
    let block_extent = grid.block_extent(chunk, block);
    let extent = block_extent.as_deref().unwrap_or_default();
    let last = slice.len().saturating_sub(1);
    let mut dimensions = Vec::new();
    let (mut in_slice, mut count) = (1, i64::from(block_extent.is_some()));
    let mut length = 1;
    for (index, (wanted, held)) in slice.iter().zip(extent).enumerate().rev() {
        let start = wanted.start.max(held.start);
        let shared = (wanted.end.min(held.end) - start).max(0);
        let in_block = grid.item_strides().get(index).copied().unwrap_or(0);
        let steps = if index == last { i64::from(shared > 0) } else { shared };
        if index == last {
            length = shared;
        }
        dimensions.push(Dimension { steps, in_block, in_slice, block: start - held.start, slice: start - wanted.start });
        in_slice *= wanted.end - wanted.start;
        count *= steps;
    }
    let first = i64::try_from(block).unwrap_or(i64::MAX) * grid.blocknitems();
    (0..count).map(move |number| {
        let (mut rest, mut from, mut to) = (number, first, 0);
        for dimension in &dimensions {
            let step = rest % dimension.steps;
            rest /= dimension.steps;
            from += (dimension.block + step) * dimension.in_block;
            to += (dimension.slice + step) * dimension.in_slice;
        }
        Run { chunk: bytes(from, length, itemsize), slice: bytes(to, length, itemsize) }
    })
}

/// One dimension of what a block and a slice share, in elements.
struct Dimension {
    /// How many runs lie behind one another.
    steps: i64,
    /// How far apart two neighbours are.
    in_block: i64,
    in_slice: i64,
    /// Where the first one is.
    block: i64,
    slice: i64,
}

/// Elements as bytes. What this machine cannot address becomes a range that no buffer has.
fn bytes(start: i64, length: i64, itemsize: usize) -> Range<usize> {
    let at = |items: i64| usize::try_from(items).ok().and_then(|items| items.checked_mul(itemsize)).unwrap_or(usize::MAX);
    at(start)..at(start + length)
}

/// The number of elements in a slice; its ranges have been checked.
pub(crate) fn nitems(slice: &[Range<i64>]) -> i64 {
    slice.iter().map(|range| range.end - range.start).product()
}
