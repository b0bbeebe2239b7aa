//! Frames with wrong fields. Each is rejected with an error, without a panic.

use std::fs;

use crate::common::frames::{INDEX, TRAILER, read_file, read_memory, small as frame};
use crate::common::message;
use crate::common::scratch::Scratch;
use b2nd_frame::{File, Frame, Trailer};

/// Checks that the frame with these bytes changed is rejected, in memory and in a file.
#[track_caller]
fn refused(changes: &[(usize, &[u8])], expected: &str) {
    let mut bytes = frame();
    for (at, change) in changes {
        bytes[*at..at + change.len()].copy_from_slice(change);
    }
    refused_bytes(&bytes, expected);
}

#[track_caller]
fn refused_bytes(bytes: &[u8], expected: &str) {
    let scratch = Scratch::new();
    let path = scratch.join("f.b2nd");
    fs::write(&path, bytes).unwrap();
    assert_eq!(message(read_memory(bytes)), expected);
    assert_eq!(message(read_file(&path)), expected);
}

fn int32(value: i32) -> [u8; 4] {
    value.to_be_bytes()
}

#[test]
fn the_frame_is_good_before_it_is_changed() {
    read_memory(&frame()).unwrap();
    let scratch = Scratch::new();
    fs::write(scratch.join("f.b2nd"), frame()).unwrap();
    read_file(&scratch.join("f.b2nd")).unwrap();
    assert_eq!(frame()[INDEX..INDEX + 4], [5, 1, 7, 8]);
    assert_eq!(frame()[TRAILER..TRAILER + 4], [0x94, 1, 0x93, 0xcd]);
}

#[test]
fn offsets_of_metalayers() {
    let lies = |offset: i32| format!("metalayers.a.offset: expected 111, found {offset} at byte 96");
    for offset in [0, 87, 110, 112, 119, 127, 128, 4000, i32::MAX, i32::MIN, -1] {
        refused(&[(0x61, &int32(offset))], &lies(offset));
    }
    refused(&[(0x68, &int32(0x6f))], "metalayers.b.offset: expected 119, found 111 at byte 103");
    refused(&[(0x68, &int32(0x73))], "metalayers.b.offset: expected 119, found 115 at byte 103");
    let at = TRAILER + 12;
    refused(&[(at, &int32(18))], "vlmetalayers.v.offset: expected 19, found 18 at byte 267");
    refused(&[(at, &int32(-19))], "vlmetalayers.v.offset: expected 19, found -19 at byte 267");
    refused(&[(at, &int32(i32::MAX))], "vlmetalayers.v.offset: expected 19, found 2147483647 at byte 267");
}

#[test]
fn idx() {
    refused(&[(0x59, &[0, 20])], "metalayers.idx: expected 21, found 20 at byte 88");
    refused(&[(0x59, &[0xff, 0xff])], "metalayers.idx: expected 21, found 65535 at byte 88");
    refused(&[(TRAILER + 4, &[0, 14])], "vlmetalayers.idx: expected 13, found 14 at byte 259");
}

#[test]
fn header_len() {
    let refuse = |length: i32, expected: &str| refused(&[(11, &int32(length))], expected);
    refuse(0, "header_len: expected 97 or more, found 0 at byte 10");
    refuse(96, "header_len: expected 97 or more, found 96 at byte 10");
    refuse(-1, "header_len: expected 97 or more, found -1 at byte 10");
    refuse(i32::MIN, "header_len: expected 97 or more, found -2147483648 at byte 10");
    refuse(97, "header_len: expected 101 or more for metalayers.offsets.a, found 97 at byte 10");
    refuse(127, "header_len: expected 128 or more for metalayers.contents[1], found 127 at byte 10");
    refuse(129, "header_len: expected 128, found 129 at byte 10");
    refuse(338, "header_len: expected 128, found 338 at byte 10");
    refuse(339, "unexpected end of input at byte 338: the frame's header needs 1 more byte");
    refuse(i32::MAX, "unexpected end of input at byte 338: the frame's header needs 2147483309 more bytes");
}

