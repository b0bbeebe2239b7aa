//! The modules for `#[serde(with = "…")]`: their bytes, what they refuse, and what other formats see of them.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::common::{both_ways, cat, cbor, refused, unwritable};
use hex_literal::hex;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// A field of a type with a module for it, as a newtype, so that the bytes are only the field's.
macro_rules! field {
    ($name:ident<$($lifetime:lifetime)?>($module:literal, $ty:ty)) => {
        #[derive(Serialize, Deserialize, PartialEq, Debug)]
        struct $name<$($lifetime)?>(#[serde(with = $module)] $ty);
    };
}

/// A newtype, which may stand inside a mark.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Newtype<T>(T);

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Pair {
    a: u8,
    b: i8,
}

field!(Fixstr<>("b2nd::with::fixstr", String));
field!(FixstrOption<>("b2nd::with::fixstr", Option<String>));
field!(FixstrBytes<>("b2nd::with::fixstr_bytes", ByteBuf));
field!(Fixext16<>("b2nd::with::fixext16", [u8; 17]));
field!(Array16<>("b2nd::with::array16", Vec<u8>));
field!(Map16<>("b2nd::with::map16", BTreeMap<u8, bool>));

#[test]
fn fixstr() {
    field!(Borrowed<'a>("b2nd::with::fixstr", &'a str));
    field!(Wrapped<>("b2nd::with::fixstr", Newtype<Option<Newtype<String>>>));
    field!(Char<>("b2nd::with::fixstr", char));
    field!(Variant<>("b2nd::with::fixstr", Unit));
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    enum Unit {
        Only,
    }
    both_ways(Fixstr(String::new()), &hex!("a0"));
    both_ways(Fixstr("b2frame\0".into()), b"\xa8b2frame\0");
    both_ways(Fixstr("x".repeat(31)), &cat(&[b"\xbf", &[b'x'; 31]]));
    both_ways(Borrowed("é"), b"\xa2\xc3\xa9");
    both_ways(FixstrOption(None), &hex!("c0"));
    both_ways(FixstrOption(Some("a".into())), b"\xa1a");
    both_ways(Wrapped(Newtype(Some(Newtype("a".into())))), b"\xa1a");
    both_ways(Wrapped(Newtype(None)), &hex!("c0"));
    both_ways(Char('x'), b"\xa1x");
    both_ways(Variant(Unit::Only), b"\xa4Only");
}

#[test]
fn fixstr_refuses() {
    field!(Number<>("b2nd::with::fixstr", u8));
    unwritable(&Fixstr("x".repeat(32)), "32 bytes are too many: a fixstr holds at most 31");
    unwritable(&Number(1), "unsupported: with::fixstr is only for strings");
    refused::<Fixstr>(&hex!("db 00000001 78"), "expected fixstr (a0 to bf), found str32 (db) at byte 0");
    refused::<Fixstr>(&hex!("d9 20"), "expected fixstr (a0 to bf), found str8 (d9) at byte 0");
    refused::<Fixstr>(&hex!("a3 6162"), "unexpected end of input at byte 3: the value needs 1 more byte");
    refused::<Fixstr>(&hex!("a2 61ff"), "a string is not UTF-8 at byte 2");
    refused::<Number>(&hex!("a1 61"), "invalid type: string \"a\", expected u8");
    refused::<FixstrOption>(&hex!("c2"), "expected fixstr (a0 to bf), found false (c2) at byte 0");
}

#[test]
fn fixstr_bytes() {
    field!(Borrowed<'a>("b2nd::with::fixstr_bytes", &'a [u8]));
    field!(Fixed<>("b2nd::with::fixstr_bytes", [u8; 4]));
    field!(Optional<>("b2nd::with::fixstr_bytes", Option<ByteBuf>));
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Cowed<'a>(#[serde(with = "b2nd::with::fixstr_bytes", borrow)] Cow<'a, [u8]>);

    both_ways(FixstrBytes(ByteBuf::new()), &hex!("a0"));
    both_ways(FixstrBytes(ByteBuf::from([0xff; 31])), &cat(&[&hex!("bf"), &[0xff; 31]]));
    both_ways(Borrowed(b"a\xff"), &hex!("a2 61ff"));
    both_ways(Cowed(Cow::Borrowed(b"a\xff")), &hex!("a2 61ff"));
    both_ways(Fixed([0x12, 0, 0x95, 2]), &hex!("a4 12009502"));
    both_ways(Optional(None), &hex!("c0"));
    both_ways(Optional(Some(ByteBuf::from([1]))), &hex!("a1 01"));
    assert!(matches!(b2nd::from_slice::<Cowed>(&hex!("a1 01")), Ok(Cowed(Cow::Borrowed(b"\x01")))));
}

