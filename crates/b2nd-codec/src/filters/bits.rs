//! Bit shuffle: all first bits of the elements, then all second ones, and so on.

/// Undoes the filter. The elements after the last multiple of eight stay as they are.
///
/// In chunks of format 2 (Blosc 1) nothing was done unless the number of elements is a multiple of eight.
pub(super) fn unshuffle(from: &[u8], to: &mut [u8], typesize: usize, version: u8) {
    let elements = from.len() / typesize.max(1);
    let groups = if version == 2 && elements % 8 != 0 { 0 } else { elements / 8 };
    let whole = groups * 8 * typesize;
    let (planes, rest) = from.split_at(whole);
    let (data, end) = to.split_at_mut(whole.min(to.len()));
    end.copy_from_slice(rest);
    if groups == 0 {
        return;
    }
    // A plane for each bit of an element, the lowest bit of the first byte first, with a bit of each element.
    for (byte, planes) in planes.chunks_exact(8 * groups).enumerate() {
        for group in 0..groups {
            let mut bits = [0; 8];
            for (place, plane) in bits.iter_mut().zip(planes.chunks_exact(groups)) {
                *place = plane.get(group).copied().unwrap_or(0);
            }
            let bytes = transposed(u64::from_le_bytes(bits)).to_le_bytes();
            let elements = data.get_mut(group * 8 * typesize..).unwrap_or_default();
            for (element, value) in elements.chunks_exact_mut(typesize).zip(bytes) {
                if let Some(place) = element.get_mut(byte) {
                    *place = value;
                }
            }
        }
    }
}

/// Turns eight rows of eight bits into columns.
fn transposed(rows: u64) -> u64 {
    let swap = |bits: u64, shift: u32, mask: u64| {
        let changed = (bits ^ (bits >> shift)) & mask;
        bits ^ changed ^ (changed << shift)
    };
    let bits = swap(rows, 7, 0x00aa_00aa_00aa_00aa);
    let bits = swap(bits, 14, 0x0000_cccc_0000_cccc);
    swap(bits, 28, 0x0000_0000_f0f0_f0f0)
}

/// Applies the filter. The elements after the last multiple of eight stay as they are.
pub(super) fn shuffle(from: &[u8], to: &mut [u8], typesize: usize) {
    let groups = from.len() / typesize.max(1) / 8;
    let whole = groups * 8 * typesize;
    let (data, rest) = from.split_at(whole);
    let (planes, end) = to.split_at_mut(whole.min(to.len()));
    end.copy_from_slice(rest);
    if groups == 0 {
        return;
    }
    for (byte, planes) in planes.chunks_exact_mut(8 * groups).enumerate() {
        for (group, elements) in data.chunks_exact(8 * typesize).enumerate() {
            let mut bytes = [0; 8];
            for (place, element) in bytes.iter_mut().zip(elements.chunks_exact(typesize)) {
                *place = element.get(byte).copied().unwrap_or(0);
            }
            let bits = transposed(u64::from_le_bytes(bytes)).to_le_bytes();
            for (plane, bits) in planes.chunks_exact_mut(groups).zip(bits) {
                if let Some(place) = plane.get_mut(group) {
                    *place = bits;
                }
            }
        }
    }
}
