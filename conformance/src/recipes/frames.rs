//! Cases of contiguous frames.

use super::Suite;
use super::bytes::{be32, count, le32, low, patched};
use super::chunk::{self, BITSHUFFLE, BYTEDELTA, Chunk, DELTA, SHUFFLE};
use super::frame::{Built, Frame, Index, Place, pack};
use super::header::Header;
use super::meta::{Layout, Meta};
use super::stream::{Codec, sample};
use crate::case::Layer;
use crate::fact::Fact;

pub(crate) fn add(suite: &mut Suite) {
    valid(suite);
    arrays(suite);
    sizes(suite);
    chunks(suite);
    trailers(suite);
    cut(suite);
}

fn accept(suite: &mut Suite, name: impl Into<String>, what: impl Into<String>, built: Built) {
    suite.accept(Layer::Frame, name, what, built.bytes, built.fact);
}

/// Creates a frame without an array, with chunks of 64 bytes.
pub(crate) fn plain(places: Vec<Place>) -> Frame {
    Frame { places, ..Frame::new(Header::new(4, 64, 64)) }
}

fn valid(suite: &mut Suite) {
    let stored = |seed: usize, length: usize| Place::Chunk(chunk::stored(&sample(length + seed)[seed..], 4));
    accept(suite, "empty", "no chunks", plain(Vec::new()).build());
    accept(
        suite,
        "empty-vlmetalayer",
        "no chunks, but a vlmetalayer: the trailer directly follows the header",
        plain(Vec::new()).note("note", &[0xa2, b'h', b'i']).build(),
    );
    for number in [1, 2, 9] {
        accept(
            suite,
            format!("stored-{number}"),
            format!("{}, stored without compression", count(number, "chunk")),
            plain((0..number).map(|seed| stored(seed, 64)).collect()).build(),
        );
    }
    accept(
        suite,
        "last-shorter",
        "the second of two chunks is shorter than the first",
        plain(vec![stored(0, 64), stored(1, 20)]).build(),
    );
    for (code, name, what) in [(1, "zeros", "zeros"), (2, "nan", "NaN"), (4, "uninitialized", "uninitialized data")] {
        accept(
            suite,
            format!("special-{name}"),
            format!("the index marks the second of three chunks as special: {what}"),
            plain(vec![stored(0, 64), Place::Special(code, 64), stored(1, 64)]).build(),
        );
        accept(
            suite,
            format!("special-{name}-alone"),
            format!("the index marks all chunks as special: {what}"),
            plain(vec![Place::Special(code, 64); 3]).build(),
        );
        if code != 4 {
            let inside = Place::Chunk(chunk::special(code, 64, 4));
            accept(
                suite,
                format!("chunk-{name}"),
                format!("a chunk that its own header marks as special: {what}"),
                plain(vec![inside, stored(0, 64)]).build(),
            );
        }
    }
    accept(
        suite,
        "special-last-shorter",
        "the index marks the last chunk, which is shorter, as special: zeros",
        plain(vec![stored(0, 64), Place::Special(1, 20)]).build(),
    );
    accept(
        suite,
        "chunk-value",
        "a chunk that its own header marks as special: a repeated value",
        plain(vec![Place::Chunk(chunk::repeated(&[1, 2, 3, 4], 16))]).build(),
    );
    for codec in Codec::ALL {
        let header = Header::new(4, 640, 320);
        let packed = |filters: &[(u8, u8)]| Place::Chunk(chunk::compressed(&sample(640), 4, 320, codec, filters, false));
        let places = vec![
            packed(&[(SHUFFLE, 0)]),
            packed(&[]),
            packed(&[(BITSHUFFLE, 0)]),
            packed(&[(DELTA, 0)]),
            packed(&[(SHUFFLE, 0), (BYTEDELTA, 4)]),
        ];
        accept(
            suite,
            format!("codec-{}", codec.name()),
            format!(
                "five chunks that are compressed with {}: one without filters, and four with different filters",
                codec.name()
            ),
            Frame { places, ..Frame::new(header) }.build(),
        );
    }
    for count in [3000, 5000] {
        let frame = Frame { index: Index::Compressed, ..plain(vec![Place::Special(1, 64); count]) };
        accept(
            suite,
            format!("index-compressed-{count}"),
            format!("{count} special chunks of zeros, and a compressed index"),
            frame.build(),
        );
    }
    let mut header = Header::new(1, 0, 0);
    header.flags[0] = 0x53;
    let places = [5, 100, 1].map(|length| Place::Chunk(chunk::stored(&sample(length), 1)));
    accept(
        suite,
        "variable-chunks",
        "variable-length chunks: 5, 100 and 1 bytes",
        Frame { places: places.to_vec(), ..Frame::new(header) }.build(),
    );
    for number in [1, 16] {
        let frame = (0..number).fold(plain(vec![stored(0, 64)]), |frame, index| frame.with(&format!("m{index}"), &[low(index)]));
        accept(suite, format!("metalayers-{number:02}"), count(number, "metalayer"), frame.build());
        let frame =
            (0..number).fold(plain(vec![stored(0, 64)]), |frame, index| frame.note(&format!("v{index}"), &[low(index); 50]));
        accept(suite, format!("vlmetalayers-{number:02}"), count(number, "vlmetalayer"), frame.build());
    }
    accept(
        suite,
        "vlmetalayers-40",
        "40 vlmetalayers: C-Blosc2 reads them, but writes at most 16",
        (0..40).fold(plain(vec![stored(0, 64)]), |frame, index| frame.note(&format!("v{index}"), &[low(index)])).build(),
    );
    accept(
        suite,
        "metalayers-17",
        "17 metalayers: one more than C-Blosc2 supports",
        (0..17).fold(plain(vec![stored(0, 64)]), |frame, index| frame.with(&format!("m{index}"), &[low(index)])).build(),
    );
    accept(
        suite,
        "name-31",
        "a metalayer and a vlmetalayer with names of 31 bytes",
        plain(vec![stored(0, 64)]).with(&"m".repeat(31), b"x").note(&"v".repeat(31), b"y").build(),
    );
    let mut built = Frame::array(56).build();
    built.bytes.extend([0x5a; 300]);
    suite.accept(Layer::Frame, "bytes-after", "300 bytes follow the frame", built.bytes, counted(built.fact));
    for (name, value) in [("zero", 0), ("other", 11)] {
        let built = Frame::array(56).build();
        let bytes = patched(&built.bytes, 0x3f, &be32(value)[2..]);
        suite.accept(
            Layer::Frame,
            format!("threads-{name}"),
            format!("compression_threads is {value} instead of 1: the number does not affect the content"),
            bytes,
            counted(built.fact),
        );
    }
}

