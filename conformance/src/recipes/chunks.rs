//! Cases of single chunks.

use super::Suite;
use super::bytes::{le32, patched};
use super::chunk::{self, BITSHUFFLE, BYTEDELTA, Chunk, DELTA, SHUFFLE, STORED};
use super::stream::{Codec, sample};
use crate::case::{Content, Layer, Part, Verdict};

pub(crate) fn add(suite: &mut Suite) {
    valid(suite);
    compressed(suite);
    headers(suite);
    streams(suite);
    long(suite);
}

fn accept(suite: &mut Suite, name: impl Into<String>, what: impl Into<String>, chunk: &Chunk) {
    suite.accept(Layer::Chunk, name, what, chunk.bytes(), chunk.fact());
}

fn valid(suite: &mut Suite) {
    for typesize in [1, 2, 4, 8, 16, 255] {
        let data = sample(usize::from(typesize) * 3);
        accept(
            suite,
            format!("stored-{typesize:03}"),
            format!("stored elements of {typesize} bytes"),
            &chunk::stored(&data, typesize),
        );
    }
    accept(suite, "stored-empty", "stored, of no bytes", &chunk::stored(b"", 1));
    for (code, name) in [(1, "zeros"), (2, "nan"), (4, "uninitialized")] {
        for typesize in [4, 8] {
            accept(
                suite,
                format!("special-{name}-{typesize}"),
                format!("{name}, elements of {typesize} bytes"),
                &chunk::special(code, 64, typesize),
            );
        }
    }
    accept(suite, "special-zeros-1", "zeros, elements of a byte", &chunk::special(1, 100, 1));
    accept(suite, "special-zeros-long", "zeros, 1 MiB", &chunk::special(1, 1 << 20, 4));
    for length in [1_u8, 4, 8, 255] {
        let value: Vec<u8> = (1..=length).collect();
        accept(
            suite,
            format!("value-{length:03}"),
            format!("one value of {length} bytes, ten times"),
            &chunk::repeated(&value, 10),
        );
    }
    let old = Chunk { version: 2, flags: 0x01 | STORED, ..chunk::stored(&sample(40), 4) };
    accept(suite, "short-stored", "a header of 16 bytes, as Blosc 1 wrote it: stored", &old);
}

fn compressed(suite: &mut Suite) {
    for codec in Codec::ALL {
        let name = codec.name();
        let run = [&[7; 600][..], &sample(40)].concat();
        accept(
            suite,
            format!("{name}-run"),
            format!("{name}: a long run and other bytes"),
            &chunk::compressed(&run, 1, 640, codec, &[], false),
        );
        accept(
            suite,
            format!("{name}-blocks"),
            format!("{name}: three blocks, the last one shorter"),
            &chunk::compressed(&sample(1000), 1, 400, codec, &[], false),
        );
        accept(
            suite,
            format!("{name}-shuffle"),
            format!("{name} after a byte shuffle"),
            &chunk::compressed(&sample(960), 4, 320, codec, &[(SHUFFLE, 0)], false),
        );
        accept(
            suite,
            format!("{name}-split"),
            format!("{name}: blocks split into a stream for each byte"),
            &chunk::compressed(&sample(1280), 4, 640, codec, &[(SHUFFLE, 0)], true),
        );
        accept(
            suite,
            format!("{name}-zeros"),
            format!("{name}: streams of zeros alone, which take no bytes"),
            &chunk::compressed(&[0; 640], 4, 320, codec, &[(SHUFFLE, 0)], false),
        );
    }
    accept(suite, "zstd-dictionary", "zstd: matches in a dictionary", &chunk::of_dictionary([8; 3]));
    let both = |filters: &[(u8, u8)], typesize: u8, length: usize| {
        chunk::compressed(&sample(length), typesize, length / 2, Codec::Lz4, filters, false)
    };
    for typesize in [1, 2, 3, 4, 8, 16] {
        let length = usize::from(typesize) * 16 * 8;
        accept(
            suite,
            format!("filter-shuffle-{typesize:02}"),
            format!("byte shuffle of {typesize} bytes"),
            &both(&[(SHUFFLE, 0)], typesize, length),
        );
        accept(
            suite,
            format!("filter-bitshuffle-{typesize:02}"),
            format!("bit shuffle of {typesize} bytes"),
            &both(&[(BITSHUFFLE, 0)], typesize, length),
        );
        accept(
            suite,
            format!("filter-delta-{typesize:02}"),
            format!("delta of {typesize} bytes"),
            &both(&[(DELTA, 0)], typesize, length),
        );
        let filters = [(SHUFFLE, 0), (BYTEDELTA, typesize)];
        accept(
            suite,
            format!("filter-bytedelta-{typesize:02}"),
            format!("byte shuffle and byte delta of {typesize} bytes"),
            &both(&filters, typesize, length),
        );
    }
    accept(
        suite,
        "filter-shuffle-meta",
        "a byte shuffle of 8 bytes in elements of 32, by its parameter",
        &both(&[(SHUFFLE, 8)], 32, 512),
    );
    accept(
        suite,
        "filter-shuffle-rest",
        "a byte shuffle where the length is not a multiple of the typesize",
        &chunk::compressed(&sample(103), 4, 103, Codec::Lz4, &[(SHUFFLE, 0)], false),
    );
    accept(
        suite,
        "filter-bytedelta-rest",
        "a byte delta where the length is not a multiple of the typesize: C-Blosc2 lost the rest up to 3.3.1",
        &chunk::compressed(&sample(103), 4, 103, Codec::Lz4, &[(SHUFFLE, 0), (BYTEDELTA, 4)], false),
    );
    let version_4 =
        Chunk { version: 4, udcodec: 0, ..chunk::compressed(&sample(400), 4, 400, Codec::Zstd, &[(SHUFFLE, 0)], false) };
    accept(suite, "version-4", "version 4, whose udcodec is 0", &version_4);
}

