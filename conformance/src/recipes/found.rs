//! Recreated files that showed defects. The originals come from fuzzers, attacks and public issues.

use super::Suite;
use super::bytes::{int32, le32, patched};
use super::chunk::{self, Chunk, SHUFFLE, STORED};
use super::frame::{Frame, Index, Place};
use super::frames::plain;
use super::header::Header;
use super::stream::{Codec, sample};
use crate::case::Layer;

pub(crate) fn add(suite: &mut Suite) {
    let stored = || Place::Chunk(chunk::stored(&sample(64), 4));
    let mut reject = |name: &str, what: &str, bytes: Vec<u8>| suite.reject(Layer::Frame, name, what, bytes);
    // Issue 799 of C-Blosc2.
    let mut header = Header::new(4, 64, 64);
    header.flags[0] = 0x53;
    let mut built = Frame { places: vec![Place::Special(1, 64)], ..Frame::new(header) }.build();
    built.bytes = patched(&built.bytes, built.header_bytes.at("chunksize") + 1, &[0; 4]);
    reject(
        "found-special-chunksize-0",
        "the index marks a chunk as special, and the chunksize is 0, by which C-Blosc2 divided (its issue 799)",
        built.bytes,
    );
    let built = plain(vec![Place::Special(1, 64)]).build();
    reject(
        "found-special-chunksize-0-fixed",
        "the index marks a chunk as special, and the chunksize is 0, although the flags do not announce variable-length chunks",
        patched(&built.bytes, built.header_bytes.at("chunksize") + 1, &[0; 4]),
    );
    // Issue 479 of C-Blosc2: input that is not a frame.
    reject("found-not-a-frame", "500 zeros instead of a frame (C-Blosc2's issue 479)", vec![0; 500]);
    reject("found-header-alone", "a header with nothing after it (C-Blosc2's issue 479)", {
        let built = plain(vec![stored()]).build();
        built.bytes[..built.header.len()].to_vec()
    });
    // Issue 639 of C-Blosc2, in a frame: the stream is the last one in its chunk, and the index follows the chunk.
    let stream = &Codec::Zlib.compress(&[7; 64])[..3];
    let body = [&le32(36)[..], &le32(stream.len()), stream].concat();
    let cut = Chunk { body, ..chunk::compressed(&[7; 64], 4, 64, Codec::Zlib, &[], false) };
    reject(
        "found-zlib-ends",
        "a zlib stream that ends early (C-Blosc2's issue 639)",
        plain(vec![Place::Chunk(cut)]).build().bytes,
    );
    // Issue 800 of C-Blosc2 (fixed-rate mode), and the other modes: ZFP with a stream of one byte, in an array.
    for (udcodec, what, issue) in [(33, "accuracy", ""), (34, "precision", ""), (35, "rate", " (C-Blosc2's issue 800)")] {
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
            &format!("ZFP in fixed-{what} mode with a stream of one byte, in an array{issue}"),
            frame.build().bytes,
        );
    }
    index_lies(suite);
    proof(suite);
    // Similar to the files in tests/frame/regressions.rs of b2nd-frame.
    let built = Frame::array(56).build();
    for (name, value) in [("minus-one", -1_i64), ("least", i64::MIN)] {
        let bytes = patched(&built.bytes, built.header_bytes.at("nbytes") + 1, &value.to_be_bytes());
        suite.reject(Layer::Frame, format!("found-nbytes-{name}"), format!("nbytes is {value}, a negative length"), bytes);
    }
    let at = built.index_at;
    let compressed = patched(&patched(&built.bytes, at + 2, &[built.bytes[at + 2] & !2]), at + 4, &le32(0x7fff_fff8));
    suite.reject(
        Layer::Frame,
        "found-index-claims-2g",
        "an index chunk that claims to be compressed and to contain 2^31 - 8 bytes",
        compressed,
    );
    // Files from attacks.
    let bad = plain(vec![stored()]).with("\u{1b}[2J\nname", b"x").build();
    let bytes = patched(&bad.bytes, bad.header_bytes.at("offset-0") + 1, &[0; 4]);
    suite.reject(
        Layer::Frame,
        "found-escapes",
        "a metalayer with a wrong offset and a name that contains an escape sequence, which an error should not print raw",
        bytes,
    );
    let special = Frame { places: vec![Place::Chunk(Chunk { blocksize: 0, ..chunk::special(1, 64, 4) })], ..plain(Vec::new()) };
    suite.reject(Layer::Frame, "found-special-blocksize", "a special chunk with blocksize 0", special.build().bytes);
    let wide = chunk::compressed(&sample(640), 4, 320, Codec::Zstd, &[(SHUFFLE, 0)], false);
    let built = Frame { places: vec![Place::Chunk(wide)], ..Frame::new(Header::new(4, 640, 320)) }.build();
    for (name, value) in [("negative", 0xffff_fec0_usize), ("zero", 0), ("beyond", 1000)] {
        let bytes = patched(&built.bytes, built.chunks_at[0] + 8, &le32(value));
        suite.reject(
            Layer::Frame,
            format!("found-blocksize-{name}"),
            format!("a compressed chunk with blocksize {} and 640 bytes of data", int32(value)),
            bytes,
        );
    }
}

