//! Every proper prefix of a valid header is an unexpected end of input.

use crate::common::{header, layouts, message};
use b2nd::B2ndMeta;
use b2nd_frame::{Error, Header};

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
fn every_prefix_of_a_header_is_the_end_of_the_input() {
    let mut headers = vec![header(&[]), header(&[(b"b2nd", &layouts(2)[3].1), (b"", b""), (b"\xff", b"x")])];
    for file in crate::common::files("../../tests/data") {
        let bytes = std::fs::read(file).unwrap();
        if let Ok(header) = Header::from_slice(&bytes) {
            headers.push(bytes[..header.header_len()].to_vec());
        }
    }
    assert!(headers.len() > 80, "{} headers", headers.len());
    for whole in headers {
        let exact = |length| Some(if length < 15 { 15 - length } else { whole.len() - length });
        ends_early_everywhere(&whole, |input| Header::from_slice(input).err(), exact);
        if whole.len() < 500 {
            ends_early_everywhere(&whole, |input| b2nd::from_slice::<Header>(input).err().map(Error::from), |_| None);
        }
    }
}

#[test]
fn an_array_metalayer_that_is_cut_short_in_a_whole_header_is_no_end_of_input() {
    let [.., (_, bytes)] = layouts(2);
    for length in 0..bytes.len() {
        let header = Header::from_slice(&header(&[(b"b2nd", &bytes[..length])])).unwrap();
        let error = header.array().unwrap_err();
        assert!(!error.is_eof() && error.offset() == Some(112 + length), "{error}");
        assert!(header.metalayer::<B2ndMeta>().unwrap_err().needed().is_none());
    }
    let header = Header::from_slice(&header(&[(b"b2nd", &bytes[..bytes.len() - 2])])).unwrap();
    assert_eq!(message(header.array()), "b2nd: the metalayer ends, but dtype needs 2 more bytes at byte 163");
}
