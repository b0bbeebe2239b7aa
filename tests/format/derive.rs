//! Types with derived serde traits: their bytes, and the effect of serde's attributes.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::common::{both_ways, cat, message, refused, writes};
use hex_literal::hex;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// A str32: the marker `db`, the length, and the text.
fn str32(text: &str) -> Vec<u8> {
    cat(&[&[0xdb], &(text.len() as u32).to_be_bytes(), text.as_bytes()])
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Meta<S = String> {
    version: u8,
    ndim: u8,
    shape: Vec<i64>,
    chunkshape: Vec<i32>,
    blockshape: Vec<i32>,
    dtype_format: u8,
    dtype: S,
}

#[test]
fn plain_fields_give_the_bytes_of_c_blosc2() {
    for name in ["nd0", "nd1", "nd2", "nd8", "nd15", "fmt127", "struct"] {
        let bytes = std::fs::read(format!("tests/data/c-blosc2-3.3.5/clib-b2ndmeta__{name}.b2ndmeta")).unwrap();
        let meta: Meta = b2nd::from_slice(&bytes).unwrap();
        assert_eq!(meta.shape.len(), usize::from(meta.ndim));
        writes(&meta, &bytes);
        let borrowed: Meta<&str> = b2nd::from_slice(&bytes).unwrap();
        assert_eq!(borrowed.dtype, meta.dtype);
        writes(&borrowed, &bytes);
    }
}

#[test]
fn plain_fields_read_the_metalayer_of_a_file() {
    let file = std::fs::read("tests/data/example.b2nd").unwrap();
    let bytes = &crate::common::metalayers(&file)[0];
    let meta: Meta = b2nd::from_slice(bytes).unwrap();
    let (array, _) = b2nd::ArrayMeta::from_metalayer(bytes).unwrap();
    assert_eq!((meta.ndim, meta.shape.as_slice(), Some(meta.dtype.as_str())), (3, array.geometry().shape(), array.dtype()));
    writes(&meta, bytes);
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Point {
    x: i32,
    y: Option<u8>,
}

#[test]
fn flatten_writes_a_map() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Flat {
        id: u8,
        #[serde(flatten)]
        point: Point,
        #[serde(flatten)]
        rest: BTreeMap<String, i16>,
    }
    let value = Flat { id: 1, point: Point { x: 2, y: None }, rest: BTreeMap::from([("z".into(), -1)]) };
    let bytes = cat(&[
        &hex!("84"),
        &str32("id"),
        &hex!("01"),
        &str32("x"),
        &hex!("d2 00000002"),
        &str32("y"),
        &hex!("c0"),
        &str32("z"),
        &hex!("d1 ffff"),
    ]);
    both_ways(value, &bytes);
}

#[test]
fn untagged_newtype_variants_are_told_apart_by_their_markers() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    #[serde(untagged)]
    enum Untagged {
        Flag(bool),
        Number(i64),
        Real(f64),
        Text(String),
        Point(Point),
        List(Vec<Untagged>),
        Map(BTreeMap<String, Untagged>),
        Bytes(ByteBuf),
        Nothing,
    }
    both_ways(Untagged::Flag(true), &hex!("c3"));
    both_ways(Untagged::Number(-1), &hex!("d3 ffffffffffffffff"));
    both_ways(Untagged::Real(1.5), &hex!("cb 3ff8000000000000"));
    both_ways(Untagged::Text("é".into()), &hex!("db 00000002 c3a9"));
    both_ways(Untagged::Point(Point { x: 1, y: Some(2) }), &hex!("92 d200000001 02"));
    both_ways(Untagged::Bytes(ByteBuf::from(vec![0xff])), &hex!("c6 00000001 ff"));
    both_ways(Untagged::Nothing, &hex!("c0"));
    both_ways(Untagged::List(vec![Untagged::Flag(false), Untagged::List(vec![])]), &hex!("92 c2 90"));
    let map = BTreeMap::from([("k".into(), Untagged::List((0..20).map(Untagged::Number).collect()))]);
    let numbers: Vec<u8> = (0..20).flat_map(|n| [0xd3, 0, 0, 0, 0, 0, 0, 0, n]).collect();
    both_ways(Untagged::Map(map), &cat(&[&hex!("81"), &str32("k"), &hex!("dc 0014"), &numbers]));
}

