//! Rows of a header or trailer: there is one for each marker, and each byte is in exactly one row.
#![allow(clippy::unwrap_used)]

use std::fs;

use b2nd_frame::{Chunk, File, Header, Metalayers, Trailer, Vlmetalayers};
use b2nd_view::bytes::{self, ByteRow};
use serde_json::{Value, json};

const DATA: &str = "../../tests/data";

/// The rows of a header. Checks that each byte is in one of them.
#[track_caller]
fn rows(bytes: &[u8]) -> Vec<ByteRow> {
    checked(bytes::header(bytes), bytes, 0)
}

#[track_caller]
fn checked(rows: Vec<ByteRow>, bytes: &[u8], start: u64) -> Vec<ByteRow> {
    let mut position = start;
    for row in &rows {
        assert_eq!(row.offset, position);
        assert!(row.length != 0, "{} has no bytes", row.name);
        position += row.length as u64;
    }
    let together: Vec<u8> = rows.iter().flat_map(|row| row.bytes(bytes, start)).copied().collect();
    assert!(together == bytes);
    assert!(rows.iter().all(|row| row.name != "not understood"));
    rows
}

#[test]
fn each_byte_of_every_header_and_trailer_is_in_one_row() {
    let (mut headers, mut chunks) = (0, 0);
    for entry in manifest() {
        let file =
            File::open_at(format!("{DATA}/{}", entry["file"].as_str().unwrap()), entry["offset"].as_u64().unwrap()).unwrap();
        let frame = &fs::read(file.path()).unwrap()[usize::try_from(file.position()).unwrap()..];
        let bytes = b2nd::to_vec(file.header()).unwrap();
        assert!(frame.starts_with(&bytes));
        rows(&bytes);
        headers += 1;

        let (trailer, end) = (file.trailer().unwrap(), file.header().frame_len());
        let bytes = b2nd::to_vec(&trailer).unwrap();
        let start = end - bytes.len() as u64;
        assert!(frame[..end as usize].ends_with(&bytes));
        let rows = checked(bytes::trailer(&bytes, start), &bytes, start);
        let cbytes = rows.iter().filter(|row| row.name == "cbytes").count();
        assert_eq!(cbytes, trailer.vlmetalayers().len());
        chunks += cbytes;
    }
    assert!(headers > 80 && chunks > 20, "{headers}, {chunks}");
}

