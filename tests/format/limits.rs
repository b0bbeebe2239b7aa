//! Limits: values that this format cannot represent are rejected.

use std::collections::BTreeMap;

use crate::common::{both_ways, cat, layouts, message, refused, unwritable, writes};
use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, LegacyB2ndMeta};
use hex_literal::hex;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_bytes::ByteBuf;
use serde_json::Value;

#[test]
fn a_struct_variant_of_an_untagged_enum_is_written_and_not_read() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    #[serde(untagged)]
    enum Untagged {
        Struct { x: u8 },
    }
    writes(&Untagged::Struct { x: 1 }, &hex!("91 01"));
    refused::<Untagged>(&hex!("91 01"), "data did not match any variant of untagged enum Untagged");
}

#[test]
fn some_variants_of_an_adjacently_tagged_enum_are_written_and_not_read() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        Struct { x: u8 },
        Unit,
    }
    writes(&Adjacent::Struct { x: 1 }, &hex!("92 db00000006 537472756374 91 01"));
    refused::<Adjacent>(
        &hex!("92 db00000006 537472756374 91 01"),
        "c: invalid type: sequence, expected struct variant Adjacent::Struct at byte 12",
    );
    writes(&Adjacent::Unit, &hex!("91 db00000004 556e6974"));
    refused::<Adjacent>(&hex!("91 db00000004 556e6974"), "invalid length 1, expected adjacently tagged enum Adjacent");
}

#[test]
fn a_struct_that_is_written_by_name_is_told_apart() {
    #[derive(Deserialize, Debug)]
    struct Station {
        #[allow(dead_code)]
        a: u8,
    }
    let expected = "array (90 to 9f, dc, dd; for a struct with field names, use `msgpack::from_slice`)";
    refused::<Station>(b"\x81\xa1a\x01", &format!("expected {expected}, found fixmap (81) at byte 0"));
    refused::<(u8, Station)>(
        b"\x92\x01\xde\x00\x01\xdb\0\0\0\x01a\x01",
        &format!("[1]: expected {expected}, found map16 (de) at byte 2"),
    );
    refused::<Station>(b"\x81\x01\x01", "expected array (90 to 9f, dc, dd), found fixmap (81) at byte 0");
    refused::<Station>(b"\xc0", "expected array (90 to 9f, dc, dd), found nil (c0) at byte 0");
}

#[test]
fn a_field_cannot_be_left_out_when_written() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Sometimes {
        #[serde(skip_serializing_if = "Option::is_none")]
        a: Option<u8>,
        b: u8,
    }
    #[derive(Serialize)]
    enum Variant {
        Struct {
            #[serde(skip_serializing_if = "Option::is_none")]
            a: Option<u8>,
        },
    }
    both_ways(Sometimes { a: Some(1), b: 2 }, &hex!("92 01 02"));
    let expected = "unsupported: skip_serializing_if: fields are found by their position, so each has to be written";
    unwritable(&Sometimes { a: None, b: 2 }, &format!("a: {expected}"));
    unwritable(&Variant::Struct { a: None }, &format!("a: {expected}"));
}

#[test]
fn some_of_nothing_is_refused_since_it_would_be_read_as_none() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Unit;
    #[derive(Serialize)]
    struct Marked(#[serde(with = "b2nd::with::fixstr")] Option<Option<String>>);
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Newtype<T>(T);

    let expected = "unsupported: a nil in Some, such as Some(()): it would be read as None";
    unwritable(&Some(None::<u8>), expected);
    unwritable(&Some(Some(None::<u8>)), expected);
    unwritable(&Some(()), expected);
    unwritable(&(1u8, Some(Unit)), &format!("[1]: {expected}"));
    unwritable(&Some(Newtype(None::<u8>)), expected);
    unwritable(&Marked(Some(None)), expected);

    both_ways(Some(Some(1u8)), &hex!("01"));
    both_ways(None::<Option<u8>>, &hex!("c0"));
    both_ways((None::<u8>, Some(0u8)), &hex!("92 c0 00"));
    both_ways(Some((None::<u8>, ())), &hex!("92 c0 c0"));
    both_ways(Some(vec![None::<u8>]), &hex!("91 c0"));
    writes(&Marked(None), hex!("91 c0").split_at(1).1);
    // The marker of a sequence of unknown length is inserted last and moves the nil.
    struct Unknown;
    impl Serialize for Unknown {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeSeq;
            let mut elements = serializer.serialize_seq(None)?;
            elements.serialize_element(&())?;
            elements.end()
        }
    }
    writes(&Some(Unknown), &hex!("91 c0"));
}

