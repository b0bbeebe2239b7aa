//! Errors of dtype strings: their whole messages, and that deep nesting is rejected quickly.

use b2nd::dtype::{DType, Struct, Subarray};

fn parse(s: &str) -> DType {
    s.parse().unwrap_or_else(|error| panic!("{s}: {error}"))
}

/// Strings, and the whole error message for each after `dtype: `.
const MESSAGES: &[(&str, &str)] = &[
    ("", "expected a type code or name, found the end of the string at byte 0"),
    ("float8", "expected a type code or name, found 'float8' at byte 0"),
    ("<float64", "expected a type code, found 'float64' at byte 1"),
    ("<x4", "expected a type code, found 'x' at byte 1"),
    ("ix", "expected a type code or name, found 'ix' at byte 0"),
    (" <i4", "expected a type code or name, found ' ' at byte 0"),
    ("<i3", "expected a size of 1, 2, 4 or 8, found '3' at byte 2"),
    ("<f12", "expected a size of 2, 4, 8 or 16, found '12' at byte 2"),
    ("<c", "expected a size of 8, 16 or 32, found the end of the string at byte 2"),
    ("b8", "expected a size of 1, found '8' at byte 1"),
    ("<i4 ", "expected the end of the string, found ' ' at byte 3"),
    ("|S05", "expected a number without leading zeros, found '05' at byte 2"),
    ("<U536870912", "expected a number up to 536870911, found '536870912' at byte 2"),
    ("|V99999999999999999999999999999", "expected a number up to 2147483647, found '999999999999999999999999' at byte 2"),
    ("|i4", "expected '<', '>' or '=' for int32, which has a byte order, found '|' at byte 0"),
    ("<M4", "expected '8', found '4' at byte 2"),
    ("<M8[xs]", "expected a unit of time (Y M W D h m s ms us ns ps fs as), found 'xs' at byte 4"),
    ("<M8[1s]", "expected a number other than 1, or no number, found '1' at byte 4"),
    ("<M8[25s", "expected ']', found the end of the string at byte 7"),
    ("[('a', <i4)]", "expected a type in single quotes, a list, a dictionary or a tuple, found '<' at byte 7"),
    ("[('a', '<i4'), ('b', '<x4')]", "expected a type code, found 'x' at byte 23"),
    ("[('a','<i4')]", "expected ', ', found \",'\" at byte 5"),
    ("[('a', '<i4' )]", "expected ')', found ' ' at byte 12"),
    ("[('a', '<i4')abc]", "expected ', ' or ']', found 'ab' at byte 13"),
    ("[('a', '<i4')", "expected ', ' or ']', found the end of the string at byte 13"),
    ("[('a', '<i4', 2)]", "expected '(', found '2' at byte 14"),
    ("[('a', '<i4', (-2,))]", "expected a number, found '-' at byte 15"),
    ("[('a', ('<i4', (2,)))]", "expected ', ' and a shape after a tuple, found ')' at byte 20"),
    ("[(\"a\", '<i4')]", "expected single quotes, found '\"' at byte 2"),
    ("[('it\\'s', '<i4')]", "expected double quotes, found \"'\" at byte 2"),
    ("[(a, '<i4')]", "expected a string in quotes, found 'a' at byte 2"),
    ("[('a', '<i4'), ('é\\x41', '<i4')]", "expected 'A', found '\\\\x41' at byte 19"),
    ("[('\\q', '<i4')]", "expected one of the escapes \\\\ \\' \\n \\r \\t \\x \\u \\U, found '\\\\q' at byte 3"),
    ("[('\\ud800', '<i4')]", "expected a character in 4 hexadecimal digits, found '\\\\ud800' at byte 3"),
    ("[('\\x+1', '<i4')]", "expected a character in 2 hexadecimal digits, found '\\\\x+1' at byte 3"),
    ("[('a", "expected a closing quote, found the end of the string at byte 4"),
    ("[(('t', ''), '<i4')]", "field 0 has a title, but no name at byte 8"),
    ("[('a', 'u1'), ('a', 'u1')]", "'a' occurs twice among the names and titles of the fields at byte 14"),
    ("[('a', 'V2147483647'), ('b', 'u1')]", "field 'b' ends at byte 2147483648, above NumPy's limit of 2147483647 at byte 23"),
    (
        "('u1', (65536, 32768))",
        "the lengths and the itemsize, multiplied in order, exceed NumPy's limit of 2147483647 bytes at byte 0",
    ),
    (
        "('u1', (2147483647, 2147483647, 3, 0))",
        "the lengths and the itemsize, multiplied in order, exceed NumPy's limit of 2147483647 bytes at byte 0",
    ),
    ("('S0', (2,))", "the values of a subarray cannot be scalars or arrays of 0 bytes at byte 0"),
    ("{'formats': ['u1']}", "expected \"{'names': \", found \"{'formats'\" at byte 0"),
    ("{'names': ['a', 'b'], 'formats': ['u1']}", "formats: expected 2, one for each name, found 1 at byte 33"),
    (
        "{'names': ['a'], 'formats': ['u1'], 'size': 1}",
        "expected '}' or a later key (the order is names, formats, offsets, titles, itemsize, aligned), found \", 'size': 1}\" at byte 34",
    ),
    ("{'names': ['a'], 'formats': ['<i4'], 'itemsize': 3}", "itemsize: expected at least 4, found 3 at byte 49"),
    (
        "{'names': ['a', 'b'], 'formats': ['u1', '<i4'], 'offsets': [0, 2], 'aligned': True}",
        "field 'b': expected a multiple of 4 as offset, found 2 at byte 16",
    ),
    (
        "{'names': ['a'], 'formats': ['<i4'], 'itemsize': 6, 'aligned': True}",
        "itemsize: expected a multiple of 4, found 6 at byte 49",
    ),
    ("{'names': ['a'], 'formats': ['<i4'], 'aligned': Maybe}", "expected True or False, found 'Maybe' at byte 48"),
    (
        "{'names': ['a'], 'formats': [{'names': [], 'formats': [], 'aligned': False}], 'aligned': True}",
        "the outer structure is aligned: expected 'aligned': True, found False at byte 69",
    ),
    (
        "{'names': ['a'], 'formats': ['u1'], 'aligned': False, 'aligned': True}",
        "expected '}' or a later key (the order is names, formats, offsets, titles, itemsize, aligned), found \", 'aligned': Tru\" at byte 52",
    ),
    (
        "{'names': ['a', 'b'], 'formats': ['O', 'u1'], 'offsets': [0, 7]}",
        "field 'b' overlaps another, which NumPy rejects if either holds objects at byte 16",
    ),
    (
        "{'names': ['a', 'b'], 'formats': [[('o', 'O')], '<u8'], 'offsets': [4, 0]}",
        "field 'a' overlaps another, which NumPy rejects if either holds objects at byte 11",
    ),
    (
        "{'names': ['a', 'b'], 'formats': [[('o', 'O'), ('p', 'u1')], '<u8'], 'offsets': [4, 0]}",
        "field 'a' overlaps another, which NumPy rejects if either holds objects at byte 11",
    ),
    (
        "{'names': ['a', 'b'], 'formats': ['<i4', '<f8'], 'offsets': [8, 0], 'itemsize': 11}",
        "itemsize: expected at least 12, found 11 at byte 80",
    ),
];

