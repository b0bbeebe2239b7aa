//! Errors: their whole messages, offsets, kinds and sources.
#![cfg(feature = "std")]

use std::error::Error as _;
use std::io;

use crate::common::{cat, header, layouts, message, refused};
use b2nd_frame::{Error, ErrorKind, File, Header, Metalayers};
use hex_literal::hex;

/// Changes of a header with two metalayers: the offset, the new bytes, and the expected error.
fn headers() -> Vec<(usize, &'static [u8], &'static str)> {
    vec![
        (0x00, b"P", "not a Blosc2 frame: expected an array of 14 elements (9e), found 50 at byte 0"),
        (0x00, b"\x90", "header elements: expected 14, found 0 at byte 0"),
        (0x00, b"\x9f", "header elements: expected 14, found 15 at byte 0"),
        (
            0x00,
            b"\x9b",
            "header elements: expected 14 (C-Blosc2 2.0 betas wrote 11 to 13, which are not supported), found 11 at byte 0",
        ),
        (
            0x00,
            b"\x9c",
            "header elements: expected 14 (C-Blosc2 2.0 betas wrote 11 to 13, which are not supported), found 12 at byte 0",
        ),
        (
            0x00,
            b"\x9d",
            "header elements: expected 14 (C-Blosc2 2.0 betas wrote 11 to 13, which are not supported), found 13 at byte 0",
        ),
        (0x00, b"\x9b\xa8\0", "magic: expected \"b2frame\\x00\", found \"\\x002frame\\x00\" at byte 1"),
        (0x01, b"\xa7", "magic: expected \"b2frame\\x00\", found \"b2frame\" at byte 1"),
        (0x01, b"\xdb", "magic: expected fixstr (a0 to bf), found str32 (db) at byte 1"),
        (0x02, b"c", "magic: expected \"b2frame\\x00\", found \"c2frame\\x00\" at byte 1"),
        (0x09, b"\xff", "magic: expected \"b2frame\\x00\", found \"b2frame\\xff\" at byte 1"),
        (0x0a, b"\xce", "header_len: expected int32 (d2), found uint32 (ce) at byte 10"),
        (0x0b, b"\0\0\0\x60", "header_len: expected 97 or more, found 96 at byte 10"),
        (0x0b, b"\xff\xff\xff\xff", "header_len: expected 97 or more, found -1 at byte 10"),
        (0x0b, b"\0\0\0\x61", "header_len: expected 99 or more for metalayers.offsets.key, found 97 at byte 10"),
        (0x0b, b"\0\0\0\xb1", "header_len: expected 178 or more for metalayers.contents[1], found 177 at byte 10"),
        (0x0b, b"\0\0\0\xb3", "unexpected end of input at byte 178: the frame's header needs 1 more byte"),
        (0x0f, b"\xd3", "frame_len: expected uint64 (cf), found int64 (d3) at byte 15"),
        (0x18, b"\xa3", "flags: invalid length 3, expected a byte array of length 4 at byte 24"),
        (0x18, b"\xce", "flags: expected fixstr (a0 to bf), found uint32 (ce) at byte 24"),
        (0x19, b"\x11", "frame version: expected 2 or 3, found 1 at byte 25"),
        (0x19, b"\x14", "frame version: expected 2 or 3, found 4 at byte 25"),
        (0x1a, b"\x02", "frame type: expected 0 (contiguous) or 1 (sparse), found 2 at byte 26"),
        (0x1d, b"\xcf", "nbytes: expected int64 (d3), found uint64 (cf) at byte 29"),
        (0x26, b"\xd2", "cbytes: expected int64 (d3), found int32 (d2) at byte 38"),
        (0x2f, b"\xd3", "typesize: expected int32 (d2), found int64 (d3) at byte 47"),
        (0x34, b"\0", "blocksize: expected int32 (d2), found positive fixint (00) at byte 52"),
        (0x39, b"\xff", "chunksize: expected int32 (d2), found negative fixint (ff) at byte 57"),
        (0x3e, b"\xcd", "compression_threads: expected int16 (d1), found uint16 (cd) at byte 62"),
        (0x41, b"\xd0", "decompression_threads: expected int16 (d1), found int8 (d0) at byte 65"),
        (0x44, b"\xc1", "has_vlmetalayers: expected bool (c2 or c3), found the unused marker (c1) at byte 68"),
        (0x45, b"\xd7", "pipeline: expected fixext16 (d8), found fixext8 (d7) at byte 69"),
        (0x46, b"\x07", "filter slots: expected at most 6, found 7 at byte 70"),
        (0x57, b"\x83", "metalayers: expected array (90 to 9f, dc, dd), found fixmap (83) at byte 87"),
        (0x57, b"\x92", "metalayers: invalid length 2, expected 3 elements (index, map of names, contents) at byte 87"),
        (0x57, b"\x94", "metalayers: expected 3 elements, found 4 at byte 87"),
        (0x58, b"\xce", "metalayers.idx: expected uint16 (cd), found uint32 (ce) at byte 88"),
        (0x5a, b"\x19", "metalayers.idx: expected 24, found 25 at byte 88"),
        (0x5b, b"\x82", "metalayers.offsets: expected map16 (de), found fixmap (82) at byte 91"),
        (0x5d, b"\0", "metalayers.contents: expected array16 (dc), found fixstr (a4) at byte 94"),
        (0x5d, b"\x01", "metalayers.contents: expected array16 (dc), found fixstr (a1) at byte 104"),
        (0x5d, b"\x03", "metalayers.offsets.key: expected fixstr (a0 to bf), found array16 (dc) at byte 111"),
        (0x5e, b"\xd9", "metalayers.offsets.key: expected fixstr (a0 to bf), found str8 (d9) at byte 94"),
        (0x5e, b"\xa3", "metalayers.offsets.b2n: expected int32 (d2), found positive fixint (64) at byte 98"),
        (0x63, b"\xce", "metalayers.offsets.b2nd: expected int32 (d2), found uint32 (ce) at byte 99"),
        (0x67, b"\x73", "metalayers.b2nd.offset: expected 114, found 115 at byte 99"),
        (0x64, b"\xff\xff\xff\xff", "metalayers.b2nd.offset: expected 114, found -1 at byte 99"),
        (0x6e, b"\xad", "metalayers.x.offset: expected 172, found 173 at byte 106"),
        (0x6f, b"\x92", "metalayers.contents: expected array16 (dc), found fixarray (92) at byte 111"),
        (0x71, b"\x01", "header_len: expected 172, found 178 at byte 10"),
        (0x71, b"\x03", "header_len: expected 183 or more for metalayers.contents[2], found 178 at byte 10"),
        (0x72, b"\xc4", "metalayers.contents[0]: expected bin32 (c6), found bin8 (c4) at byte 114"),
        (0x73, b"\xff", "header_len: expected 4278190252 or more for metalayers.contents[0], found 178 at byte 10"),
        (0x76, b"\x36", "metalayers.contents[1]: expected bin32 (c6), found positive fixint (00) at byte 173"),
    ]
}

