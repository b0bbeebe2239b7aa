//! Delta: replaces each unit of 1 to 8 bytes by its exclusive or with another unit. In the first block of a chunk, this is the previous
//! unit, and the first unit does not change. In all other blocks, it is the unit at the same position of the first block.

/// Returns the length in bytes of the units that the filter combines: the typesize if it is 1, 2, 4 or 8; 8 if the typesize is a multiple
/// of 8; 1 for any other typesize.
fn unit(typesize: usize) -> usize {
    match typesize {
        1 | 2 | 4 | 8 => typesize,
        _ if typesize % 8 == 0 => 8,
        _ => 1,
    }
}

/// Undoes the filter in a block. `first` is the data of the chunk's first block, or `None` if this is the first block.
pub(super) fn undo(data: &mut [u8], typesize: usize, first: Option<&[u8]>) {
    let unit = unit(typesize);
    // Bytes after the last whole unit do not change.
    let whole = data.len() - data.len() % unit;
    let data = data.get_mut(..whole).unwrap_or_default();
    if let Some(first) = first {
        data.iter_mut().zip(first).for_each(|(byte, first)| *byte ^= first);
        return;
    }
    // Each unit becomes the exclusive or of itself and all units before it.
    let mut last = [0; 8];
    for unit in data.chunks_mut(unit) {
        for (byte, last) in unit.iter_mut().zip(&mut last) {
            *last ^= *byte;
            *byte = *last;
        }
    }
}

/// Applies the filter to a block. `first` is the chunk's first block as readers will get it, or `None` if this is the first block.
pub(super) fn apply(data: &mut [u8], typesize: usize, first: Option<&[u8]>) {
    let unit = unit(typesize);
    if first.is_some() {
        return undo(data, typesize, first);
    }
    let whole = data.len() - data.len() % unit;
    for at in (unit..whole).rev() {
        data[at] ^= data[at - unit];
    }
}
