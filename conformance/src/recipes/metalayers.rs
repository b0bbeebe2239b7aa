//! Cases of array metalayers.

use super::Suite;
use super::bytes::{Bytes, be32};
use super::meta::{Layout, Meta};
use crate::case::Layer::Metalayer;

pub(crate) fn add(suite: &mut Suite) {
    valid(suite);
    limits(suite);
    markers(suite);
    wrong(suite);
}

fn accept(suite: &mut Suite, name: impl Into<String>, what: impl Into<String>, meta: &Meta) {
    suite.accept(Metalayer, name, what, meta.bytes().bytes, meta.fact());
}

fn valid(suite: &mut Suite) {
    for layout in Layout::ALL {
        for ndim in 0..=16 {
            let name = format!("layout-{}-{ndim:02}", layout.name());
            accept(
                suite,
                name,
                format!("the layout {} with {ndim} dimensions", layout.name()),
                &Meta::of_rank(ndim).layout(layout),
            );
        }
    }
    let dtypes = [
        ("i4", "<i4"),
        ("big-endian", ">f8"),
        ("bool", "|b1"),
        ("bytes", "|S5"),
        ("text", "<U10"),
        ("time", "<M8[25s]"),
        ("void", "|V10"),
        ("object", "|O"),
        ("struct", "[('a', '>i4'), ('b', '<U3')]"),
        ("titles", "[(('title', 'name'), '<i4')]"),
        ("utf8", "[('é\"\\'q', '<i4')]"),
        ("offsets", "{'names': ['a', 'b'], 'formats': ['<i4', '<f8'], 'offsets': [0, 8], 'itemsize': 16, 'aligned': True}"),
        ("bfloat16", "bfloat16"),
        ("unknown", "no dtype at all"),
        ("empty", ""),
    ];
    for (name, dtype) in dtypes {
        accept(
            suite,
            format!("dtype-{name}"),
            format!("the dtype {dtype:?}: any text is kept"),
            &Meta::new(&[400, 3], &[110, 3], &[57, 3], dtype),
        );
    }
    let long = "x".repeat(300);
    accept(suite, "dtype-long", "a dtype of 300 bytes", &Meta::new(&[10], &[5], &[2], &long));
    for format in [1, 5, 127] {
        let meta = Meta { dtype_format: format, ..Meta::new(&[10], &[5], &[2], "<f8") };
        accept(suite, format!("format-{format}"), format!("dtype_format {format}, the dtype of another language"), &meta);
    }
    for version in [1, 127] {
        let meta = Meta { version, ..Meta::new(&[10], &[5], &[2], "<f8") };
        accept(suite, format!("version-{version}"), format!("version {version} of the metalayer"), &meta);
    }
    let meta = Meta { dtype: vec![b'<', 0, b'4'], ..Meta::new(&[10], &[5], &[2], "") };
    accept(suite, "dtype-nul", "a dtype with a NUL: a text of any characters", &meta);
}

fn limits(suite: &mut Suite) {
    type Lengths = &'static [i32];
    let shapes: [(&str, &str, &[i64], Lengths, Lengths); 9] = [
        ("empty", "an array of no elements", &[0], &[0], &[0]),
        ("empty-inside", "one of three dimensions is empty", &[5, 0, 3], &[5, 0, 3], &[2, 0, 3]),
        ("empty-chunks-one", "an empty dimension, of which chunks and blocks are 1", &[0, 5], &[1, 5], &[1, 5]),
        ("one", "one element", &[1], &[1], &[1]),
        ("int64-max", "2^63 - 1 elements", &[i64::MAX], &[1], &[1]),
        ("int32-max", "chunks and blocks of 2^31 - 1", &[i64::MAX], &[i32::MAX], &[i32::MAX]),
        ("blocks-beyond-chunks", "blocks longer than chunks: a metalayer alone says nothing against it", &[10], &[5], &[7]),
        ("chunks-beyond-shape", "chunks longer than the array", &[10], &[50], &[7]),
        (
            "huge-product",
            "lengths whose product does not fit int64: the metalayer is valid, its grid is not",
            &[i64::MAX, i64::MAX],
            &[1, 1],
            &[1, 1],
        ),
    ];
    for (name, what, shape, chunkshape, blockshape) in shapes {
        accept(suite, format!("shape-{name}"), what, &Meta::new(shape, chunkshape, blockshape, "|u1"));
    }
}

