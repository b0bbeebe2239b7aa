//! What the dump makes of a header: a row for each marker, and each byte in one row.

use std::fs;

use b2nd::frame::{File, Header};

use super::inspect::hex::rows::{Row, Rows};
use super::{TemporaryFile, header_with, json_of, manifest, path, shown};

/// The rows of a header, after a look at whether each byte is in one of them.
#[track_caller]
fn rows<'a>(header: &'a Header, bytes: &'a [u8]) -> Vec<Row<'a>> {
    let rows = Rows::of_header(header, bytes);
    let mut position = 0;
    for row in &rows {
        assert_eq!(row.offset, position);
        assert!(!row.bytes.is_empty(), "{} has no bytes", row.name);
        position += row.bytes.len();
    }
    let together: Vec<u8> = rows.iter().flat_map(|row| row.bytes).copied().collect();
    assert!(together == bytes);
    rows
}

#[test]
fn each_byte_of_every_header_is_in_one_row() {
    let mut headers = 0;
    for entry in manifest(&["cframe", "sframe"]) {
        let file = File::open_at(path(&entry), entry["offset"].as_u64().unwrap()).unwrap();
        let start = usize::try_from(file.offset()).unwrap();
        let whole = fs::read(file.path()).unwrap();
        let bytes = b2nd::to_vec(file.header()).unwrap();
        assert!(whole[start..].starts_with(&bytes));
        let rows = rows(file.header(), &bytes);
        assert!(rows.iter().all(|row| row.name != "not understood"), "{}", entry["id"]);
        headers += 1;
    }
    assert!(headers > 80, "{headers}");
}

/// The rows of a metalayer's content: how deep each is, its marker, name and value.
#[track_caller]
fn unfolded(name: &str, content: &[u8]) -> Vec<String> {
    let header = header_with(name, content);
    let bytes = b2nd::to_vec(&header).unwrap();
    let rows = rows(&header, &bytes);
    let start = bytes.len() - content.len();
    let inside = rows.iter().filter(|row| row.offset >= start);
    inside.map(|row| format!("{} {:?} {} {}", row.depth - 4, row.marker, row.name, row.value)).collect()
}

#[test]
fn messagepack_is_unfolded_as_far_as_it_is_such() {
    let content =
        hex_literal::hex!("dc 0004 e0 82 a1 61 ca 3fc00000 cc ff 92 d1 fffe c0 c7 03 2a 010203 df 00000001 c2 c4 02 ff00");
    let expected = [
        r#"0 "array16" value 4 elements"#,
        r#"1 "fixint" [0] -32"#,
        r#"1 "fixmap" [1] 2 pairs"#,
        r#"2 "fixstr" key "a""#,
        r#"2 "float32" "a" 1.5"#,
        r#"2 "uint8" key 255"#,
        r#"2 "fixarray" 255 2 elements"#,
        r#"3 "int16" [0] -2"#,
        r#"3 "nil" [1] nil"#,
        r#"1 "ext8" [2] type 42, 3 bytes"#,
        r#"1 "map32" [3] 1 pair"#,
        r#"2 "false" key false"#,
        r#"2 "bin8" false 2 bytes"#,
    ];
    assert_eq!(unfolded("m", &content), expected);

    let plain = |content: &[u8]| unfolded("m", content);
    assert_eq!(plain(b""), [""; 0]);
    assert_eq!(plain(b"text"), [r#"0 "" bytes "text""#], "each byte is a fixint, but only the first is the value");
    assert_eq!(plain(b"\xc1"), [r#"0 "" bytes 1 byte"#], "no marker");
    for length in 1..content.len() {
        assert_eq!(plain(&content[..length]), [format!(r#"0 "" bytes {length} byte{}"#, if length == 1 { "" } else { "s" })]);
    }
    assert_eq!(plain(&hex_literal::hex!("dd ffffffff 01 02")), [r#"0 "" bytes 7 bytes"#], "no such count fits");
    assert_eq!(plain(&hex_literal::hex!("c9 ffffffff 01")), [r#"0 "" bytes 6 bytes"#], "no such length fits");
    assert_eq!(plain(&[0x91; 5000]), [r#"0 "" bytes 5000 bytes"#.replace("5000", "5,000")], "too deep");
}

/// The three layouts of early 2023, which no test file has.
#[test]
fn every_layout_of_an_array_has_its_words_and_names() {
    assert_array(0x95, b"", "b2nd of January 2023, without a dtype", "b2nd_without_dtype", "5 elements", &[]);
    assert_array(
        0x96,
        b"\xdb\0\0\0\x05uint8",
        "b2nd of February 2023, without dtype_format",
        "b2nd_without_dtype_format",
        "6 elements",
        &[r#"1 "str32" dtype "uint8""#],
    );
    assert_array(
        0x96,
        b"\0\xdb\0\0\0\x03<i4",
        "b2nd of February 2023, says 6 entries and has 7",
        "b2nd_miscounted",
        "says 6, has 7 elements",
        &[r#"1 "fixint" dtype_format 0"#, r#"1 "str32" dtype "<i4""#],
    );
}

/// Looks at a b2nd metalayer of this count, one dimension and what follows: in the page, in JSON and in the dump.
#[track_caller]
fn assert_array(count: u8, after_blockshape: &[u8], words: &str, layout: &str, elements: &str, last_rows: &[&str]) {
    let geometry = hex_literal::hex!("00 01 91 d3 0000000000000005 91 d2 00000002 91 d2 00000001");
    let content = [&[count], &geometry[..], after_blockshape].concat();
    let rows = unfolded("b2nd", &content);
    assert_eq!(rows[0], format!(r#"0 "fixarray" array {elements}"#));
    assert_eq!(rows[5..7], [r#"1 "fixarray" chunkshape 1 element"#, r#"2 "int32" chunkshape[0] 2"#]);
    assert_eq!(rows[9..], *last_rows);

    let file = TemporaryFile::new(layout, &b2nd::to_vec(&header_with("b2nd", &content)).unwrap());
    let page = shown(&[&file.0]);
    assert!(page.contains(&format!("\n  array         {words}, version 0, 1 dimension\n")), "{page}");
    assert_eq!(json_of(&shown(&["--json", &file.0]))["array"]["layout"], layout);
}
