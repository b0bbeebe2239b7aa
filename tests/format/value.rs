//! Values of arbitrary MessagePack keep their bytes; their contents are found by name, index and pointer.

use crate::common::{Hex, cat, message};
use b2nd::msgpack::{Cursor, Token};
use b2nd::{ErrorKind, Head, RawValue, Value, from_slice, to_vec};
use hex_literal::hex;
use proptest::collection::vec;
use proptest::prelude::*;

/// Checks that each way of reading and writing keeps the bytes of a value.
#[track_caller]
fn kept(bytes: &[u8]) -> Value {
    let value = Value::from_slice(bytes).unwrap();
    assert_eq!(Hex(&value.to_vec().unwrap()), Hex(bytes));
    let by_serde: Value = from_slice(bytes).unwrap();
    assert_eq!(Hex(&by_serde.to_vec().unwrap()), Hex(bytes));
    assert_eq!(Hex(&to_vec(&by_serde).unwrap()), Hex(bytes));
    let mut buffer = vec![0; bytes.len()];
    assert_eq!(Hex(b2nd::to_slice(&value, &mut buffer).unwrap()), Hex(bytes));
    assert_eq!(Hex(&to_vec(&from_slice::<RawValue>(bytes).unwrap()).unwrap()), Hex(bytes));
    assert_eq!(Hex(RawValue::from_slice(bytes).unwrap().encoded()), Hex(bytes));
    value
}

#[test]
fn every_marker_is_kept() {
    let long = |head: &[u8], length: usize| [head, &vec![b'x'; length]].concat();
    let cases: &[(&[u8], Value)] = &[
        (&hex!("c0"), Value::Nil),
        (&hex!("c2"), Value::Bool(false)),
        (&hex!("c3"), Value::Bool(true)),
        (&hex!("00"), Value::Fixint(0)),
        (&hex!("7f"), Value::Fixint(127)),
        (&hex!("e0"), Value::Fixint(-32)),
        (&hex!("ff"), Value::Fixint(-1)),
        (&hex!("cc 05"), Value::U8(5)),
        (&hex!("cd 0005"), Value::U16(5)),
        (&hex!("ce 00000005"), Value::U32(5)),
        (&hex!("cf 0000000000000005"), Value::U64(5)),
        (&hex!("d0 05"), Value::I8(5)),
        (&hex!("d1 0005"), Value::I16(5)),
        (&hex!("d2 00000005"), Value::I32(5)),
        (&hex!("d3 0000000000000005"), Value::I64(5)),
        (&hex!("ca 3fc00000"), Value::F32(1.5)),
        (&hex!("cb 3ff8000000000000"), Value::F64(1.5)),
        (&hex!("a1 6d"), Value::Str("m".into(), Head::Fix)),
        (&hex!("d9 01 6d"), Value::Str("m".into(), Head::U8)),
        (&hex!("da 0001 6d"), Value::Str("m".into(), Head::U16)),
        (&hex!("db 00000001 6d"), Value::Str("m".into(), Head::U32)),
        (&hex!("a4 12009502"), Value::RawStr(vec![0x12, 0, 0x95, 2], Head::Fix)),
        (&hex!("d9 01 ff"), Value::RawStr(vec![0xff], Head::U8)),
        (&hex!("c4 01 ff"), Value::Bytes(vec![0xff], Head::U8)),
        (&hex!("c5 0001 ff"), Value::Bytes(vec![0xff], Head::U16)),
        (&hex!("c6 00000000"), Value::Bytes(vec![], Head::U32)),
        (&hex!("d4 07 01"), Value::Ext(7, vec![1], Head::Fix)),
        (&hex!("d5 ff 0102"), Value::Ext(-1, vec![1, 2], Head::Fix)),
        (&hex!("d6 07 01020304"), Value::Ext(7, vec![1, 2, 3, 4], Head::Fix)),
        (&hex!("d7 07 0102030405060708"), Value::Ext(7, vec![1, 2, 3, 4, 5, 6, 7, 8], Head::Fix)),
        (&long(&hex!("d8 07"), 16), Value::Ext(7, vec![b'x'; 16], Head::Fix)),
        (&hex!("c7 00 07"), Value::Ext(7, vec![], Head::U8)),
        (&hex!("c8 0001 07 01"), Value::Ext(7, vec![1], Head::U16)),
        (&hex!("c9 00000001 07 01"), Value::Ext(7, vec![1], Head::U32)),
        (&hex!("91 c0"), Value::Array(vec![Value::Nil], Head::Fix)),
        (&hex!("dc 0000"), Value::Array(vec![], Head::U16)),
        (&hex!("dd 00000001 c0"), Value::Array(vec![Value::Nil], Head::U32)),
        (&hex!("81 c0 01"), Value::Map(vec![(Value::Nil, Value::Fixint(1))], Head::Fix)),
        (&hex!("de 0000"), Value::Map(vec![], Head::U16)),
        (&hex!("df 00000000"), Value::Map(vec![], Head::U32)),
        (&hex!("82 a161 01 a161 02"), Value::Map(vec![("a", 1), ("a", 2)].into_iter().map(pair).collect(), Head::Fix)),
    ];
    for (bytes, value) in cases {
        assert_eq!(&kept(bytes), value);
    }
    // These NaNs have a payload, and they are not equal to themselves.
    kept(&hex!("ca ffc12345"));
    kept(&hex!("cb fff8000000012345"));
    for (head, length) in [(&hex!("c5 0100")[..], 256), (&hex!("da ffff"), 65_535), (&hex!("c6 00010000"), 65_536)] {
        kept(&long(head, length));
    }
}

