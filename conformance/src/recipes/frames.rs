//! Cases of contiguous frames.

use super::Suite;
use super::bytes::{be32, le32, low, patched};
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
        "no chunks, a vlmetalayer: the trailer follows the header",
        plain(Vec::new()).note("note", &[0xa2, b'h', b'i']).build(),
    );
    for count in [1, 2, 9] {
        accept(
            suite,
            format!("stored-{count}"),
            format!("{count} stored chunks"),
            plain((0..count).map(|seed| stored(seed, 64)).collect()).build(),
        );
    }
    accept(suite, "last-shorter", "the last chunk is shorter", plain(vec![stored(0, 64), stored(1, 20)]).build());
    for (code, name) in [(1, "zeros"), (2, "nan"), (4, "uninitialized")] {
        accept(
            suite,
            format!("special-{name}"),
            format!("a chunk that the index calls {name}, between others"),
            plain(vec![stored(0, 64), Place::Special(code, 64), stored(1, 64)]).build(),
        );
        accept(
            suite,
            format!("special-{name}-alone"),
            format!("all chunks are {name} in the index"),
            plain(vec![Place::Special(code, 64); 3]).build(),
        );
        if code != 4 {
            let inside = Place::Chunk(chunk::special(code, 64, 4));
            accept(
                suite,
                format!("chunk-{name}"),
                format!("a chunk whose header says {name}"),
                plain(vec![inside, stored(0, 64)]).build(),
            );
        }
    }
    accept(
        suite,
        "special-last-shorter",
        "the last chunk is zeros in the index, and shorter",
        plain(vec![stored(0, 64), Place::Special(1, 20)]).build(),
    );
    accept(suite, "chunk-value", "a chunk of one value", plain(vec![Place::Chunk(chunk::repeated(&[1, 2, 3, 4], 16))]).build());
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
            format!("chunks of {}, each with other filters", codec.name()),
            Frame { places, ..Frame::new(header) }.build(),
        );
    }
    for count in [3000, 5000] {
        let frame = Frame { index: Index::Compressed, ..plain(vec![Place::Special(1, 64); count]) };
        accept(
            suite,
            format!("index-compressed-{count}"),
            format!("{count} chunks of zeros, and a compressed index"),
            frame.build(),
        );
    }
    let mut header = Header::new(1, 0, 0);
    header.flags[0] = 0x53;
    let places = [5, 100, 1].map(|length| Place::Chunk(chunk::stored(&sample(length), 1)));
    accept(
        suite,
        "variable-chunks",
        "chunks of 5, 100 and 1 bytes, as the flags allow",
        Frame { places: places.to_vec(), ..Frame::new(header) }.build(),
    );
    for count in [1, 16] {
        let frame = (0..count).fold(plain(vec![stored(0, 64)]), |frame, index| frame.with(&format!("m{index}"), &[low(index)]));
        accept(suite, format!("metalayers-{count:02}"), format!("{count} metalayers"), frame.build());
        let frame =
            (0..count).fold(plain(vec![stored(0, 64)]), |frame, index| frame.note(&format!("v{index}"), &[low(index); 50]));
        accept(suite, format!("vlmetalayers-{count:02}"), format!("{count} vlmetalayers"), frame.build());
    }
    accept(
        suite,
        "vlmetalayers-40",
        "40 vlmetalayers: C-Blosc2 opens it, and writes no more than 16",
        (0..40).fold(plain(vec![stored(0, 64)]), |frame, index| frame.note(&format!("v{index}"), &[low(index)])).build(),
    );
    accept(
        suite,
        "metalayers-17",
        "17 metalayers: one more than C-Blosc2 takes",
        (0..17).fold(plain(vec![stored(0, 64)]), |frame, index| frame.with(&format!("m{index}"), &[low(index)])).build(),
    );
    accept(
        suite,
        "name-31",
        "a metalayer's and a vlmetalayer's name of 31 bytes",
        plain(vec![stored(0, 64)]).with(&"m".repeat(31), b"x").note(&"v".repeat(31), b"y").build(),
    );
    let mut built = Frame::array(56).build();
    built.bytes.extend([0x5a; 300]);
    suite.accept(Layer::Frame, "bytes-after", "bytes follow the frame", built.bytes, counted(built.fact));
    for (name, value) in [("zero", 0), ("other", 11)] {
        let built = Frame::array(56).build();
        let bytes = patched(&built.bytes, 0x3f, &be32(value)[2..]);
        suite.accept(
            Layer::Frame,
            format!("threads-{name}"),
            format!("{value} threads: the bytes depend on the machine that wrote them"),
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
            format!("an array of {} dimensions", shape.len()),
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
            format!("elements of the dtype {dtype}"),
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
            format!("an array whose metalayer has the layout {}", layout.name()),
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
        suite.accept(Layer::Frame, format!("array-{name}"), "an array without elements", built.bytes, fact);
    }
    // The metalayer is followed by bytes of an older and longer one, as after a squeeze in place.
    let meta = Meta::new(&[56], &[16], &[8], "<i4");
    let mut frame = Frame::array(56);
    frame.header.metalayers[0].1.extend([0xd3, 0, 0, 0, 0, 0, 0, 0, 9, 0xd2, 0, 0, 0, 1, 0xd2, 0, 0, 0, 1]);
    let built = frame.build();
    let elements: Vec<u8> = (0..56_usize).flat_map(|value| le32(value * 1001)).collect();
    let fact = array_facts(built.fact, &meta, &elements);
    suite.accept(
        Layer::Frame,
        "metalayer-stale",
        "stale bytes follow the array's metalayer: a squeeze in place left them",
        built.bytes,
        fact,
    );
    let built = Frame::array(56).with("caterva", b"a user's").build();
    let fact = array_facts(built.fact, &meta, &elements);
    suite.accept(Layer::Frame, "metalayer-both", "a user's metalayer has the name caterva", built.bytes, fact);
    // Metalayers that do not describe a valid array.
    for (name, what, content) in [
        ("text", "a metalayer b2nd that holds a text", b"a text".to_vec()),
        ("empty", "a metalayer b2nd without bytes", Vec::new()),
        ("cut", "a metalayer b2nd that is cut off", meta.bytes().cut("dtype")),
        ("negative", "a metalayer b2nd with a negative length", meta.bytes().with("shape-0", 1, &[0xff])),
        ("huge", "an array whose grid does not fit int64", Meta::new(&[i64::MAX, 9], &[16, 1], &[8, 1], "<i4").bytes().bytes),
        ("other-dtype", "a dtype of 8 bytes where the typesize is 4", Meta::new(&[56], &[16], &[8], "<f8").bytes().bytes),
        ("other-chunks", "a chunkshape that contradicts the chunksize", Meta::new(&[56], &[17], &[8], "<i4").bytes().bytes),
        ("other-count", "a shape of more chunks than there are", Meta::new(&[600], &[16], &[8], "<i4").bytes().bytes),
        ("dtype-bad", "a dtype string that is none", Meta::new(&[56], &[16], &[8], "<q9").bytes().bytes),
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
            "a metalayer whose name has a NUL after b2nd hides the array's from C",
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

/// Adds cases with sizes in the header that contradict other fields.
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
            format!("frame_len is {value}, right is {length}"),
            "frame_len",
            &value.to_be_bytes(),
        );
    }
    let nbytes = built.header.nbytes;
    for (name, value) in
        [("more-chunks", nbytes + 64), ("fewer-chunks", 64), ("2p62", 1 << 62), ("max", i64::MAX), ("negative", -1)]
    {
        reject(format!("nbytes-{name}"), format!("nbytes is {value}, right is {nbytes}"), "nbytes", &value.to_be_bytes());
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
        reject(format!("cbytes-{name}"), format!("cbytes is {value}, right is {cbytes}"), "cbytes", &value.to_be_bytes());
    }
    for (name, value) in [("zero", 0), ("32", 32), ("63", 63), ("65", 65), ("max", i32::MAX), ("negative", -5)] {
        reject(format!("chunksize-{name}"), format!("chunksize is {value}, right is 64"), "chunksize", &value.to_be_bytes());
    }
    for (name, value) in [("zero", 0_i32), ("negative", -4)] {
        reject(format!("typesize-{name}"), format!("typesize is {value}"), "typesize", &value.to_be_bytes());
    }
    reject("frame-type-sparse".into(), "the flags say a sparse frame, and this is one file".into(), "flags", &[0x12, 1, 0x55, 3]);
}

