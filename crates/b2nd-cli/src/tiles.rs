//! Reads a selection of an array in pieces along its chunks, so that no chunk is decompressed twice, unless it is larger than a piece.

use b2nd_ndarray::{Array, Select};
use b2nd_view::slice::{Axis, ChunkPart, Selection};
use rayon::prelude::*;

use crate::error::Result;
use crate::values::length;

/// The maximum size in bytes of a piece that combines whole chunks.
const SMALL: usize = 1 << 22;

/// The maximum size of a piece in bytes, unless one block is larger.
const LARGE: usize = 1 << 26;

/// The maximum number of pieces that are read at the same time. The results for the pieces are merged in order, so that the total does not
/// depend on the number of threads.
const AT_ONCE: u64 = 64;

/// Reads the selected elements on all cores, in pieces. `make` is called with the elements of each piece, and the number of times that
/// they occur. If this number is not 1, all elements of the piece are equal, and only one of them is passed. `take` gets the results of
/// `make` in the order of the pieces, each with the number of bytes in the piece's ranges, which include elements that steps skip.
pub(crate) fn each<T: Send>(
    array: &Array,
    selection: &Selection,
    make: impl Fn(&[u8], u64) -> T + Sync,
    mut take: impl FnMut(T, u64),
) -> Result<()> {
    let axes = pieces(array, selection);
    let count = axes.iter().fold(1, |count: u64, axis| count.saturating_mul(u64::try_from(axis.count()).unwrap_or(0)));
    for start in (0..count).step_by(AT_ONCE as usize) {
        let numbers = start..count.min(start.saturating_add(AT_ONCE));
        let made: Vec<Result<(T, u64)>> = numbers
            .into_par_iter()
            .map(|number| {
                let ranges = ChunkPart::new(&axes, number).ranges;
                let made = match array.repeated(&ranges) {
                    Some(element) => {
                        let lengths = Selection { ranges: ranges.clone(), ..selection.clone() }.lengths();
                        make(&element, lengths.iter().map(|length| length.unsigned_abs()).product())
                    }
                    None => make(&array.select_bytes(&Select::steps(&ranges, &selection.steps)?)?, 1),
                };
                Ok((made, length(array, &ranges) as u64))
            })
            .collect();
        for made in made {
            let (made, read) = made?;
            take(made, read);
        }
    }
    Ok(())
}

/// Returns the axes of a selection, in which `chunk` is not the length of a chunk but the length of a piece along the axis.
fn pieces(array: &Array, selection: &Selection) -> Vec<Axis> {
    let mut axes = selection.axes(array.grid());
    let bytes = |axes: &[Axis]| {
        let items = axes.iter().map(|axis| usize::try_from(axis.chunk).unwrap_or(usize::MAX));
        items.fold(array.itemsize(), usize::saturating_mul)
    };
    for axis in (0..axes.len()).rev() {
        while bytes(&axes) <= SMALL / 2 && axes[axis].count() > 1 && axes[axis].step <= axes[axis].chunk {
            axes[axis].chunk *= 2;
        }
    }
    while bytes(&axes) > LARGE {
        let Some(axis) = axes.iter_mut().find(|axis| axis.chunk > axis.block) else { break };
        axis.chunk = (axis.chunk / 2 / axis.block * axis.block).max(axis.block);
    }
    axes
}
