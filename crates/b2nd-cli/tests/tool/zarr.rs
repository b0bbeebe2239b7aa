//! `b2nd export` and `import` of Zarr arrays. The tests of b2nd-zarr compare them with Python.

use std::fs;

use crate::harness::{Directory, npy};

#[test]
fn a_zarr_array_comes_back_as_it_was() {
    let tests = Directory::with_example();
    tests.write("in.npy", npy("<i4", "(30, 20)", &(0..600).collect::<Vec<i32>>()));
    tests.ok(&["import", "in.npy", "in.b2nd", "--chunks", "20,12", "--blocks", "10,4"]);
    tests.ok(&["meta", "set", "in.b2nd", "unit", "--text", "m"]);
    tests.ok(&["export", "in.b2nd", "out.zarr"]);
    let metadata: serde_json::Value = serde_json::from_slice(&tests.read("out.zarr/zarr.json")).unwrap();
    assert_eq!((&metadata["shape"], &metadata["attributes"]["unit"]), (&serde_json::json!([30, 20]), &serde_json::json!("m")));
    assert_eq!(metadata["codecs"][0]["name"], "sharding_indexed");

    tests.ok(&["import", "out.zarr", "back.b2nd"]);
    tests.ok(&["export", "back.b2nd", "back.npy"]);
    assert!(tests.read("back.npy") == tests.read("in.npy"));
    assert_eq!(tests.ok(&["meta", "get", "back.b2nd", "unit"]), tests.ok(&["meta", "get", "in.b2nd", "unit"]));

    tests.fails(&["export", "in.b2nd", "out.zarr"], "in.b2nd: out.zarr already exists");
    tests.fails(
        &["export", "in.b2nd", "part.zarr", "0"],
        "in.b2nd: a Zarr array is written as a whole: leave out the slice, --rows and --columns",
    );
    let before = tests.contents();
    fs::create_dir(tests.path("none.zarr")).unwrap();
    let error = tests.refused(&["import", "none.zarr", "none.b2nd"]);
    assert!(error.starts_with("none.zarr: "), "{error}");
    fs::remove_dir(tests.path("none.zarr")).unwrap();
    assert!(tests.contents() == before, "something is left");
}

#[test]
fn names_of_dimensions_come_back_and_none_are_invented() {
    let tests = Directory::new();
    tests.write("in.npy", npy("<i4", "(3, 2)", &[1, 2, 3, 4, 5, 6]));
    tests.ok(&["import", "in.npy", "in.b2nd"]);
    let metadata = |path: &str| -> serde_json::Value { serde_json::from_slice(&tests.read(path)).unwrap() };
    tests.ok(&["export", "in.b2nd", "plain.zarr"]);
    assert_eq!(metadata("plain.zarr/zarr.json").get("dimension_names"), None);

    tests.ok(&["meta", "set", "in.b2nd", "dims", "--json", r#"["lat", "lon"]"#]);
    tests.ok(&["meta", "set", "in.b2nd", "missing", "--json", r#"[{"float": "nan"}]"#]);
    tests.ok(&["export", "in.b2nd", "named", "--format", "zarr"]);
    let named = metadata("named/zarr.json");
    assert_eq!(named["dimension_names"], serde_json::json!(["lat", "lon"]));
    assert_eq!(named["attributes"], serde_json::json!({"missing": [null]}), "as JSON.stringify writes NaN");
    tests.ok(&["import", "named", "back.b2nd"]);
    assert_eq!(tests.ok(&["meta", "get", "back.b2nd", "dims"]), "[\"lat\",\"lon\"]\n");
}

#[test]
fn a_group_holds_the_array_under_its_name_and_is_imported_again() {
    let tests = Directory::new();
    tests.write("in.npy", npy("<i4", "(3, 2)", &[1, 2, 3, 4, 5, 6]));
    tests.ok(&["import", "in.npy", "in.b2nd"]);
    tests.ok(&["export", "in.b2nd", "g.zarr", "--group", "temp"]);
    let metadata = |path: &str| -> serde_json::Value { serde_json::from_slice(&tests.read(path)).unwrap() };
    assert_eq!(metadata("g.zarr/zarr.json")["node_type"], "group");
    assert_eq!(metadata("g.zarr/temp/zarr.json")["dimension_names"], serde_json::json!(["dim_0", "dim_1"]));
    tests.ok(&["import", "g.zarr", "back.b2nd"]);
    assert_eq!(tests.ok(&["cat", "back.b2nd"]), tests.ok(&["cat", "in.b2nd"]));
    tests.ok(&["export", "in.b2nd", "more.zarr", "--group", "a"]);
    fs::rename(tests.path("g.zarr/temp"), tests.path("more.zarr/b")).unwrap();
    let refused = tests.refused(&["import", "more.zarr", "none.b2nd"]);
    assert_eq!(refused, "more.zarr: it is a Zarr group: name one of its arrays, as in more.zarr/a (it has a, b)");
    let refused = tests.refused(&["export", "in.b2nd", "x.zarr", "--group", "../x"]);
    assert_eq!(refused, "in.b2nd: \"../x\" cannot be the name of an array in a group");
    let refused = tests.refused(&["export", "in.b2nd", "x.npy", "--group", "x"]);
    assert!(refused.contains("--group is only for Zarr"), "{refused}");
    assert!(!tests.path("x.zarr").exists() && !tests.path("x.npy").exists());
}

#[test]
fn elements_that_zarr_lacks_are_refused_by_name() {
    let tests = Directory::with_example();
    tests.write("in.npy", npy("<f16", "(1,)", &[0, 0, 0, 0]));
    tests.ok(&["import", "in.npy", "in.b2nd"]);
    tests.fails(&["export", "in.b2nd", "out.zarr"], "in.b2nd: Zarr has no data type for <f16");
    assert!(!tests.path("out.zarr").exists());
}
