//! Malicious and malformed archives.
#![allow(clippy::unwrap_used)]

use b2nd_store::{Folder, LeftOut, Source, Why, Zip};

/// A member of an archive: its name and stored bytes. `deflated` is the size of the inflated data if the bytes are deflated.
struct Member<'a> {
    name: &'a str,
    data: &'a [u8],
    deflated: Option<u32>,
    crc: u32,
}

/// The CRC-32 of the content `abc`.
const ABC: u32 = 0x3524_41c2;

/// An archive whose directory lists the members with these indices. Each member is stored once.
fn archive(members: &[Member], listed: &[usize]) -> Vec<u8> {
    let (mut bytes, mut starts) = (Vec::new(), Vec::new());
    let fields = |member: &Member| {
        let method: u16 = if member.deflated.is_some() { 8 } else { 0 };
        let length = u32::try_from(member.data.len()).unwrap();
        let inflated = member.deflated.unwrap_or(length);
        let sizes = [member.crc, length, inflated].map(u32::to_le_bytes).concat();
        let name = u16::try_from(member.name.len()).unwrap().to_le_bytes();
        [&[20, 0, 0, 0][..], &method.to_le_bytes(), &[0; 4], &sizes, &name, &[0; 2]].concat()
    };
    for member in members {
        starts.push(u32::try_from(bytes.len()).unwrap());
        bytes.extend([b"PK\x03\x04", fields(member).as_slice(), member.name.as_bytes(), member.data].concat());
    }
    let directory = u32::try_from(bytes.len()).unwrap();
    for &index in listed {
        let member = &members[index];
        let place = starts[index].to_le_bytes();
        bytes.extend([b"PK\x01\x02\x14\x00", fields(member).as_slice(), &[0; 10], &place, member.name.as_bytes()].concat());
    }
    let length = u32::try_from(bytes.len()).unwrap() - directory;
    let count = u16::try_from(listed.len()).unwrap().to_le_bytes();
    bytes.extend([&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &length.to_le_bytes(), &directory.to_le_bytes(), &[0; 2]].concat());
    bytes
}

fn stored<'a>(name: &'a str, data: &'a [u8]) -> Member<'a> {
    Member { name, data, deflated: None, crc: ABC }
}

#[test]
fn of_two_members_with_a_name_the_last_counts() {
    let bytes = archive(&[stored("a", b"first"), stored("b", b"b"), stored("a", b"last")], &[0, 1, 2]);
    let zip = Zip::open(bytes).unwrap();
    let left_out = vec![LeftOut { name: "a".to_owned(), why: Why::Duplicate }];
    assert_eq!(zip.contents().unwrap(), (vec!["a".to_owned(), "b".to_owned()], left_out));
    assert_eq!(&*zip.open("a").unwrap().read(0..9).unwrap(), b"last");
}

#[test]
fn members_that_share_bytes_are_refused() {
    let bytes = archive(&[stored("a", b"0123"), stored("b", b"4567")], &[0, 1, 0]);
    let error = Zip::open(bytes).err().unwrap();
    assert_eq!(error.to_string(), "two members of the archive overlap at byte 0");
}

/// Each member is inflated only once, and all members together to at most 256 MiB.
#[test]
fn an_archive_has_a_budget() {
    // A deflate block without compression: its type, its length, the complement of the length, and the bytes.
    let packed = [&[1, 3, 0, !3, !0][..], b"abc"].concat();
    let small = Member { name: "small", data: &packed, deflated: Some(3), crc: ABC };
    let large = Member { name: "large", data: &packed, deflated: Some((1 << 28) - 2), crc: ABC };
    let wrong = Member { name: "wrong", data: &packed, deflated: Some(4), crc: ABC };
    let bytes = archive(&[small, large, wrong], &[0, 1, 2]);
    let zip = Zip::open(bytes).unwrap();
    for _ in 0..2 {
        assert_eq!(&*zip.open("small").unwrap().read(0..9).unwrap(), b"abc");
    }
    let error = |name: &str| zip.open(name).err().unwrap().to_string();
    assert_eq!(
        error("large"),
        "the member \"large\" is compressed, and all decompressed members together would exceed the limit of 268435456 bytes"
    );
    assert_eq!(error("wrong"), "the member \"wrong\" is compressed: expected 4 bytes after decompression, found 3 bytes");
}

#[test]
fn members_with_names_that_are_not_understood_are_left_out_and_named() {
    let members = [stored("/x/y", b"abc"), stored("a", b"abc"), stored("b/../../c", b"abc"), stored("n\u{81}", b"abc")];
    let mut bytes = archive(&members, &[0, 1, 2, 3]);
    // Replaces the last name by one that is not UTF-8.
    while let Some(at) = bytes.windows(3).position(|part| part == "n\u{81}".as_bytes()) {
        bytes[at + 1] = 0x81;
    }
    let (files, left_out) = Zip::open(bytes).unwrap().contents().unwrap();
    assert_eq!(files, ["a"]);
    let found: Vec<_> = left_out.iter().map(|one| (one.name.as_str(), one.why)).collect();
    assert_eq!(found, [("/x/y", Why::Outside), ("b/../../c", Why::Outside), ("n\u{fffd}\u{fffd}", Why::NotUtf8)]);
}

#[test]
fn a_whole_member_is_compared_with_its_crc() {
    let packed = [&[1, 3, 0, !3, !0][..], b"abx"].concat();
    let deflated = Member { name: "c", data: &packed, deflated: Some(3), crc: ABC };
    let bytes = archive(&[stored("a", b"abc"), stored("b", b"abx"), deflated], &[0, 1, 2]);
    let zip = Zip::open(bytes).unwrap();
    zip.verify("a").unwrap();
    let damaged = "the archive is damaged: expected the CRC-32 352441c2, found bf41882e";
    assert_eq!(zip.verify("b").unwrap_err().to_string(), format!("b: {damaged}"));
    assert_eq!(zip.open("c").err().unwrap().to_string(), format!("c: {damaged}"));
}
