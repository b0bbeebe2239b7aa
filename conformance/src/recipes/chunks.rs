//! Cases of single chunks.

use super::Suite;
use super::bytes::{count, int32, le32, patched};
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
            format!("stored without compression, elements of {}", count(usize::from(typesize), "byte")),
            &chunk::stored(&data, typesize),
        );
    }
    accept(suite, "stored-empty", "stored without compression, no data", &chunk::stored(b"", 1));
    for (code, name, what) in [(1, "zeros", "zeros"), (2, "nan", "NaN"), (4, "uninitialized", "uninitialized data")] {
        for typesize in [4, 8] {
            accept(
                suite,
                format!("special-{name}-{typesize}"),
                format!("a special chunk of {what}, elements of {typesize} bytes"),
                &chunk::special(code, 64, typesize),
            );
        }
    }
    accept(suite, "special-zeros-1", "a special chunk of zeros, elements of 1 byte", &chunk::special(1, 100, 1));
    accept(suite, "special-zeros-long", "a special chunk of zeros, 1 MiB", &chunk::special(1, 1 << 20, 4));
    for length in [1_u8, 4, 8, 255] {
        let value: Vec<u8> = (1..=length).collect();
        accept(
            suite,
            format!("value-{length:03}"),
            format!("a special chunk that repeats a value of {} ten times", count(value.len(), "byte")),
            &chunk::repeated(&value, 10),
        );
    }
    let old = Chunk { version: 2, flags: 0x01 | STORED, ..chunk::stored(&sample(40), 4) };
    accept(suite, "short-stored", "stored without compression, with a header of 16 bytes, as Blosc 1 writes it", &old);
}

fn compressed(suite: &mut Suite) {
    for codec in Codec::ALL {
        let name = codec.name();
        let run = [&[7; 600][..], &sample(40)].concat();
        accept(
            suite,
            format!("{name}-run"),
            format!("{name}: 600 equal bytes, followed by 40 bytes that all differ"),
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
            format!("{name}: blocks that are split into one stream for each byte of an element"),
            &chunk::compressed(&sample(1280), 4, 640, codec, &[(SHUFFLE, 0)], true),
        );
        accept(
            suite,
            format!("{name}-zeros"),
            format!("{name}: streams of zeros, which are stored as the length 0 without data"),
            &chunk::compressed(&[0; 640], 4, 320, codec, &[(SHUFFLE, 0)], false),
        );
    }
    accept(suite, "zstd-dictionary", "zstd: matches that refer to a dictionary", &chunk::of_dictionary([8; 3]));
    let both = |filters: &[(u8, u8)], typesize: u8, length: usize| {
        chunk::compressed(&sample(length), typesize, length / 2, Codec::Lz4, filters, false)
    };
    for typesize in [1, 2, 3, 4, 8, 16] {
        let length = usize::from(typesize) * 16 * 8;
        let item = count(usize::from(typesize), "byte");
        accept(
            suite,
            format!("filter-shuffle-{typesize:02}"),
            format!("byte shuffle, elements of {item}"),
            &both(&[(SHUFFLE, 0)], typesize, length),
        );
        accept(
            suite,
            format!("filter-bitshuffle-{typesize:02}"),
            format!("bit shuffle, elements of {item}"),
            &both(&[(BITSHUFFLE, 0)], typesize, length),
        );
        accept(
            suite,
            format!("filter-delta-{typesize:02}"),
            format!("delta, elements of {item}"),
            &both(&[(DELTA, 0)], typesize, length),
        );
        let filters = [(SHUFFLE, 0), (BYTEDELTA, typesize)];
        accept(
            suite,
            format!("filter-bytedelta-{typesize:02}"),
            format!("byte shuffle and byte delta, elements of {item}"),
            &both(&filters, typesize, length),
        );
    }
    accept(
        suite,
        "filter-shuffle-meta",
        "a byte shuffle with the parameter 8, which replaces the typesize of 32",
        &both(&[(SHUFFLE, 8)], 32, 512),
    );
    accept(
        suite,
        "filter-shuffle-rest",
        "a byte shuffle of a block whose length is not a multiple of the typesize",
        &chunk::compressed(&sample(103), 4, 103, Codec::Lz4, &[(SHUFFLE, 0)], false),
    );
    accept(
        suite,
        "filter-bytedelta-rest",
        "a byte delta of a block whose length is not a multiple of the typesize: C-Blosc2 up to 3.3.1 loses the last bytes",
        &chunk::compressed(&sample(103), 4, 103, Codec::Lz4, &[(SHUFFLE, 0), (BYTEDELTA, 4)], false),
    );
    let version_4 =
        Chunk { version: 4, udcodec: 0, ..chunk::compressed(&sample(400), 4, 400, Codec::Zstd, &[(SHUFFLE, 0)], false) };
    accept(suite, "version-4", "version 4, with udcodec 0: the flags determine the codec", &version_4);
}

