//! `b2nd export` and `import` of Zarr arrays. What Python says of them is in b2nd-zarr's tests.

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
        &["export", "in.b2nd", "part.zarr", "--slice", "0"],
        "in.b2nd: a Zarr array is written as a whole: leave out --slice, --rows and --columns",
    );
    let before = tests.contents();
    fs::create_dir(tests.path("none.zarr")).unwrap();
    let error = tests.refused(&["import", "none.zarr", "none.b2nd"]);
    assert!(error.starts_with("none.zarr: "), "{error}");
    fs::remove_dir(tests.path("none.zarr")).unwrap();
    assert!(tests.contents() == before, "something is left");
}

#[test]
fn elements_that_zarr_lacks_are_refused_by_name() {
    let tests = Directory::with_example();
    tests.write("in.npy", npy("<f16", "(1,)", &[0, 0, 0, 0]));
    tests.ok(&["import", "in.npy", "in.b2nd"]);
    tests.fails(&["export", "in.b2nd", "out.zarr"], "in.b2nd: Zarr has no data type for <f16");
    assert!(!tests.path("out.zarr").exists());
}