/// Adds cases with damage in the fields of the header.
fn headers(suite: &mut Suite) {
    let good = chunk::stored(&sample(40), 4).bytes();
    let packed = chunk::compressed(&sample(400), 4, 200, Codec::Lz4, &[(SHUFFLE, 0)], false).bytes();
    let mut reject = |name: &str, what: &str, bytes: Vec<u8>| suite.reject(Layer::Chunk, name, what, bytes);
    for length in [0, 1, 2, 15, 16, 31] {
        reject(&format!("cut-{length:02}"), &format!("ends after {length} bytes"), good[..length].to_vec());
    }
    reject("cut-data", "ends a byte before its data does", good[..good.len() - 1].to_vec());
    reject("cut-compressed", "ends inside its streams", packed[..packed.len() - 9].to_vec());
    for (version, name) in [(7, "version-7"), (255, "version-255")] {
        reject(name, &format!("version {version}, which is newer than all known versions"), patched(&good, 0, &[version]));
    }
    reject("version-7-flags", "version 7, and an unknown flag in byte 30", patched(&patched(&good, 0, &[7]), 30, &[2]));
    reject("typesize-0", "typesize 0", patched(&good, 3, &[0]));
    for (name, value) in [("negative", 0xffff_ffff_usize), ("least", 0x8000_0000), ("one-more", 41), ("max", 0x7fff_ffff)] {
        reject(&format!("nbytes-{name}"), &format!("nbytes is {value:#x}, 40 bytes are stored"), patched(&good, 4, &le32(value)));
    }
    for (name, value) in [("zero", 0), ("negative", 0xffff_fffb_usize), ("beyond", 41), ("max", 0x7fff_ffff)] {
        reject(
            &format!("blocksize-{name}"),
            &format!("blocksize is {value:#x}, the chunk has 40 bytes"),
            patched(&good, 8, &le32(value)),
        );
        reject(
            &format!("blocksize-{name}-compressed"),
            &format!("blocksize is {value:#x} in a compressed chunk"),
            patched(&packed, 8, &le32(if value == 41 { 401 } else { value })),
        );
    }
    for (name, value) in
        [("zero", 0), ("31", 31), ("one-less", 71), ("one-more", 73), ("max", 0x7fff_ffff), ("negative", 0xffff_ffff)]
    {
        reject(&format!("cbytes-{name}"), &format!("cbytes is {value:#x}, right is 72"), patched(&good, 12, &le32(value)));
    }
    for code in [5_u8, 6, 7] {
        reject(
            &format!("special-{code}"),
            &format!("the reserved special value {code}"),
            patched(&chunk::special(1, 64, 4).bytes(), 31, &[code << 4]),
        );
    }
    reject("special-nan-2", "NaN in elements of 2 bytes", chunk::special(2, 64, 2).bytes());
    reject("special-blocksize", "a special chunk of blocksize 0", patched(&chunk::special(1, 64, 4).bytes(), 8, &[0; 4]));
    reject("value-cut", "one value, of which a byte is missing", {
        let bytes = chunk::repeated(&[1, 2, 3, 4], 4).bytes();
        bytes[..bytes.len() - 1].to_vec()
    });
    reject("value-none", "one value, and cbytes holds none", patched(&chunk::repeated(&[1, 2, 3, 4], 4).bytes(), 12, &le32(32)));
    let short = Chunk { version: 2, flags: 0x01 | STORED, ..chunk::stored(&sample(40), 4) }.bytes();
    reject("short-cut", "a header of 16 bytes that is cut off", short[..15].to_vec());
    reject("short-cbytes", "a header of 16 bytes whose cbytes is 15", patched(&short, 12, &le32(15)));
    reject("zeros", "a header of zeros", vec![0; 32]);
    reject("text", "a text", b"this is no chunk, but a text of more than 32 bytes".to_vec());
}

