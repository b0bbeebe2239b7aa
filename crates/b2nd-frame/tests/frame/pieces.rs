//! `Pieces`: parts of a source that the client fetches.

#![allow(clippy::single_range_in_vec_init, reason = "the ranges that are missing are a list")]

use b2nd_frame::{ErrorKind, Frame, Pieces, Source, join};

use crate::common::{frames, message};

#[test]
fn everything_that_is_missing_is_named_at_once() {
    let bytes = frames::edited();
    let pieces = Pieces::with_len(bytes.len() as u64);
    let error = Frame::open(&pieces).unwrap_err();
    let length = bytes.len() as u64;
    assert!(matches!(error.kind(), ErrorKind::Missing { start: 0, end } if *end == length), "{error}");
    assert_eq!(pieces.take_missing(0), [0..length]);

    let header_len = Frame::from_slice(&bytes).unwrap().header().header_len();
    pieces.put(0..header_len as u64, bytes[..header_len].to_vec()).unwrap();
    // The first reads of the header and the tail overlap, and the header's bytes are not requested again.
    assert!(Frame::open(&pieces).is_err());
    assert_eq!(pieces.take_missing(0), [header_len as u64..length]);
    pieces.put(header_len as u64..length, bytes[header_len..].to_vec()).unwrap();
    let frame = Frame::open(&pieces).unwrap();
    assert_eq!(frame.trailer().unwrap(), Frame::from_slice(&bytes).unwrap().trailer().unwrap());
    assert!(pieces.take_missing(0).is_empty());

    let pieces = Pieces::with_len(1000);
    for range in [10..20, 500..600, 22..30, 10..20, 900..2000] {
        assert!(pieces.read(range).is_err());
    }
    assert_eq!(pieces.take_missing(5), [10..30, 500..600, 900..1000]);
    assert!(pieces.take_missing(5).is_empty(), "they were taken");
}

#[test]
fn only_the_gaps_between_pieces_are_missing() {
    let bytes: Vec<u8> = (0..100).collect();
    let pieces = Pieces::with_len(100);
    let put = |pieces: &Pieces, range: std::ops::Range<usize>| {
        pieces.put(range.start as u64..range.end as u64, bytes[range].to_vec()).unwrap();
    };
    put(&pieces, 20..30);
    put(&pieces, 40..50);
    assert_eq!(message(pieces.read(10..60)), "bytes 10..60 have not all been fetched yet");
    assert_eq!(pieces.take_missing(0), [10..20, 30..40, 50..60]);
    put(&pieces, 15..45);
    assert_eq!(pieces.held(), 30 + 10);
    put(&pieces, 44..46);
    assert_eq!(pieces.read(16..49).unwrap(), &bytes[16..49]);
    assert_eq!(pieces.read(20..44).unwrap(), &bytes[20..44]);
    let mut buffer = [0; 20];
    pieces.read_into(30, &mut buffer).unwrap();
    assert_eq!(buffer, bytes[30..50]);
    assert!(pieces.take_missing(0).is_empty());
    for range in [0..0, 100..200, 5000..6000] {
        assert!(pieces.read(range).unwrap().is_empty());
    }
}

#[test]
fn an_answer_that_contradicts_an_earlier_one_is_refused() {
    let changed = "the file has been changed, replaced or removed since it was opened: try to open it again";
    let pieces = Pieces::default();
    assert_eq!(pieces.len().unwrap(), u64::MAX);
    pieces.put(0..10, vec![1; 10]).unwrap();
    assert_eq!(pieces.len().unwrap(), u64::MAX);
    pieces.put(10..30, vec![2; 10]).unwrap();
    assert_eq!(pieces.len().unwrap(), 20, "fewer bytes than were asked for end the source");
    pieces.set_len(20).unwrap();
    assert_eq!(message(pieces.set_len(21)), changed);
    assert_eq!([4, 6].map(|count| message(pieces.put(15..20, vec![3; count]))), [changed; 2]);
    assert_eq!(message(Pieces::with_len(100).put(60..70, Vec::new())), changed);
    let pieces = Pieces::default();
    pieces.put(50..60, vec![1; 10]).unwrap();
    assert_eq!(message(pieces.set_len(55)), changed);
    assert_eq!(message(pieces.put(0..60, vec![1; 20])), changed);
    pieces.put(100..200, Vec::new()).unwrap();
    assert_eq!(message(pieces.read(100..110)), "the source ends before byte 100");
    assert_eq!(pieces.len().unwrap(), u64::MAX);
}

#[test]
fn what_cannot_be_fetched_says_why_and_is_not_missing() {
    let pieces = Pieces::with_len(100);
    pieces.put(0..50, vec![0; 50]).unwrap();
    pieces.fail(60..70, "the server said 500");
    assert_eq!(message(pieces.read(40..65)), "the server said 500");
    assert!(pieces.take_missing(0).is_empty());
    assert_eq!(pieces.read(40..50).unwrap().len(), 10);
    assert!(pieces.read(70..80).is_err());
    assert_eq!(pieces.take_missing(0), [70..80]);
    // A range that failed can be supplied later.
    pieces.put(60..70, vec![1; 10]).unwrap();
    assert_eq!(pieces.read(60..70).unwrap(), [1; 10].as_slice());
}

#[test]
fn neighbors_are_joined() {
    assert_eq!(join(vec![], 10), []);
    assert_eq!(join(vec![30..40, 0..10, 5..20, 2..3], 0), [0..20, 30..40]);
    assert_eq!(join(vec![30..40, 0..10, 5..20], 10), [0..40]);
    assert_eq!(join(vec![u64::MAX - 1..u64::MAX, 0..1], u64::MAX), [0..u64::MAX]);
}
