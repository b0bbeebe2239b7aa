//! Errors over the bytes that they are about.

use b2nd::{B2ndMeta, Geometry, from_slice};
use hex_literal::hex;
use serde::Deserialize;

#[track_caller]
fn shown<'de, T: Deserialize<'de> + std::fmt::Debug>(bytes: &'de [u8], expected: &[&str]) {
    let error = from_slice::<T>(bytes).unwrap_err();
    let text = error.display_with(bytes).to_string();
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn the_mark_is_under_the_byte_at_fault() {
    shown::<(u8, i16)>(
        &hex!("92 01 d2 00000001"),
        &["[1]: expected int16 (d1), found int32 (d2) at byte 2", "  0000  92 01 d2 00 00 00 01", "              ^^ [1]"],
    );
    shown::<i16>(&hex!("c0"), &["expected int16 (d1), found nil (c0) at byte 0", "  0000  c0", "        ^^ here"]);
    shown::<u8>(
        &hex!("01 02 03"),
        &["2 trailing bytes after the value at byte 1", "  0000  01 02 03", "           ^^^^^ 2 bytes after the value"],
    );
    shown::<u8>(
        &[1; 34],
        &[
            "33 trailing bytes after the value at byte 1",
            "  0000  01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01",
            &format!("           {} 33 bytes after the value", "^".repeat(44)),
            "  0010  01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01",
        ],
    );
}

#[test]
fn at_the_end_of_input_the_mark_is_behind_the_last_byte() {
    shown::<(u8, i16)>(
        &hex!("92 01 d1 00"),
        &[
            "unexpected end of input at byte 4: [1] needs 1 more byte",
            "  0000  92 01 d1 00",
            "                    ^^ [1]: 1 more byte",
        ],
    );
    shown::<u8>(b"", &["unexpected end of input at byte 0: the value needs 1 more byte", "  0000 ", "        ^^ 1 more byte"]);
    let bytes = [&hex!("dc 0010")[..], &[1; 13]].concat();
    shown::<Vec<u8>>(
        &bytes,
        &[
            "unexpected end of input at byte 16: [13] needs 1 more byte",
            "  0000  dc 00 10 01 01 01 01 01 01 01 01 01 01 01 01 01",
            &format!("        {}^^ [13]: 1 more byte", " ".repeat(48)),
        ],
    );
}

#[test]
fn an_error_without_a_place_is_its_sentence() {
    let error = b2nd::Error::custom("no place");
    assert_eq!(error.display_with(b"\x01").to_string(), "no place");
    // Of another input, where the place is not.
    let error = from_slice::<(u8, i16)>(&hex!("92 01 c0")).unwrap_err().shifted(100);
    assert_eq!(error.display_with(&hex!("92 01 c0")).to_string(), error.to_string());
}

#[test]
fn a_path_cannot_move_the_cursor() {
    #[derive(Deserialize, Debug)]
    #[allow(dead_code)]
    struct Named(std::collections::BTreeMap<String, u8>);
    let bytes = hex!("81 db 00000002 1b41 c0");
    let text = from_slice::<Named>(&bytes).unwrap_err().display_with(&bytes).to_string();
    assert!(!text.contains('\u{1b}') && text.contains("\\u{1b}A"), "{text}");
}

/// `serde_path_to_error` names what this crate's own path names, and works for errors that other code makes.
#[test]
fn serde_path_to_error_names_the_same_path() {
    let geometry = Geometry::new(&[400, 3], &[110, 3], &[57, 3]).unwrap();
    #[derive(Deserialize, Debug)]
    #[allow(dead_code)]
    struct Tile {
        id: u8,
        steps: Vec<(i16, bool)>,
    }
    let bytes = hex!("92 01 92 92 d1 0001 c2 92 d1 0001 c0");
    let mut deserializer = b2nd::Deserializer::new(&bytes);
    let error = serde_path_to_error::deserialize::<_, Tile>(&mut deserializer).unwrap_err();
    // A struct is a sequence here, so the tracker numbers its fields; this crate knows their names.
    assert_eq!(error.path().to_string(), "[1][1][1]");
    assert_eq!(error.into_inner().path().as_deref(), Some("steps[1][1]"));

    let bytes = b2nd::to_vec(&B2ndMeta::new(geometry, "|u1")).unwrap();
    let mut deserializer = b2nd::Deserializer::new(&bytes);
    assert!(serde_path_to_error::deserialize::<_, B2ndMeta>(&mut deserializer).is_ok());
}
