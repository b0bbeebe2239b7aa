//! Cases of array metalayers.

use super::Suite;
use super::bytes::{Bytes, be32, count, named};
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
                format!("an array with {}, in {}", count(ndim, "dimension"), layout.what()),
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
            format!("the dtype {dtype:?}, which is preserved as text"),
            &Meta::new(&[400, 3], &[110, 3], &[57, 3], dtype),
        );
    }
    let long = "x".repeat(300);
    accept(suite, "dtype-long", "a dtype of 300 bytes", &Meta::new(&[10], &[5], &[2], &long));
    for format in [1, 5, 127] {
        let meta = Meta { dtype_format: format, ..Meta::new(&[10], &[5], &[2], "<f8") };
        accept(suite, format!("format-{format}"), format!("dtype_format {format} instead of 0"), &meta);
    }
    for version in [1, 127] {
        let meta = Meta { version, ..Meta::new(&[10], &[5], &[2], "<f8") };
        accept(suite, format!("version-{version}"), format!("version {version} of the metalayer"), &meta);
    }
    let meta = Meta { dtype: vec![b'<', 0, b'4'], ..Meta::new(&[10], &[5], &[2], "") };
    accept(suite, "dtype-nul", "a dtype that contains a NUL", &meta);
}

fn limits(suite: &mut Suite) {
    type Lengths = &'static [i32];
    let shapes: [(&str, &str, &[i64], Lengths, Lengths); 9] = [
        ("empty", "an array without elements", &[0], &[0], &[0]),
        ("empty-inside", "one of three dimensions is empty", &[5, 0, 3], &[5, 0, 3], &[2, 0, 3]),
        ("empty-chunks-one", "an empty dimension with chunks and blocks of length 1", &[0, 5], &[1, 5], &[1, 5]),
        ("one", "one element", &[1], &[1], &[1]),
        ("int64-max", "2^63 - 1 elements", &[i64::MAX], &[1], &[1]),
        ("int32-max", "chunks and blocks of 2^31 - 1 elements", &[i64::MAX], &[i32::MAX], &[i32::MAX]),
        ("blocks-beyond-chunks", "blocks longer than chunks, which a metalayer by itself allows", &[10], &[5], &[7]),
        ("chunks-beyond-shape", "chunks longer than the array", &[10], &[50], &[7]),
        (
            "huge-product",
            "lengths whose product does not fit an int64: the metalayer is valid, but no array can have this shape",
            &[i64::MAX, i64::MAX],
            &[1, 1],
            &[1, 1],
        ),
    ];
    for (name, what, shape, chunkshape, blockshape) in shapes {
        accept(suite, format!("shape-{name}"), what, &Meta::new(shape, chunkshape, blockshape, "|u1"));
    }
}

/// Adds cases with wrong markers of fields, and cases that end before or in a field.
fn markers(suite: &mut Suite) {
    let meta = Meta::new(&[400, 3], &[110, 3], &[57, 3], "|u1");
    let bytes = meta.bytes();
    for (field, at) in &bytes.fields {
        if field == "dtype-text" {
            continue;
        }
        suite.reject(
            Metalayer,
            format!("cut-{field}"),
            format!("the metalayer ends before {}", named(field, "metalayer")),
            bytes.cut(field),
        );
        if bytes.bytes[*at] >= 0x80 {
            for (name, marker) in [("nil", 0xc0), ("fixint", 0x05)] {
                let damaged = bytes.with(field, 0, &[marker]);
                suite.reject(
                    Metalayer,
                    format!("marker-{name}-{field}"),
                    format!("the marker of {} is {marker:02x} instead of {:02x}", named(field, "metalayer"), bytes.bytes[*at]),
                    damaged,
                );
            }
        } else {
            suite.reject(Metalayer, format!("marker-nil-{field}"), format!("{field} is nil (c0)"), bytes.with(field, 0, &[0xc0]));
            let wide = [&bytes.bytes[..*at], &[0xcc, 0x80], &bytes.bytes[at + 1..]].concat();
            suite.reject(Metalayer, format!("uint8-{field}"), format!("{field} is 128, encoded as a uint8 (cc 80)"), wide);
        }
    }
    for (field, marker, what) in [
        ("shape-0", 0xcf, "uint64"),
        ("shape-1", 0xd2, "int32"),
        ("chunkshape-0", 0xce, "uint32"),
        ("chunkshape-1", 0xd3, "int64"),
        ("blockshape-0", 0xd1, "int16"),
        ("dtype", 0xda, "str16"),
        ("dtype", 0xc6, "bin32"),
        ("dtype", 0xd9, "str8"),
    ] {
        suite.reject(
            Metalayer,
            format!("width-{field}-{marker:02x}"),
            format!(
                "the marker of {} is {marker:02x} ({what}) instead of {:02x}",
                named(field, "metalayer"),
                bytes.bytes[bytes.at(field)]
            ),
            bytes.with(field, 0, &[marker]),
        );
    }
    let all_cut = bytes.bytes.len();
    for (name, length) in
        [("nothing", 0), ("in-number", bytes.at("shape-1") + 4), ("in-length", all_cut - 5), ("in-text", all_cut - 1)]
    {
        suite.reject(
            Metalayer,
            format!("cut-{name}"),
            format!("the metalayer ends after {length} of {all_cut} bytes"),
            bytes.bytes[..length].to_vec(),
        );
    }
}