#[test]
fn trailer_len() {
    let refuse = |length: u32, expected: &str| refused(&[(TRAILER + 60, &length.to_be_bytes())], expected);
    refuse(0, "trailer_len: expected 35 or more, found 0 at byte 315");
    refuse(34, "trailer_len: expected 35 or more, found 34 at byte 315");
    refuse(211, "trailer_len: expected 35 to 210, found 211 at byte 315");
    refuse(u32::MAX, "trailer_len: expected 35 to 210, found 4294967295 at byte 315");
    refuse(1 << 31, "trailer_len: expected 35 to 210, found 2147483648 at byte 315");
    // The trailer then starts at the wrong byte.
    refuse(81, "the frame's trailer: expected array (90 to 9f, dc, dd), found positive fixint (01) at byte 257");
    refuse(83, "the frame's trailer: expected array (90 to 9f, dc, dd), found positive fixint (00) at byte 255");
    refused(&[(TRAILER + 59, &[0xcd])], "trailer_len: expected uint32 (ce), found uint16 (cd) at byte 315");
}

#[test]
fn frame_len() {
    let refuse = |length: u64, expected: &str| refused(&[(0x10, &length.to_be_bytes())], expected);
    refuse(0, "unexpected end of input at byte 128: the frame's trailer needs 23 more bytes");
    refuse(128, "unexpected end of input at byte 128: the frame's trailer needs 23 more bytes");
    refuse(150, "unexpected end of input at byte 150: the frame's trailer needs 1 more byte");
    refuse(337, "trailer_len: expected uint32 (ce), found positive fixint (6c) at byte 314");
    refuse(339, "unexpected end of input at byte 338: the frame needs 1 more byte");
    for length in [1 << 62, u64::MAX] {
        let missing = usize::try_from(length - 338).unwrap_or(usize::MAX);
        refuse(length, &format!("unexpected end of input at byte 338: the frame needs {missing} more bytes"));
    }
}

#[test]
fn a_trailer_of_another_frame() {
    let mut longer = Trailer::new(Default::default());
    longer.vlmetalayers_mut().set_bytes("v", b"another value").unwrap();
    let longer = b2nd::to_vec(&longer).unwrap();
    let bytes = [&frame()[..TRAILER], &longer].concat();
    refused_bytes(&bytes, "trailer_len: expected uint32 (ce), found positive fixint (74) at byte 315");
    let shorter = b2nd::to_vec(&Trailer::new(Default::default())).unwrap();
    refused_bytes(
        &[&frame()[..TRAILER], &shorter].concat(),
        "unexpected end of input at byte 291: the frame needs 47 more bytes",
    );
    refused(&[(TRAILER, &[0x95])], "the frame's trailer: expected 4 elements, found 5 at byte 256");
    refused(&[(TRAILER + 1, &[0xcc])], "version: expected a positive fixint (at most 127), found 147 at byte 257");
}

#[test]
fn counts_of_arrays() {
    refused(&[(TRAILER, &[0x93])], "the frame's trailer: invalid length 3, expected a trailer of 4 elements at byte 256");
    refused(
        &[(TRAILER + 2, &[0x92])],
        "vlmetalayers: invalid length 2, expected 3 elements (index, map of names, contents) at byte 258",
    );
    refused(&[(TRAILER + 2, &[0x94])], "vlmetalayers: expected 3 elements, found 4 at byte 258");
    refused(&[(0x57, &[0x92])], "metalayers: invalid length 2, expected 3 elements (index, map of names, contents) at byte 87");
}