/// Adds the facts of the array in a [`Frame::array`] with 56 elements.
fn counted(fact: Fact) -> Fact {
    let elements: Vec<u8> = (0..56_usize).flat_map(|value| le32(value * 1001)).collect();
    array_facts(fact, &Meta::new(&[56], &[16], &[8], "<i4"), &elements)
}

/// Adds cases of frames with arrays.
fn arrays(suite: &mut Suite) {
    type Lengths = &'static [usize];
    let shapes: [(&str, Lengths, Lengths, Lengths); 12] = [
        ("0d", &[], &[], &[]),
        ("1d", &[10], &[4], &[2]),
        ("1d-one-chunk", &[10], &[10], &[10]),
        ("1d-odd", &[10], &[7], &[3]),
        ("2d", &[6, 8], &[4, 4], &[2, 2]),
        ("2d-padded", &[5, 7], &[4, 3], &[3, 2]),
        ("2d-one", &[1, 1], &[1, 1], &[1, 1]),
        ("3d", &[4, 5, 6], &[2, 3, 4], &[2, 2, 3]),
        ("4d", &[3, 2, 3, 2], &[2, 2, 2, 2], &[1, 2, 1, 2]),
        ("8d", &[2, 1, 2, 1, 2, 1, 2, 1], &[2, 1, 1, 1, 2, 1, 1, 1], &[1; 8]),
        ("15d", &[1, 2, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2], &[1; 15], &[1; 15]),
        ("16d", &[1, 2, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2], &[1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2], &[1; 16]),
    ];
    for (name, shape, chunkshape, blockshape) in shapes {
        array(
            suite,
            format!("array-{name}"),
            format!(
                "an array with {}: shape {shape:?}, chunkshape {chunkshape:?}, blockshape {blockshape:?}",
                count(shape.len(), "dimension")
            ),
            shape,
            chunkshape,
            blockshape,
            ("<i4", 4),
            Layout::B2nd,
        );
    }
    for (name, dtype, itemsize) in [
        ("i1", "|i1", 1),
        ("u2", "<u2", 2),
        ("big", ">i4", 4),
        ("f2", "<f2", 2),
        ("f8", "<f8", 8),
        ("c16", "<c16", 16),
        ("bool", "|b1", 1),
        ("time", "<M8[ns]", 8),
        ("text", "<U3", 12),
        ("bytes", "|S5", 5),
        ("void", "|V3", 3),
        ("struct", "[('a', '<i2'), ('b', '<f4')]", 6),
        ("sub", "('<i2', (3,))", 6),
        ("padded", "{'names': ['a', 'b'], 'formats': ['u1', '<i4'], 'offsets': [0, 4], 'itemsize': 8, 'aligned': True}", 8),
        ("wide", "|V300", 300),
    ] {
        array(
            suite,
            format!("dtype-{name}"),
            format!("an array with the dtype {dtype}"),
            &[5, 4],
            &[3, 3],
            &[2, 3],
            (dtype, itemsize),
            Layout::B2nd,
        );
    }
    for layout in [Layout::Caterva, Layout::Six, Layout::Miscounted] {
        array(
            suite,
            format!("layout-{}", layout.name()),
            format!("an array whose metalayer is in {}", layout.what()),
            &[5, 4],
            &[3, 3],
            &[2, 3],
            (if layout == Layout::Six { "int32" } else { "<i4" }, 4),
            layout,
        );
    }
    for (name, shape, chunkshape, blockshape) in [("empty", [0, 5], [0, 5], [0, 5]), ("empty-ones", [0, 5], [1, 5], [1, 5])] {
        let meta = Meta::new(&shape, &chunkshape, &blockshape, "<i4");
        let size = chunkshape[0] * chunkshape[1] * 4;
        let mut header = Header::new(4, size, size);
        if size == 0 {
            header.flags[0] = 0x53;
        }
        let built = Frame::new(header.with("b2nd", &meta.bytes().bytes)).build();
        let fact = array_facts(built.fact, &meta, b"");
        let what = format!("an array without elements: shape {shape:?}, chunkshape {chunkshape:?}");
        suite.accept(Layer::Frame, format!("array-{name}"), what, built.bytes, fact);
    }
    let meta = Meta::new(&[56], &[16], &[8], "<i4");
    let mut frame = Frame::array(56);
    frame.header.metalayers[0].1.extend([0xd3, 0, 0, 0, 0, 0, 0, 0, 9, 0xd2, 0, 0, 0, 1, 0xd2, 0, 0, 0, 1]);
    let built = frame.build();
    let elements: Vec<u8> = (0..56_usize).flat_map(|value| le32(value * 1001)).collect();
    let fact = array_facts(built.fact, &meta, &elements);
    suite.accept(
        Layer::Frame,
        "metalayer-stale",
        "stale bytes follow the array's metalayer, as a squeeze in place leaves them",
        built.bytes,
        fact,
    );
    let built = Frame::array(56).with("caterva", b"a user's").build();
    let fact = array_facts(built.fact, &meta, &elements);
    suite.accept(
        Layer::Frame,
        "metalayer-both",
        "a user's metalayer with the name caterva, in addition to the array's metalayer b2nd",
        built.bytes,
        fact,
    );
    // Metalayers that are invalid or contradict the frame.
    for (name, what, content) in [
        ("text", "a metalayer b2nd that contains text", b"a text".to_vec()),
        ("empty", "an empty metalayer b2nd", Vec::new()),
        ("cut", "a metalayer b2nd that ends before the dtype", meta.bytes().cut("dtype")),
        ("negative", "a metalayer b2nd with a negative length", meta.bytes().with("shape-0", 1, &[0xff])),
        (
            "huge",
            "an array whose number of elements does not fit an int64",
            Meta::new(&[i64::MAX, 9], &[16, 1], &[8, 1], "<i4").bytes().bytes,
        ),
        ("other-dtype", "a dtype of 8 bytes, but a typesize of 4", Meta::new(&[56], &[16], &[8], "<f8").bytes().bytes),
        ("other-chunks", "a chunkshape that contradicts the chunksize", Meta::new(&[56], &[17], &[8], "<i4").bytes().bytes),
        ("other-count", "a shape that needs more chunks than the frame has", Meta::new(&[600], &[16], &[8], "<i4").bytes().bytes),
        ("dtype-bad", "an invalid dtype string, <q9", Meta::new(&[56], &[16], &[8], "<q9").bytes().bytes),
        ("dtype-not-utf8", "a dtype that is not UTF-8", meta.bytes().with("dtype-text", 0, &[0xff])),
    ] {
        let mut frame = Frame::array(56);
        frame.header.metalayers[0].1 = content;
        suite.reject(Layer::Frame, format!("array-bad-{name}"), what, frame.build().bytes);
    }
    for (name, first) in [("nul-b2nd", "b2nd\0"), ("nul-b2nd-other", "b2nd\0other")] {
        let mut frame = Frame::array(56);
        frame.header.metalayers.insert(0, (first.as_bytes().to_vec(), Meta::new(&[2, 4], &[2, 4], &[2, 2], "<i4").bytes().bytes));
        suite.reject(
            Layer::Frame,
            name,
            "a metalayer whose name starts with b2nd and a NUL, which C-Blosc2 reads instead of the array's metalayer",
            frame.build().bytes,
        );
    }
}