fn pair((key, number): (&str, i8)) -> (Value, Value) {
    (Value::Str(key.into(), Head::Fix), Value::Fixint(number))
}

#[test]
fn the_contents_of_a_real_file_are_kept() {
    let file = std::fs::read("tests/data/example.b2nd").unwrap();
    let contents: Vec<_> = crate::common::metalayers(&file).iter().map(|content| kept(content)).collect();
    assert_eq!(contents.len(), 3);
    assert_eq!(contents[2].to_string(), r#"["s", "°C", "mm"]"#);
}

fn head() -> impl Strategy<Value = Head> {
    prop_oneof![Just(Head::Fix), Just(Head::U8), Just(Head::U16), Just(Head::U32)]
}

/// A value with random markers. A length may not fit its marker.
fn value() -> impl Strategy<Value = Value> {
    let bytes = || vec(any::<u8>(), 0..40);
    let leaf = prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::Bool),
        any::<i8>().prop_map(Value::Fixint),
        any::<(u8, u16, u32)>().prop_map(|(a, b, c)| Value::from(vec![Value::U8(a), b.into(), c.into()])),
        any::<(i8, i16, i32)>().prop_map(|(a, b, c)| Value::from(vec![Value::I8(a), b.into(), c.into()])),
        any::<(u64, i64)>().prop_map(|(a, b)| Value::from(vec![a.into(), b.into()])),
        any::<(f32, f64)>().prop_map(|(a, b)| Value::from(vec![a.into(), b.into()])),
        (any::<String>(), head()).prop_map(|(text, head)| Value::Str(text, head)),
        (bytes(), head()).prop_map(|(bytes, head)| Value::Bytes(bytes, head)),
        (any::<i8>(), bytes(), head()).prop_map(|(kind, bytes, head)| Value::Ext(kind, bytes, head)),
    ];
    leaf.prop_recursive(4, 60, 20, |inner| {
        prop_oneof![
            (vec(inner.clone(), 0..20), head()).prop_map(|(list, head)| Value::Array(list, head)),
            vec(inner.clone(), 0..4).prop_map(Value::tuple),
            (vec((inner.clone(), inner), 0..20), head()).prop_map(|(pairs, head)| Value::Map(pairs, head)),
        ]
    })
}

