//! The table of markers, both for writing and for reading, and the markers that decoding rejects.

use std::collections::BTreeMap;

use crate::common::{both_ways, cat, refused, unwritable, writes};
use hex_literal::hex;
use serde::{Deserialize, Serialize};
use serde_bytes::{ByteBuf, Bytes};

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Unit;

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Newtype(u16);

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Tuple(u8, i8);

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Named {
    first: u8,
    second: i16,
}

#[test]
fn booleans_and_nothing() {
    both_ways(false, &hex!("c2"));
    both_ways(true, &hex!("c3"));
    both_ways((), &hex!("c0"));
    both_ways(Unit, &hex!("c0"));
    both_ways(None::<u8>, &hex!("c0"));
    both_ways(Some(7u8), &hex!("07"));
    both_ways(Some(Some(true)), &hex!("c3"));
    both_ways(Newtype(7), &hex!("cd 0007"));
}

#[test]
fn an_integer_has_the_width_of_its_type() {
    both_ways(0u8, &hex!("00"));
    both_ways(127u8, &hex!("7f"));
    both_ways(128u8, &hex!("cc 80"));
    both_ways(255u8, &hex!("cc ff"));
    both_ways(0u16, &hex!("cd 0000"));
    both_ways(1u16, &hex!("cd 0001"));
    both_ways(u16::MAX, &hex!("cd ffff"));
    both_ways(0u32, &hex!("ce 00000000"));
    both_ways(0x0102_0304u32, &hex!("ce 01020304"));
    both_ways(u32::MAX, &hex!("ce ffffffff"));
    both_ways(0u64, &hex!("cf 0000000000000000"));
    both_ways(0x0102_0304_0506_0708u64, &hex!("cf 0102030405060708"));
    both_ways(u64::MAX, &hex!("cf ffffffffffffffff"));
    both_ways(0i8, &hex!("d0 00"));
    both_ways(-1i8, &hex!("d0 ff"));
    both_ways(i8::MIN, &hex!("d0 80"));
    both_ways(i8::MAX, &hex!("d0 7f"));
    both_ways(0i16, &hex!("d1 0000"));
    both_ways(-2i16, &hex!("d1 fffe"));
    both_ways(i16::MIN, &hex!("d1 8000"));
    both_ways(i16::MAX, &hex!("d1 7fff"));
    both_ways(0i32, &hex!("d2 00000000"));
    both_ways(-3i32, &hex!("d2 fffffffd"));
    both_ways(i32::MIN, &hex!("d2 80000000"));
    both_ways(i32::MAX, &hex!("d2 7fffffff"));
    both_ways(0i64, &hex!("d3 0000000000000000"));
    both_ways(-4i64, &hex!("d3 fffffffffffffffc"));
    both_ways(i64::MIN, &hex!("d3 8000000000000000"));
    both_ways(i64::MAX, &hex!("d3 7fffffffffffffff"));
}

#[test]
fn a_float_keeps_its_width_and_every_bit() {
    both_ways(0f32, &hex!("ca 00000000"));
    both_ways(-1.5f32, &hex!("ca bfc00000"));
    both_ways(f32::INFINITY, &hex!("ca 7f800000"));
    both_ways(0f64, &hex!("cb 0000000000000000"));
    both_ways(0.1f64, &hex!("cb 3fb999999999999a"));
    both_ways(f64::NEG_INFINITY, &hex!("cb fff0000000000000"));

    writes(&-0f32, &hex!("ca 80000000"));
    assert_eq!(b2nd::from_slice::<f32>(&hex!("ca 80000000")).unwrap().to_bits(), 0x8000_0000);
    writes(&f32::from_bits(0xffc1_2345), &hex!("ca ffc12345"));
    assert_eq!(b2nd::from_slice::<f32>(&hex!("ca ffc12345")).unwrap().to_bits(), 0xffc1_2345);
    writes(&f64::from_bits(0x7ff8_0000_dead_beef), &hex!("cb 7ff80000deadbeef"));
    assert_eq!(b2nd::from_slice::<f64>(&hex!("cb 7ff80000deadbeef")).unwrap().to_bits(), 0x7ff8_0000_dead_beef);
}