#[test]
fn fixstr_bytes_refuses() {
    field!(Fixed<>("b2nd::with::fixstr_bytes", [u8; 4]));
    unwritable(&FixstrBytes(ByteBuf::from([0; 32])), "32 bytes are too many: a fixstr holds at most 31");
    refused::<FixstrBytes>(&hex!("c6 00000000"), "expected fixstr (a0 to bf), found bin32 (c6) at byte 0");
    refused::<Fixed>(&hex!("a3 010203"), "invalid length 3, expected a byte array of length 4");
}

#[test]
fn fixext16() {
    field!(Borrowed<'a>("b2nd::with::fixext16", &'a [u8]));
    field!(Optional<>("b2nd::with::fixext16", Option<[u8; 17]>));
    let value: [u8; 17] = std::array::from_fn(|index| index as u8);
    let bytes = hex!("d8 00 0102030405060708090a0b0c0d0e0f10");
    both_ways(Fixext16(value), &bytes);
    both_ways(Borrowed(&value), &bytes);
    both_ways(Optional(Some(value)), &bytes);
    both_ways(Optional(None), &hex!("c0"));
}

#[test]
fn fixext16_refuses() {
    field!(Buffer<>("b2nd::with::fixext16", ByteBuf));
    unwritable(&Buffer(ByteBuf::from([0; 16])), "expected 17 elements, found 16");
    unwritable(&Buffer(ByteBuf::from([0; 18])), "expected 17 elements, found 18");
    refused::<Fixext16>(&hex!("d7 00 0000000000000000"), "expected fixext16 (d8), found fixext8 (d7) at byte 0");
    refused::<Fixext16>(&hex!("d8 00 00"), "unexpected end of input at byte 3: the value needs 15 more bytes");
    refused::<Fixext16>(&hex!("c6 00000011"), "expected fixext16 (d8), found bin32 (c6) at byte 0");
}

#[test]
fn array16() {
    field!(Tuple<>("b2nd::with::array16", (u8, bool)));
    field!(Struct<>("b2nd::with::array16", Pair));
    field!(Optional<>("b2nd::with::array16", Option<Newtype<Vec<u8>>>));
    for count in [0, 1, 15, 16, 65_535] {
        both_ways(Array16(vec![7; count]), &cat(&[&hex!("dc"), &(count as u16).to_be_bytes(), &vec![7; count]]));
    }
    both_ways(Tuple((1, true)), &hex!("dc0002 01 c3"));
    both_ways(Struct(Pair { a: 1, b: 2 }), &hex!("dc0002 01 d002"));
    both_ways(Optional(None), &hex!("c0"));
    both_ways(Optional(Some(Newtype(vec![1]))), &hex!("dc0001 01"));
}

#[test]
fn array16_refuses() {
    field!(Tuple<>("b2nd::with::array16", (u8, bool)));
    field!(Struct<>("b2nd::with::array16", Pair));
    field!(Text<>("b2nd::with::array16", String));
    field!(Map<>("b2nd::with::array16", BTreeMap<u8, u8>));
    unwritable(&Array16(vec![0; 65_536]), "65536 elements are too many: array16 holds at most 65535");
    unwritable(&Text("x".into()), "unsupported: with::array16 is only for sequences, tuples and structs");
    unwritable(&Map(BTreeMap::new()), "unsupported: with::array16 is only for sequences, tuples and structs");
    refused::<Array16>(&hex!("91 01"), "expected array16 (dc), found fixarray (91) at byte 0");
    refused::<Array16>(&hex!("dd 00010000"), "expected array16 (dc), found array32 (dd) at byte 0");
    refused::<Array16>(&hex!("dc 00"), "unexpected end of input at byte 2: the value needs 1 more byte");
    refused::<Tuple>(&hex!("dc0003 01 c3 01"), "expected 2 elements, found 3 at byte 0");
    refused::<Tuple>(&hex!("dc0001 01"), "invalid length 1, expected a tuple of size 2");
    refused::<Struct>(&hex!("dc0002 01 02"), "b: expected int8 (d0), found positive fixint (02) at byte 4");
}

