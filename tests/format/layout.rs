//! Where a type's bytes are: entries against the bytes of values, drawings against Blosc2's specifications.

use std::collections::BTreeMap;

use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Entry, Geometry, Layout, LegacyB2ndMeta, Value, layout, to_vec};
use hex_literal::hex;
use serde::{Deserialize, Serialize};

/// Each entry's path, offset, marker and lengths, in a line.
fn lines(layout: &Layout) -> Vec<String> {
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

/// The markers of an array metalayer's entries and their names, in the order of the specifications: `|-0-|-1-|` and so on.
const SPECIFIED: [(&str, Option<u8>, &str); 7] = [
    ("version", None, "positive fixint"),
    ("ndim", None, "positive fixint"),
    ("shape", Some(0xd3), "int64"),
    ("chunkshape", Some(0xd2), "int32"),
    ("blockshape", Some(0xd2), "int32"),
    ("dtype_format", None, "positive fixint"),
    ("dtype", Some(0xdb), "str32"),
];

/// The entries of a layout are the specified ones of these names.
#[track_caller]
fn as_specified(layout: &Layout, count: usize, names: &[&str]) {
    let entries = layout.entries();
    assert_eq!((entries[0].marker(), entries[0].what()), (Some(0x90 + count as u8), &*format!("fixarray of {count}")));
    let mut entries = entries[1..].iter();
    for (offset, name) in (1..).zip(names) {
        let (_, marker, what) = SPECIFIED.into_iter().find(|(known, ..)| known == name).unwrap();
        let entry = entries.next().unwrap();
        assert_eq!((&entry.path(), entry.offset()), (name, (offset < 4).then_some(offset)));
        if name.ends_with("shape") {
            assert_eq!((entry.marker(), entry.what()), (None, "fixarray of any count"), "{name}");
            let item = entries.next().unwrap();
            assert_eq!((item.path(), item.marker(), item.what()), (&*format!("{name}[]"), marker, what));
        } else {
            assert_eq!((entry.marker(), entry.what()), (marker, what), "{name}");
        }
    }
    assert_eq!(entries.next(), None);
}

#[test]
fn the_array_metalayers_are_laid_out_as_specified() {
    let names: Vec<&str> = SPECIFIED.iter().map(|(name, ..)| *name).collect();
    as_specified(&layout::<CatervaMeta>().unwrap(), 5, &names[..5]);
    as_specified(&layout::<LegacyB2ndMeta>().unwrap(), 6, &[&names[..5], &["dtype"]].concat());
    as_specified(&layout::<B2ndMeta>().unwrap(), 7, &names);
    as_specified(&layout::<B2ndMeta<&str>>().unwrap(), 7, &names);
    assert_eq!(layout::<CatervaMeta>().unwrap().max_len(), Some(6 + 16 * 19));
}

/// The boxes of a drawing's rows, without their widths: `9X`, `shape`, ….
fn boxes(drawing: &str) -> Vec<Vec<String>> {
    let rows = drawing.lines().map(str::trim).filter(|line| line.starts_with("| ") && line.ends_with('|') && !line.contains("^"));
    let cells = |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    rows.map(cells).filter(|cells: &Vec<_>| cells.iter().any(|cell| !cell.is_empty())).collect()
}

/// A specification's drawing and one of ours have the same boxes: its `9X`, `v`, `nd` and `dtype_string` are ours by full names.
#[track_caller]
fn same_boxes(specified: &str, layout: &Layout) {
    let ours = boxes(&layout.to_string());
    let full = |cell: &String| match cell.as_str() {
        "v" => "version".to_owned(),
        "nd" => "ndim".to_owned(),
        "XX" => "dtype_format".to_owned(),
        "dtype_string" => "dtype".to_owned(),
        "first_dim" => "first".to_owned(),
        "nth_dim" => "nth".to_owned(),
        cell => cell.to_owned(),
    };
    let mut specified: Vec<Vec<String>> = boxes(specified).iter().map(|row| row.iter().map(full).collect()).collect();
    // The dtype is drawn below there, and in its place here.
    if specified.len() == 5 {
        let dtype = specified.pop().unwrap();
        specified[0].extend(dtype);
    }
    // `d3 first d3 second ... d3 nth` is shorter here.
    specified.iter_mut().skip(1).for_each(|row| drop(row.drain(2..4)));
    let ours: Vec<Vec<String>> = ours
        .iter()
        .map(|row| {
            row.iter()
                .enumerate()
                .map(|(index, cell)| if index == 0 && row.len() > 6 { "9X".into() } else { cell.clone() })
                .collect()
        })
        .collect();
    assert_eq!(ours, specified);
}

#[test]
fn the_drawings_have_the_boxes_of_the_specifications() {
    const SHAPES: &str = "
        | 9X| v | nd| 9X| shape          | 9X| chunkshape     | 9X| blockshape     |
        | d3| first_dim  | d3| second_dim | ... | d3| nth_dim    |
        | d2| first_dim  | d2| second_dim | ... | d2| nth_dim    |
        | d2| first_dim  | d2| second_dim | ... | d2| nth_dim    |";
    let (caterva, legacy, b2nd) =
        (layout::<CatervaMeta>().unwrap(), layout::<LegacyB2ndMeta>().unwrap(), layout::<B2ndMeta>().unwrap());
    same_boxes(SHAPES, &caterva);
    same_boxes(&format!("{SHAPES}\n| db| dtype_len  | dtype_string |"), &legacy);
    same_boxes(&format!("{SHAPES}\n| XX| db| dtype_len  | dtype_string |"), &b2nd);
    // The pages themselves, where they are at hand.
    let Some(pages) = std::env::var_os("B2ND_SPEC") else {
        return crate::common::report("the specifications' own pages are left out: B2ND_SPEC names no directory");
    };
    let mut compared = 0;
    for page in std::fs::read_dir(pages).unwrap() {
        let text = std::fs::read_to_string(page.unwrap().path()).unwrap();
        let page = text
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with("| ") && line.matches('|').count() > 3)
            .collect::<Vec<_>>();
        let drawn =
            page.iter().filter(|line| !line.contains("|   |") && !line.contains("+--")).copied().collect::<Vec<_>>().join("\n");
        match (text.contains("X=5 elements"), text.contains("X=6 elements"), text.contains("X=7 elements")) {
            // One page has its drawings in one line each.
            _ if boxes(&drawn).len() < 4 => continue,
            (true, ..) => same_boxes(&drawn, &caterva),
            (_, true, _) => same_boxes(&drawn, &legacy),
            (.., true) => same_boxes(&drawn, &b2nd),
            _ => continue,
        }
        compared += 1;
    }
    assert!(compared >= 4, "{compared} pages");
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
fn each_byte_of_a_value_is_described() {
    let geometry = Geometry::new(&[400, 3], &[110, 3], &[57, 3]).unwrap();
    let bytes = to_vec(&B2ndMeta::new(geometry, "|u1")).unwrap();
    for layout in [layout::<B2ndMeta>().unwrap(), layout::<ArrayMeta>().unwrap()] {
        let rows = layout.describe(&bytes).unwrap();
        let mut end = 0;
        for row in &rows {
            assert_eq!(row.offset, end);
            end += row.length;
        }
        assert_eq!(end, bytes.len());
        let text: Vec<_> = rows.iter().map(|row| format!("{} {} {}", row.path, row.marker, row.value)).collect();
        assert_eq!(text[3..6], ["shape fixarray 2 elements", "shape[0] int64 400", "shape[1] int64 3"]);
        assert_eq!(text.last().unwrap(), "dtype str32 \"|u1\"");
    }
    // 16 dimensions have a marker of their own.
    let most = Geometry::new(&[2; 16], &[2; 16], &[1; 16]).unwrap();
    let bytes = to_vec(&B2ndMeta::new(most, "|b1")).unwrap();
    assert_eq!(layout::<B2ndMeta>().unwrap().describe(&bytes).unwrap().len(), 1 + 7 + 48);
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