#[test]
fn an_internal_tag_is_the_first_field() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    #[serde(tag = "kind")]
    enum Internal {
        Unit,
        Newtype(Point),
        Struct { x: i32, y: u8 },
    }
    both_ways(Internal::Unit, &cat(&[&hex!("91"), &str32("Unit")]));
    let point = Point { x: 1, y: None };
    both_ways(Internal::Newtype(point), &cat(&[&hex!("93"), &str32("Newtype"), &hex!("d200000001 c0")]));
    both_ways(Internal::Struct { x: 1, y: 2 }, &cat(&[&hex!("93"), &str32("Struct"), &hex!("d200000001 02")]));
}

#[test]
fn an_adjacent_tag_stands_before_its_content() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        Newtype(Point),
        Tuple(u8, i16),
    }
    let newtype = cat(&[&hex!("92"), &str32("Newtype"), &hex!("92 d200000001 c0")]);
    both_ways(Adjacent::Newtype(Point { x: 1, y: None }), &newtype);
    both_ways(Adjacent::Tuple(1, 2), &cat(&[&hex!("92"), &str32("Tuple"), &hex!("92 01 d10002")]));
}

#[test]
fn an_enum_of_each_kind() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    enum Kind {
        Unit,
        Newtype(u16),
        Tuple(u8, bool),
        Struct { x: i8 },
    }
    both_ways(Kind::Unit, &str32("Unit"));
    both_ways(Kind::Newtype(7), &cat(&[&hex!("81"), &str32("Newtype"), &hex!("cd0007")]));
    both_ways(Kind::Tuple(7, true), &cat(&[&hex!("81"), &str32("Tuple"), &hex!("92 07 c3")]));
    both_ways(Kind::Struct { x: -1 }, &cat(&[&hex!("81"), &str32("Struct"), &hex!("91 d0ff")]));
    both_ways(vec![Some(Kind::Unit), None], &cat(&[&hex!("92"), &str32("Unit"), &hex!("c0")]));

    refused::<Kind>(&str32("Nope"), "unknown variant `Nope`, expected one of `Unit`, `Newtype`, `Tuple`, `Struct` at byte 0");
    refused::<Kind>(&hex!("01"), "expected an enum's variant (db, or 81 if it holds data), found positive fixint (01) at byte 0");
    refused::<Kind>(&hex!("82"), "expected an enum's variant (db, or 81 if it holds data), found fixmap (82) at byte 0");
    refused::<Kind>(
        &str32("Tuple"),
        "this variant holds data: expected a fixmap with one entry (81), found only the name at byte 0",
    );
    refused::<Kind>(
        &cat(&[&hex!("81"), &str32("Unit"), &hex!("c0")]),
        "this variant holds no data: expected only its name (db), found a fixmap with one entry at byte 0",
    );
    refused::<Kind>(&cat(&[&hex!("81"), &str32("Tuple"), &hex!("91 07")]), "expected 2 elements, found 1 at byte 11");
    refused::<Kind>(
        &cat(&[&hex!("81"), &str32("Struct"), &hex!("91 01")]),
        "x: expected int8 (d0), found positive fixint (01) at byte 13",
    );
}

#[test]
fn a_default_fills_what_is_missing_at_the_end() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Grown {
        old: u8,
        #[serde(default)]
        new: u16,
    }
    both_ways(Grown { old: 1, new: 2 }, &hex!("92 01 cd0002"));
    assert_eq!(b2nd::from_slice::<Grown>(&hex!("91 01")).unwrap(), Grown { old: 1, new: 0 });
    refused::<Grown>(&hex!("90"), "invalid length 0, expected struct Grown with 2 elements");
}

#[test]
fn a_skipped_field_is_not_there() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Skipping {
        first: u8,
        #[serde(skip)]
        cache: String,
        last: u16,
    }
    both_ways(Skipping { first: 1, cache: String::new(), last: 2 }, &hex!("92 01 cd0002"));
    refused::<Skipping>(&hex!("92 01 02"), "last: expected uint16 (cd), found positive fixint (02) at byte 2");
}