#[test]
fn sixteen_dimensions_are_read_by_type_alone() {
    #[derive(Deserialize, Debug)]
    #[serde(untagged)]
    enum Untagged {
        Array(#[allow(dead_code)] B2ndMeta),
    }
    #[derive(Serialize, Deserialize, Debug)]
    struct Flat {
        #[serde(flatten)]
        inner: Inner,
    }
    #[derive(Serialize, Deserialize, Debug)]
    struct Inner {
        array: B2ndMeta,
    }
    let [.., (_, bytes)] = layouts(16);
    let array: B2ndMeta = b2nd::from_slice(&bytes).unwrap();
    let told = message(b2nd::from_slice::<IgnoredAny>(&bytes));
    refused::<Value>(&bytes, &told);
    refused::<Untagged>(&bytes, "data did not match any variant of untagged enum Untagged");
    let flat = b2nd::to_vec(&Flat { inner: Inner { array } }).unwrap();
    assert_eq!(flat, cat(&[&hex!("81 db00000005 6172726179"), &bytes]));
    assert!(b2nd::from_slice::<Flat>(&flat).is_err());
    assert!(b2nd::from_slice::<BTreeMap<String, B2ndMeta>>(&flat).is_ok());
    refused::<Value>(&bytes, "the value is followed by 279 trailing bytes at byte 40");
}

#[test]
fn fifteen_dimensions_are_read_by_buffering_too() {
    #[derive(Deserialize, PartialEq, Debug)]
    #[serde(untagged)]
    enum Untagged {
        Array(B2ndMeta),
        Legacy(LegacyB2ndMeta),
        Caterva(CatervaMeta),
    }
    for (array, bytes) in layouts(15) {
        let read = b2nd::from_slice::<Untagged>(&bytes);
        match array.into_owned() {
            ArrayMeta::B2nd(meta) => assert_eq!(read.unwrap(), Untagged::Array(meta)),
            ArrayMeta::LegacyB2nd(meta) => assert_eq!(read.unwrap(), Untagged::Legacy(meta)),
            ArrayMeta::Caterva(meta) => assert_eq!(read.unwrap(), Untagged::Caterva(meta)),
            // The count leaves out the dtype, so no variant matches.
            _ => assert_eq!(message(read), "data did not match any variant of untagged enum Untagged"),
        }
    }
}

#[test]
fn a_users_own_struct_writes_16_dimensions_as_msgpack_does() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Meta(u8, u8, Vec<i64>, Vec<i32>, Vec<i32>);
    let shape: Vec<u8> = (0..16).flat_map(|_| hex!("d3 0000000000000001")).collect();
    let chunkshape: Vec<u8> = (0..16).flat_map(|_| hex!("d2 00000001")).collect();
    let list = |marker: &[u8]| cat(&[&hex!("95 00 10"), marker, &shape, marker, &chunkshape, marker, &chunkshape]);
    both_ways(Meta(0, 16, vec![1; 16], vec![1; 16], vec![1; 16]), &list(&hex!("dc 0010")));
    refused::<Meta>(
        &list(&hex!("a0")),
        "[2]: expected array (90 to 9f, dc, dd; with::dims reads a0 as 16 elements), found fixstr (a0) at byte 3",
    );
    refused::<CatervaMeta>(
        &list(&hex!("dc 0010")),
        "shape: expected a list of at most 16 elements (90 to a0), found array16 (dc) at byte 3",
    );
    assert_eq!(b2nd::from_slice::<CatervaMeta>(&list(&hex!("a0"))).unwrap().geometry.shape(), [1; 16]);
}

const DEEP: &str = "nested more than 128 levels deep";

