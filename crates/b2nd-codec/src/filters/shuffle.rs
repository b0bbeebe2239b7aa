//! Byte shuffle: stores the first bytes of all elements, then the second bytes of all elements, and so on.
//!
//! To undo the filter, elements are assembled in stages. Each stage takes units from two buffers in turn, which makes units of twice the
//! length. Elements of any size are assembled from parts of 16, 8, 4, 2 and 1 bytes. The compiler converts loops over 64 elements to vector
//! instructions, so this module needs no `unsafe` code.

/// The number of elements that are processed in one step. With more or fewer elements the loops are slower.
const STEP: usize = 64;

/// The minimum number of elements that are assembled in stages. Fewer elements are assembled byte by byte, and so are the elements of a
/// block with fewer than [`STEP`] elements.
const FEW: usize = 8;

/// The bytes at one position of all elements of a step.
type Plane = [u8; STEP];

/// Undoes the filter. Bytes after the last whole element do not change.
///
/// Both slices should have the same length. If they do not, the shorter length is used.
pub(crate) fn unshuffle(shuffled: &[u8], data: &mut [u8], typesize: usize) {
    let length = shuffled.len().min(data.len());
    let (shuffled, data) = (&shuffled[..length], &mut data[..length]);
    let elements = length / typesize.max(1);
    if typesize <= 1 || elements == 0 {
        return data.copy_from_slice(shuffled);
    }
    let whole = elements * typesize;
    let (joined, rest) = data.split_at_mut(whole);
    rest.copy_from_slice(&shuffled[whole..]);
    unshuffle_part(shuffled, typesize, 0, joined);
}

/// Undoes the filter for the elements that fit into `data`, starting with element `first`.
///
/// If the block has too few elements to fill `data`, `data` does not change.
pub(crate) fn unshuffle_part(shuffled: &[u8], typesize: usize, first: usize, data: &mut [u8]) {
    let typesize = typesize.max(1);
    let elements = shuffled.len() / typesize;
    let count = data.len() / typesize;
    if first.checked_add(count).is_none_or(|end| end > elements) {
        return;
    }
    if count < FEW {
        for (index, element) in data.chunks_exact_mut(typesize).enumerate() {
            for (place, plane) in element.iter_mut().zip(shuffled.chunks_exact(elements)) {
                *place = plane[first + index];
            }
        }
        return;
    }
    let mut offset = 0;
    while offset < typesize {
        let planes = &shuffled[offset * elements..];
        offset += match typesize - offset {
            16.. => join_part::<16>(planes, elements, first, data, typesize, offset, join16),
            8.. => join_part::<8>(planes, elements, first, data, typesize, offset, join8),
            4.. => join_part::<4>(planes, elements, first, data, typesize, offset, join4),
            2.. => join_part::<2>(planes, elements, first, data, typesize, offset, join2),
            _ => join_part::<1>(planes, elements, first, data, typesize, offset, |planes, out| out.copy_from_slice(planes[0])),
        };
    }
}

/// Applies the filter to `data`, and writes the result to `shuffled`. [`unshuffle`] undoes it.
pub(crate) fn shuffle(data: &[u8], shuffled: &mut [u8], typesize: usize) {
    let length = shuffled.len().min(data.len());
    let (data, shuffled) = (&data[..length], &mut shuffled[..length]);
    let elements = length / typesize.max(1);
    if typesize <= 1 || elements == 0 {
        return shuffled.copy_from_slice(data);
    }
    let mut offset = 0;
    while offset < typesize {
        let planes = &mut shuffled[offset * elements..];
        offset += match typesize - offset {
            16.. => split_part::<16>(data, typesize, offset, planes, elements, split16),
            8.. => split_part::<8>(data, typesize, offset, planes, elements, split8),
            4.. => split_part::<4>(data, typesize, offset, planes, elements, split4),
            2.. => split_part::<2>(data, typesize, offset, planes, elements, split2),
            _ => split_part::<1>(data, typesize, offset, planes, elements, |bytes, planes| planes[0].copy_from_slice(bytes)),
        };
    }
    let whole = elements * typesize;
    shuffled[whole..].copy_from_slice(&data[whole..]);
}

/// Copies the first `SIZE` of these planes into the bytes `offset..offset + SIZE` of each element in `data`, which starts with element
/// `first` of the block. Returns `SIZE`.
#[inline(always)]
fn join_part<const SIZE: usize>(
    planes: &[u8],
    elements: usize,
    first: usize,
    data: &mut [u8],
    typesize: usize,
    offset: usize,
    join: impl Fn(&[&Plane], &mut [u8]),
) -> usize {
    let mut parts = [&planes[..0]; SIZE];
    for (part, plane) in parts.iter_mut().zip(planes.chunks_exact(elements)) {
        *part = plane;
    }
    let planes_at = |at: usize| parts.map(|part| part.get(at..).and_then(|part| part.first_chunk()).unwrap_or(&[0; STEP]));
    let mut from = first;
    let mut steps = data.chunks_exact_mut(STEP * typesize);
    for step in &mut steps {
        let planes = planes_at(from);
        if SIZE == typesize {
            join(&planes, step);
        } else {
            let mut joined = [[0; SIZE]; STEP];
            join(&planes, joined.as_flattened_mut());
            for (element, joined) in step.chunks_exact_mut(typesize).zip(&joined) {
                element[offset..offset + SIZE].copy_from_slice(joined);
            }
        }
        from += STEP;
    }
    let rest = steps.into_remainder();
    if let Some(last) = elements.checked_sub(STEP).filter(|_| rest.len() >= FEW * typesize) {
        // Assemble a whole step that contains the remaining elements, and also elements before or after them. Then copy only the remaining
        // elements.
        let start = from.min(last);
        let mut joined = [[0; SIZE]; STEP];
        join(&planes_at(start), joined.as_flattened_mut());
        for (element, joined) in rest.chunks_exact_mut(typesize).zip(&joined[from - start..]) {
            element[offset..offset + SIZE].copy_from_slice(joined);
        }
        return SIZE;
    }
    for (index, element) in rest.chunks_exact_mut(typesize).enumerate() {
        for (place, part) in element[offset..].iter_mut().zip(parts) {
            *place = part[from + index];
        }
    }
    SIZE
}

