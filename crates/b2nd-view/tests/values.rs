//! MessagePack as text, slices in Python's notation, and human-readable sizes.
#![allow(clippy::unwrap_used)]

use b2nd::Geometry;
use b2nd_view::slice::Slice;
use b2nd_view::{text, value};

fn line(bytes: &[u8], limit: usize) -> Option<String> {
    value::read(bytes).map(|found| value::text(&found, limit))
}

#[test]
fn messagepack_is_a_line_like_json() {
    let content = hex_literal::hex!(
        "dc 0007 e0 82 a1 61 ca 3fc00000 cc ff 92 d1 fffe c0 c7 03 2a 010203 df 00000001 c2 c4 02 ff00 a2 fffe c4 00 c3"
    );
    let expected = r#"[-32, {"a": 1.5, 255: [-2, null]}, <frame of 3 bytes>, {false: b"\xff\x00"}, b"\xff\xfe", b"", true]"#;
    assert_eq!(line(&content, 1000).as_deref(), Some(expected));
    assert_eq!(line(&content, 10).as_deref(), Some(r#"[-32, {"a""#.to_owned() + "…").as_deref());
    assert_eq!(line(&[&b"\xc4\x21"[..], &[0; 33]].concat(), 1000).as_deref(), Some("<33 bytes>"));
    for length in 0..content.len() {
        assert_eq!(line(&content[..length], 1000), None, "{length}");
    }
    assert_eq!(line(b"text", 1000), None, "each byte is a value");
    assert_eq!(line(&[0x91; 5000], 1000), None, "too deep");
    assert_eq!(line(b"\x92\xa9__tuple__\x01", 1000).as_deref(), Some("(1,)"));
    let nested = |depth| line(&[vec![0x91; depth], vec![1]].concat(), 1000);
    assert_eq!(nested(128).unwrap(), "[".repeat(128) + "1" + &"]".repeat(128));
    assert_eq!(nested(129), None);
    assert_eq!(line(b"\xdd\xff\xff\xff\xff\x01", 1000), None, "no such count fits");
}

#[track_caller]
fn touched(slice: &str) -> Result<(String, String), String> {
    let grid = Geometry::new(&[10, 10], &[3, 5], &[2, 3]).unwrap().grid().unwrap();
    let touched = slice.parse::<Slice>()?.touched(&grid)?;
    let chunks: Vec<_> = touched.chunks.iter().map(|(chunk, blocks)| format!("{chunk}:{blocks}")).collect();
    Ok((format!("{:?}", touched.selection.ranges), chunks.join(" ")))
}

#[test]
fn a_slice_is_read_as_python_reads_it() {
    let ok = |ranges: &str, chunks: &str| Ok((ranges.to_owned(), chunks.to_owned()));
    assert_eq!(touched("2:7, 8"), ok("[2..7, 8..9]", "1:1 3:2 5:1"));
    assert_eq!(touched("-1,-2:"), ok("[9..10, 8..10]", "7:1"));
    assert_eq!(touched("0"), ok("[0..1, 0..10]", "0:2 1:2"));
    assert_eq!(touched(":1,:-5"), ok("[0..1, 0..5]", "0:2"));
    assert_eq!(touched("9:99,-99:1"), ok("[9..10, 0..1]", "6:1"));
    assert_eq!(touched("7:3,:"), ok("[7..7, 0..10]", ""));
    assert_eq!(touched("").map(|(ranges, _)| ranges), Ok("[0..10, 0..10]".to_owned()));

    assert_eq!(touched("..., 8"), touched(":, 8"));
    assert_eq!(touched("8, ..."), touched("8"));
    assert_eq!(touched("2:7, ..., 8"), touched("2:7, 8"));
    assert_eq!(touched("..."), touched(""));

    let error = |message: &str| Err(message.to_owned());
    assert_eq!(touched("10"), error("index 10 is outside dimension 0, whose length is 10"));
    assert_eq!(touched("0,-11"), error("index -11 is outside dimension 1, whose length is 10"));
    assert_eq!(touched("0,1,2"), error("the slice has 3 indices, but the data has 2 dimensions"));
    assert_eq!(touched("0, ..., 1, 2"), error("the slice has 3 indices, but the data has 2 dimensions"));
    assert_eq!(touched("..., ..."), error("... is used more than once"));
    assert_eq!(touched("0:4:0"), error("\"0:4:0\" has a step of 0"));
    assert_eq!(touched("8:4:-2").map(|(ranges, _)| ranges), Ok("[6..9, 0..10]".to_owned()));
    assert_eq!(touched("0:4:2").map(|(ranges, _)| ranges), Ok("[0..4, 0..10]".to_owned()));
    assert_eq!(touched("0:4:"), touched("0:4"));
    assert_eq!(touched("::1"), touched(":"));
    let kept = |slice: &str| slice.parse::<Slice>().unwrap().select(&[9; 4]).unwrap().kept;
    assert_eq!(kept("1,...,2"), [false, true, true, false]);
    assert_eq!(kept("1:2,3"), [true, false, true, true]);
    assert_eq!(touched("0,,1"), error("an index is empty: use : for a whole dimension"));
    assert_eq!(touched("a:"), error("expected a 64-bit integer, as in 2:10:2, found \"a\""));
}

#[test]
fn lengths_are_given_in_the_unit_that_fits() {
    let cases: [(i128, &str); 7] = [
        (-1, "-1 bytes"),
        (1, "1 byte"),
        (1023, "1,023 bytes"),
        (1024, "1,024 bytes (1.0 KiB)"),
        (-123_456, "-123,456 bytes"),
        (35_184_372_088_832, "35,184,372,088,832 bytes (32.0 TiB)"),
        (1_048_575, "1,048,575 bytes (1.0 MiB)"),
    ];
    for (bytes, expected) in cases {
        assert_eq!(text::size(bytes), expected);
    }
}