#[test]
fn values_of_vlmetalayers() {
    let refuse = |at: usize, change: &[u8], expected: &str| {
        let mut bytes = frame();
        bytes[TRAILER + 24 + at..][..change.len()].copy_from_slice(change);
        let trailer = Frame::from_slice(&bytes).unwrap().trailer().unwrap().clone();
        assert_eq!(message(trailer.vlmetalayers().value("v")), expected);
    };
    refuse(12, &[36], "unexpected end of input at byte 35: vlmetalayers.v.chunk needs 1 more byte");
    refuse(4, &[4], "vlmetalayers.v.cbytes: expected 32 + nbytes (4) or more, found 35 at byte 12");
    refuse(2, &[0xe5], "vlmetalayers.v: codec 7 is not supported");
    refuse(31, &[0x20], "vlmetalayers.v: a chunk of NaN needs elements of 4 or 8 bytes, not 1");
}

#[test]
fn a_chunk_file_that_is_not_there() {
    let scratch = Scratch::new();
    let path = scratch.join("s.b2nd");
    crate::common::frames::sparse(&path);
    fs::remove_file(path.join("00000002.chunk")).unwrap();
    assert!(message(File::open(&path).unwrap().chunk(2)).starts_with("chunk[2]: "));
    fs::write(path.join("00000003.chunk"), &fs::read(path.join("00000003.chunk")).unwrap()[..95]).unwrap();
    let refusal = "chunk 3 at byte 0 has too few bytes: it needs at least 1 more byte";
    assert_eq!(message(File::open(&path).unwrap().chunk(3)), refusal);
    fs::remove_file(path.join("chunks.b2frame")).unwrap();
    let frame = path.join("chunks.b2frame");
    assert!(message(File::open(&path)).starts_with(&format!("{}: ", frame.display())));
}

#[test]
fn names() {
    refused(&[(0x5e, &[0xbf])], "metalayers.offsets.value: expected int32 (d2), found positive fixint (06) at byte 126");
    refused(&[(0x5e, &[0xd9, 1])], "metalayers.offsets.key: expected fixstr (a0 to bf), found str8 (d9) at byte 94");
    refused(&[(0x5e, &[0xc4])], "metalayers.offsets.key: expected fixstr (a0 to bf), found bin8 (c4) at byte 94");
    refused(&[(0x66, b"a")], "metalayers.a: the name is repeated at byte 101");
}

#[test]
fn entries_that_are_not_there() {
    let (map, array, vlmap) = ((0x5c, 0x6d), "metalayers.contents: expected array16 (dc)", (TRAILER + 7, TRAILER + 17));
    for (count, byte) in [(0, 94), (1, 101)] {
        let count = u16::to_be_bytes(count);
        let expected = format!("{array}, found fixstr (a1) at byte {byte}");
        refused(&[(map.0, &count)], &expected);
        refused(&[(map.0, &count), (map.1, &count)], &expected);
    }
    refused(&[(map.1, &[0, 0])], "header_len: expected 111, found 128 at byte 10");
    refused(&[(map.1, &[0, 1])], "header_len: expected 119, found 128 at byte 10");
    let expected = "vlmetalayers.contents: expected array16 (dc), found fixstr (a1) at byte 265";
    refused(&[(vlmap.0, &[0, 0]), (vlmap.1, &[0, 0])], expected);
    for count in [3, 16, 17, 0x7fff, 0xffff] {
        let count = u16::to_be_bytes(count);
        let expected = "metalayers.offsets.key: expected fixstr (a0 to bf), found array16 (dc) at byte 108";
        refused(&[(map.0, &count)], expected);
        refused(&[(map.0, &count), (map.1, &count)], expected);
        let expected = "header_len: expected 133 or more for metalayers.contents[2], found 128 at byte 10";
        refused(&[(map.1, &count)], expected);
        let expected = "vlmetalayers.offsets.key: expected fixstr (a0 to bf), found array16 (dc) at byte 272";
        refused(&[(vlmap.0, &count), (vlmap.1, &count)], expected);
    }
}

