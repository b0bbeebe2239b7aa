//! C-Blosc2 multiplies the lengths of an array, and does not always check for overflow, which is undefined behavior in C. This module
//! checks these products.

use b2nd::Grid;

/// Returns a sentence about the problem if a product of the array's lengths overflows in C-Blosc2. Lengths of 0 are left out, because the
/// product of the other lengths can overflow even if the whole product is 0.
pub(super) fn overflow(grid: &Grid, typesize: i32) -> Option<&'static str> {
    let most = i128::from(i32::MAX);
    let is_long =
        |lengths: &[i64], most: i128| product(lengths.iter().map(|&length| i128::from(length))).is_none_or(|all| all > most);
    if is_long(grid.shape(), i128::from(i64::MAX)) || is_long(grid.extshape(), i128::from(i64::MAX)) {
        return Some("the product of its padded lengths (other than 0) does not fit an int64");
    }
    let bytes: Vec<i64> = grid.extchunkshape().iter().copied().chain([i64::from(typesize)]).collect();
    if is_long(grid.chunkshape(), most) || is_long(grid.blockshape(), most) || is_long(&bytes, most) {
        return Some("the product of a padded chunk's or block's lengths (other than 0) and the typesize does not fit int32");
    }
    // C-Blosc2 computes the distance between chunks, but never uses it. The distance also overflows in readable arrays of terabytes of
    // zeros, so it is only checked if the array is empty.
    let inner = grid.extshape().iter().zip(grid.chunkshape()).skip(1);
    let distance = product(inner.map(|(&length, &chunk)| i128::from(length) * i128::from(chunk)));
    if grid.shape().contains(&0) && distance.is_none_or(|distance| distance > i128::from(i64::MAX)) {
        return Some(
            "it is empty, but the distance between chunks that C-Blosc2 computes from its lengths does not fit an int64",
        );
    }
    None
}

/// Multiplies the lengths that are not 0.
pub(super) fn product(lengths: impl Iterator<Item = i128>) -> Option<i128> {
    lengths.filter(|&length| length != 0).try_fold(1_i128, i128::checked_mul)
}