#[test]
fn sequences_and_maps_nest_128_deep() {
    let arrays = |depth| (1..depth).fold(Value::Array(vec![]), |inner, _| Value::Array(vec![inner]));
    both_ways(arrays(128), &cat(&[&[0x91; 127], &hex!("90")]));
    unwritable(&arrays(129), &format!("{}: {DEEP}", "[0]".repeat(128)));
    refused::<Value>(&cat(&[&[0x91; 128], &hex!("90")]), &format!("{}: {DEEP} at byte 128", "[0]".repeat(128)));
    refused::<IgnoredAny>(&cat(&[&[0x91; 128], &hex!("90")]), &format!("{}: {DEEP} at byte 128", "[0]".repeat(128)));

    let object = |value| Value::Object([("k".to_owned(), value)].into_iter().collect());
    let maps = |depth| (0..depth).fold(Value::Null, |inner, _| object(inner));
    let entry = hex!("81 db00000001 6b");
    both_ways(maps(128), &cat(&[&entry.repeat(128), &hex!("c0")]));
    unwritable(&maps(129), &format!("{}: {DEEP}", vec!["value"; 128].join(".")));
    let path = vec!["k"; 128].join(".");
    refused::<Value>(&cat(&[&entry.repeat(129), &hex!("c0")]), &format!("{path}: {DEEP} at byte 896"));
}

/// An enum that can be nested in each kind of variant.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
enum Tree {
    Leaf,
    Newtype(Box<Tree>),
    Tuple(Box<Tree>, u8),
    Struct { inner: Box<Tree> },
}

#[test]
fn variants_nest_128_deep() {
    type Wrap = fn(Tree) -> Tree;
    let kinds: [Wrap; 3] = [
        |tree| Tree::Newtype(Box::new(tree)),
        |tree| Tree::Tuple(Box::new(tree), 1),
        |tree| Tree::Struct { inner: Box::new(tree) },
    ];
    for wrap in kinds {
        let tree = |depth| (0..depth).fold(Tree::Leaf, |inner, _| wrap(inner));
        let bytes = b2nd::to_vec(&tree(128)).unwrap();
        both_ways(tree(128), &bytes);
        let error = b2nd::to_vec(&tree(129)).unwrap_err();
        assert!(matches!(error.kind(), b2nd::ErrorKind::TooDeep), "{error}");
        // Adds one more copy of the bytes before the inner variant. The end, where a byte may then be missing, is never reached.
        let outer = (bytes.len() - b2nd::to_vec(&tree(127)).unwrap().len()) - usize::from(bytes.ends_with(&[1]));
        let error = b2nd::from_slice::<Tree>(&cat(&[&bytes[..outer], &bytes])).unwrap_err();
        assert!(matches!(error.kind(), b2nd::ErrorKind::TooDeep), "{error}");
    }
}

/// `Some` and newtypes write no bytes of their own, so the nesting of this type does not show in the input.
#[derive(Deserialize, PartialEq, Debug)]
struct Endless(Option<Box<Endless>>);

/// A string inside this number of newtypes and `Some`s.
struct Levels(usize);

impl Serialize for Levels {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            0 => serializer.serialize_str("a"),
            levels if levels % 2 == 0 => serializer.serialize_newtype_struct("Levels", &Levels(levels - 1)),
            levels => serializer.serialize_some(&Levels(levels - 1)),
        }
    }
}