#[test]
fn map16() {
    field!(Hash<>("b2nd::with::map16", HashMap<String, i32>));
    field!(Optional<>("b2nd::with::map16", Option<Newtype<BTreeMap<u8, ()>>>));
    both_ways(Map16(BTreeMap::new()), &hex!("de0000"));
    both_ways(Map16(BTreeMap::from([(1, true), (2, false)])), &hex!("de0002 01 c3 02 c2"));
    both_ways(Hash(HashMap::from([("k".into(), 1)])), &hex!("de0001 db00000001 6b d200000001"));
    both_ways(Optional(None), &hex!("c0"));
    both_ways(Optional(Some(Newtype(BTreeMap::from([(1, ())])))), &hex!("de0001 01 c0"));
}

#[test]
fn map16_refuses() {
    field!(Large<>("b2nd::with::map16", BTreeMap<u32, ()>));
    field!(Sequence<>("b2nd::with::map16", Vec<u8>));
    field!(Struct<>("b2nd::with::map16", Pair));
    unwritable(&Large((0..65_536).map(|key| (key, ())).collect()), "65536 elements are too many: map16 holds at most 65535");
    unwritable(&Sequence(vec![]), "unsupported: with::map16 is only for maps");
    unwritable(&Struct(Pair { a: 1, b: 2 }), "unsupported: with::map16 is only for maps");
    refused::<Map16>(&hex!("81 01 c3"), "expected map16 (de), found fixmap (81) at byte 0");
    refused::<Map16>(&hex!("df 00010000"), "expected map16 (de), found map32 (df) at byte 0");
    refused::<Map16>(&hex!("de0001 01 01"), "value: expected bool (c2 or c3), found positive fixint (01) at byte 4");
}

#[test]
fn a_mark_holds_no_other_mark() {
    field!(Twice<>("b2nd::with::fixstr", Fixstr));
    unwritable(&Twice(Fixstr("a".into())), "unsupported: one `with` module applied directly inside another");
    refused::<Twice>(&hex!("a1 61"), "unsupported: one `with` module applied directly inside another");
}

#[test]
fn a_mark_holds_no_other_kind_of_value() {
    #[derive(Serialize)]
    enum Kind {
        Newtype(u8),
        Tuple(u8, u8),
        Struct { x: u8 },
    }
    #[derive(Serialize)]
    struct Text<T: Serialize>(#[serde(serialize_with = "b2nd::with::fixstr::serialize")] T);
    #[derive(Serialize)]
    struct List<T: Serialize>(#[serde(serialize_with = "b2nd::with::array16::serialize")] T);
    macro_rules! refuse {
        ($($value:expr),*) => {
            $(
                unwritable(&Text($value), "unsupported: with::fixstr is only for strings");
                unwritable(&List($value), "unsupported: with::array16 is only for sequences, tuples and structs");
            )*
        };
    }
    refuse!(true, 1u8, -1i64, 1u128, 0.5f64, (), ByteBuf::new(), BTreeMap::<u8, u8>::new());
    refuse!(Kind::Newtype(1), Kind::Tuple(1, 2), Kind::Struct { x: 3 });
}

/// An address is text only for people, and a mark does not make this a format for them.
#[test]
fn what_is_marked_is_not_for_people() {
    use std::net::Ipv4Addr;
    field!(Octets<>("b2nd::with::array16", Ipv4Addr));
    both_ways(Octets(Ipv4Addr::LOCALHOST), &hex!("dc0004 7f 00 00 01"));
}

#[test]
fn a_format_without_newtypes_is_told_that_one_is_expected() {
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, StrDeserializer};
    let text: StrDeserializer<Error> = "x".into_deserializer();
    let error = b2nd::with::fixstr::deserialize::<String, _>(text).unwrap_err();
    assert_eq!(error.to_string(), "invalid type: string \"x\", expected a newtype");
}

#[test]
fn a_mark_ends_with_its_value() {
    field!(Strings<>("b2nd::with::array16", Vec<String>));
    both_ways(Strings(vec!["a".into()]), &hex!("dc0001 db00000001 61"));
    field!(Lists<>("b2nd::with::array16", Vec<Vec<u8>>));
    both_ways(Lists(vec![vec![1], vec![]]), &hex!("dc0002 91 01 90"));
    field!(Maps<>("b2nd::with::map16", BTreeMap<u8, BTreeMap<u8, u8>>));
    both_ways(Maps(BTreeMap::from([(1, BTreeMap::new())])), &hex!("de0001 01 80"));
}

/// All of them, next to a field that is not marked.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Marked {
    #[serde(with = "b2nd::with::fixstr")]
    text: String,
    #[serde(with = "b2nd::with::fixstr_bytes")]
    bytes: ByteBuf,
    #[serde(with = "b2nd::with::fixext16")]
    extension: [u8; 17],
    #[serde(with = "b2nd::with::array16")]
    list: Vec<i32>,
    #[serde(with = "b2nd::with::map16")]
    map: BTreeMap<String, u8>,
    #[serde(with = "b2nd::with::fixstr")]
    none: Option<String>,
}

