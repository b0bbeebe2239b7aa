//! Files with which fuzzers, attacks and public issues showed defects, created again.

use super::Suite;
use super::bytes::{le32, patched};
use super::chunk::{self, Chunk, SHUFFLE, STORED};
use super::frame::{Frame, Index, Place};
use super::frames::plain;
use super::header::Header;
use super::stream::{Codec, sample};
use crate::case::Layer;

pub(crate) fn add(suite: &mut Suite) {
    let stored = || Place::Chunk(chunk::stored(&sample(64), 4));
    let mut reject = |name: &str, what: &str, bytes: Vec<u8>| suite.reject(Layer::Frame, name, what, bytes);
    // Issue 799 of c-blosc2.
    let mut header = Header::new(4, 64, 64);
    header.flags[0] = 0x53;
    let mut built = Frame { places: vec![Place::Special(1, 64)], ..Frame::new(header) }.build();
    built.bytes = patched(&built.bytes, built.header_bytes.at("chunksize") + 1, &[0; 4]);
    reject(
        "found-special-chunksize-0",
        "a chunk is zeros in the index, and the chunksize is 0: C-Blosc2 divides by it (its issue 799)",
        built.bytes,
    );
    let built = plain(vec![Place::Special(1, 64)]).build();
    reject(
        "found-special-chunksize-0-fixed",
        "the same where the flags name no variable chunks",
        patched(&built.bytes, built.header_bytes.at("chunksize") + 1, &[0; 4]),
    );
    // Issue 479 of c-blosc2: input that is not a frame.
    reject("found-not-a-frame", "zeros where a frame should be (c-blosc2's issue 479)", vec![0; 500]);
    reject("found-header-alone", "a header, and nothing behind it (c-blosc2's issue 479)", {
        let built = plain(vec![stored()]).build();
        built.bytes[..built.header.len()].to_vec()
    });
    // Issue 639 of c-blosc2, in a frame: the stream is the last one in its chunk, and the trailer of the frame follows.
    let stream = &Codec::Zlib.compress(&[7; 64])[..3];
    let body = [&le32(36)[..], &le32(stream.len()), stream].concat();
    let cut = Chunk { body, ..chunk::compressed(&[7; 64], 4, 64, Codec::Zlib, &[], false) };
    reject(
        "found-zlib-ends",
        "a zlib stream that ends early (c-blosc2's issue 639)",
        plain(vec![Place::Chunk(cut)]).build().bytes,
    );
    // Issue 800 of c-blosc2: ZFP with a stream of one byte, in an array.
    for (udcodec, what) in [(33, "accuracy"), (34, "precision"), (35, "rate")] {
        let body = [&le32(36)[..], &le32(1), &[0x55]].concat();
        let bad = Chunk {
            body,
            udcodec,
            codec_meta: 255,
            flags: 0x15 | 6 << 5,
            ..chunk::compressed(&sample(64), 4, 64, Codec::Lz4, &[], false)
        };
        let mut frame = Frame::array(16);
        frame.header.blocksize = 64;
        frame.header.metalayers[0].1 = super::meta::Meta::new(&[16], &[16], &[16], "<i4").bytes().bytes;
        frame.places = vec![Place::Chunk(bad)];
        reject(
            &format!("found-zfp-{what}"),
            &format!("ZFP of fixed {what} whose stream is one byte (c-blosc2's issues 519 to 521 and 800)"),
            frame.build().bytes,
        );
    }
    index_lies(suite);
    proof(suite);
    // The same as in tests/frame/regressions.rs of b2nd-frame.
    let built = Frame::array(56).build();
    for (name, value) in [("minus-one", -1_i64), ("least", i64::MIN)] {
        let bytes = patched(&built.bytes, built.header_bytes.at("nbytes") + 1, &value.to_be_bytes());
        suite.reject(
            Layer::Frame,
            format!("found-nbytes-{name}"),
            "a frame of less than nothing: any number of chunks went with it",
            bytes,
        );
    }
    let at = built.index_at;
    let compressed = patched(&patched(&built.bytes, at + 2, &[built.bytes[at + 2] & !2]), at + 4, &le32(0x7fff_fff8));
    suite.reject(
        Layer::Frame,
        "found-index-claims-2g",
        "an index that claims 2 GiB less 8 bytes was asked of a decompressor",
        compressed,
    );
    // Files from attacks.
    let bad = plain(vec![stored()]).with("\u{1b}[2J\nname", b"x").build();
    let bytes = patched(&bad.bytes, bad.header_bytes.at("offset-0") + 1, &[0; 4]);
    suite.reject(
        Layer::Frame,
        "found-escapes",
        "a name with escape sequences, whose offset is wrong: an error must not pass them on",
        bytes,
    );
    let special = Frame { places: vec![Place::Chunk(Chunk { blocksize: 0, ..chunk::special(1, 64, 4) })], ..plain(Vec::new()) };
    suite.reject(Layer::Frame, "found-special-blocksize", "a special chunk whose blocksize is 0", special.build().bytes);
    let wide = chunk::compressed(&sample(640), 4, 320, Codec::Zstd, &[(SHUFFLE, 0)], false);
    let built = Frame { places: vec![Place::Chunk(wide)], ..Frame::new(Header::new(4, 640, 320)) }.build();
    for (name, value) in [("negative", 0xffff_fec0_usize), ("zero", 0), ("beyond", 1000)] {
        let bytes = patched(&built.bytes, built.chunks_at[0] + 8, &le32(value));
        suite.reject(
            Layer::Frame,
            format!("found-blocksize-{name}"),
            format!("a compressed chunk whose blocksize is {value:#x}"),
            bytes,
        );
    }
}