#[test]
fn text_and_bytes_have_32_bit_lengths() {
    both_ways(String::new(), &hex!("db 00000000"));
    both_ways(String::from("|u1"), &hex!("db 00000003 7c7531"));
    both_ways("naïve é", &hex!("db 00000009 6e61c3af766520c3a9"));
    both_ways('x', &hex!("db 00000001 78"));
    both_ways('\0', &hex!("db 00000001 00"));
    both_ways('🦀', &hex!("db 00000004 f09fa680"));
    both_ways(ByteBuf::new(), &hex!("c6 00000000"));
    both_ways(ByteBuf::from(vec![0xff, 0]), &hex!("c6 00000002 ff00"));
    both_ways(Bytes::new(b"borrowed"), &hex!("c6 00000008 626f72726f776564"));

    let long = "x".repeat(70_000);
    both_ways(long.clone(), &cat(&[&hex!("db 00011170"), long.as_bytes()]));
    both_ways(ByteBuf::from(vec![1; 40]), &cat(&[&hex!("c6 00000028"), &[1; 40]]));
}

#[test]
fn tuples_and_structs_are_arrays_of_their_fields() {
    both_ways((1u8,), &hex!("91 01"));
    both_ways((1u8, -1i8, false), &hex!("93 01 d0ff c2"));
    both_ways(Tuple(1, 2), &hex!("92 01 d002"));
    both_ways(Named { first: 1, second: 2 }, &hex!("92 01 d10002"));
    both_ways([(); 0], &hex!("90"));
    both_ways([7u8; 16], &cat(&[&hex!("dc 0010"), &[7; 16]]));
    both_ways((1u8, (2u8, [3u8, 4])), &hex!("92 01 92 02 92 03 04"));
}

#[test]
fn the_count_of_a_sequence_picks_the_shortest_marker() {
    for (count, marker) in [
        (0, &hex!("90")[..]),
        (1, &hex!("91")),
        (15, &hex!("9f")),
        (16, &hex!("dc 0010")),
        (65_535, &hex!("dc ffff")),
        (65_536, &hex!("dd 00010000")),
    ] {
        both_ways(vec![7u8; count], &cat(&[marker, vec![7; count].as_slice()]));
    }
}

#[test]
fn the_count_of_a_map_picks_the_shortest_marker() {
    for (count, marker) in [
        (0, &hex!("80")[..]),
        (1, &hex!("81")),
        (15, &hex!("8f")),
        (16, &hex!("de 0010")),
        (65_535, &hex!("de ffff")),
        (65_536, &hex!("df 00010000")),
    ] {
        let map: BTreeMap<u32, bool> = (0..count).map(|key| (key, true)).collect();
        let entries = (0..count).flat_map(|key| cat(&[&hex!("ce"), &key.to_be_bytes(), &hex!("c3")]));
        both_ways(map, &marker.iter().copied().chain(entries).collect::<Vec<u8>>());
    }
}