/// Adds cases with damaged fields in the header.
fn headers(suite: &mut Suite) {
    let good = chunk::stored(&sample(40), 4).bytes();
    let packed = chunk::compressed(&sample(400), 4, 200, Codec::Lz4, &[(SHUFFLE, 0)], false).bytes();
    let mut reject = |name: &str, what: &str, bytes: Vec<u8>| suite.reject(Layer::Chunk, name, what, bytes);
    for length in [0, 1, 2, 15, 16, 31] {
        reject(
            &format!("cut-{length:02}"),
            &format!("the file ends after {length} of {} bytes", good.len()),
            good[..length].to_vec(),
        );
    }
    reject("cut-data", "the last byte of the data is missing", good[..good.len() - 1].to_vec());
    reject("cut-compressed", "the last 9 bytes of the last stream are missing", packed[..packed.len() - 9].to_vec());
    for (version, name) in [(7, "version-7"), (255, "version-255")] {
        reject(name, &format!("version {version}, which is newer than all known versions"), patched(&good, 0, &[version]));
    }
    reject("version-7-flags", "version 7, with an unknown flag in byte 30", patched(&patched(&good, 0, &[7]), 30, &[2]));
    reject("typesize-0", "typesize is 0", patched(&good, 3, &[0]));
    for (name, value) in [("negative", 0xffff_ffff_usize), ("least", 0x8000_0000), ("one-more", 41), ("max", 0x7fff_ffff)] {
        reject(
            &format!("nbytes-{name}"),
            &format!("nbytes is {}, but 40 bytes are stored", int32(value)),
            patched(&good, 4, &le32(value)),
        );
    }
    for (name, value) in [("zero", 0), ("negative", 0xffff_fffb_usize), ("beyond", 41), ("max", 0x7fff_ffff)] {
        reject(
            &format!("blocksize-{name}"),
            &format!("blocksize is {}, but the chunk has 40 bytes of data", int32(value)),
            patched(&good, 8, &le32(value)),
        );
        let value = if value == 41 { 401 } else { value };
        reject(
            &format!("blocksize-{name}-compressed"),
            &format!("blocksize is {}, but the compressed chunk has 400 bytes of data", int32(value)),
            patched(&packed, 8, &le32(value)),
        );
    }
    for (name, value) in
        [("zero", 0), ("31", 31), ("one-less", 71), ("one-more", 73), ("max", 0x7fff_ffff), ("negative", 0xffff_ffff)]
    {
        reject(&format!("cbytes-{name}"), &format!("cbytes is {} instead of 72", int32(value)), patched(&good, 12, &le32(value)));
    }
    for code in [5_u8, 6, 7] {
        reject(
            &format!("special-{code}"),
            &format!("the special value {code}, which is reserved"),
            patched(&chunk::special(1, 64, 4).bytes(), 31, &[code << 4]),
        );
    }
    reject("special-nan-2", "a special chunk of NaN with elements of 2 bytes", chunk::special(2, 64, 2).bytes());
    reject("special-blocksize", "a special chunk with blocksize 0", patched(&chunk::special(1, 64, 4).bytes(), 8, &[0; 4]));
    reject("value-cut", "a special chunk that repeats a value, whose last byte is missing", {
        let bytes = chunk::repeated(&[1, 2, 3, 4], 4).bytes();
        bytes[..bytes.len() - 1].to_vec()
    });
    reject(
        "value-none",
        "a special chunk that repeats a value, but cbytes covers only the header",
        patched(&chunk::repeated(&[1, 2, 3, 4], 4).bytes(), 12, &le32(32)),
    );
    let short = Chunk { version: 2, flags: 0x01 | STORED, ..chunk::stored(&sample(40), 4) }.bytes();
    reject("short-cut", "a header of 16 bytes that is cut off after 15", short[..15].to_vec());
    reject("short-cbytes", "a header of 16 bytes whose cbytes is 15", patched(&short, 12, &le32(15)));
    reject("zeros", "32 zero bytes", vec![0; 32]);
    reject("text", "text instead of a chunk", b"this is no chunk, but a text of more than 32 bytes".to_vec());
}