fn wrong(suite: &mut Suite) {
    let good = Meta::new(&[400, 3], &[110, 3], &[57, 3], "|u1").bytes();
    let mut reject = |name: &str, what: &str, bytes: Vec<u8>| suite.reject(Metalayer, name, what, bytes);
    for marker in [0x90, 0x91, 0x92, 0x93, 0x94, 0x98, 0x9f] {
        reject(
            &format!("count-{marker:02x}"),
            &format!("the marker declares a count of {}, but there are 7 entries", marker & 0xf),
            good.with("count", 0, &[marker]),
        );
    }
    reject(
        "count-95-seven",
        "the marker declares 5 entries, but there are 7: the last two follow the array",
        good.with("count", 0, &[0x95]),
    );
    reject("count-map", "the marker declares a map of 7 entries instead of an array", good.with("count", 0, &[0x87]));
    reject("count-array16", "the outer array is an array16 instead of a fixarray", [&[0xdc, 0, 7], &good.bytes[1..]].concat());
    reject(
        "count-array32",
        "the outer array is an array32 instead of a fixarray",
        [&[0xdd, 0, 0, 0, 7], &good.bytes[1..]].concat(),
    );
    reject("trailing-1", "a byte follows the metalayer", [&good.bytes[..], &[0]].concat());
    reject(
        "trailing-19",
        "19 bytes follow the metalayer: in a frame, such bytes are accepted",
        [&good.bytes[..], &[0x6b; 19]].concat(),
    );
    for (list, marker) in [("shape", 0x91), ("chunkshape", 0x93), ("blockshape", 0x90)] {
        reject(
            &format!("rank-{list}"),
            &format!("{list} declares {}, but ndim is 2", count(usize::from(marker & 0xf), "length")),
            good.with(list, 0, &[marker]),
        );
    }
    reject("rank-ndim", "ndim is 3, but each list has 2 lengths", good.with("ndim", 0, &[3]));
    for ndim in [17, 127] {
        reject(&format!("ndim-{ndim}"), &format!("ndim is {ndim}, above the limit of 16"), good.with("ndim", 0, &[ndim]));
    }
    let seventeen = |first: &[u8]| {
        let numbers: Vec<u8> = std::iter::repeat_n([0xd3, 0, 0, 0, 0, 0, 0, 0, 1], 17).flatten().collect();
        [&[0x97, 0, 16][..], first, &numbers].concat()
    };
    reject("shape-seventeen", "ndim is 16, but shape is an array16 of 17 lengths", seventeen(&[0xdc, 0, 17]));
    let sixteen = Meta::of_rank(16).bytes();
    let at = sixteen.at("shape");
    let regular = [&sixteen.bytes[..at], &[0xdc, 0, 16], &sixteen.bytes[at + 1..]].concat();
    reject(
        "sixteen-array16",
        "16 dimensions, with shape as a regular array16: C-Blosc2 writes the marker a0 instead, and skips one byte when it reads",
        regular,
    );
    let fifteen = Meta::of_rank(15).bytes();
    let at = fifteen.at("shape");
    reject(
        "fifteen-array16",
        "15 dimensions, with shape as an array16 instead of a fixarray",
        [&fifteen.bytes[..at], &[0xdc, 0, 15], &fifteen.bytes[at + 1..]].concat(),
    );
    negative(&mut reject, &good);
    reject("zero-chunk", "chunkshape[0] is 0, but shape[0] is not", good.with("chunkshape-0", 1, &[0; 4]));
    reject("zero-block", "blockshape[1] is 0, but shape[1] is not", good.with("blockshape-1", 1, &[0; 4]));
    reject("dtype-not-utf8", "a dtype that is not UTF-8", good.with("dtype-text", 0, &[0xff, 0xfe, 0xfd]));
    reject("dtype-cut-utf8", "a dtype that ends inside a UTF-8 character", good.with("dtype-text", 2, &[0xc3]));
    for (name, length) in [("one-more", 4), ("huge", 0x7fff_ffff), ("all", 0xffff_ffff_usize)] {
        reject(
            &format!("dtype-length-{name}"),
            &format!("the length of the dtype is {length}, but 3 bytes follow"),
            good.with("dtype", 1, &be32(length)),
        );
    }
    reject(
        "dtype-length-short",
        "the length of the dtype is 2, so a byte follows the metalayer",
        good.with("dtype", 1, &be32(2)),
    );
    let miscounted = Meta::new(&[10], &[5], &[2], "|u1").layout(Layout::Miscounted).bytes();
    reject(
        "miscounted-cut",
        "six entries are declared, but the sixth is a dtype_format, and the dtype after it is missing",
        miscounted.cut("dtype"),
    );
    reject(
        "miscounted-sixth",
        "the sixth entry is neither a dtype nor a dtype_format",
        miscounted.with("dtype_format", 0, &[0xc3]),
    );
    reject("text", "text instead of a metalayer", b"shape=(400, 3)".to_vec());
    reject("zeros", "60 zero bytes", vec![0; 60]);
    reject("ones", "60 bytes of ff", vec![0xff; 60]);
    reject("nested", "200 nested arrays", vec![0x91; 200]);
}

fn negative(reject: &mut impl FnMut(&str, &str, Vec<u8>), good: &Bytes) {
    for (field, bytes) in [
        ("shape-0", vec![0xff; 8]),
        ("shape-1", [&[0x80][..], &[0; 7]].concat()),
        ("chunkshape-0", vec![0xff; 4]),
        ("chunkshape-1", vec![0x80, 0, 0, 0]),
        ("blockshape-0", vec![0xff, 0xff, 0xff, 0xfe]),
    ] {
        reject(&format!("negative-{field}"), &format!("{} is negative", named(field, "metalayer")), good.with(field, 1, &bytes));
    }
}
