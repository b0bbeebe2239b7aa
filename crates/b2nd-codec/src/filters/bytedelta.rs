//! Bytedelta: replaces each byte of a shuffled block by its difference from the byte before it. Each plane, which has the bytes at one
//! position of all elements, is filtered separately.

/// The length of a SIMD vector in bytes. Only [`undo_buggy`] needs it: C-Blosc2's first version of the filter, if built with SIMD, starts
/// the sum of differences again at 0 after the last whole vector of a plane.
const VECTOR: usize = 16;

/// Undoes the filter. Bytes after the last whole element do not change.
pub(super) fn undo(data: &mut [u8], typesize: usize) {
    planes(data, typesize).for_each(sums);
}

/// Undoes the first version of the filter (bytedelta_buggy), which restarts the sum after the last whole [`VECTOR`] of a plane.
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

/// Replaces each byte by the sum of all bytes up to it. Eight sums are computed at the same time, in three steps, which add to each byte
/// the byte that is one, two and four positions before it.
fn sums(plane: &mut [u8]) {
    let mut sum = 0_u8;
    let mut words = plane.chunks_exact_mut(8);
    for word in &mut words {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(word);
        let mut sums = u64::from_le_bytes(bytes);
        for shift in [8, 16, 32] {
            sums = added(sums, sums << shift);
        }
        sums = added(sums, u64::from(sum) * 0x0101_0101_0101_0101);
        word.copy_from_slice(&sums.to_le_bytes());
        sum = sums.to_le_bytes()[7];
    }
    for byte in words.into_remainder() {
        sum = sum.wrapping_add(*byte);
        *byte = sum;
    }
}

/// Adds two words byte by byte, without a carry from one byte into the next.
fn added(one: u64, other: u64) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    ((one & LOW) + (other & LOW)) ^ ((one ^ other) & !LOW)
}

/// Applies the filter. Bytes after the last whole element do not change.
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
