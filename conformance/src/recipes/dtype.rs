//! Cases of dtype strings.

use super::Suite;
use crate::case::Layer;
use crate::fact::Fact;

/// A string, its itemsize and alignment in NumPy, and the names and offsets of its fields.
type Valid = (&'static str, i64, i64, &'static [(&'static str, i64)]);

const SCALARS: &[Valid] = &[
    ("|b1", 1, 1, &[]),
    ("|i1", 1, 1, &[]),
    ("|u1", 1, 1, &[]),
    ("<i2", 2, 2, &[]),
    (">i2", 2, 2, &[]),
    ("<u2", 2, 2, &[]),
    ("<i4", 4, 4, &[]),
    (">i4", 4, 4, &[]),
    ("<u4", 4, 4, &[]),
    ("<i8", 8, 8, &[]),
    (">u8", 8, 8, &[]),
    ("<f2", 2, 2, &[]),
    ("<f4", 4, 4, &[]),
    (">f8", 8, 8, &[]),
    ("<f8", 8, 8, &[]),
    ("<f16", 16, 16, &[]),
    ("<c8", 8, 4, &[]),
    ("<c16", 16, 8, &[]),
    ("<c32", 32, 16, &[]),
    ("<M8[ns]", 8, 8, &[]),
    ("<M8[25s]", 8, 8, &[]),
    ("<M8", 8, 8, &[]),
    ("<m8[D]", 8, 8, &[]),
    ("<m8", 8, 8, &[]),
    ("<U10", 40, 4, &[]),
    (">U3", 12, 4, &[]),
    ("<U0", 0, 4, &[]),
    ("|S5", 5, 1, &[]),
    ("|S0", 0, 1, &[]),
    ("|V10", 10, 1, &[]),
    ("|O", 8, 8, &[]),
];

const STRUCTS: &[Valid] = &[
    ("[('a', '>i4'), ('b', '<U3'), ('d', '<i2', (2, 3))]", 28, 1, &[("a", 0), ("b", 4), ("d", 16)]),
    ("[('a', [('x', '<i4'), ('y', 'S3')]), ('b', 'V4')]", 11, 1, &[("a", 0), ("b", 7)]),
    ("[('a', 'i1'), ('b', '?')]", 2, 1, &[("a", 0), ("b", 1)]),
    (
        "{'names': ['a', 'b'], 'formats': ['<i4', '<f8'], 'offsets': [0, 8], 'itemsize': 16, 'aligned': True}",
        16,
        8,
        &[("a", 0), ("b", 8)],
    ),
    ("{'names': ['a', 'b'], 'formats': ['<i4', '<f8'], 'offsets': [8, 0], 'itemsize': 12}", 12, 1, &[("a", 8), ("b", 0)]),
    ("{'names': ['a'], 'formats': ['<i4'], 'offsets': [5], 'itemsize': 9}", 9, 1, &[("a", 5)]),
    ("('<i4', (2, 3))", 24, 4, &[]),
    ("[(('title', 'name'), '<i4')]", 4, 1, &[("name", 0)]),
    ("[('é\"\\'q', '<i4')]", 4, 1, &[("é\"'q", 0)]),
    ("[('', '<i4')]", 4, 1, &[("f0", 0)]),
];

const BAD: &[&str] = &[
    "",
    "float8",
    "<float64",
    "<x4",
    "ix",
    " <i4",
    "<i3",
    "<f12",
    "<c",
    "b8",
    "<i4 ",
    "|S05",
    "<U536870912",
    "|V99999999999999999999999999999",
    "|i4",
    "<M4",
    "<M8[xs]",
    "<M8[1s]",
    "<M8[25s",
    "[('a', <i4)]",
    "[('a', '<i4'), ('b', '<x4')]",
    "[('a','<i4')]",
    "[('a', '<i4' )]",
    "[('a', '<i4')abc]",
    "[('a', '<i4')",
    "[('a', '<i4', 2)]",
    "[('a', '<i4', (-2,))]",
    "[('a', ('<i4', (2,)))]",
    "[(\"a\", '<i4')]",
    "[('it\\'s', '<i4')]",
    "[(a, '<i4')]",
    "[('a'), ('é\\x41', '<i4')]",
    "[('é\\x41', '<i4')]",
    "[('\\q', '<i4')]",
    "[('\\ud800', '<i4')]",
    "[('\\x+1', '<i4')]",
    "[('a",
    "[(('t', ''), '<i4')]",
    "[('a', 'u1'), ('a', 'u1')]",
    "[('a', 'V2147483647'), ('b', 'u1')]",
    "('u1', (65536, 32768))",
    "('S0', (2,))",
    "{'formats': ['u1']}",
    "{'names': ['a', 'b'], 'formats': ['u1']}",
    "{'names': ['a'], 'formats': ['u1'], 'size': 1}",
    "{'names': ['a'], 'formats': ['<i4'], 'itemsize': 3}",
    "{'names': ['a', 'b'], 'formats': ['u1', '<i4'], 'offsets': [0, 2], 'aligned': True}",
    "{'names': ['a'], 'formats': ['<i4'], 'itemsize': 6, 'aligned': True}",
    "{'names': ['a'], 'formats': [{'names': [], 'formats': [], 'aligned': False}], 'aligned': True}",
    "{'names': ['a', 'b'], 'formats': ['O', 'u1'], 'offsets': [0, 7]}",
    "{'names': ['a', 'b'], 'formats': ['<i4', '<f8'], 'offsets': [8, 0], 'itemsize': 11}",
];

pub(crate) fn add(suite: &mut Suite) {
    for (number, (text, itemsize, alignment, fields)) in SCALARS.iter().chain(STRUCTS).enumerate() {
        let fields = fields.iter().map(|&(name, offset)| Fact::List(vec![Fact::text(name), Fact::int(offset)])).collect();
        let says =
            Fact::map([("itemsize", Fact::int(*itemsize)), ("alignment", Fact::int(*alignment)), ("fields", Fact::List(fields))]);
        suite.accept(Layer::Dtype, format!("good-{number:02}"), format!("the dtype {text}"), text.as_bytes().to_vec(), says);
    }
    for (number, text) in BAD.iter().enumerate() {
        suite.reject(Layer::Dtype, format!("bad-{number:02}"), format!("a dtype to reject: {text:?}"), text.as_bytes().to_vec());
    }
    suite.reject(Layer::Dtype, "bad-not-utf8", "a dtype that is not UTF-8", vec![b'<', 0xff]);
    let nested = |levels: usize| "[('f', ".repeat(levels) + "'u1'" + &")]".repeat(levels);
    suite.reject(
        Layer::Dtype,
        "bad-nested",
        "a dtype of 101 nested structures, above the limit of 100",
        nested(101).into_bytes(),
    );
    let says = Fact::map([
        ("itemsize", Fact::int(1)),
        ("alignment", Fact::int(1)),
        ("fields", Fact::List(vec![Fact::List(vec![Fact::text("f"), Fact::int(0)])])),
    ]);
    suite.accept(Layer::Dtype, "good-nested", "a dtype of 100 nested structures", nested(100).into_bytes(), says);
}
