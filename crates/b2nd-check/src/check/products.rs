//! Products that C-Blosc2 takes of an array's lengths, some without a look whether they fit: undefined behavior in C.

use b2nd::Grid;

/// The sentence about lengths that C-Blosc2 cannot multiply. Lengths of 0 are left out: C-Blosc2 multiplies the others all the same.
pub(super) fn overflow(grid: &Grid, typesize: i32) -> Option<&'static str> {
    let most = i128::from(i32::MAX);
    let is_long =
        |lengths: &[i64], most: i128| product(lengths.iter().map(|&length| i128::from(length))).is_none_or(|all| all > most);
    if is_long(grid.shape(), i128::from(i64::MAX)) || is_long(grid.extshape(), i128::from(i64::MAX)) {
        return Some("its lengths, without those that are 0, multiply to more than an int64 counts");
    }
    let bytes: Vec<i64> = grid.extchunkshape().iter().copied().chain([i64::from(typesize)]).collect();
    if is_long(grid.chunkshape(), most) || is_long(grid.blockshape(), most) || is_long(&bytes, most) {
        return Some("a chunk's lengths, without those that are 0, multiply to more than an int32 counts");
    }
    // The distance of chunks, which C-Blosc2 stores and never uses: an array of terabytes of zeros overflows it as well, and is read.
    let inner = grid.extshape().iter().zip(grid.chunkshape()).skip(1);
    let distance = product(inner.map(|(&length, &chunk)| i128::from(length) * i128::from(chunk)));
    if grid.shape().contains(&0) && distance.is_none_or(|distance| distance > i128::from(i64::MAX)) {
        return Some(
            "it is empty, and its lengths times those of its chunks, which C-Blosc2 multiplies, are more than an int64 counts",
        );
    }
    None
}

/// The product of lengths that are not 0.
fn product(lengths: impl Iterator<Item = i128>) -> Option<i128> {
    lengths.filter(|&length| length != 0).try_fold(1_i128, i128::checked_mul)
}