#[test]
fn contents_near_two_gib() {
    let refuse = |length: u32, expected: &str| refused(&[(0x70, &length.to_be_bytes())], expected);
    refuse(4, "metalayers.contents[1]: expected bin32 (c6), found positive fixint (00) at byte 120");
    refuse(5, "metalayers.contents[1]: expected bin32 (c6), found positive fixint (00) at byte 121");
    for length in [17, 1000, 0x7fff_fff0, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff] {
        let expected = (length as usize).saturating_add(0x74);
        let expected = format!("header_len: expected {expected} or more for metalayers.contents[0], found 128 at byte 10");
        refuse(length, &expected);
    }
    for (length, expected) in [
        (0x7fff_ffff, "unexpected end of input at byte 338: vlmetalayers.contents[0] needs 2147483589 more bytes"),
        (0x8000_0000, "unexpected end of input at byte 338: vlmetalayers.contents[0] needs 2147483590 more bytes"),
        (0xffff_ffff, "unexpected end of input at byte 338: vlmetalayers.contents[0] needs 4294967237 more bytes"),
    ] {
        refused(&[(TRAILER + 20, &u32::to_be_bytes(length))], expected);
    }
}

#[test]
fn an_index_that_does_not_fit_the_sizes() {
    for (value, expected) in [
        (15, "chunk[1].nbytes: expected 7, found 8 at byte 172"),
        (17, "index: offsets: expected 3, as the header's sizes say, found 2"),
        (24, "index: offsets: expected 3, as the header's sizes say, found 2"),
        (8, "index: offsets: expected 1, as the header's sizes say, found 2"),
        (1, "index: offsets: expected 1, as the header's sizes say, found 2"),
        (i64::MAX, "index: offsets: expected 1152921504606846976, as the header's sizes say, found 2"),
        (-1, "nbytes: expected 0 or more, found -1 at byte 29"),
        (i64::MIN, "nbytes: expected 0 or more, found -9223372036854775808 at byte 29"),
    ] {
        refused(&[(0x1e, &i64::to_be_bytes(value))], expected);
    }
    for (value, expected) in [
        (4, "index: offsets: expected 4, as the header's sizes say, found 2"),
        (16, "index: offsets: expected 1, as the header's sizes say, found 2"),
        (1, "index: offsets: expected 16, as the header's sizes say, found 2"),
        (i32::MAX, "index: offsets: expected 1, as the header's sizes say, found 2"),
    ] {
        refused(&[(0x3a, &int32(value))], expected);
    }
    for (at, value, expected) in [
        (4, 8, "index.blocksize: expected 1 to 8, found 16 at byte 216"),
        (4, 15, "index.blocksize: expected 1 to 15, found 16 at byte 216"),
        (4, -8, "index.nbytes: expected 0 or more, found -8 at byte 212"),
        (12, 47, "index.cbytes: expected 32 + nbytes (16) or more, found 47 at byte 220"),
        (12, 200, "index.cbytes: expected at most 95, found 200 at byte 220"),
        (12, i32::MAX, "index.cbytes: expected at most 95, found 2147483647 at byte 220"),
        (8, 0, "index.blocksize: expected 1 to 16, found 0 at byte 216"),
    ] {
        refused(&[(INDEX + at, &i32::to_le_bytes(value))], expected);
    }
    refused(&[(INDEX, &[0; 48])], "index.cbytes: expected 16 or more, found 0 at byte 220");
    refused(&[(INDEX + 31, &[0x20])], "index: expected offsets, found a special chunk (nan)");
    refused(&[(INDEX + 31, &[0x10])], "index: more than one chunk has the offset 0");
    // The index repeats one value: one that is shorter than an offset, then offsets after the chunks.
    let value = |typesize, sizes: [i32; 3]| {
        let sizes = sizes.map(i32::to_le_bytes).concat();
        [&[5, 1, 5, typesize], sizes.as_slice(), &[0; 15], &[0x30]].concat()
    };
    refused(&[(INDEX, &value(4, [16, 16, 36]))], "index: expected offsets, found a special chunk (value)");
    for at in [80, 81] {
        let one = [value(8, [8, 8, 40]), i64::to_le_bytes(at).to_vec()].concat();
        let expected = format!("index: chunk 0 is at offset {at}, but the chunks end at 80");
        refused(&[(0x1e, &i64::to_be_bytes(8)), (INDEX, &one)], &expected);
    }
    refused(&[(INDEX + 2, &[5])], "index: block 0: expected a start in bytes 36..48 of the chunk, found 0");
    // `cbytes` determines where the index is.
    for (value, expected) in [
        (0, "index: offsets: expected 2, as the header's sizes say, found 1"),
        (79, "index.chunk version: expected at most 6, found 49 at byte 207"),
        (81, "index.cbytes: expected 16 or more, found 0 at byte 221"),
        (128, "index.chunk version: expected at most 6, found 148 at byte 256"),
        (i64::MAX, "cbytes: expected 0 to 210, found 9223372036854775807 at byte 38"),
        (-1, "cbytes: expected 0 to 210, found -1 at byte 38"),
    ] {
        refused(&[(0x27, &i64::to_be_bytes(value))], expected);
    }
}

