//! Byte shuffle: all first bytes of the elements, then all second ones, and so on.
//!
//! Elements are put together in stages, each of which interleaves two halves: loops over arrays of a constant length become vector
//! instructions without `unsafe`.

/// Elements in one step: the buffers of the stages stay in the first cache.
const STEP: usize = 64;

/// Puts the bytes of each element together again. Bytes at the end that are no whole element stay where they are.
///
/// Both slices have the same length; of different ones the shorter length counts.
pub fn unshuffle(shuffled: &[u8], data: &mut [u8], typesize: usize) {
    let length = shuffled.len().min(data.len());
    let (shuffled, data) = (&shuffled[..length], &mut data[..length]);
    match typesize {
        0 | 1 => data.copy_from_slice(shuffled),
        2 => unshuffled::<2>(shuffled, data, join2),
        4 => unshuffled::<4>(shuffled, data, join4),
        8 => unshuffled::<8>(shuffled, data, join8),
        16 => unshuffled::<16>(shuffled, data, join16),
        _ => {
            let elements = length / typesize;
            for (index, element) in data.chunks_exact_mut(typesize).enumerate() {
                for (byte, place) in element.iter_mut().enumerate() {
                    *place = shuffled[byte * elements + index];
                }
            }
            data[elements * typesize..].copy_from_slice(&shuffled[elements * typesize..]);
        }
    }
}

/// Puts all first bytes before all second ones, and so on: what [`unshuffle`] reverses.
pub fn shuffle(data: &[u8], shuffled: &mut [u8], typesize: usize) {
    let length = shuffled.len().min(data.len());
    let (data, shuffled) = (&data[..length], &mut shuffled[..length]);
    if typesize <= 1 {
        return shuffled.copy_from_slice(data);
    }
    let elements = length / typesize;
    let (whole, rest) = data.split_at(elements * typesize);
    for (byte, plane) in shuffled.chunks_exact_mut(elements.max(1)).take(typesize).enumerate() {
        for (place, element) in plane.iter_mut().zip(whole.chunks_exact(typesize)) {
            *place = element[byte];
        }
    }
    shuffled[elements * typesize..].copy_from_slice(rest);
}

/// Steps through planes of bytes, and what is left at their ends.
fn unshuffled<const SIZE: usize>(shuffled: &[u8], data: &mut [u8], join: impl Fn([&[u8; STEP]; SIZE], &mut [u8])) {
    let elements = shuffled.len() / SIZE;
    let mut planes = [&shuffled[..0]; SIZE];
    for (plane, bytes) in planes.iter_mut().zip(shuffled.chunks_exact(elements.max(1))) {
        *plane = bytes;
    }
    let (whole, rest) = data.split_at_mut(elements * SIZE);
    let mut steps = whole.chunks_exact_mut(STEP * SIZE);
    let mut from = 0;
    for step in &mut steps {
        join(planes.map(|plane| step_of(plane, from)), step);
        from += STEP;
    }
    for (index, element) in steps.into_remainder().chunks_exact_mut(SIZE).enumerate() {
        for (place, plane) in element.iter_mut().zip(planes) {
            *place = plane[from + index];
        }
    }
    rest.copy_from_slice(&shuffled[elements * SIZE..]);
}

/// A step's bytes of a plane.
#[inline(always)]
fn step_of(plane: &[u8], from: usize) -> &[u8; STEP] {
    plane.get(from..).and_then(|plane| plane.first_chunk()).unwrap_or(&[0; STEP])
}

/// Takes units of so many bytes from each side in turn.
#[inline(always)]
fn interleave<const UNIT: usize>(one: &[u8], other: &[u8], out: &mut [u8]) {
    for ((place, one), other) in out.chunks_exact_mut(2 * UNIT).zip(one.chunks_exact(UNIT)).zip(other.chunks_exact(UNIT)) {
        let (first, second) = place.split_at_mut(UNIT);
        first.copy_from_slice(one);
        second.copy_from_slice(other);
    }
}

#[inline(always)]
fn join2([a, b]: [&[u8; STEP]; 2], out: &mut [u8]) {
    interleave::<1>(a, b, out);
}

#[inline(always)]
fn join4([a, b, c, d]: [&[u8; STEP]; 4], out: &mut [u8]) {
    let mut halves = [[0; STEP * 2]; 2];
    join2([a, b], &mut halves[0]);
    join2([c, d], &mut halves[1]);
    interleave::<2>(&halves[0], &halves[1], out);
}

#[inline(always)]
fn join8([a, b, c, d, e, f, g, h]: [&[u8; STEP]; 8], out: &mut [u8]) {
    let mut halves = [[0; STEP * 4]; 2];
    join4([a, b, c, d], &mut halves[0]);
    join4([e, f, g, h], &mut halves[1]);
    interleave::<4>(&halves[0], &halves[1], out);
}

fn join16(planes: [&[u8; STEP]; 16], out: &mut [u8]) {
    let [a, b, c, d, e, f, g, h, rest @ ..] = planes;
    let mut halves = [[0; STEP * 8]; 2];
    join8([a, b, c, d, e, f, g, h], &mut halves[0]);
    join8(rest, &mut halves[1]);
    interleave::<8>(&halves[0], &halves[1], out);
}
