//! `b2nd export` and `import` of Zarr arrays. The tests of b2nd-zarr compare them with Python.

use std::fs;

use serde_json::{Value, json};

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

    // Version 2, with and without the names that xarray writes.
    let (of_xarray, names) = (r#"{"_ARRAY_DIMENSIONS": ["lat", "lon"]}"#, ("dims", r#"["lat","lon"]"#));
    for (dtype, fill_value, attributes, expected) in [
        ("<f4", r#""NaN""#, of_xarray, &[("_FillValue", r#"{"float":"nan"}"#), names][..]),
        ("<f4", "-9", of_xarray, &[("_FillValue", "-9.0"), names]),
        ("<i4", "-9", of_xarray, &[("_FillValue", "-9"), names]),
        ("<i4", "null", of_xarray, &[names]),
        ("|V4", r#""AAAAAA==""#, of_xarray, &[names]),
        ("<i4", "-9", r#"{"units": "K"}"#, &[("units", r#""K""#)]),
    ] {
        let array = json!({
            "zarr_format": 2, "shape": [3, 2], "chunks": [3, 2], "dtype": dtype, "order": "C", "compressor": null,
            "filters": null, "fill_value": serde_json::from_str::<Value>(fill_value).unwrap()
        });
        tests.write("old.zarr/.zarray", array.to_string());
        tests.write("old.zarr/.zattrs", attributes);
        tests.write("old.zarr/0.0", [0; 24]);
        let _ = fs::remove_file(tests.path("old.b2nd"));
        tests.ok(&["import", "old.zarr", "old.b2nd"]);
        let found = tests.ok(&["meta", "list", "--json", "old.b2nd"]);
        let found = found.lines().map(|line| serde_json::from_str(line).unwrap());
        let found = found.filter(|it: &Value| it["place"] == "attribute").map(|it| (it["name"].clone(), it["value"].to_string()));
        let expected = expected.iter().map(|(name, value)| (json!(name), value.to_string()));
        assert!(found.eq(expected), "{dtype} {fill_value} {attributes}");
    }
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
    assert_eq!(refused, "in.b2nd: \"../x\" cannot be the name of an array in a group: it is empty or a path");
    let refused = tests.refused(&["export", "in.b2nd", "x.npy", "--group", "x"]);
    assert!(refused.contains("--group is only for Zarr"), "{refused}");
    assert!(!tests.path("x.zarr").exists() && !tests.path("x.npy").exists());
}

#[test]
fn elements_that_zarr_lacks_are_refused_by_name() {
    let tests = Directory::with_example();
    tests.write("in.npy", npy("<f16", "(1,)", &[0, 0, 0, 0]));
    tests.ok(&["import", "in.npy", "in.b2nd"]);
    tests.fails(&["export", "in.b2nd", "out.zarr"], "in.b2nd: <f16 cannot be converted to a Zarr data type");
    assert!(!tests.path("out.zarr").exists());
}

#[test]
fn the_arrays_of_a_directory_are_listed_with_the_command_that_converts_them() {
    let tests = Directory::new();
    tests.write("in.npy", npy("<i4", "(3, 2)", &[1, 2, 3, 4, 5, 6]));
    tests.ok(&["import", "in.npy", "in.b2nd"]);
    tests.ok(&["export", "in.b2nd", "g.zarr", "--group", "temp"]);
    fs::create_dir(tests.path("g.zarr/below")).unwrap();
    tests.write("g.zarr/below/.zgroup", r#"{"zarr_format": 2}"#);
    fs::create_dir(tests.path("g.zarr/below/b")).unwrap();
    tests.write("g.zarr/below/b/.zarray", r#"{"zarr_format": 2, "shape": [7], "dtype": "|O"}"#);
    let listed = "g.zarr/below/b  Zarr array  |O   7\ng.zarr/temp     Zarr array  <i4  3 x 2\n";
    let hint =
        "g.zarr: it is a Zarr directory: convert an array with `b2nd import`, as in `b2nd import g.zarr/below/b OUT.b2nd`\n";
    for args in [&["ls", "g.zarr"][..], &["info", "g.zarr"], &["g.zarr"]] {
        assert_eq!(tests.run(args), (listed.to_owned(), hint.to_owned(), 0), "{args:?}");
    }
    assert_eq!(tests.run(&["ls", "g.zarr/temp"]).0, "g.zarr/temp  Zarr array  <i4  3 x 2\n");
    let refused = tests.refused(&["import", "g.zarr", "none.b2nd"]);
    assert_eq!(refused, "g.zarr: it is a Zarr group: name one of its arrays, as in g.zarr/below/b (it has below/b, temp)");
    let refused = tests.refused(&["head", "g.zarr/temp"]);
    assert!(
        refused.ends_with("it is a Zarr store, or a part of one: `b2nd ls` and `b2nd import` read its directory"),
        "{refused}"
    );
    tests.write("g.zarr/below/b/.zarray", "{");
    assert!(tests.refused(&["ls", "g.zarr"]).contains("g.zarr/below/b: EOF while parsing"));
    fs::create_dir(tests.path("e.zarr")).unwrap();
    assert_eq!(tests.refused(&["ls", "e.zarr"]), "e.zarr: it has no Zarr arrays");
}
