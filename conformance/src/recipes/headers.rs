//! Cases of frame headers.

use super::Suite;
use super::bytes::{be16, be32, count, int32, low, named, patched};
use super::header::Header;
use super::meta::Meta;
use crate::case::Layer;

pub(crate) fn add(suite: &mut Suite) {
    valid(suite);
    fields(suite);
    wrong(suite);
    sections(suite);
}

fn accept(suite: &mut Suite, name: impl Into<String>, what: impl Into<String>, header: &Header) {
    suite.accept(Layer::Header, name, what, header.bytes().bytes, header.fact());
}

/// Creates a header with three metalayers.
fn full() -> Header {
    let array = Meta::new(&[56], &[16], &[8], "<i4").bytes().bytes;
    let header = Header::new(4, 64, 32).with("b2nd", &array).with("units", &[0x91, 0xa1, b'K']).with("empty", &[]);
    Header { frame_len: 900, nbytes: 256, cbytes: 400, has_vlmetalayers: true, ..header }
}

fn valid(suite: &mut Suite) {
    accept(suite, "bare", "no metalayers", &Header::new(1, 100, 100));
    accept(suite, "full", "three metalayers: an array's, a user's and an empty one", &full());
    for length in [0, 1, 30, 31] {
        let name = "n".repeat(length);
        accept(
            suite,
            format!("name-{length:02}"),
            format!("a metalayer with a name of {}", count(length, "byte")),
            &Header::new(1, 100, 100).with(&name, b"x"),
        );
    }
    let mut header = Header::new(1, 100, 100);
    header.metalayers.push((vec![0xff, 0xfe], b"x".to_vec()));
    accept(suite, "name-not-utf8", "a metalayer whose name is not UTF-8: names are bytes", &header);
    accept(
        suite,
        "name-utf8",
        "a metalayer whose name has characters beyond ASCII, in UTF-8",
        &Header::new(1, 100, 100).with("größe", b"x"),
    );
    for count in [2, 16, 17, 200] {
        let header = (0..count).fold(Header::new(1, 100, 100), |header, index| header.with(&format!("m{index}"), &[low(index)]));
        accept(suite, format!("metalayers-{count:03}"), format!("{count} metalayers"), &header);
    }
    accept(suite, "content-long", "a metalayer of 70,000 bytes", &Header::new(1, 100, 100).with("long", &[0x5a; 70_000]));
    for (name, what, flags) in [
        ("level-0", "compression level 0", [0x12, 0, 0x05, 3]),
        ("level-9", "compression level 9: the flags are stored as a string that is not UTF-8", [0x12, 0, 0x95, 2]),
        ("sparse", "a sparse frame", [0x12, 1, 0x55, 3]),
        ("version-3", "frame version 3", [0x13, 0, 0x55, 3]),
        ("variable-chunks", "variable-length chunks", [0x53, 0, 0x55, 3]),
        ("variable-blocks", "variable-length blocks", [0x93, 0, 0x55, 3]),
        ("variable-both", "variable-length chunks and blocks", [0xd3, 0, 0x55, 3]),
        ("codec-blosclz", "the codec BloscLZ", [0x12, 0, 0x50, 3]),
        ("codec-lz4", "the codec LZ4", [0x12, 0, 0x51, 3]),
        ("codec-lz4hc", "the codec LZ4HC", [0x12, 0, 0x52, 3]),
        ("codec-zlib", "the codec zlib", [0x12, 0, 0x54, 3]),
        ("codec-other", "a codec whose number is in udcodec", [0x12, 0, 0x56, 3]),
        ("split-0", "the split mode ALWAYS, which is stored as 0", [0x12, 0, 0x55, 0]),
        ("split-255", "an unknown split mode, stored as 255, which is preserved", [0x12, 0, 0x55, 255]),
        ("offsets-32", "offsets of 32 bits: no known program writes them, and readers ignore the width", [0x02, 0, 0x55, 3]),
    ] {
        accept(suite, format!("flags-{name}"), what, &Header { flags, ..Header::new(4, 64, 32) });
    }
    let header = || Header::new(4, 64, 32);
    let limits: [(&str, &str, Header); 14] = [
        ("frame_len-max", "frame_len is 2^64 - 1", Header { frame_len: u64::MAX, ..header() }),
        ("frame_len-63", "frame_len is 2^63", Header { frame_len: 1 << 63, ..header() }),
        ("nbytes-max", "nbytes is 2^63 - 1", Header { nbytes: i64::MAX, ..header() }),
        ("cbytes-max", "cbytes is 2^63 - 1", Header { cbytes: i64::MAX, ..header() }),
        ("cbytes-negative", "cbytes is -1, which is preserved", Header { cbytes: -1, ..header() }),
        ("typesize-max", "typesize is 2^31 - 1", Header { typesize: i32::MAX, ..header() }),
        ("blocksize-negative", "blocksize is -1, which is preserved", Header { blocksize: -1, ..header() }),
        ("chunksize-minus-one", "chunksize is -1, as in some files without data", Header { chunksize: -1, ..header() }),
        ("chunksize-zero", "chunksize is 0", Header { chunksize: 0, ..header() }),
        ("threads", "compression_threads is 255, and decompression_threads is -1", Header { threads: [255, -1], ..header() }),
        (
            "nine-filters",
            "all six filter slots are used",
            Header { pipeline: [6, 1, 2, 3, 4, 35, 36, 5, 0, 1, 2, 3, 4, 5, 6, 0, 0], ..header() },
        ),
        ("no-slots", "no filter slots", Header { pipeline: [0; 17], ..header() }),
        (
            "reserved",
            "bytes of the filter pipeline that are usually 0 have other values, which are preserved",
            Header { pipeline: [6, 0, 0, 0, 0, 0, 1, 5, 7, 0, 0, 0, 0, 0, 0, 9, 8], ..header() },
        ),
        ("vlmetalayers", "has_vlmetalayers is true", Header { has_vlmetalayers: true, ..header() }),
    ];
    for (name, what, header) in limits {
        accept(suite, format!("limit-{name}"), what, &header);
    }
}