#[test]
fn a_field_that_is_skipped_in_one_direction_is_an_error_unless_a_default_hides_it() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct NotWritten {
        #[serde(skip_serializing)]
        a: i8,
        b: i8,
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct NotRead {
        #[serde(skip_deserializing)]
        a: i8,
        b: i8,
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Hidden {
        #[serde(skip_serializing)]
        a: i8,
        #[serde(default)]
        b: i8,
    }
    let bytes = b2nd::to_vec(&NotWritten { a: 1, b: 2 }).unwrap();
    refused::<NotWritten>(&bytes, "invalid length 1, expected struct NotWritten with 2 elements");
    let bytes = b2nd::to_vec(&NotRead { a: 1, b: 2 }).unwrap();
    refused::<NotRead>(&bytes, "expected 1 element, found 2 at byte 0");
    let bytes = b2nd::to_vec(&Hidden { a: 1, b: 2 }).unwrap();
    assert_eq!(b2nd::from_slice::<Hidden>(&bytes).unwrap(), Hidden { a: 2, b: 0 });
}

#[test]
fn text_and_bytes_are_borrowed() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Borrowing<'a> {
        text: &'a str,
        #[serde(with = "serde_bytes")]
        bytes: &'a [u8],
        #[serde(borrow)]
        cow: Cow<'a, str>,
        #[serde(borrow, with = "serde_bytes")]
        cow_bytes: Cow<'a, [u8]>,
    }
    let bytes = hex!("94 db00000001 61 c600000001 62 db00000001 63 c600000001 64");
    let value = Borrowing { text: "a", bytes: b"b", cow: "c".into(), cow_bytes: Cow::Borrowed(b"d") };
    both_ways(value, &bytes);
    let value: Borrowing = b2nd::from_slice(&bytes).unwrap();
    assert!(bytes.as_ptr_range().contains(&value.text.as_ptr()));
    assert!(bytes.as_ptr_range().contains(&value.bytes.as_ptr()));
    assert!(matches!((value.cow, value.cow_bytes), (Cow::Borrowed("c"), Cow::Borrowed(b"d"))));
}

#[test]
fn a_map_has_keys_of_any_type() {
    both_ways(BTreeMap::from([(1u8, 2u8), (200, 3)]), &hex!("82 01 02 ccc8 03"));
    both_ways(BTreeMap::from([((1u8, -1i16), ())]), &hex!("81 92 01 d1ffff c0"));
    both_ways(BTreeMap::from([(None, false), (Some(7u16), true)]), &hex!("82 c0 c2 cd0007 c3"));
    both_ways(BTreeMap::from([(ByteBuf::from(vec![1]), 'x')]), &hex!("81 c600000001 01 db00000001 78"));
    both_ways(BTreeMap::from([(vec![1u8], BTreeMap::from([(true, ())]))]), &hex!("81 91 01 81 c3 c0"));
    both_ways(HashMap::from([("key".to_owned(), 1u8)]), &cat(&[&hex!("81"), &str32("key"), &hex!("01")]));
    let large: HashMap<u16, String> = (0..1000).map(|key| (key, key.to_string())).collect();
    assert_eq!(b2nd::from_slice::<HashMap<u16, String>>(&b2nd::to_vec(&large).unwrap()).unwrap(), large);
}

#[test]
fn newtypes_and_generics_nest() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Wrapper<T>(T);
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Pair<A, B> {
        a: A,
        b: Vec<B>,
    }
    both_ways(Wrapper(Wrapper(Some(Wrapper(-1i8)))), &hex!("d0ff"));
    both_ways(
        Pair { a: Wrapper(Pair { a: (), b: vec![Some(1u8), None] }), b: vec![(true, [Wrapper(1i16); 2])] },
        &hex!("92 92 c0 92 01 c0 91 92 c3 92 d10001 d10001"),
    );
    impl Copy for Wrapper<i16> {}
    impl Clone for Wrapper<i16> {
        fn clone(&self) -> Self {
            *self
        }
    }
}