#[allow(clippy::too_many_arguments)]
fn array(
    suite: &mut Suite,
    name: String,
    what: String,
    shape: &[usize],
    chunkshape: &[usize],
    blockshape: &[usize],
    dtype: (&str, usize),
    layout: Layout,
) {
    let (dtype, itemsize) = dtype;
    let long = |list: &[usize]| -> Vec<i64> { list.iter().map(|&n| i64::try_from(n).unwrap_or(0)).collect() };
    let short = |list: &[usize]| -> Vec<i32> { list.iter().map(|&n| i32::try_from(n).unwrap_or(0)).collect() };
    let meta = Meta::new(&long(shape), &short(chunkshape), &short(blockshape), dtype).layout(layout);
    let mut elements = sample(shape.iter().product::<usize>() * itemsize);
    if dtype == "|b1" {
        elements.iter_mut().for_each(|byte| *byte &= 1);
    }
    if dtype == "<U3" {
        elements = elements.chunks(4).flat_map(|char| [char[0] & 0x7f, 0, 0, 0]).collect();
    }
    let chunks = pack(shape, chunkshape, blockshape, itemsize, &elements);
    let blocksize = blockshape.iter().product::<usize>() * itemsize;
    let typesize = u8::try_from(itemsize).unwrap_or(1);
    let [size, block, item] = [chunks[0].len(), blocksize, itemsize].map(|length| i32::try_from(length).unwrap_or(0));
    let metalayer = if layout == Layout::Caterva { "caterva" } else { "b2nd" };
    let mut frame = Frame::new(Header::new(item, size, block).with(metalayer, &meta.bytes().bytes));
    frame.places = chunks
        .iter()
        .enumerate()
        .map(|(number, data)| {
            let codec = Codec::ALL[number % 5];
            Place::Chunk(match number % 2 {
                0 => Chunk { blocksize, ..chunk::stored(data, typesize) },
                _ => chunk::compressed(data, typesize, blocksize, codec, &[(SHUFFLE, 0)], false),
            })
        })
        .collect();
    let built = frame.build();
    let fact = array_facts(built.fact, &meta, &elements);
    suite.accept(Layer::Frame, name, what, built.bytes, fact);
}

