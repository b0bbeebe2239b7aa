//! Sources that do not keep their word.
#![allow(clippy::unwrap_used)]

use std::borrow::Cow;
use std::ops::Range;
use std::{fs, io};

use b2nd_view::{Frame, Source};

/// A file that has been cut since its length was asked for.
struct Shrunk<'a>(&'a [u8]);

impl Source for Shrunk<'_> {
    fn len(&self) -> u64 {
        1 << 30
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        self.0.read(range)
    }
}

#[test]
fn less_than_was_promised_is_an_error() {
    let example = fs::read("../../tests/data/example.b2nd").unwrap();
    let header_len = Frame::open(&example, 0).unwrap().header().header_len();
    for length in 0..example.len() {
        match Frame::open(&Shrunk(&example[..length]), 0) {
            Ok(frame) => assert!(length >= header_len && frame.tail().is_err(), "{length}"),
            Err(error) => assert!(length < header_len && error.is_eof(), "{length}: {error}"),
        }
    }
}
