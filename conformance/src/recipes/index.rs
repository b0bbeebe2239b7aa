//! Cases of indexes, each inside a frame.

use super::Suite;
use super::bytes::{count, le32, patched};
use super::chunk::{self, STORED};
use super::frame::{Built, Frame, Index, Place};
use super::frames::plain;
use super::stream::sample;
use crate::case::Layer;

fn accept(suite: &mut Suite, name: impl Into<String>, what: impl Into<String>, built: Built) {
    suite.accept(Layer::Index, name, what, built.bytes, built.offsets);
}

pub(crate) fn add(suite: &mut Suite) {
    let stored = |seed: usize| Place::Chunk(chunk::stored(&sample(64 + seed)[seed..], 4));
    accept(suite, "none", "a frame without chunks, which has no index", plain(Vec::new()).build());
    for number in [1, 2, 10] {
        accept(
            suite,
            format!("stored-{number:04}"),
            format!("an index with {}, stored without compression", count(number, "offset")),
            plain((0..number).map(stored).collect()).build(),
        );
    }
    let mixed = |count: usize| {
        (0..count).map(|number| if number % 7 == 3 { stored(0) } else { Place::Special([1, 2, 4][number % 3], 64) }).collect()
    };
    accept(suite, "mixed", "an index with offsets and special values", plain(mixed(20)).build());
    for count in [20, 100, 2048, 2049, 4096] {
        let specials = if count > 200 { vec![Place::Special(1, 64); count] } else { mixed(count) };
        let frame = Frame { index: Index::Compressed, ..plain(specials) };
        accept(
            suite,
            format!("compressed-{count:04}"),
            format!("a compressed index with {count} entries, at most 2048 in a block"),
            frame.build(),
        );
    }
    let built = plain(vec![stored(0), stored(1), stored(2)]).build();
    let (a, b) = (built.index_at + 32, built.index_at + 40);
    let swapped = [&built.bytes[b..b + 8], &built.bytes[a..a + 8]].concat();
    let told = crate::Fact::map([("nchunks", crate::Fact::int(3)), ("offsets", crate::Fact::ints(&[96_i64, 0, 192]))]);
    suite.accept(
        Layer::Index,
        "not-in-order",
        "chunks whose order in the frame is not that of their indices, as after an insertion",
        patched(&built.bytes, a, &swapped),
        told,
    );
    special_indexes(suite);
    wrong(suite, &built);
}

/// Adds cases of indexes that are special chunks, and of indexes with a wrong length.
fn special_indexes(suite: &mut Suite) {
    let built = plain(vec![Place::Special(1, 64); 5]).build();
    let all = chunk::repeated(&[0, 0, 0, 0, 0, 0, 0, 0x81], 5);
    let replace = |index: &[u8]| {
        let bytes = [&built.bytes[..built.index_at], index, &built.trailer_bytes.bytes].concat();
        let length = u64::try_from(bytes.len()).unwrap_or(0);
        patched(&bytes, 0x10, &length.to_be_bytes())
    };
    suite.accept(
        Layer::Index,
        "value",
        "the index chunk is special: it repeats one value five times",
        replace(&all.bytes()),
        built.offsets.clone(),
    );
    for (code, name, what) in [(2, "nan", "NaN"), (4, "uninitialized", "uninitialized data")] {
        suite.reject(
            Layer::Index,
            format!("all-{name}"),
            format!("the index chunk is special: {what} instead of offsets"),
            replace(&chunk::special(code, 40, 8).bytes()),
        );
    }
    suite.reject(
        Layer::Index,
        "all-zeros",
        "the index chunk is special: zeros, so that five chunks have the offset 0",
        replace(&chunk::special(1, 40, 8).bytes()),
    );
    suite.reject(
        Layer::Index,
        "value-short",
        "the index chunk is special: it repeats a value of 4 bytes",
        replace(&chunk::repeated(&[0, 0, 0, 0x81], 10).bytes()),
    );
    suite.reject(
        Layer::Index,
        "nbytes-odd",
        "an index of 43 bytes, which is not a multiple of 8",
        replace(&chunk::stored(&[0; 43], 1).bytes()),
    );
    suite.reject(
        Layer::Index,
        "none-but-chunks",
        "nbytes and chunksize say that there are five chunks, but there is no index",
        replace(&[]),
    );
}

fn wrong(suite: &mut Suite, built: &Built) {
    let at = built.index_at;
    let mut reject = |name: &str, what: &str, bytes: Vec<u8>| suite.reject(Layer::Index, name, what, bytes);
    let mut offset = |name: &str, what: &str, slot: usize, value: i64| {
        reject(
            &format!("offset-{name}"),
            &format!("the offset of chunk {slot} is {what}"),
            patched(&built.bytes, at + 32 + 8 * slot, &value.to_le_bytes()),
        );
    };
    offset("end", "the end of the last chunk", 1, built.header.cbytes);
    offset("beyond", "after the end of the frame", 1, 100_000);
    offset("2p62", "2^62", 1, 1 << 62);
    offset("max", "2^63 - 1", 0, i64::MAX);
    offset("same", "the same as that of chunk 0", 1, 0);
    offset("minus-one", "-1, which is not a special value", 1, -1);
    offset("80", "special value 0, which means that the chunk is not special", 1, i64::MIN);
    offset(
        "83",
        "special value 3 (a repeated value), but an index cannot contain the value",
        1,
        i64::from_be_bytes([0x83, 0, 0, 0, 0, 0, 0, 0]),
    );
    offset("85", "special value 5, which is reserved", 2, i64::from_be_bytes([0x85, 0, 0, 0, 0, 0, 0, 0]));
    for (name, what, skip, bytes) in [
        ("nbytes-more", "nbytes 32 instead of 24", 4, le32(32)),
        ("nbytes-less", "nbytes 16 instead of 24", 4, le32(16)),
        ("nbytes-odd-claim", "nbytes 23 instead of 24", 4, le32(23)),
        ("nbytes-negative", "nbytes -8", 4, le32(0xffff_fff8)),
        ("cbytes-0", "cbytes 0", 12, le32(0)),
        ("cbytes-max", "cbytes 2^31 - 1", 12, le32(0x7fff_ffff)),
        ("cbytes-into-trailer", "cbytes 70 instead of 56, which reaches into the trailer", 12, le32(70)),
        ("blocksize-0", "blocksize 0", 8, le32(0)),
        ("blocksize-beyond", "blocksize 1000 instead of 24", 8, le32(1000)),
    ] {
        reject(name, &format!("the index chunk has {what}"), patched(&built.bytes, at + skip, &bytes));
    }
    reject("typesize-0", "the index chunk has typesize 0", patched(&built.bytes, at + 3, &[0]));
    reject("zeroed", "the header of the index chunk is zeros", patched(&built.bytes, at, &[0; 32]));
    reject("special-7", "the index chunk has the special value 7, which is reserved", patched(&built.bytes, at + 31, &[0x70]));
    reject(
        "not-stored",
        "the flags of the index chunk say that it is compressed, but it is not",
        patched(&built.bytes, at + 2, &[built.bytes[at + 2] & !STORED]),
    );
}
