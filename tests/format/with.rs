//! The modules for `#[serde(with = "…")]`: their bytes, what they reject, and how their fields look in other formats.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::common::{both_ways, cat, cbor, refused, unwritable};
use hex_literal::hex;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// Defines a newtype whose field uses one of the modules, so that its bytes are only those of the field.
macro_rules! field {
    ($name:ident<$($lifetime:lifetime)?>($module:literal, $ty:ty)) => {
        #[derive(Serialize, Deserialize, PartialEq, Debug)]
        struct $name<$($lifetime)?>(#[serde(with = $module)] $ty);
    };
}

/// A newtype inside a marked field.
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
    unwritable(&Buffer(ByteBuf::from([0; 16])), "with::fixext16: expected 17 bytes, found 16");
    unwritable(&Buffer(ByteBuf::from([0; 18])), "with::fixext16: expected 17 bytes, found 18");
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
    unwritable(&Large((0..65_536).map(|key| (key, ())).collect()), "65536 entries are too many: map16 holds at most 65535");
    unwritable(&Sequence(vec![]), "unsupported: with::map16 is only for maps");
    unwritable(&Struct(Pair { a: 1, b: 2 }), "unsupported: with::map16 is only for maps");
    refused::<Map16>(&hex!("81 01 c3"), "expected map16 (de), found fixmap (81) at byte 0");
    refused::<Map16>(&hex!("df 00010000"), "expected map16 (de), found map32 (df) at byte 0");
    refused::<Map16>(&hex!("de0001 01 01"), "value: expected bool (c2 or c3), found positive fixint (01) at byte 4");
}

#[test]
fn a_mark_holds_no_other_mark() {
    field!(Twice<>("b2nd::with::fixstr", Fixstr));
    unwritable(&Twice(Fixstr("a".into())), "unsupported: b2nd::with twice, or on a Value or RawValue");
    refused::<Twice>(&hex!("a1 61"), "unsupported: b2nd::with twice, or on a Value or RawValue");
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
    refuse!(true, 1u8, -1i64, 0.5f64, (), ByteBuf::new(), BTreeMap::<u8, u8>::new());
    refuse!(Kind::Newtype(1), Kind::Tuple(1, 2), Kind::Struct { x: 3 });
}

/// Serde writes an IP address as text only in human-readable formats. A field with a module stays binary.
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

/// A struct with fields of several modules.
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

/// The same struct without the modules.
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
fn dims() {
    field!(Dims<>("b2nd::with::dims", Vec<u8>));
    field!(Array<>("b2nd::with::dims", [u8; 16]));
    field!(Struct<>("b2nd::with::dims", Pair));
    field!(Optional<>("b2nd::with::dims", Option<Newtype<(bool,)>>));
    for count in 0..=16 {
        both_ways(Dims(vec![7; count]), &cat(&[&[0x90 + count as u8], &vec![7; count]]));
    }
    both_ways(Array([7; 16]), &cat(&[&hex!("a0"), &[7; 16]]));
    both_ways(Struct(Pair { a: 1, b: 2 }), &hex!("92 01 d002"));
    both_ways(Optional(Some(Newtype((true,)))), &hex!("91 c3"));
    both_ways(Optional(None), &hex!("c0"));
    field!(Text<>("b2nd::with::dims", String));
    unwritable(&Dims(vec![7; 17]), "17 elements are too many: with::dims holds at most 16");
    unwritable(&Text("x".into()), "unsupported: with::dims is only for sequences, tuples and structs");
    for (marker, name) in [(0xdc, "array16"), (0xa1, "fixstr"), (0x80, "fixmap"), (0xc0, "nil")] {
        let expected = format!("expected a list of at most 16 elements (90 to a0), found {name} ({marker:02x}) at byte 0");
        refused::<Dims>(&[marker], &expected);
    }
    refused::<Array>(&hex!("91 07"), "invalid length 1, expected an array of length 16");
}

/// The released layout of an array metalayer, as a user would define it.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct Released {
    #[serde(with = "b2nd::with::fixint")]
    version: u8,
    ndim: u8,
    #[serde(with = "b2nd::with::dims")]
    shape: Vec<i64>,
    #[serde(with = "b2nd::with::dims")]
    chunkshape: Vec<i32>,
    #[serde(with = "b2nd::with::dims")]
    blockshape: Vec<i32>,
    #[serde(with = "b2nd::with::fixint")]
    dtype_format: u8,
    dtype: String,
}