/// Adds cases with damage in block tables and streams, and with unknown codecs and filters.
fn streams(suite: &mut Suite) {
    let mut reject = |name: String, what: String, bytes: Vec<u8>| suite.reject(Layer::Chunk, name, what, bytes);
    for codec in Codec::ALL {
        let name = codec.name();
        let data = [&[7; 600][..], &sample(40)].concat();
        let good = chunk::compressed(&data, 1, 320, codec, &[], false).bytes();
        for (damage, value) in
            [("zero", 0), ("inside-header", 20), ("end", good.len()), ("huge", 0x7fff_fff0), ("negative", 0xffff_ff00)]
        {
            reject(
                format!("{name}-start-{damage}"),
                format!("{name}: the first block starts at {value:#x}"),
                patched(&good, 32, &le32(value)),
            );
        }
        for (damage, value) in [("huge", 0x7fff_fff0), ("beyond", good.len())] {
            reject(
                format!("{name}-length-{damage}"),
                format!("{name}: the first stream has {value:#x} bytes"),
                patched(&good, 40, &le32(value)),
            );
        }
        reject(format!("{name}-data-ff"), format!("{name}: the stream is ff"), {
            let length = good.len() - 44;
            patched(&good, 44, &vec![0xff; length])
        });
        let longer = patched(&patched(&good, 4, &le32(data.len() + 8)), 8, &le32(324));
        reject(format!("{name}-blocks-longer"), format!("{name}: each block is said to be longer than its stream gives"), longer);
    }
    let good = chunk::compressed(&sample(400), 4, 200, Codec::Lz4, &[(SHUFFLE, 0)], false).bytes();
    reject(
        "codec-7".into(),
        "codec format 7, which refers to a frame's header".into(),
        patched(&good, 2, &[good[2] & 0x1f | 7 << 5]),
    );
    reject("codec-2".into(), "codec format 2, which was Snappy's".into(), patched(&good, 2, &[good[2] & 0x1f | 2 << 5]));
    reject(
        "codec-registered".into(),
        "codec format 6, and the number 200 in udcodec".into(),
        patched(&patched(&good, 2, &[good[2] & 0x1f | 6 << 5]), 22, &[200]),
    );
    reject("filter-unknown".into(), "filter 31, which is nobody's".into(), patched(&good, 21, &[31]));
    let dictionary = patched(&chunk::compressed(&sample(400), 4, 200, Codec::Zstd, &[], false).bytes(), 31, &[1]);
    reject("dictionary-none".into(), "a dictionary is announced, and there is none".into(), dictionary);
    // A match that refers to bytes before the start of the block.
    for (codec, stream) in
        [(Codec::BloscLz, vec![0x20, b'x', 0x20, 9, 0x20, 9]), (Codec::Lz4, vec![0x10, b'x', 9, 0, 0x50, 1, 2, 3, 4, 5])]
    {
        let body = [&le32(36)[..], &le32(stream.len()), &stream].concat();
        let bad = Chunk { body, ..chunk::compressed(&[1; 64], 1, 64, codec, &[], false) };
        reject(
            format!("{}-match-before-start", codec.name()),
            format!("{}: a match before the start of the block", codec.name()),
            bad.bytes(),
        );
    }
    // As in the public issue 639 of c-blosc2: a zlib stream ends early, at the end of the chunk.
    for length in [1, 2, 6] {
        let stream = &Codec::Zlib.compress(&[7; 600])[..length];
        let body = [&le32(36)[..], &le32(stream.len()), stream].concat();
        let bad = Chunk { body, ..chunk::compressed(&[7; 600], 1, 600, Codec::Zlib, &[], false) };
        reject(
            format!("zlib-ends-{length}"),
            format!("zlib: the stream has {length} bytes, and the chunk ends there"),
            bad.bytes(),
        );
    }
    for (codec, what) in [(33, "accuracy"), (34, "precision"), (35, "rate")] {
        let body = [&le32(36)[..], &le32(1), &[0x55]].concat();
        let bad = Chunk {
            body,
            udcodec: codec,
            codec_meta: 255,
            flags: 0x15 | 6 << 5,
            ..chunk::compressed(&[7; 64], 4, 64, Codec::Lz4, &[], false)
        };
        reject(
            format!("zfp-{what}-one-byte"),
            format!("ZFP of fixed {what} with the parameter 255 and a stream of one byte, without an array around it"),
            bad.bytes(),
        );
    }
}

/// Adds cases with long files, which the runner creates.
fn long(suite: &mut Suite) {
    for (name, further) in [("wraps-int32", 8_421_505_u64), ("below-int32", 8_000_000)] {
        let stream = further + 5;
        let cbytes = 32 + 4 + 4 + stream;
        let head = Chunk { body: Vec::new(), ..chunk::compressed(&[b'x'; 64], 1, 64, Codec::BloscLz, &[], false) }.bytes();
        let [cbytes, stream] = [cbytes, stream].map(|length| usize::try_from(length).unwrap_or(0));
        let head = [&patched(&head, 12, &le32(cbytes))[..], &le32(36), &le32(stream), &[0x20, b'x', 0xe0]].concat();
        let once = |bytes: Vec<u8>| Part { bytes, times: 1 };
        let parts = vec![once(head), Part { bytes: vec![0xff], times: further }, once(vec![0, 0])];
        let what = format!("BloscLZ: a match whose length goes on for {further} bytes of ff, as in c-blosc2's public issue 801");
        suite.add(Layer::Chunk, format!("blosclz-match-{name}"), what, Content::Parts(parts), Verdict::Reject);
    }
}