/// The struct without marks.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Plain {
    text: String,
    bytes: ByteBuf,
    #[serde(with = "serde_bytes")]
    extension: [u8; 17],
    list: Vec<i32>,
    map: BTreeMap<String, u8>,
    none: Option<String>,
}

#[test]
fn other_formats_see_plain_values() {
    macro_rules! value {
        ($name:ident) => {
            $name {
                text: "a".into(),
                bytes: ByteBuf::from([0xff]),
                extension: [7; 17],
                list: vec![1, -2],
                map: BTreeMap::from([("k".into(), 1)]),
                none: None,
            }
        };
    }
    let (marked, plain) = (value!(Marked), value!(Plain));

    let json = serde_json::to_string(&marked).unwrap();
    assert_eq!(json, serde_json::to_string(&plain).unwrap());
    assert_eq!(serde_json::from_str::<Marked>(&json).unwrap(), marked);

    let value = serde_json::to_value(&marked).unwrap();
    assert_eq!(Marked::deserialize(value).unwrap(), marked);

    let bytes = cbor(&marked);
    assert_eq!(bytes, cbor(&plain));
    assert_eq!(ciborium::from_reader::<Marked, _>(bytes.as_slice()).unwrap(), marked);

    let bytes = rmp_serde::to_vec(&marked).unwrap();
    assert_eq!(bytes, rmp_serde::to_vec(&plain).unwrap());
    assert_eq!(rmp_serde::from_slice::<Marked>(&bytes).unwrap(), marked);

    let bytes = postcard::to_stdvec(&marked).unwrap();
    assert_eq!(bytes, postcard::to_stdvec(&plain).unwrap());
    assert_eq!(postcard::from_bytes::<Marked>(&bytes).unwrap(), marked);
}