#[test]
fn a_users_own_struct_has_the_bytes_of_the_crates() {
    let own = |ndim: u8| {
        let geometry = crate::common::geometry(ndim);
        let (shape, chunkshape, blockshape) =
            (geometry.shape().into(), geometry.chunkshape().into(), geometry.blockshape().into());
        Released { version: 0, ndim, shape, chunkshape, blockshape, dtype_format: 5, dtype: "<f8".into() }
    };
    for ndim in 0..=16 {
        let [.., (_, bytes)] = crate::common::layouts(ndim);
        both_ways(own(ndim), &bytes);
    }
    unwritable(&Released { shape: vec![1; 17], ..own(0) }, "shape: 17 elements are too many: with::dims holds at most 16");
    unwritable(&Released { dtype_format: 200, ..own(0) }, "dtype_format: expected a positive fixint (at most 127), found 200");

    #[derive(Deserialize, Debug)]
    #[allow(dead_code)]
    struct Forgotten {
        version: u8,
        ndim: u8,
        shape: Vec<i64>,
    }
    let [(_, bytes), ..] = crate::common::layouts(16);
    refused::<Forgotten>(
        &cat(&[&[0x93], &bytes[1..3 + 1 + 16 * 9]]),
        "shape: expected array (90 to 9f, dc, dd; with::dims reads a0 as 16 elements), found fixstr (a0) at byte 3",
    );
}