/// Copies the bytes `offset..offset + SIZE` of each element into the first `SIZE` of these planes. Returns `SIZE`.
#[inline(always)]
fn split_part<const SIZE: usize>(
    data: &[u8],
    typesize: usize,
    offset: usize,
    planes: &mut [u8],
    elements: usize,
    split: impl Fn(&[u8], &mut [Plane]),
) -> usize {
    let steps = data[..elements * typesize].chunks_exact(STEP * typesize);
    let rest = steps.remainder();
    let mut from = 0;
    let mut split_step = [[0; STEP]; SIZE];
    for step in steps {
        if SIZE == typesize {
            split(step, &mut split_step);
        } else {
            let mut joined = [[0; SIZE]; STEP];
            for (element, joined) in step.chunks_exact(typesize).zip(&mut joined) {
                joined.copy_from_slice(&element[offset..offset + SIZE]);
            }
            split(joined.as_flattened(), &mut split_step);
        }
        for (plane, bytes) in planes.chunks_exact_mut(elements).zip(&split_step) {
            plane[from..from + STEP].copy_from_slice(bytes);
        }
        from += STEP;
    }
    for (index, element) in rest.chunks_exact(typesize).enumerate() {
        for (plane, byte) in planes.chunks_exact_mut(elements).take(SIZE).zip(&element[offset..]) {
            plane[from + index] = *byte;
        }
    }
    SIZE
}

/// Joins the two planes of a step of elements of 2 bytes.
#[inline(always)]
fn join2(planes: &[&Plane], out: &mut [u8]) {
    for ((place, one), other) in out.chunks_exact_mut(2).zip(planes[0]).zip(planes[1]) {
        (place[0], place[1]) = (*one, *other);
    }
}

/// Splits a step of elements of 2 bytes into its planes. This works on integers, since the compiler converts such a loop to vector
/// instructions, but not the same loop over bytes.
#[inline(always)]
fn split2(data: &[u8], planes: &mut [Plane]) {
    let (one, other) = planes.split_at_mut(1);
    for ((pair, one), other) in data.chunks_exact(2).zip(&mut one[0]).zip(&mut other[0]) {
        let mut both = [0; 2];
        both.copy_from_slice(pair);
        let both = u16::from_le_bytes(both);
        (*one, *other) = (both as u8, (both >> 8) as u8);
    }
}

/// Defines the stages for longer elements: a step is joined from two halves, whose elements have half the length, and split into them.
macro_rules! stages {
    ($($join:ident $split:ident $whole:ty: $half_join:ident $half_split:ident $half:ty;)*) => {
        $(
            #[inline(always)]
            fn $join(planes: &[&Plane], out: &mut [u8]) {
                const UNIT: usize = size_of::<$half>();
                let mut halves = [[0; STEP * UNIT]; 2];
                $half_join(&planes[..UNIT], &mut halves[0]);
                $half_join(&planes[UNIT..], &mut halves[1]);
                let units = halves[0].chunks_exact(UNIT).zip(halves[1].chunks_exact(UNIT));
                for (place, (one, other)) in out.chunks_exact_mut(2 * UNIT).zip(units) {
                    let (first, second) = place.split_at_mut(UNIT);
                    first.copy_from_slice(one);
                    second.copy_from_slice(other);
                }
            }

            #[inline(always)]
            fn $split(data: &[u8], planes: &mut [Plane]) {
                const UNIT: usize = size_of::<$half>();
                let mut halves = [[0; STEP * UNIT]; 2];
                let [one, other] = &mut halves;
                let units = one.chunks_exact_mut(UNIT).zip(other.chunks_exact_mut(UNIT));
                for (both, (one, other)) in data.chunks_exact(2 * UNIT).zip(units) {
                    let mut whole = [0; 2 * UNIT];
                    whole.copy_from_slice(both);
                    let whole = <$whole>::from_le_bytes(whole);
                    one.copy_from_slice(&(whole as $half).to_le_bytes());
                    other.copy_from_slice(&((whole >> (8 * UNIT)) as $half).to_le_bytes());
                }
                $half_split(one, &mut planes[..UNIT]);
                $half_split(other, &mut planes[UNIT..]);
            }
        )*
    };
}

stages! {
    join4 split4 u32: join2 split2 u16;
    join8 split8 u64: join4 split4 u32;
    join16 split16 u128: join8 split8 u64;
}
