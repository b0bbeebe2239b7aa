//! Sources that return fewer bytes than they claim, files that claim huge sizes, passwords in URLs, and directories that are removed.
#![allow(clippy::unwrap_used)]

use std::borrow::Cow;
use std::fs;
use std::ops::Range;

use b2nd_frame::Result;
use b2nd_store::{Frame, Source};

/// A file that was cut off after its length was read.
struct Shrunk<'a>(&'a [u8]);

impl Source for Shrunk<'_> {
    fn len(&self) -> Result<u64> {
        Ok(1 << 30)
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let place = |at: u64| usize::try_from(at).unwrap().min(self.0.len());
        Ok(Cow::Borrowed(&self.0[place(range.start)..place(range.end)]))
    }
}

#[test]
fn less_than_was_promised_is_an_error() {
    let example = fs::read("../../tests/data/example.b2nd").unwrap();
    let header_len = Frame::open(&example).unwrap().header().header_len();
    for length in 0..example.len() {
        match Frame::open(&Shrunk(&example[..length])) {
            Ok(frame) => assert!(length >= header_len && frame.trailer().is_err(), "{length}"),
            Err(error) => assert!(length < header_len && error.is_eof(), "{length}: {error}"),
        }
    }
}

/// A file whose bytes are zero except for its start and its end.
struct Hole<'a>(&'a [u8], &'a [u8]);

const LENGTH: u64 = 1 << 40;

impl Source for Hole<'_> {
    fn len(&self) -> Result<u64> {
        Ok(LENGTH)
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        assert!(range.end - range.start <= 1 << 20, "{range:?}");
        let last = LENGTH - self.1.len() as u64;
        let byte = |at: u64| {
            let from = |bytes: &[u8], start| bytes.get(usize::try_from(at - start).unwrap()).copied();
            if at >= last { from(self.1, last) } else { from(self.0, 0) }.unwrap_or(0)
        };
        Ok(Cow::Owned((range.start..range.end.min(LENGTH)).map(byte).collect()))
    }
}

#[test]
fn a_hole_is_not_read() {
    let mut example = fs::read("../../tests/data/example.b2nd").unwrap();
    example[16..24].copy_from_slice(&LENGTH.to_be_bytes());
    let header_len = Frame::open(&example).unwrap().header().header_len();
    let mut trailer = example[example.len() - 283..].to_vec();
    let most = "the limit is 268435456";
    let error = |result: b2nd_frame::Result<()>| result.unwrap_err().to_string();

    trailer[283 - 22..283 - 18].copy_from_slice(&u32::MAX.to_be_bytes());
    let file = Hole(&example[..header_len], &trailer);
    let frame = Frame::open(&file).unwrap();
    assert_eq!(error(frame.trailer().map(drop)), format!("the trailer has 4294967295 bytes; {most}"));

    // The index follows the chunks.
    let at = header_len + usize::try_from(frame.header().cbytes()).unwrap();
    let index = [&[5, 1, 0x12, 8][..], &[0, 0, 0, 0x40, 0, 0, 0, 8], &0x7000_0000_i32.to_le_bytes(), &[0; 16]].concat();
    let mut with_index = example[..at].to_vec();
    with_index.extend(index);
    let file = Hole(&with_index, &trailer);
    let frame = Frame::open(&file).unwrap();
    assert_eq!(error(frame.offsets().map(drop)), format!("the index has 1879048192 bytes; {most}"));

    example[11..15].copy_from_slice(&i32::MAX.to_be_bytes());
    assert_eq!(error(Frame::open(&Hole(&example, &[])).map(drop)), format!("the header has 2147483647 bytes; {most}"));
}

#[test]
fn a_password_is_not_shown_even_if_it_has_a_slash() {
    for (url, shown) in [
        ("http://u:p@host/x", "http://***@host/x"),
        ("http://u:p/w@host/x", "http://***@host/x"),
        ("http://host:8080/x@y", "http://host:8080/x@y"),
        ("http://[::1]:80/x@y", "http://[::1]:80/x@y"),
        ("http://[::1]/x@y", "http://[::1]/x@y"),
    ] {
        assert_eq!(b2nd_store::without_password(url), shown);
    }
}

#[test]
fn the_key_of_a_leaf_begins_after_the_host_of_a_url() {
    for (text, place, key) in [
        ("http://[::1]", "http://[::1]", None),
        ("http://[::1]:80/a.b2z::/x]", "http://[::1]:80/a.b2z", Some("/x]")),
        ("http://host/a.b2z::/x]::y", "http://host/a.b2z", Some("/x]::y")),
        ("a.b2z::/x]", "a.b2z", Some("/x]")),
    ] {
        let location = b2nd_store::Location::new(text.as_ref());
        assert_eq!((location.place().as_ref(), location.key()), (place, key));
    }
}

#[test]
fn a_directory_that_was_removed_is_not_created_again() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("removed");
    let _ = fs::remove_dir_all(&path);
    fs::create_dir(&path).unwrap();
    let directory = b2nd_store::Directory(path.clone());
    for name in ["c/0/1", "c/0/2", "zarr.json"] {
        fs::write(directory.place(name).unwrap(), name).unwrap();
        assert_eq!(fs::read_to_string(path.join(name)).unwrap(), name);
    }
    fs::remove_dir_all(&path).unwrap();
    assert_eq!(directory.place("c/0/3").unwrap_err().kind(), std::io::ErrorKind::NotFound);
    assert!(!path.exists());
}