#[test]
fn an_error_when_writing_names_the_field() {
    #[derive(Serialize)]
    struct Meta {
        geo: Geo,
        by_name: BTreeMap<String, Step>,
        kind: Option<Kind>,
    }
    #[derive(Serialize)]
    struct Geo {
        steps: Vec<Step>,
    }
    #[derive(Serialize, Clone)]
    struct Step(#[serde(with = "b2nd::with::fixint")] u8);
    #[derive(Serialize)]
    enum Kind {
        Ring {
            #[serde(with = "b2nd::with::fixint")]
            version: u8,
        },
    }
    let meta = |last: u8, value: u8, version: u8| Meta {
        geo: Geo { steps: [1, 2, 3, last].map(Step).into() },
        by_name: BTreeMap::from([("north".into(), Step(value))]),
        kind: Some(Kind::Ring { version }),
    };
    let wrong = "expected a positive fixint (at most 127), found 200";
    assert!(b2nd::to_vec(&meta(1, 2, 127)).is_ok());
    unwritable(&Kind::Ring { version: 200 }, &format!("version: {wrong}"));
    unwritable(&meta(200, 0, 0), &format!("geo.steps[3]: {wrong}"));
    unwritable(&meta(0, 200, 0), &format!("by_name.value: {wrong}"));
    unwritable(&meta(0, 0, 200), &format!("kind.version: {wrong}"));
    assert_eq!(b2nd::to_vec(&meta(200, 0, 0)).unwrap_err().path().as_deref(), Some("geo.steps[3]"));
}

/// Values as Python packs them: a complex number, a set, a tuple, an array, and plain types.
#[cfg(feature = "msgpack")]
#[test]
fn a_value_keeps_extensions_through_every_door() {
    use b2nd::{Value, msgpack};
    field!(Named<>("b2nd::with::named", Value));
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Attributes {
        id: u8,
        any: Value,
        more: Vec<Option<Value>>,
    }
    let json = r#"[{"complex":[1.5,-2.0]},{"set":[1,2,"x"]},{"tuple":[1,{"complex":[0.0,1.0]}]},
        {"ndarray":{"dtype":"<i2","shape":[2],"data":"01000200"}},{"ext":[7,"00ff"]},{"ext":[-3,"000102030405060708090a0b0c0d0e0f"]},
        {"bytes":"00ff"},{"a":{"set":[]}},null,-129,70000,0.5,"text",true]"#;
    let all: Value = serde_json::from_str(json).unwrap();
    for value in all.elements().iter().chain([&all]) {
        let bytes = value.to_vec().unwrap();
        assert_eq!(&msgpack::from_slice::<Value>(&bytes).unwrap(), value);
        assert_eq!(msgpack::to_vec(value).unwrap(), bytes);
        both_ways(Named(value.clone()), &bytes);
        both_ways(value.clone(), &bytes);
        let attributes = || Attributes { id: 7, any: value.clone(), more: vec![None, Some(all.clone())] };
        let packed = msgpack::to_vec(&attributes()).unwrap();
        assert!(packed.windows(bytes.len()).any(|window| window == bytes));
        assert_eq!(msgpack::from_slice::<Attributes>(&packed).unwrap(), attributes());
        #[derive(Serialize, Deserialize, PartialEq, Debug)]
        struct Metalayer(#[serde(with = "b2nd::with::named")] Attributes);
        both_ways(Metalayer(attributes()), &packed);
    }
    let complex = all.elements()[0].to_vec().unwrap();
    assert_eq!(complex[..3], [0xd8, 44, 0x3f], "a fixext16 of type 44");
}

#[cfg(feature = "msgpack")]
#[test]
fn named_reads_what_it_writes_at_every_depth() {
    field!(Deep<>("b2nd::with::named", b2nd::Value));
    let nested = |depth: usize, inner: &[u8]| cat(&[&vec![0x91; depth], inner]);
    let value = |bytes: &[u8]| b2nd::RawValue::from_slice(bytes).unwrap().to_value().unwrap();
    for inner in [&hex!("90")[..], &hex!("80"), &hex!("91 d4 07 00"), &hex!("91 c0")] {
        let whole = nested(127, inner);
        assert_eq!(b2nd::msgpack::from_slice::<b2nd::Value>(&whole).unwrap(), value(&whole));
        assert!(b2nd::msgpack::from_slice::<b2nd::Value>(&nested(128, inner)).is_err());
        // The newtype `Deep` takes a level.
        let deepest = nested(126, inner);
        both_ways(Deep(value(&deepest)), &deepest);
        // One more level, inside the value or around it, is too deep.
        let expected = format!("{}: nested more than 128 levels deep at byte 127", "[0]".repeat(127));
        unwritable(&Deep(value(&whole)), &expected);
        refused::<Deep>(&whole, &expected);
        let error = crate::common::message(b2nd::to_vec(&[Deep(value(&deepest))]));
        assert!(error.contains("nested more than 128 levels deep"), "{error}");
        refused::<Vec<Deep>>(&whole, &expected);
    }
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
    unwritable(&Some(Maybe(None)), "unsupported: a nil in Some, such as Some(()): it would be read as None");
    assert_eq!(serde_json::to_string(&Named(fields())).unwrap(), r#"{"name":"K1","steps":[1,300]}"#);

    // The names may be in any order, as in Python.
    let swapped = b"\x82\xa5steps\x90\xa4name\xa0";
    assert_eq!(b2nd::from_slice::<Named>(swapped).unwrap(), Named(Fields { name: String::new(), steps: vec![] }));
    refused::<Named>(b"\x81\xa4name\xa2K1", "msgpack: missing field `steps` at byte 0");
    refused::<Number>(&hex!("ff c0"), "the value is followed by 1 trailing byte at byte 1");
    for length in 0..packed.len() {
        assert!(b2nd::from_slice::<Named>(&packed[..length]).is_err(), "{length}");
    }
    let deep = [&[0x91; 200][..], &[0x90]].concat();
    field!(Deep<>("b2nd::with::named", serde_json::Value));
    assert!(b2nd::from_slice::<Deep>(&deep).unwrap_err().to_string().contains("nested more than 128 levels deep"));
}

#[test]
fn extensible() {
    field!(Known<>("b2nd::with::extensible", Pair));
    field!(MaybeKnown<>("b2nd::with::extensible", Option<Newtype<Pair>>));
    let known = || Pair { a: 1, b: -1 };
    both_ways(Known(known()), &hex!("92 01 d0ff"));
    both_ways(MaybeKnown(Some(Newtype(known()))), &hex!("92 01 d0ff"));
    both_ways(MaybeKnown(None), &hex!("c0"));
    // Later versions may add fields of any type, including values with the short markers that Python writes.
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
    refused::<Known>(&hex!("93 01 d0ff c0 00"), "the value is followed by 1 trailing byte at byte 5");
    refused::<Known>(&hex!("93 01 d0ff c1"), "[2]: expected a marker of MessagePack, found the unused marker (c1) at byte 4");
    refused::<Known>(&hex!("91 01"), "invalid length 1, expected struct Pair with 2 elements");
    field!(List<>("b2nd::with::extensible", Vec<u8>));
    refused::<List>(&hex!("91 01"), "unsupported: with::extensible is only for structs with fields");
    unwritable(&List(vec![1]), "unsupported: with::extensible is only for structs with fields");
}