/// Adds minimal versions of files with which `proof/` found bugs in C-Blosc2.
fn proof(suite: &mut Suite) {
    let built = plain(vec![Place::Chunk(chunk::stored(&sample(64), 4))]).build();
    suite.reject(
        Layer::Frame,
        "found-says-sparse",
        "a frame in one file whose header says that it is sparse",
        patched(&built.bytes, 0x1a, &[1]),
    );
    let data = [&[0; 16][..], &sample(48)].concat();
    let short = Chunk { version: 5, flags: 0x94 | STORED, ..chunk::stored(&data, 4) };
    let built = plain(vec![Place::Chunk(short)]).build();
    suite.accept(
        Layer::Frame,
        "found-short-stored",
        "a stored chunk of version 5, but with a header of 16 bytes, as in Blosc 1",
        built.bytes,
        built.fact,
    );
    let mut gap = chunk::compressed(&sample(640), 4, 320, Codec::Lz4, &[], false);
    let second = gap.body[4..8].try_into().map_or(0, u32::from_le_bytes);
    let at = usize::try_from(second).unwrap_or(0) - 32;
    gap.body.splice(at..at, [0; 2000]);
    gap.body.splice(4..8, (second + 2000).to_le_bytes());
    let built = Frame { places: vec![Place::Chunk(gap)], ..Frame::new(Header::new(4, 640, 320)) }.build();
    suite.accept(Layer::Frame, "found-gap", "2000 unused bytes between two blocks", built.bytes, built.fact);
    let mut frame = Frame::array(56);
    frame.header.metalayers[0].1 = super::meta::Meta::new(&[56], &[0x4000_0000], &[0x4000_0000], "<i4").bytes().bytes;
    suite.reject(
        Layer::Frame,
        "found-chunkshape-overflows",
        "chunks of 4 GiB according to the array's metalayer, but of 64 bytes according to the header",
        frame.build().bytes,
    );
    let built = plain(vec![Place::Chunk(chunk::stored(&sample(64), 4))]).note("note", &[0; 7]).build();
    let content = built.trailer_at + built.trailer_bytes.at("content-0") + 5;
    let special = patched(&built.bytes, content + 2, &[chunk::EXTENDED]);
    suite.reject(
        Layer::Frame,
        "found-lazy-attribute",
        "a vlmetalayer whose chunk is special (uninitialized data) and has the flags of dictionaries and of lazy chunks",
        patched(&special, content + 31, &[0x49]),
    );
    let chunk = chunk::of_dictionary([8, 8, 9]);
    let built = Frame { places: vec![Place::Chunk(chunk)], ..Frame::new(Header::new(1, 24, 24)) }.build();
    suite.reject(
        Layer::Frame,
        "found-dictionary-offset",
        "a Zstandard dictionary whose third repeated offset, 9, exceeds the length of its content, 8",
        built.bytes,
    );
}

/// Adds cases of damaged compressed indexes.
fn index_lies(suite: &mut Suite) {
    let frame = Frame { index: Index::Compressed, ..plain((0..2000).map(|_| Place::Special(1, 64)).collect()) };
    let built = frame.build();
    let at = built.index_at;
    for (name, what, skip, bytes) in [
        ("typesize", "typesize 3 instead of 8", 3, vec![3]),
        ("flags", "flags that announce another codec (Zstandard instead of BloscLZ)", 2, vec![0x95]),
        ("filter", "an unknown filter, 30", 21, vec![30]),
        ("start", "a block that starts outside of the chunk", 32, vec![0xff, 0xff, 0xff, 0x7f]),
        ("start-negative", "a block whose offset is negative", 32, vec![0xff; 4]),
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