/// Contents of a trailer: a valid chunk, chunks with stale bytes or a wrong field, and bytes that are not a chunk.
#[test]
fn what_is_odd_about_a_chunk_has_its_row() {
    let stored = Chunk::store(b"\x01", 1).unwrap().into_bytes();
    let with = |at: usize, byte: u8| {
        let mut chunk = stored.clone();
        chunk[at] = byte;
        chunk
    };
    let cases = [
        (stored.clone(), vec!["fixint value 1"]),
        ([stored.clone(), vec![7, 8]].concat(), vec!["fixint value 1", " stale bytes 2 bytes"]),
        ([with(12, 34), vec![7, 8]].concat(), vec!["fixint value 1", " stale bytes 1 byte", " stale bytes 1 byte"]),
        (with(12, 34), vec![" a chunk shorter than its cbytes 33 bytes"]),
        (with(3, 0), vec![" bytes 33 bytes"]),
        (b"text".to_vec(), vec![r#" bytes "text""#]),
        (vec![], vec![]),
    ];
    for (content, expected) in cases {
        let mut chunks = Metalayers::default();
        chunks.insert("v", content.as_slice()).unwrap();
        let trailer = Trailer::new(Vlmetalayers::from_raw_chunks(chunks));
        let bytes = b2nd::to_vec(&trailer).unwrap();
        let rows = checked(bytes::trailer(&bytes, 1000), &bytes, 1000);
        let inside = rows.iter().skip_while(|row| row.marker != "bin32").skip(1).take_while(|row| row.name != "trailer_len");
        let last: Vec<_> = inside.map(|row| format!("{} {} {}", row.marker, row.name, row.value)).collect();
        let header = if expected.first().is_some_and(|row| row.starts_with("fixint")) { 13 } else { 0 };
        assert_eq!(last[header..], expected, "{content:x?}");
    }
}

/// The rows of a metalayer's content, each with its depth, marker, name and value.
#[track_caller]
fn unfolded(name: &str, content: &[u8]) -> Vec<String> {
    let header = header_with(name, content);
    let bytes = b2nd::to_vec(&header).unwrap();
    let rows = rows(&bytes);
    let start = (bytes.len() - content.len()) as u64;
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

/// Three layouts of early 2023, of which there are no test files.
#[test]
fn the_entries_of_every_layout_have_names() {
    assert_array(0x95, b"", "5 elements", &[]);
    assert_array(0x96, b"\xdb\0\0\0\x05uint8", "6 elements", &[r#"1 "str32" dtype "uint8""#]);
    let both = [r#"1 "fixint" dtype_format 0"#, r#"1 "str32" dtype "<i4""#];
    assert_array(0x96, b"\0\xdb\0\0\0\x03<i4", "7 elements, although the marker says 6", &both);
}

/// Checks the rows of a `b2nd` metalayer with this marker and this end.
#[track_caller]
fn assert_array(count: u8, after_blockshape: &[u8], elements: &str, last_rows: &[&str]) {
    let geometry = hex_literal::hex!("00 01 91 d3 0000000000000005 91 d2 00000002 91 d2 00000001");
    let rows = unfolded("b2nd", &[&[count], &geometry[..], after_blockshape].concat());
    assert_eq!(rows[0], format!(r#"0 "fixarray" array {elements}"#));
    assert_eq!(rows[5..7], [r#"1 "fixarray" chunkshape 1 element"#, r#"2 "int32" chunkshape[0] 2"#]);
    assert_eq!(rows[9..], *last_rows);
}

/// If a header is cut off anywhere, or has a wrong byte, each byte is still in one row.
#[test]
fn a_broken_header_has_rows_up_to_the_break() {
    let good = fs::read(format!("{DATA}/example.b2nd")).unwrap();
    let header = &good[..320];
    let whole = bytes::header(header);
    let together = |rows: &[ByteRow], bytes: &[u8]| rows.iter().flat_map(|row| row.bytes(bytes, 0)).copied().collect::<Vec<u8>>();
    for length in 0..header.len() {
        let rows = bytes::header(&header[..length]);
        assert_eq!(together(&rows, &header[..length]), header[..length]);
        // All rows but the last two start at the same offsets as in the whole header.
        let same = rows.iter().zip(&whole).take_while(|(one, other)| one.offset == other.offset).count();
        assert!(same + 2 >= rows.len(), "{length}: {same} of {}", rows.len());
    }
    for at in 0..header.len() {
        for byte in [0x00, 0xc1, 0xdd, 0xff] {
            let mut broken = header.to_vec();
            broken[at] = byte;
            assert_eq!(together(&bytes::header(&broken), &broken), broken, "{byte:02x} at {at}");
        }
    }
}

/// The frames in tests/data/manifest.json that this crate can read.
fn manifest() -> Vec<Value> {
    let entries: Vec<Value> = serde_json::from_slice(&fs::read(format!("{DATA}/manifest.json")).unwrap()).unwrap();
    entries.into_iter().filter(|entry| entry["kind"] == "cframe" || entry["kind"] == "sframe").collect()
}

/// The header of the example with one metalayer instead of its own.
fn header_with(name: &str, content: &[u8]) -> Header {
    let mut json = serde_json::to_value(File::open(format!("{DATA}/example.b2nd")).unwrap().header()).unwrap();
    let content: String = content.iter().map(|byte| format!("{byte:02x}")).collect();
    json["metalayers"] = json!([[name, content]]);
    serde_json::from_value(json).unwrap()
}
