//! Cases of sparse frames.

use super::Suite;
use super::bytes::patched;
use super::chunk::{self, Chunk};
use super::frame::{Built, Frame, Place};
use super::frames::{array_facts, plain};
use super::meta::Meta;
use super::stream::sample;
use crate::case::{Content, Layer, Verdict};
use crate::fact::Fact;

const FRAME: &str = "chunks.b2frame";

fn files(built: &Built) -> Vec<(String, Vec<u8>)> {
    let mut files = built.files.clone();
    files.push((FRAME.into(), built.bytes.clone()));
    files
}

fn reject(suite: &mut Suite, name: &str, what: &str, files: Vec<(String, Vec<u8>)>) {
    suite.add(Layer::Sparse, name, what, Content::Folder("b2nd", files), Verdict::Reject);
}

fn accept(suite: &mut Suite, name: &str, what: &str, built: &Built, fact: Fact) {
    suite.add(Layer::Sparse, name, what, Content::Folder("b2nd", files(built)), Verdict::Accept(fact));
}

pub(crate) fn add(suite: &mut Suite) {
    let stored = |seed: usize| Place::Chunk(chunk::stored(&sample(64 + seed)[seed..], 4));
    let sparse = |frame: Frame| Frame { sparse: true, ..frame }.build();
    for (name, what, frame) in [
        ("empty", "no chunks", plain(Vec::new())),
        ("one", "one chunk", plain(vec![stored(0)])),
        ("zeros", "no chunk files: the index marks all chunks as special (zeros)", plain(vec![Place::Special(1, 64); 4])),
        (
            "mixed",
            "the index marks the second of three chunks as special (zeros)",
            plain(vec![stored(0), Place::Special(1, 64), stored(1)]),
        ),
        (
            "last-shorter",
            "the second of two chunks is shorter than the first",
            plain(vec![stored(0), Place::Chunk(chunk::stored(&sample(20), 4))]),
        ),
        (
            "value",
            "a chunk that its own header marks as special: a repeated value",
            plain(vec![Place::Chunk(chunk::repeated(&[1, 2, 3, 4], 16))]),
        ),
        ("vlmetalayers", "a metalayer and a vlmetalayer", plain(vec![stored(0)]).with("m", b"x").note("v", b"\xa1y")),
        (
            "seventeen",
            "seventeen chunks: the numbers in the names of their files are hexadecimal",
            plain((0..17).map(stored).collect()),
        ),
    ] {
        let built = sparse(frame);
        accept(suite, name, what, &built, built.fact.clone());
    }
    let built = sparse(Frame::array(56));
    let elements: Vec<u8> = (0..56_usize).flat_map(|value| super::bytes::le32(value * 1001)).collect();
    let fact = array_facts(built.fact.clone(), &Meta::new(&[56], &[16], &[8], "<i4"), &elements);
    accept(suite, "array", "an array", &built, fact);
    let mut more = files(&built);
    more.push(("notes.txt".into(), b"a file of somebody else".to_vec()));
    let fact = array_facts(built.fact.clone(), &Meta::new(&[56], &[16], &[8], "<i4"), &elements);
    suite.add(
        Layer::Sparse,
        "other-files",
        "another file in the directory",
        Content::Folder("b2nd", more),
        Verdict::Accept(fact),
    );
    wrong(suite, &built);
}

fn wrong(suite: &mut Suite, built: &Built) {
    let good = files(built);
    let without = |name: &str| good.iter().filter(|(own, _)| own != name).cloned().collect::<Vec<_>>();
    let with = |name: &str, bytes: Vec<u8>| {
        let mut files = without(name);
        files.push((name.to_owned(), bytes));
        files
    };
    reject(suite, "no-frame", "chunks.b2frame is missing", without(FRAME));
    reject(suite, "no-chunk", "the file of chunk 1 is missing", without("00000001.chunk"));
    let second = good.iter().find(|(name, _)| name == "00000001.chunk").map(|(_, bytes)| bytes.clone()).unwrap_or_default();
    for length in [0, 20, 95] {
        reject(
            suite,
            &format!("chunk-cut-{length:02}"),
            &format!("the file of chunk 1 ends after {length} of {} bytes", second.len()),
            with("00000001.chunk", second[..length].to_vec()),
        );
    }
    reject(suite, "chunk-text", "the file of chunk 1 contains text", with("00000001.chunk", vec![b'x'; 96]));
    let shorter = Chunk { blocksize: 32, ..chunk::stored(&sample(60), 4) }.bytes();
    reject(suite, "chunk-shorter", "chunk 1 has 60 bytes of data, but the chunksize is 64", with("00000001.chunk", shorter));
    reject(
        suite,
        "frame-cut",
        "the last ten bytes of chunks.b2frame are missing",
        with(FRAME, built.bytes[..built.bytes.len() - 10].to_vec()),
    );
    reject(
        suite,
        "frame-type",
        "the header of chunks.b2frame says that the frame is contiguous",
        with(FRAME, patched(&built.bytes, 0x1a, &[0])),
    );
    reject(suite, "frame_len", "frame_len is 2^62", with(FRAME, patched(&built.bytes, 0x10, &(1_u64 << 62).to_be_bytes())));
    reject(
        suite,
        "index-same",
        "two chunks have the same file number",
        with(FRAME, patched(&built.bytes, built.index_at + 40, &[0; 8])),
    );
    reject(
        suite,
        "index-number",
        "the file number of chunk 1 is 9, but this file is missing",
        with(FRAME, patched(&built.bytes, built.index_at + 40, &9_u64.to_le_bytes())),
    );
    reject(
        suite,
        "index-number-max",
        "the file number of chunk 1 is 2^63 - 1",
        with(FRAME, patched(&built.bytes, built.index_at + 40, &i64::MAX.to_le_bytes())),
    );
}