#[test]
fn here_the_marks_are_in_the_bytes_and_buffered_reading_understands_them() {
    let bytes = cat(&[&hex!("92 a1 61 a1 ff"), &hex!("dc0001 d200000001"), &hex!("de0001 a1 6b 01")]);
    let bytes = cat(&[&hex!("95"), &bytes[1..], &hex!("d8 000102030405060708090a0b0c0d0e0f10")]);
    let transcoded = {
        let mut serializer = serde_json::Serializer::new(Vec::new());
        serde_transcode::transcode(&mut b2nd::Deserializer::new(&bytes), &mut serializer).unwrap();
        String::from_utf8(serializer.into_inner()).unwrap()
    };
    assert_eq!(transcoded, r#"["a",[255],[1],{"k":1},[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]]"#);
}

#[test]
fn numbers_have_the_bytes_of_the_list() {
    field!(Vector<>("b2nd::with::numbers", Vec<i64>));
    field!(Boxed<>("b2nd::with::numbers", Box<[f32]>));
    field!(Array<>("b2nd::with::numbers", [u8; 3]));
    for count in [0, 1, 15, 16, 70_000] {
        let list: Vec<i64> = (0..count).map(|number| number - 7).collect();
        both_ways(Vector(list.clone()), &b2nd::to_vec(&list).unwrap());
        assert_eq!(serde_json::to_string(&Vector(list.clone())).unwrap(), serde_json::to_string(&list).unwrap());
    }
    both_ways(Boxed(vec![0.5, -1.0].into()), &hex!("92 ca3f000000 cabf800000"));
    both_ways(Array([1, 2, 200]), &hex!("93 01 02 ccc8"));
    refused::<Array>(&hex!("92 01 02"), "invalid length 2, expected [u8; 3]");
    refused::<Vector>(&hex!("92 d30000000000000001 d200000001"), "[1]: expected int64 (d3), found int32 (d2) at byte 10");
    refused::<Vector>(&hex!("c0"), "expected array (90 to 9f, dc, dd), found nil (c0) at byte 0");
}

#[cfg(feature = "msgpack")]
#[test]
fn named_is_what_python_packs() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Fields {
        name: String,
        steps: Vec<u32>,
    }
    field!(Named<>("b2nd::with::named", Fields));
    field!(Number<>("b2nd::with::named", i64));
    field!(Maybe<>("b2nd::with::named", Option<u8>));
    let fields = || Fields { name: "K1".into(), steps: vec![1, 300] };
    let packed = b"\x82\xa4name\xa2K1\xa5steps\x92\x01\xcd\x01\x2c";
    both_ways(Named(fields()), packed);
    assert_eq!(packed.as_slice(), b2nd::msgpack::to_vec(&fields()).unwrap());
    both_ways((1u16, Named(fields()), 2u16), &cat(&[&hex!("93 cd0001"), packed, &hex!("cd0002")]));
    both_ways(Number(-1), &hex!("ff"));
    both_ways(Maybe(None), &hex!("c0"));
    unwritable(&Some(Maybe(None)), "unsupported: Some(()) and Some(None), which would be read back as None");
    assert_eq!(serde_json::to_string(&Named(fields())).unwrap(), r#"{"name":"K1","steps":[1,300]}"#);

    // The order of the names is free, as it is in Python.
    let swapped = b"\x82\xa5steps\x90\xa4name\xa0";
    assert_eq!(b2nd::from_slice::<Named>(swapped).unwrap(), Named(Fields { name: String::new(), steps: vec![] }));
    refused::<Named>(b"\x81\xa4name\xa2K1", "msgpack: missing field `steps` at byte 0");
    refused::<Number>(&hex!("ff c0"), "1 trailing byte after the value at byte 1");
    for length in 0..packed.len() {
        assert!(b2nd::from_slice::<Named>(&packed[..length]).is_err(), "{length}");
    }
    let deep = [&[0x91; 200][..], &[0x90]].concat();
    field!(Deep<>("b2nd::with::named", serde_json::Value));
    assert!(b2nd::from_slice::<Deep>(&deep).unwrap_err().to_string().contains("depth limit exceeded"));
}

#[test]
fn extensible() {
    field!(Known<>("b2nd::with::extensible", Pair));
    field!(MaybeKnown<>("b2nd::with::extensible", Option<Newtype<Pair>>));
    let known = || Pair { a: 1, b: -1 };
    both_ways(Known(known()), &hex!("92 01 d0ff"));
    both_ways(MaybeKnown(Some(Newtype(known()))), &hex!("92 01 d0ff"));
    both_ways(MaybeKnown(None), &hex!("c0"));
    // Later fields of any kind, Python's short forms among them, by themselves and in a list.
    for later in [
        &hex!("93 01 d0ff c0")[..],
        &hex!("95 01 d0ff 92 01 a1 61 81 01 c4 01 ff d4 01 02"),
        &cat(&[&hex!("dc 0010 01 d0ff"), &[0xc3; 14]]),
    ] {
        assert_eq!(b2nd::from_slice::<Known>(later).unwrap(), Known(known()));
        let list = cat(&[&hex!("92"), later, later]);
        assert_eq!(b2nd::from_slice::<Vec<Known>>(&list).unwrap(), [Known(known()), Known(known())]);
        for length in 0..later.len() {
            assert!(b2nd::from_slice::<Known>(&later[..length]).unwrap_err().is_eof(), "{length}");
        }
        assert_eq!(b2nd::from_slice::<MaybeKnown>(later).unwrap(), MaybeKnown(Some(Newtype(known()))));
    }
    refused::<Known>(&hex!("93 01 d0ff c0 00"), "1 trailing byte after the value at byte 5");
    refused::<Known>(&hex!("93 01 d0ff c1"), "[2]: expected a marker of MessagePack, found the unused marker (c1) at byte 4");
    refused::<Known>(&hex!("91 01"), "invalid length 1, expected struct Pair with 2 elements");
    field!(List<>("b2nd::with::extensible", Vec<u8>));
    refused::<List>(&hex!("91 01"), "unsupported: with::extensible is only for structs");
    unwritable(&List(vec![1]), "unsupported: with::extensible is only for structs");
}