#[test]
fn offsets_of_chunks() {
    for (value, expected) in [
        (80, "index: chunk 1 is at offset 80, but the chunks end at 80"),
        (81, "index: chunk 1 is at offset 81, but the chunks end at 80"),
        (128, "index: chunk 1 is at offset 128, but the chunks end at 80"),
        (i64::MAX, "index: chunk 1 is at offset 9223372036854775807, but the chunks end at 80"),
        (0, "index: more than one chunk has the offset 0"),
    ] {
        refused(&[(INDEX + 40, &i64::to_le_bytes(value))], expected);
    }
    for (value, expected) in [
        (1, "chunk 0 at byte 128 has too few bytes: it needs at least 15 more bytes"),
        (8, "chunk 0 at byte 128 has too few bytes: it needs at least 24 more bytes"),
        (39, "chunk 0 at byte 128 has too few bytes: it needs at least 1 more byte"),
        (41, "chunk[1].cbytes: expected 16 or more, found 0 at byte 181"),
        (79, "chunk 1 at byte 207 has too few bytes: it needs at least 15 more bytes"),
    ] {
        refused(&[(INDEX + 40, &i64::to_le_bytes(value))], expected);
    }
    for (value, expected) in [
        (-1, "index: offset 0xffffffffffffffff of chunk 1 is not a valid special value"),
        (i64::MIN, "index: offset 0x8000000000000000 of chunk 1 is not a valid special value"),
        (0x83 << 56, "index: offset 0x8300000000000000 of chunk 1 is not a valid special value"),
        (0x85 << 56, "index: offset 0x8500000000000000 of chunk 1 is not a valid special value"),
        (0xff << 56, "index: offset 0xff00000000000000 of chunk 1 is not a valid special value"),
    ] {
        refused(&[(INDEX + 40, &i64::to_le_bytes(value))], expected);
    }
}

