//! `with::embedded`: a value in this format, byte for byte, inside a value in another.

use crate::common::{both_ways, cat, cbor, layouts, message, refused};
use b2nd::{ArrayMeta, B2ndMeta, Geometry};
use hex_literal::hex;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Message<T: Serialize + serde::de::DeserializeOwned> {
    id: u16,
    #[serde(with = "b2nd::with::embedded")]
    array: T,
    end: u8,
}

fn message_of<T: Serialize + serde::de::DeserializeOwned>(array: T) -> Message<T> {
    Message { id: 7, array, end: 9 }
}

#[test]
fn the_bytes_are_the_same_in_every_binary_format() {
    for ndim in [0, 1, 2, 15, 16] {
        for (array, bytes) in layouts(ndim) {
            let value = message_of(array.into_owned());
            let length = bytes.len();

            let prefix = cat(&[&hex!("93 cd0007 c6"), &(length as u32).to_be_bytes()]);
            both_ways(message_of(array.into_owned()), &cat(&[&prefix, &bytes, &hex!("09")]));

            let packed = rmp_serde::to_vec(&value).unwrap();
            assert!(packed.starts_with(&hex!("93 07")) && packed.ends_with(&cat(&[&bytes, &hex!("09")])));
            assert_eq!(rmp_serde::from_slice::<Message<ArrayMeta>>(&packed).unwrap(), value);

            let binary = postcard::to_stdvec(&value).unwrap();
            assert_eq!(binary, cat(&[&hex!("07"), &postcard::to_stdvec(&length).unwrap(), &bytes, &hex!("09")]));
            assert_eq!(postcard::from_bytes::<Message<ArrayMeta>>(&binary).unwrap(), value);

            let concise = cbor(&value);
            assert!(concise.windows(length).any(|window| window == bytes));
            assert_eq!(ciborium::from_reader::<Message<ArrayMeta>, _>(concise.as_slice()).unwrap(), value);
        }
    }
}

#[test]
fn a_format_for_people_shows_the_value() {
    let geometry = Geometry::new(&[400], &[110], &[57]).unwrap();
    let value = message_of(B2ndMeta::new(geometry, "|u1"));
    let array = r#"{"version":0,"ndim":1,"shape":[400],"chunkshape":[110],"blockshape":[57],"dtype_format":0,"dtype":"|u1"}"#;
    let json = serde_json::to_string(&value).unwrap();
    assert_eq!(json, format!(r#"{{"id":7,"array":{array},"end":9}}"#));
    assert_eq!(serde_json::from_str::<Message<B2ndMeta>>(&json).unwrap(), value);
}

#[test]
fn a_value_is_found_where_serde_buffers() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    #[serde(tag = "kind")]
    #[allow(clippy::large_enum_variant)]
    enum Tagged {
        Array(Message<B2ndMeta>),
        Number { n: u8 },
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    #[serde(untagged)]
    #[allow(clippy::large_enum_variant)]
    enum Untagged {
        Number(u8),
        Array(Message<B2ndMeta>),
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Flat {
        first: u8,
        #[serde(flatten)]
        message: Message<Option<Vec<String>>>,
    }
    #[track_caller]
    fn survives<T: Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug>(value: T) {
        assert_eq!(ciborium::from_reader::<T, _>(cbor(&value).as_slice()).unwrap(), value);
        assert_eq!(rmp_serde::from_slice::<T>(&rmp_serde::to_vec_named(&value).unwrap()).unwrap(), value);
        assert_eq!(serde_json::from_str::<T>(&serde_json::to_string(&value).unwrap()).unwrap(), value);
    }
    let array = || message_of(B2ndMeta::new(Geometry::new(&[400], &[110], &[57]).unwrap(), "|u1"));
    survives(Tagged::Array(array()));
    survives(Tagged::Number { n: 1 });
    survives(Untagged::Array(array()));
    survives(Untagged::Number(1));
    for names in [None, Some(vec![]), Some(vec!["a".to_owned()])] {
        let flat = Flat { first: 1, message: message_of(names) };
        assert_eq!(b2nd::from_slice::<Flat>(&b2nd::to_vec(&flat).unwrap()).unwrap(), flat);
        survives(flat);
    }

    // What is wrong with the bytes is told, and in a format for people bytes are not taken for numbers.
    let packed = rmp_serde::to_vec_named(&Tagged::Array(array())).unwrap();
    let at = packed.windows(4).position(|window| window == b"|u1\xa3").unwrap_or_else(|| panic!("{packed:02x?}"));
    let mut damaged = packed.clone();
    damaged[at - 5] = 0xc1;
    let error = rmp_serde::from_slice::<Tagged>(&damaged).unwrap_err().to_string();
    assert_eq!(error, "dtype: expected str32 (db), found the unused marker (c1) at byte 26");
    let error = serde_json::from_str::<Message<B2ndMeta>>(r#"{"id":7,"array":[151,0,0],"end":9}"#).unwrap_err().to_string();
    assert_eq!(error, "expected a positive fixint (at most 127), found 151 at line 1 column 21");
}

#[test]
fn any_value_is_embedded() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Optional(#[serde(with = "b2nd::with::embedded")] Option<(u8, String)>);
    both_ways(Optional(None), &hex!("c6 00000001 c0"));
    both_ways(Optional(Some((1, "a".into()))), &hex!("c6 00000008 92 01 db00000001 61"));
    both_ways(message_of(message_of(5i8)), &hex!("93 cd0007 c6 0000000c 93 cd0007 c6 00000002 d005 09 09"));
}

#[test]
fn what_is_wrong_inside_is_told() {
    refused::<Message<B2ndMeta>>(
        &hex!("93 cd0007 c6 00000003 970000 09"),
        "array: the embedded value ends, but shape needs 1 more byte at byte 12",
    );
    refused::<Message<u8>>(&hex!("93 cd0007 c6 00000002 0102 09"), "array: 1 trailing byte after the value at byte 10");
    refused::<Message<u8>>(&hex!("93 cd0007 01 09"), "array: expected bin32 (c6), found positive fixint (01) at byte 4");
    let value = message_of(B2ndMeta { version: 200, ..B2ndMeta::new(Geometry::new(&[], &[], &[]).unwrap(), "") });
    assert_eq!(message(b2nd::to_vec(&value)), "version: expected a positive fixint (at most 127), found 200");
    let error = rmp_serde::to_vec(&value).unwrap_err().to_string();
    assert_eq!(error, "version: expected a positive fixint (at most 127), found 200");
}

/// A type that nests in itself without end, an embedded value at a time.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Nest(#[serde(with = "b2nd::with::embedded")] Option<Box<Nest>>);

#[test]
fn embedded_values_nest_as_deep_as_others() {
    let nest = |depth: usize| (0..depth).fold(Nest(None), |inner, _| Nest(Some(Box::new(inner))));
    let bytes = b2nd::to_vec(&nest(41)).unwrap();
    assert_eq!(bytes.len(), 42 * 5 + 1);
    assert_eq!(b2nd::from_slice::<Nest>(&bytes).unwrap(), nest(41));
    assert_eq!(b2nd::to_vec(&nest(50)).unwrap_err().to_string(), "nested more than 128 levels deep");

    let mut bomb = vec![0xc0];
    for _ in 0..10_000 {
        bomb.splice(0..0, [&[0xc6][..], &(bomb.len() as u32).to_be_bytes()].concat());
    }
    let error = b2nd::from_slice::<Nest>(&bomb).unwrap_err();
    assert!(error.to_string().ends_with("nested more than 128 levels deep at byte 215"), "{error}");
}
