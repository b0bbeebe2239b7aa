//! Damage that knows where each field of a frame is.

use std::ops::Range;

use b2nd::frame::{Chunk, Frame, Header, HeaderField, Metalayers, Sizes, Trailer};
use fastrand::Rng;

/// A part of a frame that is changed as one.
struct Field {
    range: Range<usize>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A number whose first byte is the highest.
    Big,
    /// A number whose first byte is the lowest.
    Little,
    Bytes,
}

/// A frame that is valid, and what it is made of.
pub(crate) struct Seed {
    pub(crate) name: String,
    bytes: Vec<u8>,
    fields: Vec<Field>,
    chunks: Vec<Range<usize>>,
}

impl Seed {
    /// `None` for what is no contiguous frame.
    pub(crate) fn new(name: String, bytes: Vec<u8>) -> Option<Seed> {
        let frame = Frame::from_slice(&bytes).ok()?;
        let mut fields = header(frame.header().header_len());
        let mut chunks = Vec::new();
        for number in 0..frame.offsets().len() {
            let Ok(chunk) = frame.chunk(number) else { continue };
            let Some(start) = frame.offsets().range(number).and_then(|range| usize::try_from(range.start).ok()) else { continue };
            let range = start..start + chunk.bytes().len();
            fields.extend(chunk_fields(range.clone()));
            chunks.push(range);
        }
        let trailer = usize::try_from(frame.trailer_range().start).ok()?..usize::try_from(frame.trailer_range().end).ok()?;
        let behind = frame.header().header_len() + usize::try_from(frame.header().cbytes()).ok()?;
        if behind + 32 <= trailer.start {
            fields.extend(chunk_fields(behind..trailer.start));
        }
        for (_, content) in frame.trailer().vlmetalayers().iter().filter(|(_, content)| content.len() >= 32) {
            let place = bytes[trailer.clone()].windows(content.len()).position(|window| window == content);
            fields.extend(place.into_iter().flat_map(|at| chunk_fields(trailer.start + at..trailer.start + at + content.len())));
        }
        fields.push(Field { range: trailer, kind: Kind::Bytes });
        fields.retain(|field| !field.range.is_empty() && field.range.end <= bytes.len());
        Some(Seed { name, fields, chunks, bytes })
    }
}

fn header(length: usize) -> Vec<Field> {
    use HeaderField as H;
    let numbers = [H::HEADER_LEN, H::FRAME_LEN, H::NBYTES, H::CBYTES, H::TYPESIZE, H::BLOCKSIZE, H::CHUNKSIZE];
    let numbers = numbers.map(|field| Field { range: field.value(), kind: Kind::Big });
    let bytes = [H::FLAGS.value(), H::PIPELINE.value(), H::METALAYERS.marker()..length, H::METALAYERS.marker()..length];
    numbers.into_iter().chain(bytes.map(|range| Field { range, kind: Kind::Bytes })).collect()
}

/// The fields of a chunk: header, starts of blocks, and what follows.
fn chunk_fields(chunk: Range<usize>) -> impl Iterator<Item = Field> {
    let Range { start, end } = chunk;
    let numbers = [4..8, 8..12, 12..16].map(|range| (range, Kind::Little));
    let bytes = [0..4, 16..32, 32..48, 32..end - start, 32..end - start].map(|range| (range, Kind::Bytes));
    let field =
        move |(range, kind): (Range<usize>, Kind)| Field { range: start + range.start..(start + range.end).min(end), kind };
    numbers.into_iter().chain(bytes).map(field).filter(|field| field.range.start < field.range.end)
}

/// A damaged frame: fields of a frame changed, or a damaged chunk in a frame that is made for it.
pub(crate) fn mutant(seeds: &[Seed], rng: &mut Rng) -> Vec<u8> {
    let seed = &seeds[rng.usize(..seeds.len())];
    if !seed.chunks.is_empty() && rng.u8(..3) == 0 {
        let chunk = seed.bytes[seed.chunks[rng.usize(..seed.chunks.len())].clone()].to_vec();
        return wrapped(chunk, rng).unwrap_or_default();
    }
    let mut bytes = seed.bytes.clone();
    for _ in 0..1 + rng.usize(..3) * rng.usize(..2) {
        let field = &seed.fields[rng.usize(..seed.fields.len())];
        let other = &seed.fields[rng.usize(..seed.fields.len())];
        change(&mut bytes, field, other, rng);
    }
    bytes
}