/// True if the bytes are too few for a value and the error says how many more are needed.
fn is_eof(bytes: &[u8]) -> bool {
    Value::from_slice(bytes).is_err_and(|error| error.is_eof() && error.needed().is_some())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2 * ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(value in value()) {
        match value.to_vec() {
            Ok(bytes) => {
                prop_assert_eq!(&kept(&bytes), &value);
                prop_assert!((0..bytes.len()).all(|end| is_eof(&bytes[..end])));
                prop_assert_eq!(Value::from_slice(&to_vec(&value).unwrap()).unwrap(), value.clone());
            }
            Err(error) => prop_assert!(error.to_string().contains("marker") || error.to_string().contains("fixint"), "{}", error),
        }
        let short = value.shortest();
        let bytes = short.to_vec().unwrap();
        prop_assert_eq!(&kept(&bytes), &short);
        let rmp: Vec<u8> = rmp_serde::to_vec(&short).unwrap();
        prop_assert!(bytes.len() <= rmp.len(), "no other encoder is shorter");
    }

    #[test]
    fn what_is_read_is_written_back(bytes in vec(any::<u8>(), 0..60)) {
        match Value::from_slice(&bytes) {
            Ok(_) => drop(kept(&bytes)),
            Err(error) => prop_assert!(error.offset().is_some_and(|offset| offset <= bytes.len()), "{}", error),
        }
    }

    #[test]
    fn markers_at_random_are_read_and_written_back(bytes in vec(prop_oneof![0x80..0xa4u8, 0xc0..0xe2u8, 0..3u8], 0..60)) {
        if let Ok((value, rest)) = b2nd::take_from_slice::<Value>(&bytes) {
            let entry = &bytes[..bytes.len() - rest.len()];
            let [raw, written] = [kept(entry).to_vec().unwrap(), value.to_vec().unwrap()];
            prop_assert_eq!(Hex(&raw), Hex(entry));
            prop_assert_eq!(Hex(&written), Hex(entry));
        }
    }
}

#[track_caller]
fn refused(bytes: &[u8], expected: &str) {
    assert_eq!(Value::from_slice(bytes).unwrap_err().to_string(), expected);
    assert_eq!(from_slice::<Value>(bytes).unwrap_err().to_string(), expected);
    assert_eq!(RawValue::from_slice(bytes).unwrap_err().to_string(), expected);
}

#[test]
fn an_error_names_the_element_and_the_byte() {
    refused(&hex!("c1"), "expected a marker of MessagePack, found the unused marker (c1) at byte 0");
    refused(
        &hex!("82 a161 01 a5 7374657073 92 01 c1"),
        "steps[1]: expected a marker of MessagePack, found the unused marker (c1) at byte 12",
    );
    refused(&hex!("92 01 d2 0000"), "unexpected end of input at byte 5: [1] needs 2 more bytes");
    refused(&hex!("01 02"), "the value is followed by 1 trailing byte at byte 1");
    refused(b"", "unexpected end of input at byte 0: the value needs 1 more byte");
    refused(&hex!("dd ffffffff 01"), "unexpected end of input at byte 6: [1] needs 1 more byte");
    refused(&hex!("c6 ffffffff 01"), "unexpected end of input at byte 6: the value needs 4294967294 more bytes");
}

#[test]
fn values_nest_128_levels_deep() {
    let nested = |depth| [vec![0x91; depth], vec![1]].concat();
    kept(&nested(128));
    let error = Value::from_slice(&nested(129)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::TooDeep));
    assert_eq!(error.offset(), Some(128));
    assert!(matches!(Value::from_slice(&[0x91; 1 << 20]).unwrap_err().kind(), ErrorKind::TooDeep));
    // A map counts as one level for its values and for its keys, as a list does for its elements.
    let in_values = |depth| [[0x81, 2].repeat(depth), vec![1_u8]].concat();
    let in_keys = |depth| [vec![0x81; depth], vec![1_u8; depth + 1]].concat();
    for (nested, offset) in [(&in_values as &dyn Fn(usize) -> Vec<u8>, 256), (&in_keys, 128)] {
        kept(&nested(128));
        let error = Value::from_slice(&nested(129)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TooDeep));
        assert_eq!(error.offset(), Some(offset));
    }
    // The levels around a value count too.
    assert!(from_slice::<(Value,)>(&nested(128)).is_ok());
    assert!(matches!(from_slice::<(Value,)>(&nested(129)).unwrap_err().kind(), ErrorKind::TooDeep));
    let deep = (0..129).fold(Value::Nil, |value, _| vec![value].into());
    assert!(matches!(deep.to_vec().unwrap_err().kind(), ErrorKind::TooDeep));
    assert!(matches!(to_vec(&deep).unwrap_err().kind(), ErrorKind::TooDeep));
    let inner = Value::from_slice(&nested(128)).unwrap();
    assert!(matches!(to_vec(&(inner,)).unwrap_err().kind(), ErrorKind::TooDeep));
}

