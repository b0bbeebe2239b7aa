//! Damages frames at the positions of their fields.

use std::ops::Range;

use b2nd_frame::{Chunk, Frame, Header, HeaderField, Sizes, Trailer, Vlmetalayers};
use fastrand::Rng;

/// A range of a frame's bytes, and how it is damaged.
struct Field {
    name: &'static str,
    range: Range<usize>,
    kind: Kind,
}

/// A damaged frame, and the field that was changed first.
pub(crate) struct Mutant {
    pub(crate) bytes: Vec<u8>,
    pub(crate) field: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A big-endian number.
    Big,
    /// A little-endian number.
    Little,
    Bytes,
    /// The byte that makes a chunk or an entry of the index special.
    Special,
}

/// A frame that mutants are made from, and its fields.
pub(crate) struct Seed {
    pub(crate) name: String,
    bytes: Vec<u8>,
    fields: Vec<Field>,
    chunks: Vec<Range<usize>>,
}

impl Seed {
    /// Returns `None` if the bytes are not those of a contiguous frame, or its index or trailer cannot be read.
    pub(crate) fn new(name: String, bytes: Vec<u8>) -> Option<Seed> {
        let frame = Frame::from_slice(&bytes).ok()?;
        let mut fields = header(frame.header().header_len());
        let mut chunks = Vec::new();
        for number in 0..frame.offsets().ok()?.len() {
            let Ok(chunk) = frame.chunk(number) else { continue };
            let Some(start) = frame.offsets().ok()?.range(number).and_then(|range| usize::try_from(range.start).ok()) else {
                continue;
            };
            let range = start..start + chunk.bytes().len();
            fields.extend(chunk_fields(range.clone()));
            chunks.push(range);
        }
        let trailer =
            usize::try_from(frame.trailer_range().ok()?.start).ok()?..usize::try_from(frame.trailer_range().ok()?.end).ok()?;
        let behind = frame.header().header_len() + usize::try_from(frame.header().cbytes()).ok()?;
        if behind + 32 <= trailer.start {
            fields.extend(chunk_fields(behind..trailer.start));
            // If the index is stored without compression, these are its entries.
            let entries = (0..frame.offsets().ok()?.len()).map_while(|entry| usize::try_from(entry).ok());
            let at = entries.map(|entry| behind + 32 + 8 * entry).take_while(|at| at + 8 <= trailer.start);
            fields.extend(at.flat_map(|at| {
                let offset = Field { name: "index entry", range: at..at + 8, kind: Kind::Little };
                [offset, Field { name: "special value in the index", range: at + 7..at + 8, kind: Kind::Special }]
            }));
        }
        for (_, content) in frame.trailer().ok()?.vlmetalayers().raw_chunks().iter().filter(|(_, content)| content.len() >= 32) {
            let place = bytes[trailer.clone()].windows(content.len()).position(|window| window == content);
            fields.extend(place.into_iter().flat_map(|at| chunk_fields(trailer.start + at..trailer.start + at + content.len())));
        }
        fields.push(Field { name: "trailer", range: trailer, kind: Kind::Bytes });
        fields.retain(|field| !field.range.is_empty() && field.range.end <= bytes.len());
        Some(Seed { name, fields, chunks, bytes })
    }
}

fn header(length: usize) -> Vec<Field> {
    use HeaderField as H;
    let numbers = [
        ("header_len", H::HEADER_LEN),
        ("frame_len", H::FRAME_LEN),
        ("nbytes", H::NBYTES),
        ("cbytes", H::CBYTES),
        ("typesize", H::TYPESIZE),
        ("blocksize", H::BLOCKSIZE),
        ("chunksize", H::CHUNKSIZE),
    ];
    let numbers = numbers.map(|(name, field)| Field { name, range: field.value(), kind: Kind::Big });
    let metalayers = || ("metalayers", H::METALAYERS.marker()..length);
    let bytes = [("flags", H::FLAGS.value()), ("pipeline", H::PIPELINE.value()), metalayers(), metalayers()];
    numbers.into_iter().chain(bytes.map(|(name, range)| Field { name, range, kind: Kind::Bytes })).collect()
}

/// Returns the fields of a chunk: those of the header, the first offsets and lengths, and the data.
fn chunk_fields(chunk: Range<usize>) -> impl Iterator<Item = Field> {
    let Range { start, end } = chunk;
    let data = || ("chunk data", 32..end - start, Kind::Bytes);
    let fields = [
        ("chunk nbytes", 4..8, Kind::Little),
        ("chunk blocksize", 8..12, Kind::Little),
        ("chunk cbytes", 12..16, Kind::Little),
        ("chunk version, flags, typesize", 0..4, Kind::Bytes),
        ("chunk filters", 16..30, Kind::Bytes),
        ("chunk flags of Blosc2", 30..32, Kind::Bytes),
        ("chunk special value", 31..32, Kind::Special),
        ("start of the first block, or data", 32..36, Kind::Little),
        ("start of the second block, or data", 36..40, Kind::Little),
        // If blocks vary in length and a chunk has one block, these follow the offset of the block.
        ("length of a block, or data", 36..40, Kind::Little),
        ("length of a stream, or data", 40..44, Kind::Little),
        data(),
        data(),
    ];
    let field = move |(name, range, kind): (&'static str, Range<usize>, Kind)| Field {
        name,
        range: start + range.start..(start + range.end).min(end),
        kind,
    };
    fields.into_iter().map(field).filter(|field| field.range.start < field.range.end)
}

/// Creates a damaged frame: either fields of a frame are changed, or a damaged chunk is put into a new frame.
pub(crate) fn mutant(seeds: &[Seed], rng: &mut Rng) -> Mutant {
    let seed = &seeds[rng.usize(..seeds.len())];
    if !seed.chunks.is_empty() && rng.u8(..3) == 0 {
        let chunk = seed.bytes[seed.chunks[rng.usize(..seed.chunks.len())].clone()].to_vec();
        return Mutant { bytes: wrapped(chunk, rng).unwrap_or_default(), field: "copies of a damaged chunk in a new frame" };
    }
    // All names of fields have the same probability, regardless of the number of fields with that name.
    let mut names: Vec<&str> = seed.fields.iter().map(|field| field.name).collect();
    names.sort_unstable();
    names.dedup();
    let mut bytes = seed.bytes.clone();
    let mut first = None;
    for _ in 0..1 + rng.usize(..3) * rng.usize(..2) {
        let name = names[rng.usize(..names.len())];
        let named: Vec<&Field> = seed.fields.iter().filter(|field| field.name == name).collect();
        let field = named[rng.usize(..named.len())];
        let other = &seed.fields[rng.usize(..seed.fields.len())];
        change(&mut bytes, field, other, rng);
        first.get_or_insert(field.name);
    }
    Mutant { bytes, field: first.unwrap_or_default() }
}

fn change(bytes: &mut [u8], field: &Field, other: &Field, rng: &mut Rng) {
    let Field { range, kind, .. } = field;
    if *kind == Kind::Special {
        bytes[range.start] = rng.u8(..8) << 4 | [0x80 | rng.u8(..8), bytes[range.start] & 0x8f, 0][rng.usize(..3)];
        return;
    }
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

/// Damages a chunk and puts one to three copies of it into a new frame. If the chunk is cut or lengthened, its length is corrected.
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
    let trailer = b2nd::to_vec(&Trailer::new(Vlmetalayers::default())).ok()?;
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
