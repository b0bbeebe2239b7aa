//! Every layout of an array metalayer: its bytes and its readable object, each written and read, and what is rejected.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use crate::common::{
    both_ways, cat, geometry, geometry_bytes, layouts, message, metalayer, no_metalayer, refused, unwritable, writes,
};
use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, LegacyB2ndMeta};
use hex_literal::hex;
use serde::{Deserialize, Serialize};

const SHAPE_400_3: [u8; 19] = hex!("92 d3 0000000000000190 d3 0000000000000003");
const CHUNKSHAPE_110_3: [u8; 11] = hex!("92 d2 0000006e d2 00000003");
const BLOCKSHAPE_57_3: [u8; 11] = hex!("92 d2 00000039 d2 00000003");

/// The example from the specification: `count`, version, ndim, three lists, and the rest.
fn example(count: u8, rest: &[u8]) -> Vec<u8> {
    cat(&[&[count, 0, 2], &SHAPE_400_3[..], &CHUNKSHAPE_110_3, &BLOCKSHAPE_57_3, rest])
}

fn example_geometry() -> Geometry {
    Geometry::new(&[400, 3], &[110, 3], &[57, 3]).unwrap()
}

#[test]
fn an_array_is_found_by_its_hash() {
    for ndim in [0, 3, 16] {
        let known: HashSet<ArrayMeta<&str>> = layouts(ndim).into_iter().map(|(meta, _)| meta).collect();
        assert_eq!(known.len(), 4);
        for (_, bytes) in layouts(ndim) {
            assert!(known.contains(&ArrayMeta::from_metalayer(&bytes).unwrap().0));
        }
    }
}

#[test]
fn geometries_that_differ_in_one_list_differ() {
    let hash = |geometry: &Geometry| BuildHasherDefault::<DefaultHasher>::default().hash_one(geometry);
    let geometry = example_geometry();
    for (shape, chunkshape, blockshape) in
        [([401, 3], [110, 3], [57, 3]), ([400, 3], [111, 3], [57, 3]), ([400, 3], [110, 3], [57, 2])]
    {
        let other = Geometry::new(&shape, &chunkshape, &blockshape).unwrap();
        assert!(geometry != other && hash(&geometry) != hash(&other), "{other:?}");
    }
}

#[test]
fn the_worked_example() {
    let bytes = hex!(
        "97 00 02
         92 d3 0000000000000190 d3 0000000000000003
         92 d2 0000006e d2 00000003
         92 d2 00000039 d2 00000003
         00 db 00000003 7c7531"
    );
    let meta = B2ndMeta::new(example_geometry(), "|u1");
    assert_eq!((meta.version, meta.dtype_format), (0, 0));
    both_ways(meta, &bytes);
    let borrowed = B2ndMeta { version: 0, geometry: example_geometry(), dtype_format: 0, dtype: "|u1" };
    both_ways(borrowed, &bytes);
    metalayer(ArrayMeta::B2nd(borrowed), &bytes);
}

#[test]
fn each_layout_of_the_example() {
    let caterva = CatervaMeta { version: 0, geometry: example_geometry() };
    both_ways(caterva, &example(0x95, b""));
    metalayer(ArrayMeta::Caterva(caterva), &example(0x95, b""));

    let legacy = LegacyB2ndMeta { version: 0, geometry: example_geometry(), dtype: "uint8" };
    let bytes = example(0x96, &hex!("db 00000005 75696e7438"));
    both_ways(legacy, &bytes);
    both_ways(legacy.into_owned(), &bytes);
    metalayer(ArrayMeta::LegacyB2nd(legacy), &bytes);

    let meta = B2ndMeta { version: 0, geometry: example_geometry(), dtype_format: 0, dtype: "|u1" };
    metalayer(ArrayMeta::MiscountedB2nd(meta), &example(0x96, &hex!("00 db 00000003 7c7531")));
    // As a serde value it is written with the correct count.
    writes(&ArrayMeta::MiscountedB2nd(meta), &example(0x97, &hex!("00 db 00000003 7c7531")));
}

#[test]
fn each_layout_of_every_number_of_dimensions() {
    for ndim in 0..=16 {
        for (array, bytes) in layouts(ndim) {
            metalayer(array, &bytes);
            match array {
                ArrayMeta::Caterva(meta) => both_ways(meta, &bytes),
                ArrayMeta::LegacyB2nd(meta) => both_ways(meta.into_owned(), &bytes),
                ArrayMeta::B2nd(meta) => both_ways(meta.into_owned(), &bytes),
                _ => continue,
            }
            writes(&array, &bytes);
        }
        both_ways(geometry(ndim), &cat(&[&[0x94], geometry_bytes(ndim).as_slice()]));
    }
}