/// Adds cases with a wrong marker of each field, and cases that end before each field.
fn fields(suite: &mut Suite) {
    let bytes = full().bytes();
    for (field, at) in &bytes.fields {
        suite.reject(
            Layer::Header,
            format!("cut-{field}"),
            format!("the header ends before {}", named(field, "metalayer")),
            bytes.cut(field),
        );
        let marker = if bytes.bytes[*at] == 0xc0 { 0xc1 } else { 0xc0 };
        suite.reject(
            Layer::Header,
            format!("marker-{field}"),
            format!("the marker of {} is {marker:02x} instead of {:02x}", named(field, "metalayer"), bytes.bytes[*at]),
            bytes.with(field, 0, &[marker]),
        );
    }
    suite.reject(Layer::Header, "cut-last", "the last byte is missing", bytes.bytes[..bytes.bytes.len() - 1].to_vec());
    for (field, marker) in [
        ("count", 0x9f),
        ("count", 0xdc),
        ("magic", 0xc4),
        ("header_len", 0xce),
        ("header_len", 0xd3),
        ("frame_len", 0xd3),
        ("flags", 0xa3),
        ("nbytes", 0xcf),
        ("cbytes", 0xd2),
        ("typesize", 0xd3),
        ("compression_threads", 0xcd),
        ("has_vlmetalayers", 0x01),
        ("pipeline", 0xc8),
        ("pipeline", 0xd7),
        ("idx", 0xce),
        ("offsets", 0x83),
        ("offsets", 0xdf),
        ("name-0", 0xd9),
        ("offset-0", 0xce),
        ("contents", 0x93),
        ("contents", 0xdd),
        ("content-0", 0xc4),
        ("content-1", 0xc5),
        ("content-2", 0xdb),
    ] {
        suite.reject(
            Layer::Header,
            format!("width-{field}-{marker:02x}"),
            format!(
                "the marker of {} is {marker:02x} instead of {:02x}",
                named(field, "metalayer"),
                bytes.bytes[bytes.at(field)]
            ),
            bytes.with(field, 0, &[marker]),
        );
    }
}

