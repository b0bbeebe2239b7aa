//! Layouts of types: entries against the bytes of values.

use std::collections::BTreeMap;

use b2nd::{Entry, Layout, Value, layout, to_vec};
use hex_literal::hex;
use serde::{Deserialize, Serialize};

/// Each entry's path, offset, marker and lengths, in a line.
pub(crate) fn lines(layout: &Layout) -> Vec<String> {
    let or_not = |number: Option<usize>| number.map_or("-".to_owned(), |number| number.to_string());
    let line = |entry: &Entry| {
        let marker = entry.marker().map_or("--".to_owned(), |marker| format!("{marker:02x}"));
        let lengths = format!("{}..{}", entry.min_len(), or_not(entry.max_len()));
        format!("{} @{} {marker} {lengths} {}", entry.path(), or_not(entry.offset()), entry.what())
    };
    layout.entries().iter().map(line).collect()
}

#[derive(Serialize, Deserialize)]
struct Everything {
    flag: bool,
    small: u8,
    numbers: (u16, u32, u64),
    signed: [i8; 2],
    floats: Floats,
    letter: char,
    nothing: (),
    #[serde(with = "b2nd::with::fixstr_bytes")]
    flags: [u8; 4],
    #[serde(with = "b2nd::with::fixext16")]
    pipeline: [u8; 17],
    #[serde(with = "b2nd::with::array16")]
    pair: (i16, i16),
    #[serde(with = "b2nd::with::embedded")]
    inner: Floats,
    not_zero: std::num::NonZeroI32,
    text: String,
    #[serde(with = "serde_bytes")]
    raw: Vec<u8>,
    #[serde(with = "serde_bytes")]
    four: [u8; 4],
    #[serde(with = "b2nd::with::fixstr")]
    unit: Option<String>,
    list: Vec<Option<i64>>,
    #[serde(with = "b2nd::with::map16")]
    map: BTreeMap<String, i32>,
    kind: Kind,
    any: Value,
}

#[derive(Serialize, Deserialize)]
struct Floats(f32, f64);

#[derive(Serialize, Deserialize)]
enum Kind {
    None,
    Circle(f64),
    Box { width: i32, height: Option<i32> },
    Many(Vec<Kind>),
}

#[test]
fn every_shape_of_a_type_has_its_entries() {
    let expected = [
        " @0 dc 141..- array16 of 20",
        "flag @3 -- 1..1 bool",
        "small @4 -- 1..2 positive fixint, or uint8 above 127",
        "numbers @- 93 18..18 fixarray of 3",
        "numbers[0] @- cd 3..3 uint16",
        "numbers[1] @- ce 5..5 uint32",
        "numbers[2] @- cf 9..9 uint64",
        "signed @- 92 5..5 fixarray of 2",
        "signed[0] @- d0 2..2 int8",
        "signed[1] @- d0 2..2 int8",
        "floats @- 92 15..15 fixarray of 2",
        "floats[0] @- ca 5..5 float32",
        "floats[1] @- cb 9..9 float64",
        "letter @- db 6..9 str32 of one character",
        "nothing @- c0 1..1 nil",
        "flags @- a4 5..5 fixstr of 4",
        "pipeline @- d8 18..18 fixext16",
        "pair @- dc 9..9 array16 of 2",
        "pair[0] @- d1 3..3 int16",
        "pair[1] @- d1 3..3 int16",
        "inner @- c6 20..20 bin32 that holds a value",
        "inner @- 92 15..15 fixarray of 2",
        "inner[0] @- ca 5..5 float32",
        "inner[1] @- cb 9..9 float64",
        "not_zero @- d2 5..5 int32",
        "text @- db 5..- str32",
        "raw @- c6 5..- bin32",
        "four @- c6 9..9 bin32 of 4",
        "unit @- -- 1..32 fixstr or nil",
        "list @- -- 1..- array of any count",
        "list[] @- -- 1..9 int64 or nil",
        "map @- -- 3..- map16 of any count",
        "map[].key @- db 5..- str32",
        "map[].value @- d2 5..5 int32",
        "kind @- -- 9..- a variant's name (str32), or a fixmap of one from it to its data: None, Circle, Box, Many",
        "kind.Circle @- cb 9..9 float64",
        "kind.Box @- 92 7..11 fixarray of 2",
        "kind.Box.width @- d2 5..5 int32",
        "kind.Box.height @- -- 1..5 int32 or nil",
        "kind.Many @- -- 1..- array of any count",
        "kind.Many[] @- -- 1..- Kind again",
        "any @- -- 1..- any entry",
    ];
    let layout = layout::<Everything>().unwrap();
    assert_eq!(lines(&layout), expected);
    assert!(!layout.is_fixed());
}

#[test]
fn offsets_are_those_of_the_bytes_of_a_value() {
    #[derive(Serialize, Deserialize)]
    struct Fixed {
        id: u32,
        geo: Geo,
        flags: (bool, f32),
    }
    #[derive(Serialize, Deserialize)]
    struct Geo {
        origin: [i64; 2],
        step: f64,
    }
    let layout = layout::<Fixed>().unwrap();
    let value = Fixed { id: 7, geo: Geo { origin: [1, 2], step: 0.5 }, flags: (true, 1.5) };
    let bytes = to_vec(&value).unwrap();
    assert!(layout.is_fixed());
    assert_eq!((layout.min_len(), layout.max_len()), (bytes.len(), Some(bytes.len())));
    for entry in layout.entries() {
        let offset = entry.offset().unwrap();
        assert!(entry.marker().is_none_or(|marker| bytes[offset] == marker), "{}", entry.path());
        let found = Value::from_slice(&bytes[offset..offset + entry.min_len()]);
        assert!(found.is_ok(), "{} takes {} bytes", entry.path(), entry.min_len());
    }
    let origin = layout.entries().iter().find(|entry| entry.path() == "geo.origin[1]").unwrap();
    assert_eq!((origin.offset(), origin.marker()), (Some(17), Some(0xd3)));
}

