//! Tables: `cat`, `head` and `export`, of those beside the crate that reads them.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::process::{Command, Output};

const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../b2nd-arrow/tests/data");

fn b2nd(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_b2nd")).args(arguments).current_dir(TABLES).output().unwrap()
}

#[track_caller]
fn printed(arguments: &[&str]) -> String {
    let output = b2nd(arguments);
    assert_eq!((String::from_utf8_lossy(&output.stderr).as_ref(), output.status.code()), ("", Some(0)), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn refused(arguments: &[&str]) -> String {
    let output = b2nd(arguments);
    assert_eq!((String::from_utf8_lossy(&output.stdout).as_ref(), output.status.code()), ("", Some(1)), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn rows_and_columns_of_a_table_are_a_table_for_people() {
    let expected = [
        "          i  l           u",
        "      int32  list int16  string",
        "-2147483648  []          日本",
        "          3  [7]         two",
        "rows 2:4 of 6 rows, 3 columns",
    ];
    let shown = printed(&["cat", "kinds.b2z", "--columns", "i,l,u", "--rows", "2:4"]);
    assert_eq!(shown.lines().collect::<Vec<_>>(), expected);
    assert_eq!(printed(&["head", "tree.b2z::/things"]), "name       n\nstring  int8\nspoon      7\n1 row, 2 columns\n");
}

#[test]
fn programs_get_csv_and_json() {
    let csv = printed(&["cat", "kinds.b2z", "--csv", "--columns", "i,t,l,d", "--rows", ":2"]);
    assert_eq!(csv, "i,t,l,d\n1,1970-01-01T00:00:00Z,\"[1,null]\",red\n,,,\n");
    let json = printed(&["cat", "kinds.b2z", "--json", "--columns", "u,g", "--rows", "2:3"]);
    assert_eq!(json, "{\"u\":\"日本\",\"g\":{\"x\":-1,\"z\":[]}}\n");
    // All rows, where nobody says which.
    assert_eq!(printed(&["cat", "kinds.b2z", "--json"]).lines().count(), 6);
}

#[test]
fn a_table_is_exported_whole_or_not_at_all() {
    let directory = tempfile::tempdir().unwrap();
    for (ending, first) in [("arrow", &b"ARROW1"[..]), ("parquet", b"PAR1"), ("csv", b"i,f,o,w"), ("json", b"{\"i\":1")] {
        let out = directory.path().join(format!("kinds.{ending}"));
        printed(&["export", "kinds.b2z", out.to_str().unwrap()]);
        assert!(fs::read(&out).unwrap().starts_with(first), "{ending}");
        let error = refused(&["export", "kinds.b2z", out.to_str().unwrap()]);
        assert!(error.contains("exists, and nothing is overwritten"), "{error}");
    }
    let out = directory.path().join("kinds.npy");
    let error = refused(&["export", "kinds.b2z", out.to_str().unwrap()]);
    assert_eq!(error, "kinds.b2z: it is a table: its formats are arrow, parquet, csv and json\n");
    // Neither it nor a temporary file.
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 4);
}

#[test]
fn a_column_without_an_arrow_type_is_named() {
    assert_eq!(
        refused(&["cat", "refused.b2z", "--columns", "i,o"]),
        "refused.b2z: column \"o\": it is object, whose values have no common type\n"
    );
    let shown = printed(&["cat", "refused.b2z"]);
    assert!(shown.contains("without column \"c\": it is complex64, and Arrow has no complex numbers\n"), "{shown}");
}

#[test]
fn an_array_is_no_table_and_head_shows_its_beginning() {
    let array = "../../../../tests/data/example.b2nd";
    let error = refused(&["cat", array, "--rows", "0:1"]);
    assert_eq!(error, format!("{array}: it is no table: --rows and --columns are for tables\n"));
    assert_eq!(printed(&["head", array]).lines().count(), 10);
}