#[test]
fn another_width_is_refused() {
    refused::<u8>(&hex!("cc 7f"), "expected positive fixint (00 to 7f) for a number below 128, found uint8 (cc) at byte 0");
    refused::<u8>(&hex!("cc 00"), "expected positive fixint (00 to 7f) for a number below 128, found uint8 (cc) at byte 0");
    refused::<u8>(&hex!("cd 0001"), "expected uint8 (00 to 7f, or cc for a number above 127), found uint16 (cd) at byte 0");
    refused::<u8>(&hex!("ff"), "expected uint8 (00 to 7f, or cc for a number above 127), found negative fixint (ff) at byte 0");
    refused::<u16>(&hex!("01"), "expected uint16 (cd), found positive fixint (01) at byte 0");
    refused::<u32>(&hex!("cd 0001"), "expected uint32 (ce), found uint16 (cd) at byte 0");
    refused::<u64>(&hex!("d3 0000000000000001"), "expected uint64 (cf), found int64 (d3) at byte 0");
    refused::<i8>(&hex!("ff"), "expected int8 (d0), found negative fixint (ff) at byte 0");
    refused::<i16>(&hex!("d0 01"), "expected int16 (d1), found int8 (d0) at byte 0");
    refused::<i32>(&hex!("d3 0000000000000001"), "expected int32 (d2), found int64 (d3) at byte 0");
    refused::<i64>(&hex!("d2 00000001"), "expected int64 (d3), found int32 (d2) at byte 0");
    refused::<f32>(&hex!("cb 0000000000000000"), "expected float32 (ca), found float64 (cb) at byte 0");
    refused::<f64>(&hex!("ca 00000000"), "expected float64 (cb), found float32 (ca) at byte 0");
    refused::<String>(&hex!("a1 78"), "expected str32 (db), found fixstr (a1) at byte 0");
    refused::<String>(&hex!("d9 01 78"), "expected str32 (db), found str8 (d9) at byte 0");
    refused::<char>(&hex!("da 0001 78"), "expected str32 (db), found str16 (da) at byte 0");
    refused::<ByteBuf>(&hex!("c4 01 78"), "expected bin32 (c6), found bin8 (c4) at byte 0");
    refused::<ByteBuf>(&hex!("c5 0001 78"), "expected bin32 (c6), found bin16 (c5) at byte 0");
    refused::<bool>(&hex!("01"), "expected bool (c2 or c3), found positive fixint (01) at byte 0");
    refused::<()>(&hex!("90"), "expected nil (c0), found fixarray (90) at byte 0");
    refused::<Unit>(&hex!("c2"), "expected nil (c0), found false (c2) at byte 0");
}

#[test]
fn another_form_of_a_count_is_refused() {
    let shortest = |marker: &str| format!("expected the shortest marker that holds the count, found {marker} at byte 0");
    refused::<Vec<u8>>(&hex!("dc 0003 01 02 03"), &shortest("array16 (dc)"));
    refused::<Vec<u8>>(&cat(&[&hex!("dc 000f"), &[1; 15]]), &shortest("array16 (dc)"));
    refused::<Vec<u8>>(&cat(&[&hex!("dd 00000010"), &[1; 16]]), &shortest("array32 (dd)"));
    refused::<Vec<u8>>(&cat(&[&hex!("dd 0000ffff"), &[1; 65_535]]), &shortest("array32 (dd)"));
    refused::<[u8; 3]>(&hex!("dc 0003 01 02 03"), &shortest("array16 (dc)"));
    refused::<Named>(&hex!("dc 0002 01 d10002"), &shortest("array16 (dc)"));
    refused::<BTreeMap<u8, u8>>(&hex!("de 0001 01 02"), &shortest("map16 (de)"));
    refused::<BTreeMap<u8, ()>>(&hex!("df 00000010"), &shortest("map32 (df)"));
    refused::<Vec<u8>>(&hex!("c6 00000001 01"), "expected array (90 to 9f, dc, dd), found bin32 (c6) at byte 0");
    refused::<BTreeMap<u8, u8>>(&hex!("92 01 02"), "expected map (80 to 8f, de, df), found fixarray (92) at byte 0");
    refused::<Vec<u8>>(
        &hex!("a0"),
        "expected array (90 to 9f, dc, dd; with::dims reads a0 as 16 elements), found fixstr (a0) at byte 0",
    );
    refused::<Vec<u8>>(&hex!("a1"), "expected array (90 to 9f, dc, dd), found fixstr (a1) at byte 0");
}