#[test]
fn an_alias_does_not_rename_the_fields_after_it() {
    #[derive(Deserialize, Debug)]
    struct Aliased {
        #[serde(alias = "first", alias = "zero")]
        a: u8,
        b: u16,
    }
    let error = b2nd::from_slice::<Aliased>(&hex!("92 01 02")).map(|Aliased { a, b }| (a, b)).unwrap_err();
    assert_eq!(error.to_string(), "[1]: expected uint16 (cd), found positive fixint (02) at byte 2");
    assert_eq!(message(b2nd::from_slice::<Aliased>(&hex!("93 01 cd0002 03"))), "expected 2 elements, found 3 at byte 0");
}

#[test]
fn json_is_transcoded_both_ways() {
    let json = r#"{"a":[1,-2,3.5,null,true,"x",[],{}],"b":{"c":{"d":[[[0]]]}},"e":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}"#;
    let mut serializer = b2nd::Serializer::new(Vec::new());
    serde_transcode::transcode(&mut serde_json::Deserializer::from_str(json), &mut serializer).unwrap();
    let bytes = serializer.into_output();
    let mut back = serde_json::Serializer::new(Vec::new());
    serde_transcode::transcode(&mut b2nd::Deserializer::new(&bytes), &mut back).unwrap();
    assert_eq!(String::from_utf8(back.into_inner()).unwrap(), json);

    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    both_ways(value, &bytes);
    both_ways(serde_json::json!([0, -1, 0.5]), &hex!("93 cf0000000000000000 d3ffffffffffffffff cb3fe0000000000000"));
}

#[test]
fn every_marker_is_transcoded_as_it_is() {
    #[derive(Serialize)]
    struct Everything(bool, u8, u8, u16, u32, u64, i8, i16, i32, i64, f32, f64, char, ByteBuf, (), Vec<u8>, BTreeMap<u8, u8>);
    let map = (0..16).map(|key| (key, key)).collect();
    let value = Everything(true, 1, 200, 3, 4, 5, 6, 7, 8, 9, 1.5, 2.5, 'x', ByteBuf::from(vec![1]), (), vec![0; 65_536], map);
    let bytes = b2nd::to_vec(&value).unwrap();
    let mut serializer = b2nd::Serializer::new(Vec::new());
    serde_transcode::transcode(&mut b2nd::Deserializer::new(&bytes), &mut serializer).unwrap();
    assert_eq!(crate::common::Hex(&serializer.into_output()), crate::common::Hex(&bytes));
    let ignored: (serde::de::IgnoredAny, u8) = b2nd::from_slice(&cat(&[&hex!("92"), &bytes[..], &hex!("07")])).unwrap();
    assert_eq!(ignored.1, 7);
}

#[test]
fn types_of_the_standard_library() {
    use std::collections::{BTreeSet, VecDeque};
    use std::net::{IpAddr, Ipv4Addr};
    both_ways(std::time::Duration::new(1, 2), &hex!("92 cf0000000000000001 ce00000002"));
    both_ways(-1i8..5, &hex!("92 d0ff d005"));
    both_ways(Ok::<u8, bool>(1), &cat(&[&hex!("81"), &str32("Ok"), &hex!("01")]));
    both_ways(Err::<u8, bool>(true), &cat(&[&hex!("81"), &str32("Err"), &hex!("c3")]));
    both_ways(IpAddr::V4(Ipv4Addr::LOCALHOST), &cat(&[&hex!("81"), &str32("V4"), &hex!("94 7f 00 00 01")]));
    both_ways(std::num::NonZeroU16::MIN, &hex!("cd0001"));
    both_ways(std::marker::PhantomData::<u8>, &hex!("c0"));
    both_ways(BTreeSet::from([3u8, 1]), &hex!("92 01 03"));
    both_ways(VecDeque::from([true]), &hex!("91 c3"));
    both_ways(Box::new(std::num::Wrapping(7u8)), &hex!("07"));
    both_ways(std::path::PathBuf::from("a/b"), &str32("a/b"));
    writes("str", &str32("str"));
    writes(&[1u8, 2][..], &hex!("92 01 02"));
}