/// Adds cases with damaged offsets of blocks and damaged streams, and with unknown codecs and filters.
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
                format!("{name}: the offset of the first block is {} in a chunk of {} bytes", int32(value), good.len()),
                patched(&good, 32, &le32(value)),
            );
        }
        for (damage, value) in [("huge", 0x7fff_fff0), ("beyond", good.len())] {
            reject(
                format!("{name}-length-{damage}"),
                format!("{name}: the length of the first stream is {value} in a chunk of {} bytes", good.len()),
                patched(&good, 40, &le32(value)),
            );
        }
        reject(format!("{name}-data-ff"), format!("{name}: all bytes after the length of the first stream are ff"), {
            let length = good.len() - 44;
            patched(&good, 44, &vec![0xff; length])
        });
        let longer = patched(&patched(&good, 4, &le32(data.len() + 8)), 8, &le32(324));
        reject(format!("{name}-blocks-longer"), format!("{name}: blocks of 324 bytes, whose streams contain only 320"), longer);
    }
    let good = chunk::compressed(&sample(400), 4, 200, Codec::Lz4, &[(SHUFFLE, 0)], false).bytes();
    reject(
        "codec-7".into(),
        "codec format 7, which means that the super-chunk defines the codec".into(),
        patched(&good, 2, &[good[2] & 0x1f | 7 << 5]),
    );
    reject(
        "codec-2".into(),
        "codec format 2, which was that of Snappy and is reserved now".into(),
        patched(&good, 2, &[good[2] & 0x1f | 2 << 5]),
    );
    reject(
        "codec-registered".into(),
        "codec format 6 (a user-defined codec), with the unknown number 200 in udcodec".into(),
        patched(&patched(&good, 2, &[good[2] & 0x1f | 6 << 5]), 22, &[200]),
    );
    reject("filter-unknown".into(), "an unknown filter, 31".into(), patched(&good, 21, &[31]));
    let dictionary = patched(&chunk::compressed(&sample(400), 4, 200, Codec::Zstd, &[], false).bytes(), 31, &[1]);
    reject("dictionary-none".into(), "the flags announce a dictionary, but the chunk has none".into(), dictionary);
    // A match that refers to bytes before the start of the block.
    for (codec, stream) in
        [(Codec::BloscLz, vec![0x20, b'x', 0x20, 9, 0x20, 9]), (Codec::Lz4, vec![0x10, b'x', 9, 0, 0x50, 1, 2, 3, 4, 5])]
    {
        let body = [&le32(36)[..], &le32(stream.len()), &stream].concat();
        let bad = Chunk { body, ..chunk::compressed(&[1; 64], 1, 64, codec, &[], false) };
        reject(
            format!("{}-match-before-start", codec.name()),
            format!("{}: a match that refers to bytes before the start of the block", codec.name()),
            bad.bytes(),
        );
    }
    // Issue 639 of C-Blosc2: a zlib stream ends early, at the end of the chunk.
    for length in [1, 2, 6] {
        let whole = Codec::Zlib.compress(&[7; 600]);
        let stream = &whole[..length];
        let body = [&le32(36)[..], &le32(stream.len()), stream].concat();
        let bad = Chunk { body, ..chunk::compressed(&[7; 600], 1, 600, Codec::Zlib, &[], false) };
        reject(
            format!("zlib-ends-{length}"),
            format!("zlib: the stream ends after {length} of {} bytes, at the end of the chunk", whole.len()),
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
            format!("ZFP in fixed-{what} mode with the parameter 255 and a stream of one byte, in a chunk without an array"),
            bad.bytes(),
        );
    }
}

/// Adds cases with long files, which the runner creates.
fn long(suite: &mut Suite) {
    for (name, further, issue) in [("wraps-int32", 8_421_505_u64, " (C-Blosc2's issue 801)"), ("below-int32", 8_000_000, "")] {
        let stream = further + 5;
        let cbytes = 32 + 4 + 4 + stream;
        let head = Chunk { body: Vec::new(), ..chunk::compressed(&[b'x'; 64], 1, 64, Codec::BloscLz, &[], false) }.bytes();
        let [cbytes, stream] = [cbytes, stream].map(|length| usize::try_from(length).unwrap_or(0));
        let head = [&patched(&head, 12, &le32(cbytes))[..], &le32(36), &le32(stream), &[0x20, b'x', 0xe0]].concat();
        let once = |bytes: Vec<u8>| Part { bytes, times: 1 };
        let parts = vec![once(head), Part { bytes: vec![0xff], times: further }, once(vec![0, 0])];
        let what = format!("blosclz: a match whose length is encoded in {further} bytes of ff{issue}");
        suite.add(Layer::Chunk, format!("blosclz-match-{name}"), what, Content::Parts(parts), Verdict::Reject);
    }
}