#[test]
fn what_c_blosc2_wrote() {
    for (name, ndim, marker) in
        [("nd0", 0, 0x90), ("nd1", 1, 0x91), ("nd2", 2, 0x92), ("nd8", 8, 0x98), ("nd15", 15, 0x9f), ("nd16", 16, 0xa0)]
    {
        let bytes = std::fs::read(format!("tests/data/c-blosc2-3.3.5/clib-b2ndmeta__{name}.b2ndmeta")).unwrap();
        assert_eq!(bytes[..4], [0x97, 0, ndim, marker]);
        let meta: B2ndMeta<&str> = b2nd::from_slice(&bytes).unwrap();
        let expected: Vec<i64> = (0..i64::from(ndim)).map(|index| 1000 + 37 * index).collect();
        assert_eq!(meta.geometry.shape(), expected);
        writes(&meta, &bytes);
        writes(&ArrayMeta::B2nd(meta).into_owned(), &bytes);
    }
}

#[test]
fn a_dtype_is_borrowed_from_the_input() {
    let bytes = example(0x97, &hex!("00 db 00000003 7c7531"));
    let meta: B2ndMeta<&str> = b2nd::from_slice(&bytes).unwrap();
    assert_eq!(meta.dtype.as_ptr(), bytes[bytes.len() - 3..].as_ptr());
    let (array, _) = ArrayMeta::from_metalayer(&bytes).unwrap();
    assert_eq!(array.dtype().map(str::as_ptr), Some(bytes[bytes.len() - 3..].as_ptr()));
    let legacy = example(0x96, &hex!("db 00000005 75696e7438"));
    let (array, _) = ArrayMeta::from_metalayer(&legacy).unwrap();
    assert_eq!(array.dtype().map(str::as_ptr), Some(legacy[legacy.len() - 5..].as_ptr()));
}

#[test]
fn an_array_says_what_it_is_in_every_layout() {
    let expected = [None, Some("uint8"), Some("<f8"), Some("<f8")];
    for ((array, _), dtype) in layouts(3).into_iter().zip(expected) {
        assert_eq!((array.geometry(), array.dtype(), array.version()), (&geometry(3), dtype, 0));
    }
    let version = |array: ArrayMeta<&str>| array.version();
    assert_eq!(version(ArrayMeta::Caterva(CatervaMeta { version: 3, geometry: geometry(0) })), 3);
    assert_eq!(version(ArrayMeta::LegacyB2nd(LegacyB2ndMeta { version: 4, geometry: geometry(0), dtype: "" })), 4);
    let meta = B2ndMeta { version: 5, geometry: geometry(0), dtype_format: 0, dtype: "" };
    assert_eq!((version(ArrayMeta::B2nd(meta)), version(ArrayMeta::MiscountedB2nd(meta))), (5, 5));
}

#[test]
fn the_largest_lengths_and_versions() {
    let geometry = Geometry::new(&[i64::MAX, 0], &[i32::MAX, 0], &[1, 0]).unwrap();
    both_ways(
        B2ndMeta { version: 127, geometry, dtype_format: 127, dtype: "" },
        &hex!(
            "97 7f 02 92 d37fffffffffffffff d30000000000000000 92 d27fffffff d200000000 92 d200000001 d200000000 7f db00000000"
        ),
    );
}

#[test]
fn upgrade_gives_the_released_layout() {
    for (name, string) in [
        ("bool", "|b1"),
        ("int8", "|i1"),
        ("uint8", "|u1"),
        ("int16", "<i2"),
        ("uint16", "<u2"),
        ("int32", "<i4"),
        ("uint32", "<u4"),
        ("int64", "<i8"),
        ("uint64", "<u8"),
        ("float16", "<f2"),
        ("float32", "<f4"),
        ("float64", "<f8"),
        ("float128", "<f16"),
        ("complex64", "<c8"),
        ("complex128", "<c16"),
        ("complex256", "<c32"),
        ("object", "|O"),
        ("datetime64[ns]", "<M8[ns]"),
        ("datetime64", "<M8"),
        ("timedelta64[25s]", "<m8[25s]"),
        ("<U10", "<U10"),
        ("|S5", "|S5"),
        ("[('a', '<i4')]", "[('a', '<i4')]"),
    ] {
        let legacy = ArrayMeta::LegacyB2nd(LegacyB2ndMeta { version: 3, geometry: geometry(2), dtype: name });
        assert_eq!(legacy.upgrade(None).unwrap(), B2ndMeta { version: 3, ..B2ndMeta::new(geometry(2), string) });
        assert_eq!(legacy.upgrade(Some("<f8")).unwrap().dtype, string, "a dtype of its own wins");
    }
    let meta = B2ndMeta { version: 1, geometry: geometry(2), dtype_format: 5, dtype: "int32" };
    assert_eq!(ArrayMeta::B2nd(meta).upgrade(Some("<f8")).unwrap(), meta.into_owned());
    assert_eq!(ArrayMeta::MiscountedB2nd(meta).upgrade(None).unwrap(), meta.into_owned());
    let caterva = ArrayMeta::<&str>::Caterva(CatervaMeta { version: 2, geometry: geometry(2) });
    assert_eq!(caterva.upgrade(Some("<f8")).unwrap(), B2ndMeta { version: 2, ..B2ndMeta::new(geometry(2), "<f8") });
    assert_eq!(message(caterva.upgrade(None)), "a metalayer in Caterva's layout has no dtype: give one to upgrade it");
}

