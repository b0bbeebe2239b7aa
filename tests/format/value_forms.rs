//! Values in other formats: written to and read from JSON, and as plain values in binary formats.

use crate::common::Hex;
use b2nd::{Head, RawValue, Value};
use hex_literal::hex;
use serde::{Deserialize, Serialize};

/// Checks the JSON of a value, and that it is read back as the same bytes with the shortest markers.
#[track_caller]
fn json(bytes: &[u8], expected: &str) {
    let value = Value::from_slice(bytes).unwrap();
    assert_eq!(serde_json::to_string(&value).unwrap(), expected);
    let back: Value = serde_json::from_str(expected).unwrap();
    assert_eq!(Hex(&back.to_vec().unwrap()), Hex(&value.shortest().to_vec().unwrap()));
}

#[test]
fn json_has_a_form_for_everything_and_takes_it_back() {
    json(&hex!("95 c0 c2 ff cf ffffffffffffffff cb 3ff8000000000000"), "[null,false,-1,18446744073709551615,1.5]");
    json(&hex!("db 00000002 c3a9"), "\"é\"");
    json(&hex!("c4 02 00ff"), r#"{"bytes":"00ff"}"#);
    json(
        &hex!("93 cb 7ff8000000000000 cb 7ff0000000000000 cb fff0000000000000"),
        r#"[{"float":"nan"},{"float":"inf"},{"float":"-inf"}]"#,
    );
    json(&hex!("d8 2c 3ff8000000000000 7ff0000000000000"), r#"{"complex":[1.5,{"float":"inf"}]}"#);
    json(&hex!("c7 03 2d 92 01 02"), r#"{"set":[1,2]}"#);
    json(
        &hex!("c7 21 2e 83 a5 6474797065 81 a3 737472 a3 3c6934 a5 7368617065 91 01 a4 64617461 c4 02 0700"),
        r#"{"ndarray":{"dtype":"<i4","shape":[1],"data":"0700"}}"#,
    );
    json(&hex!("d4 2a 00"), r#"{"ext":[42,"00"]}"#);
    json(&hex!("82 01 02 a161 03"), r#"{"map":[[1,2],["a",3]]}"#);
    json(&hex!("82 a161 01 a161 02"), r#"{"map":[["a",1],["a",2]]}"#);
    json(&hex!("82 a162 01 a161 02"), r#"{"b":1,"a":2}"#);
    // A map that looks like one of the special forms stays a map.
    json(&hex!("81 a5 6279746573 a2 3030"), r#"{"map":[["bytes","00"]]}"#);

    let tuple = Value::tuple([Value::Fixint(1)]);
    assert_eq!(serde_json::to_string(&tuple).unwrap(), "[1]");
    assert_eq!(serde_json::from_str::<Value>(r#"{"tuple": [1]}"#).unwrap(), tuple);
    assert_eq!(serde_json::from_str::<Value>(r#"{"a": 1, "b": 2, "a": 3}"#).unwrap().to_string(), r#"{"a": 3, "b": 2}"#);
}

#[test]
fn a_form_that_does_not_hold_what_it_should_is_an_error() {
    let cases = [
        (r#"{"bytes": "0"}"#, "{\"bytes\": ..}: expected pairs of hexadecimal digits, found \"0\""),
        (r#"{"bytes": "0g"}"#, "{\"bytes\": ..}: expected pairs of hexadecimal digits, found \"0g\""),
        (r#"{"float": "one"}"#, "{\"float\": ..}: expected nan, inf or -inf, found \"one\""),
        (r#"{"complex": [1]}"#, "{\"complex\": ..}: expected two numbers, [real, imaginary], found [1]"),
        (r#"{"complex": [1, "i"]}"#, "{\"complex\": ..}: expected two numbers, [real, imaginary], found [1, \"i\"]"),
        (r#"{"ext": [128, "00"]}"#, "{\"ext\": ..}: expected a type from -128 to 127, found 128"),
        (r#"{"ext": ["00"]}"#, "{\"ext\": ..}: expected [type, \"hex\"], found [\"00\"]"),
        (r#"{"map": [[1]]}"#, "{\"map\": ..}: expected pairs of a key and a value, found [1]"),
        (
            r#"{"ndarray": {"size": 1}}"#,
            "{\"ndarray\": ..}: expected dtype, shape and data (hexadecimal), or shape and values, found {\"size\": 1}",
        ),
    ];
    for (text, expected) in cases {
        let error = serde_json::from_str::<Value>(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    assert_eq!(serde_json::from_str::<Value>(r#"{"bytes": 5}"#).unwrap()["bytes"].as_i64(), Some(5), "just a map");
}

#[test]
fn sets_in_sets_without_end_are_shown_as_bytes_where_they_get_too_deep() {
    let mut bytes = vec![0x90];
    for _ in 0..2000 {
        let length = u32::try_from(bytes.len() + 1).unwrap().to_be_bytes();
        bytes = [&[0xc9][..], &length, &[45, 0x91], &bytes].concat();
    }
    let value = Value::from_slice(&bytes).unwrap();
    let text = serde_json::to_string(&value).unwrap();
    // Each set takes two levels: the extension and the list inside.
    assert!((60..=64).contains(&text.matches("set").count()), "{}", text.matches("set").count());
    assert!(text.contains(r#"{"ext":[45,"#));
    assert!(value.to_string().contains("<ext 45, "));
}

#[test]
fn extensions_have_names() {
    let shown = |bytes: &[u8]| Value::from_slice(bytes).unwrap().to_string();
    assert_eq!(shown(&hex!("d4 2a 00")), "<frame of 1 byte>");
    assert_eq!(shown(&hex!("c7 01 2b 80")), "<reference {}>");
    assert_eq!(shown(&hex!("d4 2d c1")), "<ext 45, 1 byte>", "a set of no MessagePack");
    assert_eq!(shown(&hex!("d4 2c 00")), "<ext 44, 1 byte>", "a complex number of one byte");
    let objects = Value::from_slice(&hex!("c7 12 2e 82 a5 7368617065 91 01 a6 76616c756573 91 c0")).unwrap();
    let json = serde_json::to_string(&objects).unwrap();
    assert_eq!(json, r#"{"ndarray":{"dtype":null,"shape":[1],"values":[null]}}"#);
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap().to_string(), objects.to_string());
    assert_eq!(objects.to_string(), "<ndarray objects [1]>");
}

#[test]
fn binary_formats_get_plain_values() {
    let value = Value::from_slice(&hex!("82 d9 01 61 d2 00000005 a1 62 92 c4 01 ff ca 3fc00000")).unwrap();
    let mut cbor = Vec::new();
    ciborium::into_writer(&value, &mut cbor).unwrap();
    assert_eq!(Hex(&cbor), Hex(&hex!("a2 61 61 05 61 62 82 41 ff f9 3e00")));
    let back: Value = ciborium::from_reader(cbor.as_slice()).unwrap();
    assert_eq!(back.to_string(), value.to_string());
    assert_eq!(rmp_serde::to_vec(&value).unwrap(), hex!("82 a1 61 05 a1 62 92 c4 01 ff ca 3fc00000"));
    assert_eq!(rmp_serde::to_vec(&Value::Ext(7, vec![1; 3], Head::U32)).unwrap(), hex!("c7 03 07 010101"));
    let packed: Value = rmp_serde::from_slice(&hex!("82 a1 61 05 a1 62 92 c4 01 ff ca 3fc00000")).unwrap();
    assert_eq!(packed, value.shortest());
}

#[test]
fn a_raw_value_is_a_field_of_this_format_alone() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Own<'a> {
        id: u8,
        #[serde(borrow)]
        rest: Option<RawValue<'a>>,
    }
    let bytes = hex!("92 07 81 a161 dc 0000");
    let own: Own = b2nd::from_slice(&bytes).unwrap();
    assert_eq!(format!("{:?}", own.rest), "Some(RawValue(81a161dc0000))");
    assert_eq!(b2nd::to_vec(&own).unwrap(), bytes);
    assert_eq!(serde_json::to_string(&own).unwrap(), r#"{"id":7,"rest":{"a":[]}}"#);
    assert_eq!(rmp_serde::to_vec(&own).unwrap(), hex!("92 07 81 a161 90"));
    let expected = "a RawValue needs b2nd's format, without flatten, untagged or internal tags: use a Value";
    assert!(serde_json::from_str::<RawValue>("1").unwrap_err().to_string().starts_with(expected));
    assert!(rmp_serde::from_slice::<RawValue>(&[1]).unwrap_err().to_string().starts_with(expected));
    assert_eq!(b2nd::from_slice::<Own>(&hex!("92 07 c0")).unwrap(), Own { id: 7, rest: None });
}