/// Adds cases with a wrong marker of each field, and cases that end before each field.
fn markers(suite: &mut Suite) {
    let meta = Meta::new(&[400, 3], &[110, 3], &[57, 3], "|u1");
    let bytes = meta.bytes();
    for (field, at) in &bytes.fields {
        if field == "dtype-text" {
            continue;
        }
        suite.reject(Metalayer, format!("cut-{field}"), format!("ends before {field}"), bytes.cut(field));
        if bytes.bytes[*at] >= 0x80 {
            for (name, marker) in [("nil", 0xc0), ("fixint", 0x05)] {
                let damaged = bytes.with(field, 0, &[marker]);
                suite.reject(
                    Metalayer,
                    format!("marker-{name}-{field}"),
                    format!("the marker of {field} is {marker:02x}"),
                    damaged,
                );
            }
        } else {
            suite.reject(Metalayer, format!("marker-nil-{field}"), format!("{field} is nil"), bytes.with(field, 0, &[0xc0]));
            let wide = [&bytes.bytes[..*at], &[0xcc, 0x80], &bytes.bytes[at + 1..]].concat();
            suite.reject(Metalayer, format!("uint8-{field}"), format!("{field} is 128, as a uint8"), wide);
        }
    }
    for (field, marker, what) in [
        ("shape-0", 0xcf, "uint64 where int64 belongs"),
        ("shape-1", 0xd2, "int32 where int64 belongs"),
        ("chunkshape-0", 0xce, "uint32 where int32 belongs"),
        ("chunkshape-1", 0xd3, "int64 where int32 belongs"),
        ("blockshape-0", 0xd1, "int16 where int32 belongs"),
        ("dtype", 0xda, "str16 where str32 belongs"),
        ("dtype", 0xc6, "bin32 where str32 belongs"),
        ("dtype", 0xd9, "str8 where str32 belongs"),
    ] {
        suite.reject(
            Metalayer,
            format!("width-{field}-{marker:02x}"),
            format!("{field}: {what}"),
            bytes.with(field, 0, &[marker]),
        );
    }
    let all_cut = bytes.bytes.len();
    for (name, length) in
        [("nothing", 0), ("in-number", bytes.at("shape-1") + 4), ("in-length", all_cut - 5), ("in-text", all_cut - 1)]
    {
        suite.reject(Metalayer, format!("cut-{name}"), format!("ends after {length} bytes"), bytes.bytes[..length].to_vec());
    }
}

