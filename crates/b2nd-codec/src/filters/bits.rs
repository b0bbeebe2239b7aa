//! Bit shuffle: stores the first bits of the elements, then their second bits, and so on. The filter is a byte shuffle, after which the
//! bits of each group of eight bytes are transposed.

use alloc::vec;

use super::shuffle as byte_shuffle;
use crate::header::BLOSC1;

/// Undoes the filter. Elements after the last whole group of eight elements are copied without change.
pub(super) fn unshuffle(from: &[u8], to: &mut [u8], typesize: usize, version: u8) {
    let groups = groups(from.len() / typesize.max(1), version);
    let (data, rest) = from.split_at(groups * 8 * typesize);
    let (place, end) = to.split_at_mut(data.len().min(to.len()));
    end.copy_from_slice(rest);
    let mut planes = vec![0; data.len()];
    for (bits, bytes) in data.chunks_exact((8 * groups).max(1)).zip(planes.chunks_exact_mut((8 * groups).max(1))) {
        let mut rows = bits.chunks_exact(groups);
        let [a, b, c, d, e, f, g, h] = core::array::from_fn(|_| rows.next().unwrap_or_default().iter());
        let columns = a.zip(b).zip(c.zip(d)).zip(e.zip(f).zip(g.zip(h)));
        for ((((a, b), (c, d)), ((e, f), (g, h))), place) in columns.zip(bytes.chunks_exact_mut(8)) {
            let rows = u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]);
            place.copy_from_slice(&transposed(rows).to_le_bytes());
        }
    }
    byte_shuffle::unshuffle(&planes, place, typesize);
}

/// Undoes the filter for the elements of a block that fit into `out`, starting with element `first`.
pub(super) fn unshuffle_part(from: &[u8], typesize: usize, version: u8, first: usize, out: &mut [u8]) {
    let elements = from.len() / typesize;
    let groups = groups(elements, version);
    let end = (first + out.len() / typesize).min(elements);
    for group in first / 8..groups.min(end.div_ceil(8)) {
        // The indices of the elements to copy from this group of eight.
        let wanted = (8 * group).max(first)..(8 * group + 8).min(end);
        let place = &mut out[(wanted.start - first) * typesize..(wanted.end - first) * typesize];
        for (byte, rows) in from.chunks_exact(8 * groups).take(typesize).enumerate() {
            let rows = core::array::from_fn(|row| rows[row * groups + group]);
            let bytes = transposed(u64::from_le_bytes(rows)).to_le_bytes();
            for (element, value) in place.chunks_exact_mut(typesize).zip(&bytes[wanted.start - 8 * group..]) {
                element[byte] = *value;
            }
        }
    }
    let rest = first.max(8 * groups);
    if rest < end {
        out[(rest - first) * typesize..][..(end - rest) * typesize].copy_from_slice(&from[rest * typesize..end * typesize]);
    }
}

/// Applies the filter. Elements after the last whole group of eight elements are copied without change.
pub(super) fn shuffle(from: &[u8], to: &mut [u8], typesize: usize, version: u8) {
    let groups = groups(from.len() / typesize.max(1), version);
    let (data, rest) = from.split_at(groups * 8 * typesize);
    let (place, end) = to.split_at_mut(data.len().min(to.len()));
    end.copy_from_slice(rest);
    let mut planes = vec![0; data.len()];
    byte_shuffle::shuffle(data, &mut planes, typesize);
    for (bytes, bits) in planes.chunks_exact((8 * groups).max(1)).zip(place.chunks_exact_mut((8 * groups).max(1))) {
        let mut rows = bits.chunks_exact_mut(groups);
        let [a, b, c, d, e, f, g, h] = core::array::from_fn(|_| rows.next().unwrap_or_default().iter_mut());
        let columns = a.zip(b).zip(c.zip(d)).zip(e.zip(f).zip(g.zip(h)));
        for ((((a, b), (c, d)), ((e, f), (g, h))), bytes) in columns.zip(bytes.chunks_exact(8)) {
            let mut column = [0; 8];
            column.copy_from_slice(bytes);
            [*a, *b, *c, *d, *e, *f, *g, *h] = transposed(u64::from_le_bytes(column)).to_le_bytes();
        }
    }
}

/// Returns the number of groups of eight elements whose bits are shuffled. In chunks of version 2 (Blosc 1), the bits are shuffled only if
/// the number of elements is a multiple of eight.
fn groups(elements: usize, version: u8) -> usize {
    if version == BLOSC1 && elements % 8 != 0 { 0 } else { elements / 8 }
}

/// Transposes eight rows of eight bits.
fn transposed(rows: u64) -> u64 {
    let swap = |bits: u64, shift: u32, mask: u64| {
        let changed = (bits ^ (bits >> shift)) & mask;
        bits ^ changed ^ (changed << shift)
    };
    let bits = swap(rows, 7, 0x00aa_00aa_00aa_00aa);
    let bits = swap(bits, 14, 0x0000_cccc_0000_cccc);
    swap(bits, 28, 0x0000_0000_f0f0_f0f0)
}