fn two_metalayers() -> Vec<u8> {
    header(&[(b"b2nd", &layouts(2)[3].1), (b"x", b"y")])
}

/// The header with these bytes written at this position.
fn changed(position: usize, bytes: &[u8]) -> Vec<u8> {
    let mut header = two_metalayers();
    header[position..position + bytes.len()].copy_from_slice(bytes);
    header
}

#[test]
fn what_is_wrong_with_a_header() {
    assert!(Header::from_slice(&two_metalayers()).is_ok());
    for (position, bytes, expected) in headers() {
        assert_eq!(message(Header::from_slice(&changed(position, bytes))), expected);
    }
    let counts = cat(&[&changed(0x71, b"\x01")[..0x72 + 58]]);
    let counts = cat(&[&counts[..0x0e], &[counts.len() as u8], &counts[0x0f..]]);
    assert_eq!(message(Header::from_slice(&counts)), "metalayers.contents: expected 2, the number of names, found 1 at byte 111");
    let longer = cat(&[&changed(0x0e, b"\xb3"), b"\0"]);
    assert_eq!(message(Header::from_slice(&longer)), "header_len: expected 178, found 179 at byte 10");
}

#[test]
fn what_is_wrong_with_the_array_in_a_header() {
    for (position, bytes, expected) in [
        (0x77, &b"\x98"[..], "b2nd: expected 7 elements, found 8 at byte 119"),
        (0x77, b"a", "b2nd: expected array (90 to 9f, dc, dd), found positive fixint (61) at byte 119"),
        (0x77, b"\x93", "b2nd: array metalayer: expected 5 to 7 entries, found 3 at byte 119"),
        (0x79, b"\x11", "b2nd: expected at most 16 dimensions, found 17"),
        (0x79, b"\x03", "b2nd: shape has 2 dimensions, but ndim is 3"),
        (0x7b, b"\xd2", "b2nd.shape[0]: expected int64 (d3), found int32 (d2) at byte 123"),
        (0x7c, b"\xff", "b2nd.shape[0]: expected a length of 0 or more, found -71491328285473024 at byte 123"),
        (
            0xa3,
            b"\xcd",
            "b2nd.dtype_format: expected uint8 (00 to 7f, or cc for a number above 127), found uint16 (cd) at byte 163",
        ),
        (0xa8, b"\x04", "b2nd: the metalayer ends, but dtype needs 1 more byte at byte 172"),
        (0xa9, b"\xff", "b2nd.dtype: a string is not UTF-8 at byte 169"),
    ] {
        assert_eq!(message(Header::from_slice(&changed(position, bytes)).unwrap().array()), expected);
    }
}