/// Adds the facts of an array to those of its frame.
pub(crate) fn array_facts(fact: Fact, meta: &Meta, elements: &[u8]) -> Fact {
    let fact = fact.with("shape", Fact::ints(&meta.shape));
    let fact = fact.with("chunkshape", Fact::ints(&meta.chunkshape)).with("blockshape", Fact::ints(&meta.blockshape));
    let dtype = if meta.layout == Layout::Caterva { Fact::Null } else { Fact::text(String::from_utf8_lossy(&meta.dtype)) };
    fact.with("dtype", dtype).with("elements", Fact::digest(elements))
}

/// Adds cases with wrong fields in the header.
fn sizes(suite: &mut Suite) {
    let built = Frame::array(56).note("note", b"\xa2hi").build();
    let mut reject = |name: String, what: String, field: &str, number: &[u8]| {
        let at = built.header_bytes.at(field) + 1;
        suite.reject(Layer::Frame, name, what, patched(&built.bytes, at, number));
    };
    let length = i64::try_from(built.bytes.len()).unwrap_or(0);
    for (name, value) in
        [("zero", 0), ("one-more", length + 1), ("one-less", length - 1), ("header", 150), ("2p62", 1 << 62), ("max", -1)]
    {
        reject(
            format!("frame_len-{name}"),
            format!("frame_len is {} instead of {length}", u64::from_be_bytes(value.to_be_bytes())),
            "frame_len",
            &value.to_be_bytes(),
        );
    }
    let nbytes = built.header.nbytes;
    for (name, value) in
        [("more-chunks", nbytes + 64), ("fewer-chunks", 64), ("2p62", 1 << 62), ("max", i64::MAX), ("negative", -1)]
    {
        reject(format!("nbytes-{name}"), format!("nbytes is {value} instead of {nbytes}"), "nbytes", &value.to_be_bytes());
    }
    let cbytes = built.header.cbytes;
    for (name, value) in [
        ("zero", 0),
        ("one-more", cbytes + 1),
        ("one-less", cbytes - 1),
        ("negative", -1),
        ("least", i64::MIN),
        ("max", i64::MAX),
        ("room", length),
    ] {
        reject(format!("cbytes-{name}"), format!("cbytes is {value} instead of {cbytes}"), "cbytes", &value.to_be_bytes());
    }
    for (name, value) in [("zero", 0), ("32", 32), ("63", 63), ("65", 65), ("max", i32::MAX), ("negative", -5)] {
        reject(format!("chunksize-{name}"), format!("chunksize is {value} instead of 64"), "chunksize", &value.to_be_bytes());
    }
    for (name, value) in [("zero", 0_i32), ("negative", -4)] {
        reject(format!("typesize-{name}"), format!("typesize is {value} instead of 4"), "typesize", &value.to_be_bytes());
    }
    reject(
        "frame-type-sparse".into(),
        "the flags say that the frame is sparse, but it is a single file".into(),
        "flags",
        &[0x12, 1, 0x55, 3],
    );
}