fn wrong(suite: &mut Suite) {
    let good = full().bytes();
    let mut reject = |name: &str, what: &str, bytes: Vec<u8>| suite.reject(Layer::Header, name, what, bytes);
    reject("empty", "an empty file", Vec::new());
    reject(
        "text",
        "text instead of a header",
        b"this is no frame, and long enough to be looked at: ................................................".to_vec(),
    );
    reject("zeros", "200 zero bytes", vec![0; 200]);
    reject("magic-b3", "the magic is b3frame", good.with("magic", 2, b"3"));
    reject("magic-no-nul", "the magic is b2frames, without a NUL at the end", good.with("magic", 8, b"s"));
    for count in [11_u8, 12, 13] {
        reject(
            &format!("beta-{count}"),
            &format!("the marker of the outer array declares {count} elements instead of 14, as in the betas of C-Blosc2 2.0"),
            good.with("count", 0, &[0x90 + count]),
        );
    }
    for count in [0_u8, 5, 15] {
        reject(
            &format!("count-{count}"),
            &format!("the marker of the outer array declares {count} elements instead of 14"),
            good.with("count", 0, &[0x90 + count]),
        );
    }
    for version in [0_u8, 1, 4, 15] {
        reject(&format!("version-{version}"), &format!("frame version {version}"), good.with("flags", 1, &[0x10 | version]));
    }
    for kind in [2_u8, 255] {
        reject(&format!("frame-type-{kind}"), &format!("frame type {kind}"), good.with("flags", 2, &[kind]));
    }
    let length = good.bytes.len();
    for (name, value) in [
        ("zero", 0),
        ("96", 96),
        ("one-less", length - 1),
        ("one-more", length + 1),
        ("huge", 0x7fff_ffff),
        ("negative", 0xffff_ffff),
    ] {
        let mut bytes = good.with("header_len", 1, &be32(value));
        bytes.push(0);
        reject(&format!("header_len-{name}"), &format!("header_len is {} instead of {length}", int32(value)), bytes);
    }
    for (name, value) in [("minus-one", -1_i64), ("least", i64::MIN)] {
        reject(&format!("nbytes-{name}"), &format!("nbytes is {value}"), good.with("nbytes", 1, &value.to_be_bytes()));
    }
    for value in [0_i32, -1, i32::MIN] {
        reject(&format!("typesize-{value}"), &format!("typesize is {value}"), good.with("typesize", 1, &value.to_be_bytes()));
    }
    for value in [-1_i32, i32::MIN] {
        reject(
            &format!("chunksize-{value}"),
            &format!("chunksize is {value}, but nbytes is 256"),
            good.with("chunksize", 1, &value.to_be_bytes()),
        );
    }
    for value in [7_u8, 255] {
        reject(
            &format!("slots-{value}"),
            &format!("the pipeline has {value} filter slots, above the limit of 6"),
            good.with("pipeline", 1, &[value]),
        );
    }
    let huge = [&good.bytes[..0x57], &[0x93, 0xcd, 0, 7, 0xde, 0xff, 0xff]].concat();
    reject(
        "count-bomb",
        "65,535 metalayers are declared, but the header ends directly after this number",
        patched(&huge, 11, &be32(huge.len())),
    );
}

fn sections(suite: &mut Suite) {
    let good = full().bytes();
    let mut reject = |name: &str, what: &str, bytes: Vec<u8>| suite.reject(Layer::Header, name, what, bytes);
    for (name, value) in [("zero", 0), ("one-more", 37), ("max", 0xffff)] {
        reject(&format!("idx-{name}"), &format!("idx is {value} instead of 39"), good.with("idx", 1, &be16(value)));
    }
    for index in 0..3 {
        for (name, value) in [("zero", 0), ("end", good.bytes.len()), ("max", 0x7fff_ffff), ("negative", 0xffff_ffff)] {
            let field = format!("offset-{index}");
            reject(
                &format!("{field}-{name}"),
                &format!(
                    "the offset of metalayer {index} is {} instead of {}",
                    int32(value),
                    good.at(&format!("content-{index}"))
                ),
                good.with(&field, 1, &be32(value)),
            );
        }
    }
    let first = good.at("content-0");
    reject("offset-1-overlap", "the second metalayer has the offset of the first", good.with("offset-1", 1, &be32(first)));
    for (name, count) in [("fewer", 2), ("more", 4), ("none", 0), ("max", 0xffff)] {
        reject(
            &format!("names-{name}"),
            &format!("{count} names are declared, but there are 3"),
            good.with("offsets", 1, &be16(count)),
        );
        reject(
            &format!("contents-{name}"),
            &format!("{count} contents are declared, but there are 3"),
            good.with("contents", 1, &be16(count)),
        );
    }
    for (name, length) in [("zero", 0), ("one-more", 4), ("max", 0x7fff_ffff), ("all", 0xffff_ffff_usize)] {
        reject(
            &format!("content-length-{name}"),
            &format!("the length of the content of metalayer 1 is {length} instead of 3"),
            good.with("content-1", 1, &be32(length)),
        );
    }
    let last = good.at("content-2");
    reject("content-length-last", "the last content ends after the end of the header", patched(&good.bytes, last + 1, &be32(1)));
    let twice = Header::new(4, 64, 32).with("a", b"1").with("a", b"2").bytes().bytes;
    reject("name-twice", "two metalayers have the same name", twice);
    let many = (0..20).fold(Header::new(1, 9, 9), |header, index| header.with(&format!("m{}", index % 19), b"1"));
    reject("name-twice-among-20", "two of twenty metalayers have the same name", many.bytes().bytes);
}