#[test]
fn messages_say_where_and_what() {
    assert!(MESSAGES.len() >= 25);
    for (s, expected) in MESSAGES {
        let error = s.parse::<DType>().expect_err(s);
        assert_eq!(error.to_string(), format!("dtype: {expected}"), "{s}");
        assert_eq!(error.path().as_deref(), Some("dtype"));
    }
}

#[test]
fn nesting_ends_at_100_levels() {
    let nested = |levels: usize| "[('f', ".repeat(levels) + "'u1'" + &")]".repeat(levels);
    assert_eq!(parse(&nested(100)).to_string(), nested(100));
    let error = nested(101).parse::<DType>().unwrap_err();
    assert_eq!(error.to_string(), "dtype: nested more than 100 levels deep at byte 700");
    for bomb in ["[('f', ", "(", "{'names': ['f'], 'formats': [", "[(", "[", "('u1', ("] {
        bomb.repeat(100_000).parse::<DType>().unwrap_err();
    }
    // Each level ends with its flag, so the parser looks for the flags before it parses the levels.
    let aligned = "{'names': ['f'], 'formats': [".repeat(100) + "'u1'" + &"], 'aligned': True}".repeat(100);
    assert_eq!(parse(&aligned).to_string(), aligned);

    let levels: [fn(DType) -> DType; 2] = [
        |inner| DType::Struct(Struct::packed([("f", inner)]).unwrap()),
        |inner| DType::Subarray(Subarray::new(inner, &[1]).unwrap()),
    ];
    for level in levels {
        let dtype = (0..100).fold(parse("u1"), |inner, _| level(inner));
        assert_eq!(parse(&dtype.to_string()), dtype);
        let error = Struct::packed([("f", dtype.clone())]).unwrap_err();
        assert_eq!(error.to_string(), "dtype: nested more than 100 levels deep");
        assert_eq!(Subarray::new(dtype, &[1]).unwrap_err().to_string(), "dtype: nested more than 100 levels deep");
    }
}

#[test]
fn what_stands_beside_does_not_nest() {
    for inner in ["[('a', 'u1')]", "{'names': ['a'], 'formats': ['u1']}", "('u1', (2,)), (3,)"] {
        let fields: Vec<String> = (0..300).map(|index| format!("('f{index}', {inner})")).collect();
        let list = format!("[{}]", fields.join(", "));
        assert_eq!(parse(&list).itemsize(), if inner.ends_with(')') { 1800 } else { 300 });
    }
}