#[test]
fn another_count_is_refused() {
    refused::<[u8; 2]>(&hex!("91 01"), "expected 2 elements, found 1 at byte 0");
    refused::<(u8, u8)>(&hex!("93 01 02 03"), "expected 2 elements, found 3 at byte 0");
    refused::<Tuple>(&hex!("91 01"), "expected 2 elements, found 1 at byte 0");
    refused::<Named>(&hex!("93 01 d10002 03"), "expected 2 elements, found 3 at byte 0");
    refused::<Named>(&hex!("91 01"), "invalid length 1, expected struct Named with 2 elements");
    refused::<(u8,)>(&hex!("90"), "expected 1 element, found 0 at byte 0");
}

#[test]
fn trailing_bytes_are_refused_and_a_prefix_is_taken() {
    refused::<u8>(&hex!("01 02"), "the value is followed by 1 trailing byte at byte 1");
    refused::<Named>(&hex!("92 01 d10002 c0c0"), "the value is followed by 2 trailing bytes at byte 5");
    let input = hex!("92 01 d10002 c0c0");
    let (named, rest) = b2nd::take_from_slice::<Named>(&input).unwrap();
    assert_eq!((named, rest), (Named { first: 1, second: 2 }, &hex!("c0c0")[..]));
}

#[test]
fn values_are_read_one_after_another() {
    let input = hex!("01 cd0002 db00000001 78 92 03 04");
    let mut deserializer = b2nd::Deserializer::new(&input);
    assert_eq!(deserializer.offset(), 0);
    assert_eq!((u8::deserialize(&mut deserializer).unwrap(), deserializer.offset()), (1, 1));
    assert_eq!((u16::deserialize(&mut deserializer).unwrap(), deserializer.offset()), (2, 4));
    assert_eq!((<&str>::deserialize(&mut deserializer).unwrap(), deserializer.offset()), ("x", 10));
    assert_eq!(deserializer.end().unwrap_err().to_string(), "the value is followed by 3 trailing bytes at byte 10");
    assert_eq!((<(u8, u8)>::deserialize(&mut deserializer).unwrap(), deserializer.offset()), ((3, 4), 13));
    deserializer.end().unwrap();
}

#[test]
#[cfg(feature = "std")]
fn a_reader_is_read_to_its_end() {
    assert_eq!(b2nd::from_reader::<_, u16>(&hex!("cd 0102")[..]).unwrap(), 0x0102);
    let error = b2nd::from_reader::<_, u16>(&hex!("cd 0102 03")[..]).unwrap_err();
    assert_eq!(error.to_string(), "the value is followed by 1 trailing byte at byte 3");
}

#[test]
fn text_that_is_not_utf8_is_refused_where_it_stops_being_so() {
    refused::<String>(&hex!("db 00000003 6162ff"), "a string is not UTF-8 at byte 7");
    refused::<(u8, String)>(&hex!("92 01 db 00000001 80"), "[1]: a string is not UTF-8 at byte 7");
}

#[test]
fn a_char_is_one_character() {
    refused::<char>(&hex!("db 00000002 7879"), "invalid value: string \"xy\", expected a character");
    refused::<char>(&hex!("db 00000000"), "invalid value: string \"\", expected a character");
}

#[test]
fn there_is_no_marker_of_16_bytes() {
    unwritable(&1i128, "unsupported: i128: MessagePack has no 128-bit integers");
    unwritable(&1u128, "unsupported: u128: MessagePack has no 128-bit integers");
    refused::<i128>(&hex!("01"), "unsupported: i128: MessagePack has no 128-bit integers");
    refused::<u128>(&hex!("cf 0000000000000001"), "unsupported: u128: MessagePack has no 128-bit integers");
}

#[test]
fn a_buffer_that_is_too_short_says_how_long_it_should_be() {
    for length in 0..9 {
        let error = b2nd::to_slice(&(1u16, 2u32), &mut vec![0; length][..]).unwrap_err();
        assert_eq!(error.to_string(), format!("the value takes 9 bytes, but the buffer holds {length}"));
    }
    assert_eq!(b2nd::to_slice(&(1u16, 2u32), &mut [0; 9]).unwrap(), hex!("92 cd0001 ce00000002"));
}
