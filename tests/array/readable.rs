//! Metadata in JSON: readable objects, written and read, and what is rejected in them.

use std::fmt::Debug;

use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, LegacyB2ndMeta};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

const LISTS: &str = r#""ndim":2,"shape":[400,3],"chunkshape":[110,3],"blockshape":[57,3]"#;

fn geometry() -> Geometry {
    Geometry::new(&[400, 3], &[110, 3], &[57, 3]).unwrap()
}

#[track_caller]
fn both_ways<'de, T: Serialize + Deserialize<'de> + PartialEq + Debug>(value: T, json: &'de str) {
    assert_eq!(serde_json::to_string(&value).unwrap(), json);
    assert_eq!(serde_json::from_str::<T>(json).unwrap(), value);
}

/// An array of any layout is written as the metadata inside it.
#[track_caller]
fn written(array: ArrayMeta<&str>, json: &str) {
    assert_eq!(serde_json::to_string(&array).unwrap(), json);
    assert_eq!(serde_json::to_string(&array.into_owned()).unwrap(), json);
}

#[track_caller]
fn refused<T: DeserializeOwned + Debug>(json: &str, expected: &str) {
    let message = serde_json::from_str::<T>(json).unwrap_err().to_string();
    // Some errors have no line.
    let sentence = message.split_once(" at line ").map_or(message.as_str(), |(sentence, _line_and_column)| sentence);
    assert_eq!(sentence, expected);
}