#[test]
fn what_is_wrong_with_a_header_as_a_value_among_others() {
    let header = changed(0x5a, b"\x19");
    refused::<Header>(&header, "metalayers.idx: expected 24, found 25");
    refused::<Vec<Header>>(&cat(&[&hex!("91"), &header]), "[0]: metalayers.idx: expected 24, found 25 at byte 1");
    refused::<Header>(&changed(0, b"\x9d"), "invalid length 13, expected a frame's header of 14 elements");
    refused::<Header>(&changed(2, b"c"), "magic: expected \"b2frame\\x00\", found \"c2frame\\x00\"");
    refused::<Header>(&changed(0x0e, b"\xb3"), "header_len: expected 178, found 179");
}

#[test]
fn what_metalayers_refuse() {
    let mut metalayers = Metalayers::default();
    (0..16).for_each(|number| assert_eq!(metalayers.insert(&format!("m{number}"), [number]).unwrap(), None));
    let too_many = "\"m16\" would be number 17: C-Blosc2 writes at most 16 metalayers and 16 vlmetalayers";
    assert_eq!(message(metalayers.insert("m16", [])), too_many);
    assert_eq!(
        message(metalayers.insert(&"x".repeat(32), [])),
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: a metalayer's name: expected at most 31 bytes, found 32"
    );
    assert_eq!(metalayers.insert("m3", [9, 9]).unwrap(), Some(vec![3]), "a name that is there is not a 17th");
}

#[test]
fn what_the_system_refuses() {
    let open = |path: &str| message(File::open(path));
    assert_eq!(open("../../tests/data/none.b2nd"), "../../tests/data/none.b2nd: No such file or directory (os error 2)");
    assert_eq!(open("../../tests/data"), "../../tests/data/chunks.b2frame: No such file or directory (os error 2)");
    assert_eq!(open("../../tests/data/manifest.json/x"), "../../tests/data/manifest.json/x: Not a directory (os error 20)");
    assert_eq!(
        open("../../tests/data/manifest.json"),
        "not a Blosc2 frame: expected an array of 14 elements (9e), found 5b at byte 0"
    );
    let example = "../../tests/data/example.b2nd";
    let error = "unexpected end of input at byte 0: the frame's header needs 15 more bytes";
    assert_eq!(message(File::open_at(example, 1 << 40)), error);
    assert_eq!(message(File::open_at(example, u64::MAX)), error, "nothing can be read from there on");
    assert_eq!(message(File::open_at(example, 1 << 63)), format!("{example}: Invalid argument (os error 22)"));
    let length = std::fs::metadata(example).unwrap().len();
    let error = File::open_at(example, length - 1).unwrap_err();
    assert!(!matches!(error.kind(), ErrorKind::Io(_)), "{error}");
}

#[test]
fn an_error_is_a_pointer_and_its_debug_is_the_sentence() {
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    assert_eq!(size_of::<b2nd_frame::Result<()>>(), size_of::<usize>());
    for error in [
        Header::from_slice(b"").unwrap_err(),
        Header::from_slice(&changed(0x5a, b"\x19")).unwrap_err(),
        File::open("none").unwrap_err(),
    ] {
        assert_eq!(format!("{error:?}"), error.to_string());
        fn thread_safe(_: impl std::error::Error + Send + Sync + 'static) {}
        thread_safe(error);
    }
}

#[test]
fn an_error_becomes_an_io_error() {
    let kind = |error: Error| io::Error::from(error).kind();
    assert_eq!(kind(Header::from_slice(b"").unwrap_err()), io::ErrorKind::UnexpectedEof);
    assert_eq!(kind(Header::from_slice(b"\xff").unwrap_err()), io::ErrorKind::InvalidData);
    assert_eq!(kind(File::open("none").unwrap_err()), io::ErrorKind::NotFound);
    let error = io::Error::from(Header::from_slice(b"\xff").unwrap_err());
    let inner = error.get_ref().unwrap().downcast_ref::<Error>().unwrap();
    assert!(matches!(inner.kind(), ErrorKind::NotAFrame(_)));
    let error = Error::from(io::Error::from(io::ErrorKind::PermissionDenied));
    assert!(matches!(error.kind(), ErrorKind::Io(error) if error.kind() == io::ErrorKind::PermissionDenied));
}

#[test]
fn the_source_of_an_error_in_a_metalayer_is_the_error_of_the_format() {
    let header = Header::from_slice(&changed(0x7b, b"\xd2")).unwrap();
    let error = header.array().unwrap_err();
    assert_eq!(error.to_string(), "b2nd.shape[0]: expected int64 (d3), found int32 (d2) at byte 123");
    let source = error.source().unwrap().downcast_ref::<b2nd::Error>().unwrap();
    assert_eq!((source.offset(), source.path().as_deref()), (Some(4), Some("shape[0]")));
}
