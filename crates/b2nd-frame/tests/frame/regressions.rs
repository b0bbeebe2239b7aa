//! Bugs that the fuzzer found, one test for each.

use crate::common::message;
use b2nd_frame::{Frame, Header, Trailer};

/// A good frame with another value in the header's field `nbytes`.
fn frame_of(nbytes: i64) -> Vec<u8> {
    let mut frame = std::fs::read("../../tests/data/example.b2nd").unwrap();
    frame[0x1e..0x26].copy_from_slice(&nbytes.to_be_bytes());
    frame
}

/// A negative `nbytes` was once accepted with any number of chunks, as if the chunks varied in length.
#[test]
fn no_frame_is_of_less_than_nothing() {
    for nbytes in [-1, i64::MIN] {
        let expected = format!("nbytes: expected 0 or more, found {nbytes} at byte 29");
        assert_eq!(message(Frame::from_slice(&frame_of(nbytes))), expected);
    }
}

/// The length of a compressed index was once compared with the header only after it had been decompressed.
#[test]
fn an_index_of_another_length_than_the_header_says_is_not_decompressed() {
    let mut frame = frame_of(0x1000);
    let header = Header::from_slice(&frame).unwrap();
    let (count, index) = (header.nchunks().unwrap(), header.tail_range().start as usize);
    // The index is marked as compressed, with 2 GiB less 8 bytes of data.
    frame[index + 2] &= !0x02;
    frame[index + 4..index + 8].copy_from_slice(&0x7fff_fff8_i32.to_le_bytes());
    let expected = format!("index: offsets: expected {count}, as the header's sizes say, found 268435455");
    assert_eq!(message(Frame::from_slice(&frame)), expected);
}

/// A version above 127 takes a second byte. The trailer was then a byte longer than its trailer_len.
#[test]
fn a_trailers_version_is_one_byte() {
    let mut bytes = b2nd::to_vec(&Trailer::new(Default::default())).unwrap();
    bytes[1] = 127;
    assert_eq!(Trailer::from_slice(&bytes).unwrap().version(), 127);
    bytes.splice(1..2, [0xcc, 128]);
    let expected = "version: expected a positive fixint (at most 127), found 128";
    assert_eq!(message(Trailer::from_slice(&bytes)), format!("{expected} at byte 1"));
    let readable = serde_json::to_value(Trailer::new(Default::default())).unwrap();
    let mut object = readable.as_object().unwrap().clone();
    object["version"] = 128.into();
    assert!(serde_json::from_value::<Trailer>(object.into()).is_err_and(|error| error.to_string().starts_with(&expected[9..])));
}