#[test]
fn every_layout_is_a_readable_object() {
    let caterva = CatervaMeta { version: 0, geometry: geometry() };
    let legacy = LegacyB2ndMeta { version: 1, geometry: geometry(), dtype: "uint8" };
    let meta = B2ndMeta { version: 0, geometry: geometry(), dtype_format: 0, dtype: "|u1" };
    let caterva_json = format!(r#"{{"version":0,{LISTS}}}"#);
    let legacy_json = format!(r#"{{"version":1,{LISTS},"dtype":"uint8"}}"#);
    let json = format!(r#"{{"version":0,{LISTS},"dtype_format":0,"dtype":"|u1"}}"#);

    both_ways(geometry(), &format!("{{{LISTS}}}"));
    both_ways(caterva, &caterva_json);
    written(ArrayMeta::Caterva(caterva), &caterva_json);
    both_ways(legacy, &legacy_json);
    both_ways(legacy.into_owned(), &legacy_json);
    written(ArrayMeta::LegacyB2nd(legacy), &legacy_json);
    both_ways(meta, &json);
    both_ways(meta.into_owned(), &json);
    written(ArrayMeta::B2nd(meta), &json);
    // JSON has no count of entries, so a wrong one cannot be written.
    written(ArrayMeta::MiscountedB2nd(meta), &json);
}

#[test]
fn every_number_of_dimensions() {
    for ndim in 0..=16 {
        for (array, _) in crate::common::layouts(ndim) {
            let json = serde_json::to_string(&array).unwrap();
            match array {
                ArrayMeta::Caterva(meta) => both_ways(meta, &json),
                ArrayMeta::LegacyB2nd(meta) => both_ways(meta.into_owned(), &json),
                ArrayMeta::B2nd(meta) | ArrayMeta::MiscountedB2nd(meta) => both_ways(meta.into_owned(), &json),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn the_order_of_fields_is_free() {
    let json =
        r#"{"dtype":"|u1","ndim":2,"shape":[400,3],"blockshape":[57,3],"dtype_format":0,"chunkshape":[110,3],"version":0}"#;
    assert_eq!(serde_json::from_str::<B2ndMeta>(json).unwrap(), B2ndMeta::new(geometry(), "|u1"));
    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::from_value::<B2ndMeta>(value.clone()).unwrap(), B2ndMeta::new(geometry(), "|u1"));
    assert_eq!(B2ndMeta::<String>::deserialize(&value).unwrap(), B2ndMeta::new(geometry(), "|u1"));
}

#[test]
fn a_missing_field_is_named() {
    for (field, rest) in [
        ("version", format!(r#"{LISTS},"dtype_format":0,"dtype":"""#)),
        ("ndim", format!(r#""version":0,{},"dtype_format":0,"dtype":"""#, LISTS.trim_start_matches(r#""ndim":2,"#))),
        ("shape", r#""version":0,"ndim":0,"chunkshape":[],"blockshape":[],"dtype_format":0,"dtype":"""#.into()),
        ("chunkshape", r#""version":0,"ndim":0,"shape":[],"blockshape":[],"dtype_format":0,"dtype":"""#.into()),
        ("blockshape", r#""version":0,"ndim":0,"shape":[],"chunkshape":[],"dtype_format":0,"dtype":"""#.into()),
        ("dtype_format", format!(r#""version":0,{LISTS},"dtype":"""#)),
        ("dtype", format!(r#""version":0,{LISTS},"dtype_format":0"#)),
    ] {
        refused::<B2ndMeta>(&format!("{{{rest}}}"), &format!("missing field `{field}`"));
    }
    refused::<LegacyB2ndMeta>(&format!(r#"{{"version":0,{LISTS}}}"#), "missing field `dtype`");
    refused::<CatervaMeta>(&format!("{{{LISTS}}}"), "missing field `version`");
}

#[test]
fn a_field_of_another_layout_is_unknown() {
    let unknown = |field: &str, expected: &str| format!("unknown field `{field}`, expected one of {expected}");
    let geometry = "`ndim`, `shape`, `chunkshape`, `blockshape`";
    refused::<Geometry>(&format!(r#"{{"version":0,{LISTS}}}"#), &unknown("version", geometry));
    refused::<Geometry>(&format!(r#"{{{LISTS},"dtype":""}}"#), &unknown("dtype", geometry));
    let caterva = format!("`version`, {geometry}");
    refused::<CatervaMeta>(&format!(r#"{{"version":0,{LISTS},"dtype":""}}"#), &unknown("dtype", &caterva));
    refused::<CatervaMeta>(&format!(r#"{{"version":0,{LISTS},"dtype_format":0}}"#), &unknown("dtype_format", &caterva));
    let legacy = format!("{caterva}, `dtype`");
    refused::<LegacyB2ndMeta>(
        &format!(r#"{{"version":0,{LISTS},"dtype_format":0,"dtype":""}}"#),
        &unknown("dtype_format", &legacy),
    );
    let b2nd = format!("{caterva}, `dtype_format`, `dtype`");
    refused::<B2ndMeta>(&format!(r#"{{"version":0,{LISTS},"chunks":1}}"#), &unknown("chunks", &b2nd));
}

#[test]
fn a_field_twice_is_refused() {
    let all = format!(r#""version":0,{LISTS},"dtype_format":0,"dtype":"""#);
    for (field, value) in [
        ("version", "0"),
        ("ndim", "2"),
        ("shape", "[400,3]"),
        ("chunkshape", "[110,3]"),
        ("blockshape", "[57,3]"),
        ("dtype_format", "0"),
        ("dtype", "\"\""),
    ] {
        refused::<B2ndMeta>(&format!("{{{all},\"{field}\":{value}}}"), &format!("duplicate field `{field}`"));
    }
}

#[test]
fn an_impossible_array_is_refused() {
    let refuses = |lists: &str, expected: &str| {
        let json = format!(r#"{{"version":0,{lists},"dtype_format":0,"dtype":""}}"#);
        refused::<B2ndMeta>(&json, expected);
        refused::<Geometry>(&format!("{{{lists}}}"), expected);
    };
    refuses(r#""ndim":3,"shape":[4],"chunkshape":[2],"blockshape":[1]"#, "shape has 1 dimension, but ndim is 3");
    refuses(r#""ndim":17,"shape":[4],"chunkshape":[2],"blockshape":[1]"#, "expected at most 16 dimensions, found 17");
    refuses(r#""ndim":1,"shape":[4],"chunkshape":[2,2],"blockshape":[1]"#, "chunkshape has 2 dimensions, but ndim is 1");
    refuses(r#""ndim":1,"shape":[4],"chunkshape":[2],"blockshape":[]"#, "blockshape has 0 dimensions, but ndim is 1");
    refuses(r#""shape":[-4],"chunkshape":[2],"blockshape":[1]"#, "expected a length of 0 or more, found -4");
    refuses(r#""shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"#, "expected at most 16 dimensions, found more");
    refuses(
        r#""ndim":1,"shape":[4],"chunkshape":[0],"blockshape":[1]"#,
        "chunkshape[0] is 0, but shape[0] is 4: only an axis of length 0 has empty chunks",
    );
    refuses(r#""shape":[4],"chunkshape":[4000000000],"blockshape":[1]"#, "invalid value: integer `4000000000`, expected i32");
    refuses(r#""shape":4"#, "invalid type: integer `4`, expected a list of at most 16 lengths");
    refuses(r#""shape":[true]"#, "invalid type: boolean `true`, expected i64");
    refuses(r#""chunkshape":["x"]"#, "invalid type: string \"x\", expected i32");
    refused::<B2ndMeta>(r#"{"dtype":3}"#, "invalid type: integer `3`, expected a string");
}

#[test]
fn a_version_above_127_is_refused_in_every_format() {
    let json = format!(r#"{{"version":128,{LISTS}}}"#);
    refused::<CatervaMeta>(&json, "expected a positive fixint (at most 127), found 128");
    let error = serde_json::to_string(&CatervaMeta { version: 128, geometry: geometry() }).unwrap_err();
    assert_eq!(error.to_string(), "expected a positive fixint (at most 127), found 128");
}

#[test]
fn another_shape_of_value_is_refused() {
    refused::<B2ndMeta>("3", "invalid type: integer `3`, expected a b2nd metalayer of 7 entries (ArrayMeta reads every layout)");
    refused::<LegacyB2ndMeta>(
        "3",
        "invalid type: integer `3`, expected a b2nd metalayer of 6 entries (ArrayMeta reads every layout)",
    );
    refused::<CatervaMeta>(
        "3",
        "invalid type: integer `3`, expected a caterva metalayer of 5 entries (ArrayMeta reads every layout)",
    );
    refused::<Geometry>("3", "invalid type: integer `3`, expected a geometry of 4 entries");
}

#[test]
fn a_string_of_the_bytes_of_a_list_is_no_list_in_other_formats() {
    let meta = |chunkshape: &[u8]| [&b"\x97\0\x01\x91\x0a"[..], chunkshape, b"\x91\x02\0\xa3|u1"].concat();
    let good: B2ndMeta = rmp_serde::from_slice(&meta(b"\x91\x05")).unwrap();
    assert_eq!(good.geometry.chunkshape(), [5]);
    assert!(rmp_serde::from_slice::<B2ndMeta>(&meta(b"\xa5\xd2\0\0\0\x05")).is_err());
    assert!(rmp_serde::from_slice::<B2ndMeta>(&meta(b"\xc4\x05\xd2\0\0\0\x05")).is_err());
}
