//! Proper prefixes of valid inputs are an unexpected end of input.

use crate::common::{cat, layouts};
use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Error, LegacyB2ndMeta};
use hex_literal::hex;
use serde::Deserialize;

/// Checks that every proper prefix is an unexpected end of input, and that adding the bytes that each error asks for ends in
/// success.
#[track_caller]
fn ends_early_everywhere(whole: &[u8], read: impl Fn(&[u8]) -> Option<Error>, exact: impl Fn(usize) -> Option<usize>) {
    for length in 0..whole.len() {
        let error = read(&whole[..length]).unwrap();
        assert!(error.is_eof(), "{length} of {} bytes: {error}", whole.len());
        assert_eq!(error.offset(), Some(length), "{error}");
        let needed = error.needed().unwrap();
        assert!((1..=whole.len() - length).contains(&needed), "{length} of {} bytes: {error}", whole.len());
        if let Some(exact) = exact(length) {
            assert_eq!(needed, exact, "{length} of {} bytes", whole.len());
        }
        let s = if needed == 1 { "" } else { "s" };
        let (start, end) = (format!("unexpected end of input at byte {length}: "), format!(" needs {needed} more byte{s}"));
        let sentence = error.to_string();
        assert!(sentence.starts_with(&start) && sentence.ends_with(&end), "{sentence}");
    }
    let (mut length, mut steps) = (0, 0);
    while let Some(error) = read(&whole[..length]) {
        length += error.needed().unwrap();
        steps += 1;
        assert!(steps <= whole.len());
    }
    assert_eq!(length, whole.len());
}

#[test]
fn every_prefix_of_an_array_metalayer_is_the_end_of_the_input() {
    for ndim in 0..=16 {
        // The markers of the metalayer and of its three lists, the version and ndim take a byte each. A length takes 9 bytes in
        // the shape, and 5 in the other two.
        let exact = |length: usize| {
            let (shape, chunkshape) = (4, 4 + 9 * usize::from(ndim) + 1);
            let blockshape = chunkshape + 5 * usize::from(ndim) + 1;
            let rest = blockshape + 5 * usize::from(ndim);
            Some(match length {
                _ if length < shape => 1,
                _ if length < chunkshape - 1 => 9 - (length - shape) % 9,
                _ if length == chunkshape - 1 || length == blockshape - 1 => 1,
                _ if length < blockshape => 5 - (length - chunkshape) % 5,
                _ if length < rest => 5 - (length - blockshape) % 5,
                _ => return None,
            })
        };
        for (array, bytes) in layouts(ndim) {
            ends_early_everywhere(&bytes, |input| ArrayMeta::from_metalayer(input).err(), exact);
            match array {
                ArrayMeta::Caterva(_) => {
                    ends_early_everywhere(&bytes, |input| b2nd::from_slice::<CatervaMeta>(input).err(), exact)
                }
                ArrayMeta::LegacyB2nd(_) => {
                    ends_early_everywhere(&bytes, |input| b2nd::from_slice::<LegacyB2ndMeta>(input).err(), exact)
                }
                ArrayMeta::B2nd(_) => ends_early_everywhere(&bytes, |input| b2nd::from_slice::<B2ndMeta>(input).err(), exact),
                _ => {}
            }
        }
    }
}

#[test]
fn every_prefix_of_a_users_value_is_the_end_of_the_input() {
    #[derive(Deserialize, Debug)]
    #[allow(dead_code)]
    enum Kind {
        Unit,
        Newtype(u64),
        Struct { x: Option<bool>, y: char },
    }
    #[derive(Deserialize, Debug)]
    #[allow(dead_code)]
    struct Everything {
        kinds: Vec<Kind>,
        map: std::collections::BTreeMap<u8, f64>,
        #[serde(with = "b2nd::with::fixstr")]
        fixstr: String,
        #[serde(with = "b2nd::with::fixext16")]
        fixext16: [u8; 17],
        #[serde(with = "b2nd::with::array16")]
        array16: Vec<i8>,
        #[serde(with = "b2nd::with::map16")]
        map16: std::collections::BTreeMap<u8, ()>,
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
    }
    let bytes = cat(&[
        &hex!("97 dc0010"),
        &hex!("db00000004556e6974").repeat(14),
        &hex!("81 db000000074e657774797065 cf0000000000000001"),
        &hex!("81 db00000006537472756374 92 c3 db0000000178"),
        &hex!("82 7f cb0000000000000000 ccff cb0000000000000000"),
        &hex!("a2 6162 d8 000102030405060708090a0b0c0d0e0f10 dc0001 d001 de0001 01 c0 c600000002 0102"),
    ]);
    ends_early_everywhere(&bytes, |input| b2nd::from_slice::<Everything>(input).err(), |_| None);
    ends_early_everywhere(&bytes, |input| b2nd::from_slice::<serde::de::IgnoredAny>(input).err(), |_| None);
}
