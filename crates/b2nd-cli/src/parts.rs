//! Splits arrays into parts, to limit the memory.

use std::ops::Range;

use itertools::Itertools;

/// The maximum size of a part of the values in bytes, unless one element is larger.
pub(crate) const PART: usize = 1 << 26;

/// Splits an array of this shape along its first dimensions into parts of at most `most` bytes, or of one element, in C order. Each part
/// starts at the start of a chunk, unless one layer of chunks is too large for a part.
pub(crate) fn parts(
    most: usize,
    itemsize: usize,
    shape: &[i64],
    chunkshape: &[i64],
) -> impl Iterator<Item = Vec<Range<i64>>> + use<> {
    let count = |length: i64| usize::try_from(length).unwrap_or(0);
    let axis = |(axis, (&length, &chunk)): (usize, (&i64, &i64))| {
        // The size in bytes of all elements that have the same indices along this axis and all axes before it.
        let row = shape[axis + 1..].iter().fold(itemsize, |size, &length| size.saturating_mul(count(length)));
        let (fitting, chunk) = (most / row.max(1), count(chunk).max(1));
        let rows = if fitting < count(length) && fitting >= chunk { fitting / chunk * chunk } else { fitting.max(1) };
        (0..length).step_by(rows).map(move |start| start..start.saturating_add(rows as i64).min(length))
    };
    let axes: Vec<_> = shape.iter().zip(chunkshape).enumerate().map(axis).collect();
    axes.into_iter().multi_cartesian_product()
}

#[cfg(test)]
#[path = "../tests/unit/parts.rs"]
mod tests;