#[test]
fn options_and_newtypes_nest_128_deep() {
    writes(&Levels(128), &hex!("db00000001 61"));
    unwritable(&Levels(129), DEEP);
    assert_eq!(b2nd::from_slice::<Endless>(&hex!("c0")).unwrap(), Endless(None));
    refused::<Endless>(&hex!("01"), &format!("{DEEP} at byte 0"));

    #[derive(Serialize)]
    struct MarkedLevels(#[serde(with = "b2nd::with::fixstr")] Levels);
    writes(&MarkedLevels(Levels(127)), &hex!("a1 61"));
    unwritable(&MarkedLevels(Levels(128)), DEEP);
    #[derive(Deserialize, PartialEq, Debug)]
    struct MarkedEndless(#[serde(with = "b2nd::with::fixstr")] Endless);
    refused::<MarkedEndless>(&hex!("a1 61"), &format!("{DEEP} at byte 0"));

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Marked(#[serde(with = "b2nd::with::array16")] Vec<Marked>);
    let marked = |depth| (1..depth).fold(Marked(vec![]), |inner, _| Marked(vec![inner]));
    both_ways(marked(64), &cat(&[&hex!("dc0001").repeat(63), &hex!("dc0000")]));
    unwritable(&marked(65), &format!("{}: {DEEP}", "[0]".repeat(64)));
    refused::<Marked>(&hex!("dc0001").repeat(65), &format!("{}: {DEEP} at byte 192", "[0]".repeat(64)));
}

/// Each entry of a map is read by the map's own reader. If leaving a level did not reduce the depth, the next entries would be
/// too deep.
#[test]
fn what_stands_side_by_side_is_no_deeper() {
    #[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
    struct Newtype<T>(T);
    #[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
    struct Marked {
        #[serde(with = "b2nd::with::fixstr")]
        text: Option<Newtype<String>>,
        #[serde(with = "b2nd::with::array16")]
        list: Vec<u8>,
        #[serde(with = "b2nd::with::map16")]
        map: BTreeMap<u8, u8>,
        #[serde(with = "b2nd::with::dims")]
        dims: Newtype<Vec<u8>>,
    }
    fn two_hundred<T: Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug + Clone>(value: T) {
        let many: BTreeMap<u8, T> = (0..200).map(|key| (key, value.clone())).collect();
        both_ways(many.clone(), &b2nd::to_vec(&many).unwrap());
    }
    two_hundred(Some(1u8));
    two_hundred(Newtype(1u8));
    two_hundred((1u8, vec![2u8]));
    two_hundred(BTreeMap::from([(1u8, ())]));
    two_hundred(Marked { text: Some(Newtype("a".into())), list: vec![1], map: BTreeMap::from([(1, 2)]), dims: Newtype(vec![3]) });
    two_hundred(Newtype(B2ndMeta::new(crate::common::geometry(2), "<i4".to_owned())));
    two_hundred(Ok::<u8, bool>(1));
    #[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
    enum Variant {
        Tuple(u8, u8),
        Struct { x: u8 },
    }
    two_hundred((Variant::Tuple(1, 2), Variant::Struct { x: 3 }));
}

#[test]
fn ten_megabytes_of_markers_do_not_overflow_the_stack() {
    #[derive(Deserialize, Debug)]
    struct Nested(#[allow(dead_code)] Vec<Nested>);
    #[derive(Deserialize, Debug)]
    #[serde(untagged)]
    enum Untagged {
        List(#[allow(dead_code)] Vec<Untagged>),
    }
    for marker in [0x81, 0x91, 0x9f, 0x8f] {
        let input = vec![marker; 10_000_000];
        let deep = |error: b2nd::Error| matches!(error.kind(), b2nd::ErrorKind::TooDeep);
        assert!(b2nd::from_slice::<IgnoredAny>(&input).is_err_and(deep));
        assert!(b2nd::from_slice::<Endless>(&input).is_err_and(deep));
        assert!(b2nd::from_slice::<Value>(&input).is_err());
        assert!(b2nd::from_slice::<Untagged>(&input).is_err());
        assert!(b2nd::from_slice::<Nested>(&input).is_err());
        assert!(b2nd::from_slice::<Tree>(&input).is_err());
        assert!(ArrayMeta::from_metalayer(&input).is_err());
    }
}

#[test]
fn a_length_of_4_gib_is_the_end_of_the_input() {
    let needs = |count: u64| format!("unexpected end of input at byte 7: the value needs {count} more bytes");
    refused::<String>(&hex!("db ffffffff 6162"), &needs(4_294_967_293));
    refused::<ByteBuf>(&hex!("c6 ffffffff 6162"), &needs(4_294_967_293));
    refused::<Value>(&hex!("db ffffffff 6162"), &needs(4_294_967_293));
    let element = |index: &str| format!("unexpected end of input at byte 7: {index} needs 1 more byte");
    refused::<Vec<u8>>(&hex!("dd ffffffff 0102"), &element("[2]"));
    refused::<Vec<()>>(&hex!("dd ffffffff c0c0"), &element("[2]"));
    refused::<Vec<[u8; 32]>>(&hex!("dd ffffffff dc00"), &element("[0]"));
    refused::<Value>(&hex!("dd ffffffff 0102"), &element("[2]"));
    refused::<BTreeMap<u8, u8>>(&hex!("df ffffffff 0102"), &element("key"));
    refused::<Value>(&hex!("df ffffffff db00"), &needs(3).replace("the value", "key"));
    refused::<IgnoredAny>(&hex!("df ffffffff 0102"), &element("key"));
    refused::<B2ndMeta>(
        &hex!("97 00 00 90 90 90 00 db ffffffff"),
        "unexpected end of input at byte 12: dtype needs 4294967295 more bytes",
    );
}

/// A type that is never read, because the error only reports the number of elements or entries in the input.
#[derive(Debug)]
enum Announced {}

impl<'de> Deserialize<'de> for Announced {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Hint;
        impl<'de> Visitor<'de> for Hint {
            type Value = Announced;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("elements or entries")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<Announced, A::Error> {
                Err(serde::de::Error::custom(elements.size_hint().unwrap_or(usize::MAX)))
            }
            fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Announced, A::Error> {
                Err(serde::de::Error::custom(entries.size_hint().unwrap_or(usize::MAX)))
            }
        }
        deserializer.deserialize_any(Hint)
    }
}

#[test]
fn no_more_elements_are_announced_than_the_input_can_hold() {
    assert_eq!(message(b2nd::from_slice::<Announced>(&hex!("93 01 02 03"))), "3");
    assert_eq!(message(b2nd::from_slice::<Announced>(&hex!("82 01 02 03 04"))), "2");
    assert_eq!(message(b2nd::from_slice::<Announced>(&hex!("dd ffffffff 01 02 03"))), "3");
    assert_eq!(message(b2nd::from_slice::<Announced>(&hex!("dc ffff 01 02 03"))), "3");
    assert_eq!(message(b2nd::from_slice::<Announced>(&hex!("df ffffffff 01 02 03 04 05"))), "2");
    assert_eq!(message(b2nd::from_slice::<Announced>(&hex!("de ffff 01"))), "0");
}

#[test]
fn what_is_no_marker_of_this_format_is_named() {
    for (byte, name) in [
        (0xc1, "the unused marker"),
        (0xc4, "bin8"),
        (0xc5, "bin16"),
        (0xc7, "ext8"),
        (0xc8, "ext16"),
        (0xc9, "ext32"),
        (0xd4, "fixext1"),
        (0xd5, "fixext2"),
        (0xd6, "fixext4"),
        (0xd7, "fixext8"),
        (0xd9, "str8"),
        (0xda, "str16"),
        (0xe0, "negative fixint"),
        (0xff, "negative fixint"),
    ] {
        refused::<IgnoredAny>(&[byte], &format!("expected a marker of b2nd's format, found {name} ({byte:02x}) at byte 0"));
    }
}

#[test]
fn bytes_without_serde_bytes_are_written_as_a_sequence_and_the_error_says_so() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Borrowing<'a> {
        bytes: &'a [u8],
    }
    let hint = "expected bin32 (c6; without serde_bytes, serde writes bytes as a sequence), found fixarray";
    let bytes = b2nd::to_vec(&Borrowing { bytes: &[1, 2] }).unwrap();
    assert_eq!(bytes, hex!("91 92 01 02"));
    assert_eq!(message(b2nd::from_slice::<Borrowing>(&bytes)), format!("bytes: {hint} (92) at byte 1"));
    // The hint would be misleading with `serde_bytes`, or if the input ends early.
    refused::<ByteBuf>(&bytes[1..], "expected bin32 (c6), found fixarray (92) at byte 0");
    let early = message(b2nd::from_slice::<Borrowing>(&hex!("91 c6 00000002 93")));
    assert_eq!(early, "unexpected end of input at byte 7: bytes needs 1 more byte");
    refused::<ByteBuf>(&hex!("01"), "expected bin32 (c6), found positive fixint (01) at byte 0");
}