#[test]
fn a_value_takes_32_bytes_of_memory() {
    // The limit in tests/allocations.rs depends on this.
    assert!(size_of::<Value>() <= 32);
}

#[test]
fn what_a_marker_cannot_hold_is_refused() {
    let refused = |value: Value, expected: &str| assert_eq!(value.to_vec().unwrap_err().to_string(), expected);
    refused(Value::Fixint(-33), "expected a fixint from -32 to 127, found -33");
    refused(Value::Str("x".repeat(32), Head::Fix), "Head::Fix has no marker for a string of 32 bytes");
    refused(Value::Str("x".repeat(256), Head::U8), "Head::U8 has no marker for a string of 256 bytes");
    refused(Value::Bytes(vec![1], Head::Fix), "Head::Fix has no marker for a byte string of 1 byte");
    refused(Value::Ext(1, vec![1; 3], Head::Fix), "Head::Fix has no marker for an extension of 3 bytes");
    refused(Value::Array(vec![Value::Nil], Head::U8), "Head::U8 has no marker for an array of 1 element");
    refused(Value::Map(vec![(Value::Nil, Value::Nil); 16], Head::Fix), "Head::Fix has no marker for a map of 16 pairs");
    assert_eq!(message(to_vec(&Some(Value::Nil))), "unsupported: a nil in Some, such as Some(()): it would be read as None");
}

#[test]
fn an_array_metalayer_is_a_value_but_for_16_dimensions_and_the_miscounted_layout() {
    let array = |ndim: usize| {
        let geometry = b2nd::Geometry::new(&vec![2; ndim], &vec![2; ndim], &vec![1; ndim]).unwrap();
        to_vec(&b2nd::B2ndMeta::new(geometry, "|u1")).unwrap()
    };
    let value = kept(&array(15));
    assert_eq!(value[2][14], Value::I64(2));
    assert_eq!(value[6].as_str(), Some("|u1"));
    assert!(Value::from_slice(&array(16)).unwrap_err().to_string().contains("trailing bytes"));
    let miscounted = cat(&[&[0x96], &array(2)[1..]]);
    assert_eq!(Value::from_slice(&miscounted).unwrap_err().to_string(), "the value is followed by 8 trailing bytes at byte 45");
}

fn steps() -> Value {
    // {"steps": [1, (2.5, "x")], "a/b~": -7, 5: nil}
    Value::from_slice(b"\x83\xa5steps\x92\x01\x93\xa9__tuple__\xca\x40\x20\0\0\xa1x\xa4a/b~\xf9\x05\xc0").unwrap()
}

