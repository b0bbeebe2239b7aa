//! Encodes and decodes the array metalayer with hand-written code, without serde. It is about as strict as the crate, but supports only
//! one layout.

use b2nd::Geometry;

/// More bytes than any array metalayer in the benchmarks has.
pub const CAPACITY: usize = 512;

/// Encodes into the start of a buffer and returns the length.
pub fn encode(geometry: &Geometry, dtype: &str, out: &mut [u8; CAPACITY]) -> Option<usize> {
    let ndim = geometry.ndim();
    let text = 3 + 3 + 19 * ndim + 6;
    let end = text + dtype.len();
    if end > CAPACITY {
        return None;
    }
    let marker = 0x90 + ndim as u8;
    out[..3].copy_from_slice(&[0x97, 0, ndim as u8]);
    let mut at = 3;
    out[at] = marker;
    at += 1;
    for (place, length) in out[at..at + 9 * ndim].chunks_exact_mut(9).zip(geometry.shape()) {
        place[0] = 0xd3;
        place[1..].copy_from_slice(&length.to_be_bytes());
    }
    at += 9 * ndim;
    for lengths in [geometry.chunkshape(), geometry.blockshape()] {
        out[at] = marker;
        at += 1;
        for (place, length) in out[at..at + 5 * ndim].chunks_exact_mut(5).zip(lengths) {
            place[0] = 0xd2;
            place[1..].copy_from_slice(&length.to_be_bytes());
        }
        at += 5 * ndim;
    }
    out[at..at + 2].copy_from_slice(&[0, 0xdb]);
    out[at + 2..text].copy_from_slice(&(dtype.len() as u32).to_be_bytes());
    out[text..end].copy_from_slice(dtype.as_bytes());
    Some(end)
}

/// The output of [`decode`].
#[derive(Default)]
#[allow(missing_docs)]
pub struct Decoded<'a> {
    pub version: u8,
    pub ndim: usize,
    pub shape: [i64; 16],
    pub chunkshape: [i32; 16],
    pub blockshape: [i32; 16],
    pub dtype_format: u8,
    pub dtype: &'a str,
}

/// Decodes the whole input.
pub fn decode<'a>(input: &'a [u8], place: &mut Decoded<'a>) -> Option<()> {
    let (&[count, version, ndim], mut rest) = input.split_first_chunk()?;
    if count != 0x97 || version > 0x7f || ndim > 16 {
        return None;
    }
    let marker = 0x90 + ndim;
    (place.version, place.ndim) = (version, usize::from(ndim));
    lengths(&mut rest, marker, 0xd3, &mut place.shape[..place.ndim], i64::from_be_bytes)?;
    lengths(&mut rest, marker, 0xd2, &mut place.chunkshape[..place.ndim], i32::from_be_bytes)?;
    lengths(&mut rest, marker, 0xd2, &mut place.blockshape[..place.ndim], i32::from_be_bytes)?;
    for index in 0..place.ndim {
        if (place.chunkshape[index] == 0 || place.blockshape[index] == 0) && place.shape[index] != 0 {
            return None;
        }
    }
    let (&[dtype_format, string], rest) = rest.split_first_chunk()?;
    let (&length, text) = rest.split_first_chunk()?;
    if dtype_format > 0x7f || string != 0xdb || text.len() != u32::from_be_bytes(length) as usize {
        return None;
    }
    place.dtype_format = dtype_format;
    place.dtype = std::str::from_utf8(text).ok()?;
    Some(())
}

#[inline(always)]
fn lengths<const WIDTH: usize, T: Default + PartialOrd>(
    rest: &mut &[u8],
    array: u8,
    integer: u8,
    place: &mut [T],
    from: impl Fn([u8; WIDTH]) -> T,
) -> Option<()> {
    let (&[marker], bytes) = rest.split_first_chunk()?;
    let (numbers, after) = bytes.split_at_checked((1 + WIDTH) * place.len())?;
    if marker != array {
        return None;
    }
    for (length, bytes) in place.iter_mut().zip(numbers.chunks_exact(1 + WIDTH)) {
        *length = from(bytes[1..].try_into().ok()?);
        if bytes[0] != integer || *length < T::default() {
            return None;
        }
    }
    *rest = after;
    Some(())
}