/// Adds cases with damaged chunks.
fn chunks(suite: &mut Suite) {
    let built = Frame::array(56).build();
    let mut reject = |name: String, what: String, at: usize, bytes: &[u8]| {
        suite.reject(Layer::Frame, name, what, patched(&built.bytes, at, bytes))
    };
    let first = built.chunks_at[0];
    reject("chunk-zeroed".into(), "the header of the first chunk is zeros".into(), first, &[0; 32]);
    reject("chunk-nbytes".into(), "nbytes of the first chunk is 60, but the chunksize is 64".into(), first + 4, &le32(60));
    reject("chunk-cbytes-beyond".into(), "cbytes of the first chunk is 200 instead of 96".into(), first + 12, &le32(200));
    reject(
        "chunk-cbytes-max".into(),
        "cbytes of the first chunk is 2^31 - 1 instead of 96".into(),
        first + 12,
        &le32(0x7fff_ffff),
    );
    reject("chunk-typesize-0".into(), "the first chunk has typesize 0".into(), first + 3, &[0]);
    reject("chunk-blocksize-0".into(), "the first chunk has blocksize 0".into(), first + 8, &[0; 4]);
    reject("chunk-blocksize-negative".into(), "the first chunk has a negative blocksize".into(), first + 8, &[0xff; 4]);
    reject("chunk-special-7".into(), "the first chunk has the special value 7, which is reserved".into(), first + 31, &[0x70]);
    reject("chunk-lazy".into(), "the first chunk has the flag of lazy chunks".into(), first + 31, &[0x08]);
    let packed = Frame {
        places: vec![Place::Chunk(chunk::compressed(&sample(640), 4, 320, Codec::Zstd, &[(SHUFFLE, 0)], false)); 2],
        ..Frame::new(Header::new(4, 640, 320))
    };
    let built = packed.build();
    let mut reject = |name: &str, what: &str, at: usize, bytes: &[u8]| {
        suite.reject(Layer::Frame, name, what, patched(&built.bytes, at, bytes))
    };
    let second = built.chunks_at[1];
    reject("packed-start", "a block of a compressed chunk starts outside of the chunk", second + 32, &le32(100_000));
    reject("packed-length", "a stream that is longer than its chunk", second + 40, &le32(100_000));
    reject("packed-stream", "the first eight bytes of a stream are zeros", second + 44, &[0; 8]);
    reject("packed-nbytes-1g", "nbytes of a compressed chunk is 2^30 instead of 640", second + 4, &le32(1 << 30));
}