#[test]
fn a_geometry_refuses_what_no_array_has() {
    let refuses = |shape: &[i64], chunkshape: &[i32], blockshape: &[i32], expected: &str| {
        assert_eq!(message(Geometry::new(shape, chunkshape, blockshape)), expected);
    };
    refuses(&[1, 2], &[1], &[1, 2], "chunkshape has 1 dimension, but ndim is 2");
    refuses(&[1], &[1], &[], "blockshape has 0 dimensions, but ndim is 1");
    refuses(&[1; 17], &[1; 17], &[1; 17], "expected at most 16 dimensions, found 17");
    refuses(&[1; 300], &[1; 300], &[1; 300], "expected at most 16 dimensions, found 300");
    refuses(&[1, -1], &[1, 1], &[1, 1], "shape[1]: expected a length of 0 or more, found -1");
    refuses(&[1, 1], &[-7, 1], &[1, 1], "chunkshape[0]: expected a length of 0 or more, found -7");
    refuses(&[1, 1], &[1, 1], &[1, i32::MIN], "blockshape[1]: expected a length of 0 or more, found -2147483648");
    refuses(&[0, 3], &[0, 0], &[0, 1], "chunkshape[1] is 0, but shape[1] is 3: only an axis of length 0 has empty chunks");
    refuses(&[3], &[1], &[0], "blockshape[0] is 0, but shape[0] is 3: only an axis of length 0 has empty blocks");
    assert!(Geometry::new(&[0, 5], &[0, 5], &[0, 5]).is_ok());
    assert!(Geometry::new(&[0], &[7], &[0]).is_ok());
    assert!(Geometry::new(&[1; 16], &[1; 16], &[1; 16]).is_ok());
}

#[test]
fn decoding_refuses_what_no_array_has() {
    let meta = |lists: &[u8]| cat(&[&hex!("97 00"), lists, &hex!("00 db00000000")]);
    let refuses = |lists: &[u8], expected: &str| {
        refused::<B2ndMeta>(&meta(lists), expected);
        no_metalayer(&meta(lists), expected);
    };
    refuses(
        &hex!("01 92 d30000000000000003 d30000000000000003 91 d200000001 91 d200000001"),
        "shape has 2 dimensions, but ndim is 1",
    );
    refuses(&hex!("01 91 d30000000000000003 90 91 d200000001"), "chunkshape has 0 dimensions, but ndim is 1");
    refuses(&hex!("01 91 d30000000000000003 91 d200000001 90"), "blockshape has 0 dimensions, but ndim is 1");
    refuses(&hex!("00 91 d30000000000000003 91 d200000001 91 d200000001"), "shape has 1 dimension, but ndim is 0");
    refuses(&hex!("11 90 90 90"), "expected at most 16 dimensions, found 17");
    refuses(
        &hex!("01 91 d30000000000000003 91 d200000000 91 d200000001"),
        "chunkshape[0] is 0, but shape[0] is 3: only an axis of length 0 has empty chunks",
    );
    refuses(
        &hex!("01 91 d30000000000000003 91 d200000001 91 d200000000"),
        "blockshape[0] is 0, but shape[0] is 3: only an axis of length 0 has empty blocks",
    );

    let refuses = |lists: &[u8], expected: &str| {
        refused::<B2ndMeta>(&meta(lists), expected);
        no_metalayer(&meta(lists), expected);
    };
    refuses(
        &hex!("01 91 d3ffffffffffffffff 91 d200000001 91 d200000001"),
        "shape[0]: expected a length of 0 or more, found -1 at byte 4",
    );
    refuses(
        &hex!("01 91 d30000000000000003 91 d2fffffffe 91 d200000001"),
        "chunkshape[0]: expected a length of 0 or more, found -2 at byte 14",
    );
    refuses(
        &hex!("01 91 d30000000000000003 91 d200000001 91 d280000000"),
        "blockshape[0]: expected a length of 0 or more, found -2147483648 at byte 20",
    );
    refuses(&hex!("01 91 d200000003"), "shape[0]: expected int64 (d3), found int32 (d2) at byte 4");
    refuses(
        &hex!("cc01 90 90 90"),
        "ndim: expected positive fixint (00 to 7f) for a number below 128, found uint8 (cc) at byte 2",
    );
    refuses(&hex!("10 dc0010"), "shape: expected a list of at most 16 elements (90 to a0), found array16 (dc) at byte 3");
    refuses(&hex!("10 a1"), "shape: expected a list of at most 16 elements (90 to a0), found fixstr (a1) at byte 3");
}

