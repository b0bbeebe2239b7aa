//! Bytedelta: the difference of each byte to the one before it, in each plane of a shuffled block.

/// The length of a vector in the version of C-Blosc2 that starts anew at the end of a plane.
const VECTOR: usize = 16;

/// Undoes the filter. Bytes at the end that are no whole element stay as they are.
pub(super) fn undo(data: &mut [u8], typesize: usize) {
    planes(data, typesize).for_each(sums);
}

/// Undoes the first version of the filter, in which the last bytes of a plane, fewer than 16, are summed up alone.
pub(super) fn undo_buggy(data: &mut [u8], typesize: usize) {
    for plane in planes(data, typesize) {
        let (vectors, rest) = plane.split_at_mut(plane.len() - plane.len() % VECTOR);
        sums(vectors);
        sums(rest);
    }
}

fn planes(data: &mut [u8], typesize: usize) -> impl Iterator<Item = &mut [u8]> {
    let length = data.len() / typesize.max(1);
    data.chunks_exact_mut(length.max(1)).take(if length == 0 { 0 } else { typesize })
}

/// Replaces each byte by the sum of it and all before it.
fn sums(plane: &mut [u8]) {
    let mut sum = 0_u8;
    for byte in plane {
        sum = sum.wrapping_add(*byte);
        *byte = sum;
    }
}

/// Applies the filter. Bytes at the end that are no whole element stay as they are.
pub(super) fn apply(data: &mut [u8], typesize: usize) {
    for plane in planes(data, typesize) {
        let mut last = 0_u8;
        for byte in plane {
            let value = *byte;
            *byte = value.wrapping_sub(last);
            last = value;
        }
    }
}