/// Adds cases with damaged chunks.
fn chunks(suite: &mut Suite) {
    let built = Frame::array(56).build();
    let mut reject = |name: String, what: String, at: usize, bytes: &[u8]| {
        suite.reject(Layer::Frame, name, what, patched(&built.bytes, at, bytes))
    };
    let first = built.chunks_at[0];
    reject("chunk-zeroed".into(), "the header of the first chunk is zeros".into(), first, &[0; 32]);
    reject("chunk-nbytes".into(), "the first chunk says 60 bytes, the frame 64".into(), first + 4, &le32(60));
    reject("chunk-cbytes-beyond".into(), "the first chunk reaches into the second".into(), first + 12, &le32(200));
    reject("chunk-cbytes-max".into(), "the first chunk has 2^31 - 1 bytes".into(), first + 12, &le32(0x7fff_ffff));
    reject("chunk-typesize-0".into(), "the first chunk has typesize 0".into(), first + 3, &[0]);
    reject("chunk-blocksize-0".into(), "the first chunk has blocksize 0".into(), first + 8, &[0; 4]);
    reject("chunk-blocksize-negative".into(), "the first chunk has a negative blocksize".into(), first + 8, &[0xff; 4]);
    reject("chunk-special-7".into(), "the first chunk is a reserved special value".into(), first + 31, &[0x70]);
    reject("chunk-lazy".into(), "the first chunk has a flag of C's for chunks that are read later".into(), first + 31, &[0x08]);
    let packed = Frame {
        places: vec![Place::Chunk(chunk::compressed(&sample(640), 4, 320, Codec::Zstd, &[(SHUFFLE, 0)], false)); 2],
        ..Frame::new(Header::new(4, 640, 320))
    };
    let built = packed.build();
    let mut reject = |name: &str, what: &str, at: usize, bytes: &[u8]| {
        suite.reject(Layer::Frame, name, what, patched(&built.bytes, at, bytes))
    };
    let second = built.chunks_at[1];
    reject("packed-start", "a block of a compressed chunk starts outside", second + 32, &le32(100_000));
    reject("packed-length", "a stream is longer than its chunk", second + 40, &le32(100_000));
    reject("packed-stream", "a stream is damaged", second + 44, &[0; 8]);
    reject("packed-nbytes-1g", "a compressed chunk says 2^30 bytes", second + 4, &le32(1 << 30));
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
            &format!("trailer_len is {value}, right is {}", trailer.bytes.len()),
            patched(&built.bytes, at + trailer.at("trailer_len") + 1, &be32(value)),
        );
    }
    reject(
        "trailer_len-marker",
        "the marker of trailer_len is cd",
        patched(&built.bytes, at + trailer.at("trailer_len"), &[0xcd]),
    );
    reject("trailer-zeroed", "the trailer is zeros", patched(&built.bytes, at, &vec![0; trailer.bytes.len()]));
    reject(
        "trailer-negative-count",
        "the trailer counts 65,535 vlmetalayers, which C took for -1 before 3.2",
        patched(&built.bytes, at + trailer.at("offsets") + 1, &[0xff, 0xff]),
    );
    reject(
        "trailer-content-max",
        "a vlmetalayer of 2^31 - 1 bytes, which overflowed in C before 3.2",
        patched(&built.bytes, at + trailer.at("content-0") + 1, &be32(0x7fff_ffff)),
    );
    let content = at + trailer.at("content-0") + 5;
    for (name, what, skip, bytes) in [
        ("typesize-0", "typesize 0", 3, vec![0]),
        ("nbytes-negative", "nbytes -1", 4, vec![0xff; 4]),
        ("nbytes-max", "nbytes 2^31 - 1", 4, le32(0x7fff_ffff).to_vec()),
        ("blocksize-0", "blocksize 0", 8, vec![0; 4]),
        ("cbytes-0", "cbytes 0", 12, vec![0; 4]),
        ("cbytes-beyond", "cbytes beyond the content", 12, le32(5000).to_vec()),
        ("special-7", "a reserved special value", 31, vec![0x70]),
    ] {
        reject(
            &format!("vlmetalayer-{name}"),
            &format!("the chunk of a vlmetalayer has {what}"),
            patched(&built.bytes, content + skip, &bytes),
        );
    }
    // A trailer that follows an old one. Only frame_len shows which of them is valid.
    let (rest, valid) = built.bytes.split_at(at);
    let mut bytes = [rest, &[0x94; 500], valid].concat();
    let length = u64::try_from(bytes.len()).unwrap_or(0);
    bytes[0x10..0x18].copy_from_slice(&length.to_be_bytes());
    suite.accept(
        Layer::Frame,
        "trailer-after-another",
        "an older trailer before the valid one",
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
        "no data, and two trailers: the one behind the header counts",
        bytes,
        empty.fact.clone(),
    );
    let mut bytes = [&empty.bytes[..empty.trailer_at], &[0; 64], &empty.bytes[empty.trailer_at..]].concat();
    let length = u64::try_from(bytes.len()).unwrap_or(0);
    bytes[0x10..0x18].copy_from_slice(&length.to_be_bytes());
    suite.reject(Layer::Frame, "empty-garbage-trailer", "no data, and zeros between header and trailer", bytes);
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