fn change(bytes: &mut [u8], field: &Field, other: &Field, rng: &mut Rng) {
    let Field { range, kind } = field;
    if *kind == Kind::Bytes {
        for _ in 0..1 + rng.usize(..4) * rng.usize(..2) {
            let at = rng.usize(range.clone());
            bytes[at] = match rng.u8(..4) {
                0 => bytes[at] ^ (1 << rng.u8(..8)),
                1 => bytes[at].wrapping_add(if rng.bool() { 1 } else { 255 }),
                2 => [0, 1, 4, 0x7f, 0x80, 0xff][rng.usize(..6)],
                _ => rng.u8(..),
            };
        }
        return;
    }
    let read = |field: &Field| {
        let digits = bytes[field.range.clone()].iter().take(8).map(|&byte| u64::from(byte));
        let fold = |all: u64, digit: u64| all << 8 | digit;
        if field.kind == Kind::Little { digits.rev().fold(0, fold) } else { digits.fold(0, fold) }
    };
    let (old, top) = (read(field), u64::MAX >> (64 - 8 * range.len().min(8)));
    let new = match rng.u8(..10) {
        0 => 0,
        1 => old.wrapping_add(1),
        2 => old.wrapping_sub(1),
        3 => old.wrapping_mul(2),
        4 => old / 2,
        5 => top,
        6 => top >> 1,
        7 => rng.u64(..256),
        8 => old ^ (1 << rng.u32(..32)),
        _ => read(other),
    };
    let digits = new.to_be_bytes();
    let digits = &digits[8 - range.len().min(8)..];
    for (at, &digit) in range.clone().zip(digits) {
        bytes[at] = digit;
    }
    if *kind == Kind::Little {
        bytes[range.clone()].reverse();
    }
}

/// The chunk damaged, its length mended where it was cut or lengthened, in a frame of its own.
fn wrapped(mut chunk: Vec<u8>, rng: &mut Rng) -> Option<Vec<u8>> {
    let copies = 1 + rng.usize(..3);
    for _ in 0..1 + rng.usize(..2) {
        let fields: Vec<Field> = chunk_fields(0..chunk.len()).collect();
        let (field, other) = (&fields[rng.usize(..fields.len())], &fields[rng.usize(..fields.len())]);
        change(&mut chunk, field, other, rng);
        if rng.u8(..4) == 0 && chunk.len() > 40 {
            let at = rng.usize(32..chunk.len());
            match rng.u8(..3) {
                0 => drop(chunk.drain(at..(at + 1 + rng.usize(..8)).min(chunk.len()))),
                1 => drop(chunk.splice(at..at, (0..1 + rng.usize(..8)).map(|_| rng.u8(..)).collect::<Vec<_>>())),
                _ => chunk.truncate(at),
            }
            let length = u32::try_from(chunk.len()).ok()?;
            chunk.get_mut(12..16)?.copy_from_slice(&length.to_le_bytes());
        }
    }
    let number = |at: usize| Some(i32::from_le_bytes(chunk.get(at..at + 4)?.try_into().ok()?));
    let (nbytes, blocksize, typesize) = (number(4)?, number(8)?, i32::from(*chunk.get(3)?));
    let header = Header::new(Sizes { typesize: typesize.max(1), chunksize: nbytes.max(0), blocksize: blocksize.max(0) }).ok()?;
    let mut header = b2nd::to_vec(&header).ok()?;
    let starts: Vec<u8> = (0..copies).flat_map(|copy| ((copy * chunk.len()) as u64).to_le_bytes()).collect();
    let index = Chunk::store(&starts, 8).ok()?.into_bytes();
    let trailer = b2nd::to_vec(&Trailer::new(Metalayers::new())).ok()?;
    let lengths = [
        (HeaderField::NBYTES, u64::try_from(nbytes).ok()? * copies as u64),
        (HeaderField::CBYTES, (chunk.len() * copies) as u64),
        (HeaderField::FRAME_LEN, (header.len() + chunk.len() * copies + index.len() + trailer.len()) as u64),
    ];
    for (field, value) in lengths {
        header[field.value()].copy_from_slice(&value.to_be_bytes());
    }
    Some([header, chunk.repeat(copies), index, trailer].concat())
}
