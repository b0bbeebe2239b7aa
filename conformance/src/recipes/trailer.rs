//! Trailers, and their cases.

use super::Suite;
use super::bytes::{Bytes, be16, be32, count, int32, low, named};
use super::chunk;
use super::header::{Layers, layers, section};
use crate::case::Layer;
use crate::fact::Fact;

/// Creates a trailer with these names and contents. In a valid file, each content is a chunk.
pub(crate) fn bytes(vlmetalayers: &Layers) -> Bytes {
    let mut bytes = Bytes::default();
    bytes.field("count", &[0x94]);
    bytes.field("version", &[1]);
    section(&mut bytes, vlmetalayers, 2, 1);
    bytes.field("trailer_len", &[0xce]);
    let length = bytes.bytes.len() + 4 + 18;
    bytes.more(&be32(length));
    bytes.field("fingerprint", &[0xd8]);
    bytes.more(&[0; 17]);
    bytes
}

fn fact(bytes: &Bytes, version: u8, vlmetalayers: &Layers, fingerprint: &[u8]) -> Fact {
    Fact::map([
        ("trailer_len", Fact::int(i64::try_from(bytes.bytes.len()).unwrap_or(0))),
        ("version", Fact::int(version)),
        ("vlmetalayers", layers(vlmetalayers)),
        ("fingerprint", Fact::bytes(fingerprint)),
    ])
}

/// Returns the name and the content of a vlmetalayer whose value is stored without compression.
pub(crate) fn stored(name: &str, value: &[u8]) -> (Vec<u8>, Vec<u8>) {
    (name.as_bytes().to_vec(), chunk::stored(value, 1).bytes())
}

pub(crate) fn add(suite: &mut Suite) {
    let mut accept = |name: String, what: String, list: Layers| {
        let bytes = bytes(&list);
        let fact = fact(&bytes, 1, &list, &[0; 17]);
        suite.accept(Layer::Trailer, name, what, bytes.bytes, fact);
    };
    accept("bare".into(), "no vlmetalayers: the shortest trailer, 35 bytes".into(), Vec::new());
    for number in [1, 3, 16, 17, 100] {
        let list = (0..number).map(|index| stored(&format!("v{index}"), &[0xcc, low(index)])).collect();
        accept(format!("vlmetalayers-{number:03}"), count(number, "vlmetalayer"), list);
    }
    for length in [0, 31] {
        accept(
            format!("name-{length:02}"),
            format!("a vlmetalayer with a name of {length} bytes"),
            vec![stored(&"n".repeat(length), b"x")],
        );
    }
    accept(
        "name-not-utf8".into(),
        "a vlmetalayer whose name is not UTF-8".into(),
        vec![(vec![0xff], chunk::stored(b"x", 1).bytes())],
    );
    accept(
        "content-empty".into(),
        "empty content, which is not a chunk: the trailer itself is valid".into(),
        vec![(b"v".to_vec(), Vec::new())],
    );
    accept("content-long".into(), "a vlmetalayer with a value of 70,000 bytes".into(), vec![stored("v", &[7; 70_000])]);
    accept(
        "content-text".into(),
        "content that is not a chunk: the trailer itself is valid".into(),
        vec![(b"v".to_vec(), b"a text".to_vec())],
    );
    let list = vec![stored("v", b"value"), stored("w", b"")];
    let good = bytes(&list);
    for version in [0, 2, 127] {
        let fact = fact(&good, version, &list, &[0; 17]);
        suite.accept(
            Layer::Trailer,
            format!("version-{version}"),
            format!("version {version}, which is preserved"),
            good.with("version", 0, &[version]),
            fact,
        );
    }
    let print: Vec<u8> = (1..18).collect();
    let with_print = good.with("fingerprint", 1, &print);
    suite.accept(
        Layer::Trailer,
        "fingerprint",
        "a fingerprint of type 1, which no known program writes",
        with_print,
        fact(&good, 1, &list, &print),
    );
    wrong(suite, &good);
}

fn wrong(suite: &mut Suite, good: &Bytes) {
    for (field, at) in &good.fields {
        suite.reject(
            Layer::Trailer,
            format!("cut-{field}"),
            format!("the trailer ends before {}", named(field, "vlmetalayer")),
            good.cut(field),
        );
        let marker = if good.bytes[*at] == 0xc0 { 0xc1 } else { 0xc0 };
        suite.reject(
            Layer::Trailer,
            format!("marker-{field}"),
            format!("the marker of {} is {marker:02x} instead of {:02x}", named(field, "vlmetalayer"), good.bytes[*at]),
            good.with(field, 0, &[marker]),
        );
    }
    let mut reject = |name: &str, what: &str, bytes: Vec<u8>| suite.reject(Layer::Trailer, name, what, bytes);
    reject("cut-last", "the last byte is missing", good.bytes[..good.bytes.len() - 1].to_vec());
    reject("trailing", "a byte follows the trailer", [&good.bytes[..], &[0]].concat());
    reject("empty", "an empty file", Vec::new());
    reject(
        "beta",
        "a trailer in the layout of the betas of C-Blosc2 2.0",
        [&[0x94, 1, 0xc6, 0, 0, 0, 0, 0xce][..], &be32(30), &[0xd8], &[0; 17]].concat(),
    );
    let length = good.bytes.len();
    for (name, value) in [("zero", 0), ("34", 34), ("one-less", length - 1), ("one-more", length + 1), ("max", 0xffff_ffff)] {
        reject(
            &format!("trailer_len-{name}"),
            &format!("trailer_len is {value} instead of {length}"),
            good.with("trailer_len", 1, &be32(value)),
        );
    }
    let at = good.at("version");
    let wide = [&good.bytes[..at], &[0xcc, 128], &good.bytes[at + 1..]].concat();
    reject("version-128", "version 128, encoded as a uint8 (cc 80)", wide);
    reject("idx", "idx is 21 instead of 20", good.with("idx", 1, &be16(21)));
    for (name, value) in [("zero", 0), ("max", 0x7fff_ffff), ("negative", 0xffff_ffff)] {
        reject(
            &format!("offset-{name}"),
            &format!("the offset of the first vlmetalayer is {} instead of {}", int32(value), good.at("content-0")),
            good.with("offset-0", 1, &be32(value)),
        );
    }
    for (name, count) in [("8193", 8193), ("max", 0xffff), ("none", 0)] {
        reject(
            &format!("names-{name}"),
            &format!("{count} names are declared, but there are 2"),
            good.with("offsets", 1, &be16(count)),
        );
        reject(
            &format!("contents-{name}"),
            &format!("{count} contents are declared, but there are 2"),
            good.with("contents", 1, &be16(count)),
        );
    }
    for (name, value) in [("one-more", 38), ("max", 0x7fff_ffff), ("all", 0xffff_ffff_usize)] {
        reject(
            &format!("content-length-{name}"),
            &format!("the length of the first content is {value} instead of 37"),
            good.with("content-0", 1, &be32(value)),
        );
    }
    reject("name-twice", "two vlmetalayers have the same name", bytes(&vec![stored("v", b"1"), stored("v", b"2")]).bytes);
}