fn trailers(suite: &mut Suite) {
    let frame = Frame::array(56).note("note", b"\xa2hi").note("more", &[0x5a; 100]);
    let built = frame.build();
    let (trailer, at) = (&built.trailer_bytes, built.trailer_at);
    let mut reject = |name: &str, what: &str, bytes: Vec<u8>| suite.reject(Layer::Frame, name, what, bytes);
    for (name, value) in [
        ("zero", 0),
        ("34", 34),
        ("one-more", trailer.bytes.len() + 1),
        ("one-less", trailer.bytes.len() - 1),
        ("frame", built.bytes.len()),
        ("max", 0xffff_ffff),
    ] {
        reject(
            &format!("trailer_len-{name}"),
            &format!("trailer_len is {value} instead of {}", trailer.bytes.len()),
            patched(&built.bytes, at + trailer.at("trailer_len") + 1, &be32(value)),
        );
    }
    reject(
        "trailer_len-marker",
        "the marker of trailer_len is cd instead of ce",
        patched(&built.bytes, at + trailer.at("trailer_len"), &[0xcd]),
    );
    reject("trailer-zeroed", "the trailer is zeros", patched(&built.bytes, at, &vec![0; trailer.bytes.len()]));
    reject(
        "trailer-negative-count",
        "the trailer declares 65,535 vlmetalayers, which C-Blosc2 before 3.1 read as -1",
        patched(&built.bytes, at + trailer.at("offsets") + 1, &[0xff, 0xff]),
    );
    reject(
        "trailer-content-max",
        "the length of a vlmetalayer is 2^31 - 1, which caused an overflow in C-Blosc2 before 3.0.3",
        patched(&built.bytes, at + trailer.at("content-0") + 1, &be32(0x7fff_ffff)),
    );
    let content = at + trailer.at("content-0") + 5;
    for (name, what, skip, bytes) in [
        ("typesize-0", "typesize 0", 3, vec![0]),
        ("nbytes-negative", "nbytes -1", 4, vec![0xff; 4]),
        ("nbytes-max", "nbytes 2^31 - 1", 4, le32(0x7fff_ffff).to_vec()),
        ("blocksize-0", "blocksize 0", 8, vec![0; 4]),
        ("cbytes-0", "cbytes 0", 12, vec![0; 4]),
        ("cbytes-beyond", "cbytes 5000, more than the length of the content", 12, le32(5000).to_vec()),
        ("special-7", "the special value 7, which is reserved", 31, vec![0x70]),
    ] {
        reject(
            &format!("vlmetalayer-{name}"),
            &format!("the chunk of a vlmetalayer has {what}"),
            patched(&built.bytes, content + skip, &bytes),
        );
    }
    // Each of the bytes 94 looks like the start of a trailer. The valid trailer is at the end of the frame.
    let (rest, valid) = built.bytes.split_at(at);
    let mut bytes = [rest, &[0x94; 500], valid].concat();
    let length = u64::try_from(bytes.len()).unwrap_or(0);
    bytes[0x10..0x18].copy_from_slice(&length.to_be_bytes());
    suite.accept(
        Layer::Frame,
        "trailer-after-another",
        "500 bytes of 94 (the first byte of a trailer) between the index and the trailer",
        bytes,
        counted(built.fact.clone()),
    );
    let empty = plain(Vec::new()).note("first", b"1").build();
    let second = plain(Vec::new()).note("second", b"2").build();
    let mut bytes = [&empty.bytes[..], &second.bytes[second.trailer_at..]].concat();
    let length = u64::try_from(bytes.len()).unwrap_or(0);
    bytes[0x10..0x18].copy_from_slice(&length.to_be_bytes());
    suite.accept(
        Layer::Frame,
        "empty-two-trailers",
        "no data, and two trailers: the one directly after the header counts",
        bytes,
        empty.fact.clone(),
    );
    let mut bytes = [&empty.bytes[..empty.trailer_at], &[0; 64], &empty.bytes[empty.trailer_at..]].concat();
    let length = u64::try_from(bytes.len()).unwrap_or(0);
    bytes[0x10..0x18].copy_from_slice(&length.to_be_bytes());
    suite.reject(Layer::Frame, "empty-garbage-trailer", "no data, and 64 zeros between the header and the trailer", bytes);
}

/// Adds cases of frames that are cut off at the ends of their parts or inside them.
fn cut(suite: &mut Suite) {
    let built = Frame::array(56).note("note", b"\xa2hi").build();
    for (name, length) in [
        ("header", built.header.len()),
        ("in-chunk", built.chunks_at[1] + 40),
        ("chunk-2", built.chunks_at[2]),
        ("index", built.index_at),
        ("in-index", built.index_at + 40),
        ("trailer", built.trailer_at),
        ("in-trailer", built.trailer_at + 20),
        ("last-byte", built.bytes.len() - 1),
    ] {
        suite.reject(
            Layer::Frame,
            format!("cut-{name}"),
            format!("the file ends after {length} of {} bytes", built.bytes.len()),
            built.bytes[..length].to_vec(),
        );
    }
}