fn wrong(suite: &mut Suite) {
    let good = Meta::new(&[400, 3], &[110, 3], &[57, 3], "|u1").bytes();
    let mut reject = |name: &str, what: &str, bytes: Vec<u8>| suite.reject(Metalayer, name, what, bytes);
    for (count, what) in [(0x90, "0"), (0x91, "1"), (0x92, "2"), (0x93, "3"), (0x94, "4"), (0x98, "8"), (0x9f, "15")] {
        reject(
            &format!("count-{count:02x}"),
            &format!("the marker says {what} entries, there are 7"),
            good.with("count", 0, &[count]),
        );
    }
    reject("count-95-seven", "the marker says 5 entries, there are 7: two follow the value", good.with("count", 0, &[0x95]));
    reject("count-map", "a map of 7 where an array belongs", good.with("count", 0, &[0x87]));
    reject("count-array16", "the count 7 in an array16: not the shortest form", [&[0xdc, 0, 7], &good.bytes[1..]].concat());
    reject("count-array32", "the count 7 in an array32: not the shortest form", [&[0xdd, 0, 0, 0, 7], &good.bytes[1..]].concat());
    reject("trailing-1", "a byte follows the value", [&good.bytes[..], &[0]].concat());
    reject(
        "trailing-19",
        "19 bytes of an older and longer metalayer follow: in a frame they are accepted",
        [&good.bytes[..], &[0x6b; 19]].concat(),
    );
    for (list, marker) in [("shape", 0x91), ("chunkshape", 0x93), ("blockshape", 0x90)] {
        reject(
            &format!("rank-{list}"),
            &format!("{list} counts another number of dimensions than ndim says"),
            good.with(list, 0, &[marker]),
        );
    }
    reject("rank-ndim", "ndim is 3, the lists have 2 lengths", good.with("ndim", 0, &[3]));
    for ndim in [17, 127] {
        reject(&format!("ndim-{ndim}"), &format!("ndim is {ndim}, at most 16"), good.with("ndim", 0, &[ndim]));
    }
    let seventeen = |first: &[u8]| {
        let numbers: Vec<u8> = std::iter::repeat_n([0xd3, 0, 0, 0, 0, 0, 0, 0, 1], 17).flatten().collect();
        [&[0x97, 0, 16][..], first, &numbers].concat()
    };
    reject("shape-seventeen", "ndim is 16, shape is an array16 of 17", seventeen(&[0xdc, 0, 17]));
    let sixteen = Meta::of_rank(16).bytes();
    let at = sixteen.at("shape");
    let regular = [&sixteen.bytes[..at], &[0xdc, 0, 16], &sixteen.bytes[at + 1..]].concat();
    reject("sixteen-array16", "16 dimensions as a regular array16: C-Blosc2 writes a0, and skips one byte", regular);
    let fifteen = Meta::of_rank(15).bytes();
    let at = fifteen.at("shape");
    reject(
        "fifteen-array16",
        "15 dimensions as an array16: not the shortest form",
        [&fifteen.bytes[..at], &[0xdc, 0, 15], &fifteen.bytes[at + 1..]].concat(),
    );
    negative(&mut reject, &good);
    reject("zero-chunk", "chunkshape[0] is 0, shape[0] is not", good.with("chunkshape-0", 1, &[0; 4]));
    reject("zero-block", "blockshape[1] is 0, shape[1] is not", good.with("blockshape-1", 1, &[0; 4]));
    reject("dtype-not-utf8", "a dtype that is not UTF-8", good.with("dtype-text", 0, &[0xff, 0xfe, 0xfd]));
    reject("dtype-cut-utf8", "a dtype that ends inside a character", good.with("dtype-text", 2, &[0xc3]));
    for (name, length) in [("one-more", 4), ("huge", 0x7fff_ffff), ("all", 0xffff_ffff_usize)] {
        reject(
            &format!("dtype-length-{name}"),
            &format!("the dtype's length is {length}, 3 bytes follow"),
            good.with("dtype", 1, &be32(length)),
        );
    }
    reject("dtype-length-short", "the dtype's length is 2: a byte follows the value", good.with("dtype", 1, &be32(2)));
    let miscounted = Meta::new(&[10], &[5], &[2], "|u1").layout(Layout::Miscounted).bytes();
    reject(
        "miscounted-cut",
        "six entries are declared, the sixth is a dtype_format, and the dtype is missing",
        miscounted.cut("dtype"),
    );
    reject(
        "miscounted-sixth",
        "the sixth entry is neither a dtype nor a dtype_format",
        miscounted.with("dtype_format", 0, &[0xc3]),
    );
    reject("text", "no MessagePack at all", b"shape=(400, 3)".to_vec());
    reject("zeros", "zeros", vec![0; 60]);
    reject("ones", "bytes ff", vec![0xff; 60]);
    reject("nested", "arrays in arrays, 200 deep", vec![0x91; 200]);
}

fn negative(reject: &mut impl FnMut(&str, &str, Vec<u8>), good: &Bytes) {
    for (field, bytes) in [
        ("shape-0", vec![0xff; 8]),
        ("shape-1", [&[0x80][..], &[0; 7]].concat()),
        ("chunkshape-0", vec![0xff; 4]),
        ("chunkshape-1", vec![0x80, 0, 0, 0]),
        ("blockshape-0", vec![0xff, 0xff, 0xff, 0xfe]),
    ] {
        reject(&format!("negative-{field}"), &format!("{field} is negative"), good.with(field, 1, &bytes));
    }
}