/// Adds minimal versions of files with which the proof found bugs in C-Blosc2.
fn proof(suite: &mut Suite) {
    let built = plain(vec![Place::Chunk(chunk::stored(&sample(64), 4))]).build();
    suite.reject(
        Layer::Frame,
        "found-says-sparse",
        "a frame in one file whose header says that its chunks are files beside it",
        patched(&built.bytes, 0x1a, &[1]),
    );
    let data = [&[0; 16][..], &sample(48)].concat();
    let short = Chunk { version: 5, flags: 0x94 | STORED, ..chunk::stored(&data, 4) };
    let built = plain(vec![Place::Chunk(short)]).build();
    suite.accept(
        Layer::Frame,
        "found-short-stored",
        "a stored chunk with a header of 16 bytes, as Blosc 1 wrote them",
        built.bytes,
        built.fact,
    );
    let mut gap = chunk::compressed(&sample(640), 4, 320, Codec::Lz4, &[], false);
    let second = gap.body[4..8].try_into().map_or(0, u32::from_le_bytes);
    let at = usize::try_from(second).unwrap_or(0) - 32;
    gap.body.splice(at..at, [0; 2000]);
    gap.body.splice(4..8, (second + 2000).to_le_bytes());
    let built = Frame { places: vec![Place::Chunk(gap)], ..Frame::new(Header::new(4, 640, 320)) }.build();
    suite.accept(Layer::Frame, "found-gap", "2000 bytes between two blocks, which no block needs", built.bytes, built.fact);
    let mut frame = Frame::array(56);
    frame.header.metalayers[0].1 = super::meta::Meta::new(&[56], &[0x4000_0000], &[0x4000_0000], "<i4").bytes().bytes;
    suite.reject(
        Layer::Frame,
        "found-chunkshape-overflows",
        "chunks of 4 GiB by the array's metalayer, and of 64 bytes by the header",
        frame.build().bytes,
    );
    let built = plain(vec![Place::Chunk(chunk::stored(&sample(64), 4))]).note("note", &[0; 7]).build();
    let content = built.trailer_at + built.trailer_bytes.at("content-0") + 5;
    let special = patched(&built.bytes, content + 2, &[chunk::EXTENDED]);
    suite.reject(
        Layer::Frame,
        "found-lazy-attribute",
        "an attribute that is uninitialized, with C's flags for a dictionary and for chunks that are read later",
        patched(&special, content + 31, &[0x49]),
    );
    let chunk = chunk::of_dictionary([8, 8, 9]);
    let built = Frame { places: vec![Place::Chunk(chunk)], ..Frame::new(Header::new(1, 24, 24)) }.build();
    suite.reject(
        Layer::Frame,
        "found-dictionary-offset",
        "a Zstandard dictionary whose third repeated offset lies outside of it",
        built.bytes,
    );
}

/// Adds cases of compressed indexes that are damaged.
fn index_lies(suite: &mut Suite) {
    let frame = Frame { index: Index::Compressed, ..plain((0..2000).map(|_| Place::Special(1, 64)).collect()) };
    let built = frame.build();
    let at = built.index_at;
    for (name, what, skip, bytes) in [
        ("typesize", "typesize 3 after a shuffle of 8 bytes", 3, vec![3]),
        ("flags", "flags that ask for another codec", 2, vec![0x95]),
        ("filter", "a filter that is nobody's", 21, vec![30]),
        ("start", "a block that starts outside", 32, vec![0xff, 0xff, 0xff, 0x7f]),
        ("start-negative", "a block that starts before the chunk", 32, vec![0xff; 4]),
        ("length", "a stream that is longer than the frame", 36, vec![0xff, 0xff, 0xff, 0x7f]),
        ("stream", "a damaged stream", 42, vec![0xff; 6]),
    ] {
        suite.reject(
            Layer::Index,
            format!("packed-{name}"),
            format!("a compressed index with {what}"),
            patched(&built.bytes, at + skip, &bytes),
        );
    }
}