#[test]
fn a_pointer_goes_through_maps_lists_and_tuples() {
    let value = steps();
    assert_eq!(value.pointer(""), Some(&value));
    assert_eq!(value.pointer("/steps/0"), Some(&Value::Fixint(1)));
    assert_eq!(value.pointer("/steps/1/1").and_then(Value::as_str), Some("x"));
    assert_eq!(value.pointer("/a~1b~0").and_then(Value::as_i64), Some(-7));
    for none in ["steps", "/steps/2", "/steps/01", "/steps/-", "/steps/+0", "/5", "/steps/0/0", "/", "/steps/"] {
        assert_eq!(value.pointer(none), None, "{none}");
    }
    assert_eq!(value["steps"][1][0].as_f64(), Some(2.5));
    assert!(value["steps"][1].is_tuple() && !value["steps"].is_tuple());
    assert_eq!((&value["no"]["such"][7], value["steps"].get("x")), (&Value::Nil, None));
    assert_eq!(value.entries()[2].0.as_u64(), Some(5));
    let mut value = value;
    *value.get_mut("a/b~").unwrap() = Value::I16(3);
    assert_eq!(value.to_string(), r#"{"steps": [1, (2.5, "x")], "a/b~": 3, 5: null}"#);
}

#[test]
fn a_raw_value_is_walked_without_decoding() {
    let packed = b"\x83\xa4gain\x02\xa5steps\x93\xa9__tuple__\xc4\x01\xff\x91\xd0\xff\xa4gain\xcc\xc8";
    let value = RawValue::from_slice(packed).unwrap();
    assert_eq!(value.get("gain").unwrap().as_u64(), Some(2), "the first of two");
    assert!(value.get("nobody").is_none() && value.elements().next().is_none() && value.as_str().is_none());
    let steps: Vec<_> = value.get("steps").unwrap().elements().collect();
    assert_eq!(steps.iter().map(|step| step.encoded()).collect::<Vec<_>>(), [&b"\xc4\x01\xff"[..], b"\x91\xd0\xff"]);
    assert_eq!((steps[0].as_bytes(), steps[1].elements().next().unwrap().as_u64()), (Some(&b"\xff"[..]), None));
    assert_eq!(value.entries().map(|(key, _)| key.as_str().unwrap()).collect::<Vec<_>>(), ["gain", "steps", "gain"]);
    let leaves: Vec<_> = value.leaves().map(|leaf| leaf.encoded().len()).collect();
    assert_eq!(leaves, [5, 1, 6, 10, 3, 2, 5, 2]);
    assert_eq!(RawValue::from_slice(b"\xc0").unwrap().leaves().count(), 1);
    assert_eq!(RawValue::from_slice(b"\x90").unwrap().leaves().count(), 0);
}

#[test]
fn a_cursor_reads_each_marker() {
    let tokens: [(&[u8], Token); 22] = [
        (b"\xc0", Token::Nil),
        (b"\xc3", Token::Bool(true)),
        (b"\x7f", Token::Int(127)),
        (b"\xe0", Token::Int(-32)),
        (b"\xcc\xff", Token::Int(255)),
        (b"\xcd\xff\xff", Token::Int(65_535)),
        (b"\xce\xff\xff\xff\xff", Token::Int(u32::MAX.into())),
        (b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", Token::Int(u64::MAX.into())),
        (b"\xd0\x80", Token::Int(-128)),
        (b"\xd1\x80\0", Token::Int(-32_768)),
        (b"\xd2\x80\0\0\0", Token::Int(i32::MIN.into())),
        (b"\xd3\x80\0\0\0\0\0\0\0", Token::Int(i64::MIN.into())),
        (b"\xca\x3f\x80\0\0", Token::Float(1.0)),
        (b"\xcb\xbf\xe0\0\0\0\0\0\0", Token::Float(-0.5)),
        (b"\xa1\xff", Token::Str(b"\xff")),
        (b"\xd9\x01a", Token::Str(b"a")),
        (b"\xc5\0\x01b", Token::Bytes(b"b")),
        (b"\xd5\x2a\x01\x02", Token::Ext(42, b"\x01\x02")),
        (b"\xc7\x01\xff\x07", Token::Ext(-1, b"\x07")),
        (b"\xdd\0\0\0\x02", Token::Array(2)),
        (b"\x81", Token::Map(1)),
        (b"\xde\0\x03", Token::Map(3)),
    ];
    for (bytes, token) in tokens {
        let mut cursor = Cursor::new(bytes);
        assert_eq!((cursor.token().unwrap(), cursor.rest()), (token, &b""[..]));
        for length in 0..bytes.len() {
            assert!(Cursor::new(&bytes[..length]).token().unwrap_err().is_eof());
        }
    }
    assert!(Cursor::new(b"\xc1").token().is_err());
}