#[test]
fn chunks_that_disagree_with_their_place() {
    for (at, value, expected) in [
        (4, 7, "chunk[0].blocksize: expected 1 to 7, found 8 at byte 136"),
        (4, 9, "chunk[0].cbytes: expected 32 + nbytes (9) or more, found 40 at byte 140"),
        (4, 4, "chunk[0].blocksize: expected 1 to 4, found 8 at byte 136"),
        (12, 41, "chunk 0 at byte 128 has too few bytes: it needs at least 1 more byte"),
        (12, 39, "chunk[0].cbytes: expected 32 + nbytes (8) or more, found 39 at byte 140"),
        (12, 31, "chunk[0].cbytes: expected 32 or more, found 31 at byte 140"),
        (12, i32::MAX, "chunk 0 at byte 128 has too few bytes: it needs at least 2147483607 more bytes"),
        (12, -1, "chunk[0].cbytes: expected 32 or more, found -1 at byte 140"),
        (8, 9, "chunk[0].blocksize: expected 1 to 8, found 9 at byte 136"),
        (4, -1, "chunk[0].nbytes: expected 0 or more, found -1 at byte 132"),
    ] {
        refused(&[(128 + at, &i32::to_le_bytes(value))], expected);
    }
    refused(&[(131, &[0])], "chunk[0].typesize: expected 1 or more, found 0 at byte 131");
    refused(&[(128 + 31, &[0x70])], "chunk[0].special value: expected 1 to 4, found 7 at byte 159");
    refused(&[(128, &[0; 32])], "chunk[0].cbytes: expected 16 or more, found 0 at byte 140");
    refused(&[(168 + 12, &i32::to_le_bytes(41))], "chunk 1 at byte 168 has too few bytes: it needs at least 1 more byte");
}

#[test]
fn a_special_chunk_where_chunks_vary() {
    let special: (usize, &[u8]) = (INDEX + 32, &[0, 0, 0, 0, 0, 0, 0, 0x81]);
    let expected = "chunk 0 is special in the index, and the header does not determine its length";
    refused(&[(0x19, &[0x53]), special], expected);
    refused(&[(0x3a, &int32(0)), special], expected);
}

#[test]
fn versions() {
    for (version, expected) in [
        (0, "frame version: expected 2 or 3, found 0 at byte 25"),
        (1, "frame version: expected 2 or 3, found 1 at byte 25"),
        (4, "frame version: expected 2 or 3, found 4 at byte 25"),
        (15, "frame version: expected 2 or 3, found 15 at byte 25"),
    ] {
        refused(&[(0x19, &[0x10 | version])], expected);
        // The version is reported first, even if a later field is wrong too.
        refused(&[(0x19, &[0x10 | version]), (0x1d, &[0xc0])], expected);
    }
    for (count, expected) in [
        (11, "header elements: expected 14 (C-Blosc2 2.0 betas wrote 11 to 13, which are not supported), found 11 at byte 0"),
        (12, "header elements: expected 14 (C-Blosc2 2.0 betas wrote 11 to 13, which are not supported), found 12 at byte 0"),
        (13, "header elements: expected 14 (C-Blosc2 2.0 betas wrote 11 to 13, which are not supported), found 13 at byte 0"),
        (15, "header elements: expected 14, found 15 at byte 0"),
        (0, "header elements: expected 14, found 0 at byte 0"),
    ] {
        refused(&[(0, &[0x90 | count])], expected);
    }
    refused(&[(0x1a, &[2])], "frame type: expected 0 (contiguous) or 1 (sparse), found 2 at byte 26");
    refused(&[(0x46, &[7])], "filter slots: expected at most 6, found 7 at byte 70");
    refused(&[(2, b"B")], "magic: expected \"b2frame\\x00\", found \"B2frame\\x00\" at byte 1");
    let mut sparse = frame();
    sparse[0x1a] = 1;
    let refusal = "the chunks of a sparse frame are separate files: open the directory of the frame";
    assert_eq!(message(Frame::from_slice(&sparse)), refusal);
}

#[test]
fn an_index_that_claims_two_gib_is_refused() {
    let mut bytes = frame();
    bytes[INDEX + 2] = 0x05;
    bytes[INDEX + 4..INDEX + 8].copy_from_slice(&i32::to_le_bytes(i32::MAX - 7));
    assert_eq!(message(Frame::from_slice(&bytes)), "index: offsets: expected 2, as the header's sizes say, found 268435455");
    // If chunks vary in length, the header does not determine their number.
    bytes[0x19] = 0x53;
    bytes[0x3a..0x3e].fill(0);
    let refusal = "index: expected at most 12288 offsets in a chunk of 48 bytes, found 268435455";
    assert_eq!(message(read_memory(&bytes)), refusal);
}