#[test]
fn a_version_or_dtype_format_is_a_positive_fixint() {
    let version = "version: expected a positive fixint (at most 127), found 128";
    let meta = B2ndMeta { version: 128, ..B2ndMeta::new(geometry(1), "|u1") };
    unwritable(&meta, version);
    unwritable(&ArrayMeta::MiscountedB2nd(meta), version);
    unwritable(&LegacyB2ndMeta { version: 128, geometry: geometry(1), dtype: "uint8" }, version);
    unwritable(&CatervaMeta { version: 128, geometry: geometry(1) }, version);
    let format = "dtype_format: expected a positive fixint (at most 127), found 200";
    unwritable(&B2ndMeta { dtype_format: 200, ..B2ndMeta::new(geometry(1), "|u1") }, format);

    let version = "version: expected a positive fixint (at most 127), found 128 at byte 1";
    refused::<B2ndMeta>(&hex!("97 cc80 00 90 90 90 00 db00000000"), version);
    no_metalayer(&hex!("97 cc80 00 90 90 90 00 db00000000"), version);
    refused::<CatervaMeta>(&hex!("95 cc80 00 90 90 90"), version);
    let format = "dtype_format: expected a positive fixint (at most 127), found 128 at byte 6";
    refused::<B2ndMeta>(&hex!("97 00 00 90 90 90 cc80 db00000000"), format);
}

#[test]
fn the_entry_after_blockshape_is_one_of_two() {
    let refuses = |entry: &[u8], found: &str| {
        let format = format!("dtype_format: expected uint8 (00 to 7f, or cc for a number above 127), found {found} at byte 6");
        no_metalayer(&cat(&[&hex!("97 00 00 90 90 90"), entry, &hex!("db00000000")]), &format);
        no_metalayer(&cat(&[&hex!("96 00 00 90 90 90"), entry]), &format!("dtype: expected str32 (db), found {found} at byte 6"));
    };
    refuses(&hex!("cd0005"), "uint16 (cd)");
    refuses(&hex!("cf0000000000000005"), "uint64 (cf)");
    refuses(&hex!("a3 7c7531"), "fixstr (a3)");
    refuses(&hex!("c0"), "nil (c0)");
    let above = "dtype_format: expected a positive fixint (at most 127), found 128 at byte 6";
    no_metalayer(&hex!("97 00 00 90 90 90 cc80 db00000000"), above);
    no_metalayer(&hex!("96 00 00 90 90 90 cc80 db00000000"), "dtype: expected str32 (db), found uint8 (cc) at byte 6");
}

#[test]
fn the_seventh_entry_where_the_count_says_six_is_a_dtype() {
    for (entry, expected) in [
        (&hex!("c0")[..], "dtype: expected str32 (db), found nil (c0) at byte 45"),
        (&hex!("db00000001 ff"), "dtype: a string is not UTF-8 at byte 50"),
        (&hex!("db00000002 61"), "unexpected end of input at byte 51: dtype needs 1 more byte"),
    ] {
        no_metalayer(&example(0x96, &cat(&[&hex!("00"), entry])), expected);
    }
}

