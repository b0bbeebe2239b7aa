//! Frames that one reader can read and another crashes on, rejects or reads wrongly. Each shows
//! one or more of the facts in b2nd-check's `FACTS`.

use super::Suite;
use super::bytes::{le32, patched};
use super::chunk::{self, Chunk, DELTA, SHUFFLE};
use super::frame::{Built, Frame, Place};
use super::frames::{array_facts, plain};
use super::header::Header;
use super::meta::Meta;
use super::stream::{Codec, sample};
use crate::case::Layer;

/// The first byte of the flags of a frame of version 3 whose blocks (or chunks) vary in length.
const VARIABLE_BLOCKS: u8 = 0x93;
const VARIABLE_CHUNKS: u8 = 0x53;

pub(crate) fn add(suite: &mut Suite) {
    let mut accept = |name: &str, what: &str, built: Built, bytes: Vec<u8>| {
        suite.accept(Layer::Frame, name, what, bytes, built.fact);
    };
    let packed = |filters: &[(u8, u8)], typesize: u8| {
        Place::Chunk(chunk::compressed(&sample(640), typesize, 320, Codec::Zstd, filters, false))
    };
    let of_users = |built: &Built| {
        let at = built.chunks_at[0] + 2;
        patched(&built.bytes, at, &[built.bytes[at] & 0x1f | 6 << 5])
    };
    let built = Frame { places: vec![packed(&[(SHUFFLE, 0)], 4); 2], ..Frame::new(Header::new(4, 640, 320)) }.build();
    let bytes = of_users(&built);
    accept(
        "gate-codec-format-6",
        "a chunk whose flags announce a user-defined codec, although udcodec has the number of Zstandard",
        built,
        bytes,
    );

    // One-dimensional arrays of four chunks, the second of which is special.
    let meta = Meta::new(&[56], &[16], &[8], "<i4");
    for (name, what, second) in [
        (
            "gate-special-in-data",
            "a chunk that its own header marks as special (zeros), after a stored chunk",
            Chunk { blocksize: 32, ..chunk::special(1, 64, 4) },
        ),
        (
            "gate-special-blocksize",
            "a special chunk that repeats a value, with twice the blocksize of the array",
            chunk::repeated(&[1, 2, 3, 4], 16),
        ),
    ] {
        let mut frame = Frame::array(56);
        frame.places[1] = Place::Chunk(second);
        let chunks = frame.places.iter().filter_map(|place| if let Place::Chunk(chunk) = place { Some(chunk) } else { None });
        let elements: Vec<u8> = chunks.flat_map(|chunk| chunk.data.clone()).take(56 * 4).collect();
        let mut built = frame.build();
        built.fact = array_facts(built.fact, &meta, &elements);
        let bytes = built.bytes.clone();
        accept(name, what, built, bytes);
    }

    let of_wide = Frame { places: vec![Place::Chunk(chunk::stored(&sample(66), 4)); 2], ..Frame::new(Header::new(33, 66, 66)) };
    let built = of_wide.build();
    let bytes = built.bytes.clone();
    accept("gate-typesize", "the typesize is 33 in the frame's header, but 4 in the chunks", built, bytes);

    let cut = Frame { places: vec![Place::Chunk(chunk::stored(&sample(66), 4)); 2], ..Frame::new(Header::new(4, 66, 66)) };
    let built = cut.build();
    let bytes = built.bytes.clone();
    accept("gate-cut-elements", "chunks of 66 bytes, which is not a multiple of the typesize, 4", built, bytes);

    let twice = [&[7; 320][..], &[7; 320]].concat();
    let built = Frame {
        places: vec![Place::Chunk(chunk::compressed(&twice, 4, 320, Codec::Lz4, &[], false))],
        ..Frame::new(Header::new(4, 640, 320))
    }
    .build();
    let at = built.chunks_at[0] + 32;
    let bytes = patched(&built.bytes, at + 4, &built.bytes[at..at + 4]);
    accept("gate-shared-blocks", "two blocks with the same offset", built, bytes);

    let built = plain(vec![Place::Chunk(chunk::stored(&sample(64), 4))]).note("note", b"plain text").build();
    let bytes = built.bytes.clone();
    accept("gate-attribute", "a vlmetalayer with plain text instead of one MessagePack value", built, bytes);

    let mut header = Header::new(1, 25, 1);
    header.flags[0] = VARIABLE_BLOCKS;
    let block = [&le32(25)[..], &sample(25)].concat();
    let varies =
        Chunk { body: [&le32(36)[..], &block].concat(), ..chunk::compressed(&sample(25), 1, 25, Codec::Zstd, &[], false) };
    let varies = Chunk { version: 6, blocksize: 1, ..varies };
    let built = Frame { places: vec![Place::Chunk(varies.clone()); 2], ..Frame::new(header.clone()) }.build();
    let flagged = |built: &Built| {
        let chunks = built.chunks_at.iter().filter(|&&at| at != 0);
        chunks.fold(built.bytes.clone(), |bytes, &at| patched(&bytes, at + 30, &[1]))
    };
    let bytes = flagged(&built);
    accept("variable-blocks", "chunks with one block of variable length each; the block starts with its length", built, bytes);

    let as_batches = |header: &Header| header.clone().with("batcharray", b"\x81\xaaserializer\xa7msgpack");
    let built = Frame { places: vec![Place::Chunk(varies.clone()); 2], ..Frame::new(as_batches(&header)) }.build();
    let bytes = flagged(&built);
    accept(
        "variable-blocks-batch",
        "chunks of one block of variable length, in a frame that python-blosc2 opens as batches of objects",
        built,
        bytes,
    );
    let mut of_chunks = Header::new(1, 0, 0);
    of_chunks.flags[0] = VARIABLE_CHUNKS;
    let places = [5, 100, 1].map(|length| Place::Chunk(chunk::stored(&sample(length), 1)));
    let built = Frame { places: places.to_vec(), ..Frame::new(as_batches(&of_chunks)) }.build();
    let bytes = built.bytes.clone();
    accept(
        "variable-chunks-batch",
        "variable-length chunks (5, 100 and 1 bytes), in a frame that python-blosc2 opens as batches of objects",
        built,
        bytes,
    );

    let built = Frame { places: vec![Place::Chunk(varies), Place::Special(1, 25)], ..Frame::new(header) }.build();
    let bytes = flagged(&built);
    accept(
        "gate-special-blocks",
        "the index marks a chunk as special (zeros), in a frame with variable-length blocks",
        built,
        bytes,
    );

    for (name, what, filters, typesize) in [
        ("shuffle-parameter", "a byte shuffle with the parameter 8, which replaces the typesize of 32", vec![(SHUFFLE, 8)], 32),
        ("delta-behind-shuffle", "the filter delta after a byte shuffle", vec![(SHUFFLE, 0), (DELTA, 0)], 4),
    ] {
        let header = Header::new(i32::from(typesize), 640, 320);
        let built = Frame { places: vec![packed(&filters, typesize)], ..Frame::new(header) }.build();
        let bytes = built.bytes.clone();
        accept(name, what, built, bytes);
    }
}