#[test]
fn a_type_inside_itself_is_named_and_cut() {
    #[derive(Deserialize)]
    #[allow(dead_code)]
    struct Tree {
        #[serde(with = "serde_bytes")]
        key: [u8; 3],
        left: Option<Box<Tree>>,
        children: Vec<Tree>,
    }
    #[derive(Deserialize)]
    #[allow(dead_code)]
    enum List {
        Cons(Box<List>, i8),
        Nil,
    }
    #[derive(Deserialize, Debug)]
    #[allow(dead_code)]
    struct Endless(Box<Inside>);
    #[derive(Deserialize, Debug)]
    #[allow(dead_code)]
    struct Inside {
        endless: Endless,
    }
    let tree = [
        " @0 93 11..- fixarray of 3",
        "key @1 c6 8..8 bin32 of 3",
        "left @9 -- 1..- Tree again or nil",
        "children @- -- 1..- array of any count",
        "children[] @- -- 1..- Tree again",
    ];
    assert_eq!(lines(&layout::<Tree>().unwrap()), tree);
    let list = [
        " @0 -- 8..- a variant's name (str32), or a fixmap of one from it to its data: Cons, Nil",
        "Cons @10 92 4..- fixarray of 2",
        "Cons[0] @11 -- 1..- List again",
        "Cons[1] @- d0 2..2 int8",
    ];
    assert_eq!(lines(&layout::<List>().unwrap()), list);
    let error = layout::<Inside>().unwrap_err().to_string();
    assert!(error.ends_with("Inside holds itself without end") || error.ends_with("Endless holds itself without end"), "{error}");
}

#[test]
fn a_type_that_refuses_values_is_given_others() {
    fn even<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
        let number = u8::deserialize(deserializer)?;
        let refuse = || serde::de::Error::custom("not 16 and not 100");
        if number == 16 || number == 100 { Ok(number) } else { Err(refuse()) }
    }
    #[derive(Deserialize)]
    #[allow(dead_code)]
    struct Picky {
        #[serde(deserialize_with = "even")]
        even: u8,
        date: String,
        #[serde(default)]
        last: i32,
    }
    let expected =
        [" @0 -- 7..- fixarray of 2 to 3", "even @1 -- 1..1 positive fixint", "date @2 db 5..- str32", "last @- d2 5..5 int32"];
    assert_eq!(lines(&layout::<Picky>().unwrap()), expected);

    fn never<'de, D: serde::Deserializer<'de>>(_: D) -> Result<u8, D::Error> {
        Err(serde::de::Error::custom("never"))
    }
    #[derive(Deserialize, Debug)]
    #[allow(dead_code)]
    struct Never(#[serde(deserialize_with = "never")] u8, u8);
    let error = layout::<Never>().unwrap_err().to_string();
    assert_eq!(error, "the layout of a type that takes none of the values tried: never");
    assert!(layout::<i128>().unwrap_err().to_string().contains("i128: no marker is 16 bytes wide"));
}

#[test]
fn a_layout_is_data() {
    let json = serde_json::to_value(layout::<(u8, [i32; 1])>().unwrap()).unwrap();
    assert_eq!(json["min_len"], 8);
    assert_eq!(json["max_len"], 9);
    assert_eq!(json["is_fixed"], false);
    assert_eq!(json["entries"][3]["path"], "[1][0]");
    assert_eq!(json["entries"][3]["marker"], 0xd2);
}

#[test]
fn a_description_of_other_bytes_is_refused() {
    let layout = layout::<Everything>().unwrap();
    let value = Everything {
        flag: true,
        small: 200,
        numbers: (1, 2, 3),
        signed: [-1, 1],
        floats: Floats(0.5, 1.5),
        letter: 'é',
        nothing: (),
        flags: [0xff; 4],
        pipeline: [1; 17],
        pair: (1, 2),
        inner: Floats(2.5, 3.5),
        not_zero: std::num::NonZeroI32::MIN,
        text: "text".into(),
        raw: vec![1],
        four: [4; 4],
        unit: Some("m".into()),
        list: vec![None, Some(1)],
        map: BTreeMap::from([("a".into(), 1)]),
        kind: Kind::Many(vec![Kind::None, Kind::Box { width: 1, height: None }, Kind::Circle(1.0)]),
        any: Value::Fixint(1),
    };
    let bytes = to_vec(&value).unwrap();
    let rows = layout.describe(&bytes).unwrap();
    assert_eq!(rows.iter().map(|row| row.length).sum::<usize>(), bytes.len());
    assert!(rows.iter().any(|row| row.path == "map.a" && row.value == "1"));
    for length in 0..bytes.len() {
        assert!(layout.describe(&bytes[..length]).is_err(), "{length}");
    }
    let refused = |bytes: &[u8]| b2nd::layout::<(bool, i16)>().unwrap().describe(bytes).unwrap_err().to_string();
    assert_eq!(refused(&hex!("92 c2 d2 00000001")), "[1]: expected int16, found int32 (d2) at byte 2");
    assert_eq!(refused(&hex!("91 c2")), "expected 2 elements, found 1 at byte 0");
    assert_eq!(refused(&hex!("92 c2 d1 0001 00")), "1 trailing byte after the value at byte 5");
}