#[test]
fn another_count_is_refused() {
    refused::<B2ndMeta>(
        &example(0x96, &hex!("00 db00000000")),
        "invalid length 6, expected a b2nd metalayer of 7 entries (ArrayMeta reads every layout)",
    );
    refused::<B2ndMeta>(&example(0x98, &hex!("00 db00000000 c0")), "expected 7 elements, found 8 at byte 0");
    refused::<CatervaMeta>(&example(0x96, &hex!("db00000000")), "expected 5 elements, found 6 at byte 0");
    refused::<CatervaMeta>(
        &hex!("94 00 00 90 90"),
        "invalid length 4, expected a caterva metalayer of 5 entries (ArrayMeta reads every layout)",
    );
    refused::<LegacyB2ndMeta>(
        &example(0x95, b""),
        "invalid length 5, expected a b2nd metalayer of 6 entries (ArrayMeta reads every layout)",
    );
    no_metalayer(&hex!("90"), "array metalayer: expected 5 to 7 entries, found 0 at byte 0");
    no_metalayer(&hex!("94 00 00 90 90"), "array metalayer: expected 5 to 7 entries, found 4 at byte 0");
    no_metalayer(&example(0x98, &hex!("00 db00000000 c0")), "expected 7 elements, found 8 at byte 0");
    let format = "dtype_format: expected uint8 (00 to 7f, or cc for a number above 127), found str32 (db) at byte 44";
    no_metalayer(&example(0x97, &hex!("db00000000 db00000000")), format);
    no_metalayer(&hex!("9f 96"), "expected 7 elements, found 15 at byte 0");
    no_metalayer(&hex!("97 00 03"), "unexpected end of input at byte 3: shape needs 1 more byte");
    no_metalayer(&hex!("dc0007"), "expected the shortest marker that holds the count, found array16 (dc) at byte 0");
    no_metalayer(&hex!("c0"), "expected array (90 to 9f, dc, dd), found nil (c0) at byte 0");
    no_metalayer(b"", "unexpected end of input at byte 0: the value needs 1 more byte");
    refused::<CatervaMeta>(&example(0x95, &hex!("00 db00000000")), "the value is followed by 6 trailing bytes at byte 44");
    refused::<Geometry>(&hex!("93 00 90 90"), "invalid length 3, expected a geometry of 4 entries");
}

#[test]
fn debug_shows_the_shapes() {
    assert_eq!(format!("{:?}", example_geometry()), "Geometry { shape: [400, 3], chunkshape: [110, 3], blockshape: [57, 3] }");
    assert_ne!(example_geometry(), geometry(2));
    assert_ne!(geometry(1), geometry(2));
}

#[test]
fn a_dtype_may_be_any_type_of_string() {
    /// Not `transparent`, so that serde's derive deserializes a newtype.
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Name(String);
    impl AsRef<str> for Name {
        fn as_ref(&self) -> &str {
            &self.0
        }
    }
    let meta = B2ndMeta { version: 0, geometry: geometry(1), dtype_format: 0, dtype: Name("<i4".to_owned()) };
    let bytes = b2nd::to_vec(&meta).unwrap();
    assert_eq!(b2nd::from_slice::<B2ndMeta<Name>>(&bytes).unwrap(), meta);
    let json = serde_json::to_string(&meta).unwrap();
    assert_eq!(serde_json::from_str::<B2ndMeta<Name>>(&json).unwrap(), meta);
    assert_eq!(ArrayMeta::MiscountedB2nd(meta).to_metalayer().unwrap(), cat(&[&[0x96], &bytes[1..]]));
}

#[test]
fn a_dtype_in_another_language_does_not_hide_the_geometry() {
    for ndim in [0, 1, 2, 15, 16] {
        for (array, bytes) in layouts(ndim) {
            assert_eq!(Geometry::from_metalayer(&bytes).unwrap(), *array.geometry());
            assert_eq!(Geometry::from_metalayer(&[&bytes, &[0xff; 3][..]].concat()).unwrap(), *array.geometry());
        }
        let [.., (array, mut bytes)] = layouts(ndim);
        let dtype = array.dtype().unwrap().len();
        let at = bytes.len() - dtype - 6;
        bytes[at] = 1;
        bytes[at + 6] = 0xff;
        no_metalayer(&bytes, &format!("dtype: a string is not UTF-8 at byte {}", at + 6));
        assert_eq!(Geometry::from_metalayer(&bytes).unwrap(), *array.geometry());
    }
    let [.., (_, bytes)] = layouts(2);
    for length in 0..bytes.len() {
        let whole = Geometry::from_metalayer(&bytes[..length]).is_ok();
        assert!(!whole, "{length}");
    }
    for (content, message) in [
        (&[0x94][..], "array metalayer: expected 5 to 7 entries, found 4 at byte 0"),
        (&[0x98, 0, 0, 0x90, 0x90], "array metalayer: expected 5 to 7 entries, found 8 at byte 0"),
        (&[0xc0], "expected array (90 to 9f, dc, dd), found nil (c0) at byte 0"),
        (&[0x97, 0, 1, 0x90, 0x90, 0x90, 0, 0], "shape has 0 dimensions, but ndim is 1"),
    ] {
        assert_eq!(Geometry::from_metalayer(content).unwrap_err().to_string(), message);
    }
}
