//! Layouts of values, compared with the encoded bytes.

use std::collections::BTreeMap;

use b2nd::{Entry, Layout, Value, layout, to_vec};
use serde::Serialize;

/// One line for each entry: its path, offset, marker and length.
pub(crate) fn lines(layout: &Layout) -> Vec<String> {
    let line = |entry: &Entry| format!("{} @{} {:02x} {}", entry.path(), entry.offset(), entry.marker(), entry.len());
    layout.entries().iter().map(line).collect()
}

#[derive(Serialize)]
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
    #[serde(with = "b2nd::with::dims")]
    dims: (i8,),
    not_zero: std::num::NonZeroI32,
    text: String,
    #[serde(with = "serde_bytes")]
    raw: Vec<u8>,
    #[serde(with = "b2nd::with::fixstr")]
    unit: Option<String>,
    list: Vec<Option<i64>>,
    #[serde(with = "b2nd::with::map16")]
    map: BTreeMap<String, i32>,
    keys: BTreeMap<i8, (i8, i8)>,
    kind: Kind,
    tagged: Tagged,
    any: Value,
}

#[derive(Serialize)]
struct Floats(f32, f64);

#[derive(Serialize)]
#[serde(tag = "is")]
enum Tagged {
    Ring { radius: f64, width: f64 },
}

#[derive(Serialize)]
enum Kind {
    None,
    Circle(f64),
    Box { width: i32, height: Option<i32> },
    Many(Vec<Kind>),
}

fn everything() -> Everything {
    Everything {
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
        dims: (1,),
        not_zero: std::num::NonZeroI32::MIN,
        text: "text".into(),
        raw: vec![1],
        unit: Some("m".into()),
        list: vec![None, Some(1)],
        map: BTreeMap::from([("a".into(), 1)]),
        keys: BTreeMap::from([(7, (1, 2))]),
        kind: Kind::Many(vec![Kind::None, Kind::Box { width: 1, height: None }, Kind::Circle(1.0)]),
        tagged: Tagged::Ring { radius: 1.0, width: 0.5 },
        any: Value::Array(vec![Value::Nil], b2nd::Head::Fix),
    }
}

#[test]
fn every_shape_of_a_value_has_its_entries() {
    let expected = [
        " @0 dc 229",
        "flag @3 c3 1",
        "small @4 cc 2",
        "numbers @6 93 18",
        "numbers[0] @7 cd 3",
        "numbers[1] @10 ce 5",
        "numbers[2] @15 cf 9",
        "signed @24 92 5",
        "signed[0] @25 d0 2",
        "signed[1] @27 d0 2",
        "floats @29 92 15",
        "floats[0] @30 ca 5",
        "floats[1] @35 cb 9",
        "letter @44 db 7",
        "nothing @51 c0 1",
        "flags @52 a4 5",
        "pipeline @57 d8 18",
        "pair @75 dc 9",
        "pair[0] @78 d1 3",
        "pair[1] @81 d1 3",
        "dims @84 91 3",
        "dims[0] @85 d0 2",
        "not_zero @87 d2 5",
        "text @92 db 9",
        "raw @101 c6 6",
        "unit @107 a1 2",
    ];
    let layout = layout(&everything()).unwrap();
    let found = lines(&layout);
    assert_eq!(found[..expected.len()], expected);
    let rest = [
        "list @? 92 11",
        "list[0] @? c0 1",
        "list[1] @? d3 9",
        "map @? de 14",
        "map[0].key @? db 6",
        "map.a @? d2 5",
        "keys @? 81 8",
        "keys[0].key @? d0 2",
        "keys[0].value @? 92 5",
        "keys[0].value[0] @? d0 2",
        "keys[0].value[1] @? d0 2",
        "kind @? 81 57",
        "kind[0].key @? db 9",
        "kind.Many @? 93 47",
        "kind.Many[0] @? db 9",
        "kind.Many[1] @? 81 16",
        "kind.Many[1][0].key @? db 8",
        "kind.Many[1].Box @? 92 7",
        "kind.Many[1].Box.width @? d2 5",
        "kind.Many[1].Box.height @? c0 1",
        "kind.Many[2] @? 81 21",
        "kind.Many[2][0].key @? db 11",
        "kind.Many[2].Circle @? cb 9",
        "tagged @? 93 28",
        "tagged.is @? db 9",
        "tagged.radius @? cb 9",
        "tagged.width @? cb 9",
        "any @? 91 2",
        "any[0] @? c0 1",
    ];
    let start = found.iter().position(|line| line.starts_with("list ")).unwrap();
    let anywhere = |line: &String| {
        let (path, rest) = line.split_once('@').unwrap();
        format!("{path}@? {}", rest.split_once(' ').unwrap().1)
    };
    assert_eq!(found[start..].iter().map(anywhere).collect::<Vec<_>>(), rest);
}

#[test]
fn the_marker_of_a_list_of_unknown_length_moves_what_is_in_it() {
    struct Endless;
    impl Serialize for Endless {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq((0..20i8).filter(|number| number % 2 == 0).map(|number| (number, Some(number))))
        }
    }
    let layout = layout(&(Endless, 1i8)).unwrap();
    assert_eq!(lines(&layout)[1..5], ["[0] @1 9a 51", "[0][0] @2 92 5", "[0][0][0] @3 d0 2", "[0][0][1] @5 d0 2"]);
    assert_eq!(lines(&layout).last().unwrap(), "[1] @52 d0 2");
}

#[test]
fn offsets_are_those_of_the_bytes() {
    #[derive(Serialize)]
    struct Fixed {
        id: u32,
        geo: Geo,
        flags: (bool, f32),
    }
    #[derive(Serialize)]
    struct Geo {
        origin: [i64; 2],
        step: f64,
    }
    let value = Fixed { id: 7, geo: Geo { origin: [1, 2], step: 0.5 }, flags: (true, 1.5) };
    let (layout, bytes) = (layout(&value).unwrap(), to_vec(&value).unwrap());
    assert_eq!(layout.len(), bytes.len());
    for entry in layout.entries() {
        assert_eq!(bytes[entry.offset()], entry.marker(), "{}", entry.path());
        let found = Value::from_slice(&bytes[entry.offset()..][..entry.len()]);
        assert!(found.is_ok(), "{} takes {} bytes", entry.path(), entry.len());
    }
    let origin = layout.entries().iter().find(|entry| entry.path() == "geo.origin[1]").unwrap();
    assert_eq!((origin.offset(), origin.marker()), (17, 0xd3));
}

#[test]
fn a_value_without_bytes_has_no_layout() {
    assert!(layout(&1i128).unwrap_err().to_string().contains("i128: MessagePack has no 128-bit integers"));
}

#[test]
fn a_layout_is_data() {
    let json = serde_json::to_value(layout(&(7u8, [1i32])).unwrap()).unwrap();
    assert_eq!(json["entries"][3], serde_json::json!({"path": "[1][0]", "depth": 2, "marker": 0xd2, "offset": 3, "len": 5}));
}
