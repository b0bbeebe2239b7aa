//! Commands on the test tables and lists of b2nd-arrow.

use std::fs;

use crate::harness::{Directory, Place};

fn tables() -> Place {
    Place(concat!(env!("CARGO_MANIFEST_DIR"), "/../b2nd-arrow/tests/data").into())
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
    let shown = tables().ok(&["cat", "kinds.b2z", "--columns", "i,l,u", "--rows", "2:4"]);
    assert_eq!(shown.lines().collect::<Vec<_>>(), expected);
    assert_eq!(tables().ok(&["head", "tree.b2z::/things"]), "name       n\nstring  int8\nspoon      7\n1 row, 2 columns\n");
}

#[test]
fn programs_get_csv_and_json() {
    let csv = tables().ok(&["cat", "kinds.b2z", "--csv", "--columns", "i,t,l,d", "--rows", ":2"]);
    assert_eq!(csv, "i,t,l,d\n1,1970-01-01T00:00:00Z,\"[1,null]\",red\n,,,\n");
    let json = tables().ok(&["cat", "kinds.b2z", "--json", "--columns", "u,g", "--rows", "2:3"]);
    assert_eq!(json, "{\"u\":\"日本\",\"g\":{\"x\":-1,\"z\":[]}}\n");
    // By default, all rows are printed.
    assert_eq!(tables().ok(&["cat", "kinds.b2z", "--json"]).lines().count(), 6);
}

#[test]
fn cat_prints_all_rows_and_values_and_head_what_fits() {
    let json = tables().ok(&["cat", "blocks.b2z", "--json"]);
    let cat = tables().ok(&["cat", "blocks.b2z"]);
    let rows = json.lines().count();
    assert!(rows > 30 && cat.ends_with(&format!("\n{rows} rows, 8 columns\n")), "{rows}");
    assert_eq!(cat.lines().count(), 2 + rows + 1);
    let longest = tables().ok(&["cat", "refused.b2z", "--objects", "--columns", "o"]);
    assert!(!longest.contains('…'), "{longest}");
    let head = tables().ok(&["head", "blocks.b2z"]);
    assert!(head.lines().count() <= 25 && head.lines().all(|line| line.chars().count() <= 80), "{head}");
}

#[test]
fn a_table_is_exported_whole_or_not_at_all() {
    let tests = Directory::new();
    for (ending, first) in [("arrow", &b"ARROW1"[..]), ("parquet", b"PAR1"), ("csv", b"i,f,o,w"), ("json", b"{\"i\":1")] {
        let out = tests.path(format!("kinds.{ending}"));
        tables().ok(&["export", "kinds.b2z", out.to_str().unwrap()]);
        assert!(fs::read(&out).unwrap().starts_with(first), "{ending}");
        let error = tables().refused(&["export", "kinds.b2z", out.to_str().unwrap()]);
        assert!(error.contains("already exists"), "{error}");
    }
    for name in ["kinds.npy", "kinds.zarr"] {
        let error = tables().refused(&["export", "kinds.b2z", tests.path(name).to_str().unwrap()]);
        assert_eq!(error, "kinds.b2z: it is a table, which can only be exported as Arrow, Parquet, CSV or JSON", "{name}");
    }
    // The rejected exports left neither a file nor a temporary file.
    assert_eq!(fs::read_dir(tests.path("")).unwrap().count(), 4);
}

#[test]
fn a_column_without_an_arrow_type_is_named() {
    assert_eq!(
        tables().refused(&["cat", "refused.b2z", "--columns", "i,o"]),
        "refused.b2z: column \"o\": values of the kind object have no declared type"
    );
    let json = tables().ok(&["cat", "refused.b2z", "--objects", "--columns", "o,i", "--rows", ":2", "--json"]);
    assert_eq!(json, "{\"o\":\"{\\\"a\\\":[1,null]}\",\"i\":1}\n{\"o\":\"\\\"text\\\"\",\"i\":2}\n");
    let shown = tables().ok(&["cat", "refused.b2z"]);
    assert!(shown.contains("column \"o\" is left out: values of the kind object have no declared type\n"), "{shown}");
    // Columns that were not chosen are not missing.
    assert!(!tables().ok(&["cat", "refused.b2z", "--columns", "i"]).contains("left out"));
    let (csv, error, status) = tables().run(&["export", "refused.b2z", "-", "--format", "csv", "--columns", "i"]);
    assert_eq!((csv.as_str(), error.as_str(), status), ("i\n1\n2\n3\n", "", 0));
}

#[test]
fn an_array_is_no_table_and_head_shows_its_beginning() {
    let array = "../../../../tests/data/example.b2nd";
    let error = tables().refused(&["cat", array, "--rows", "0:1"]);
    assert_eq!(
        error,
        format!("{array}: it is not a table: --columns and --objects are only for tables, and --rows only for tables and lists")
    );
    let error = tables().refused(&["cat", "missing.b2nd", "--rows", "0:3"]);
    assert!(error.starts_with("missing.b2nd: No such file"), "{error}");
    let shown = tables().ok(&["head", array]);
    assert!(shown.lines().count() <= 25 && shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let lines = |args: &[&str]| tables().ok(args).lines().map(str::to_owned).collect::<Vec<_>>();
    // A line of field names, the rows, and a line that says which part is shown.
    assert_eq!(lines(&["head", "-n", "3", array]).len(), 5);
    assert_eq!(lines(&["head", "--rows", "3", array]), lines(&["head", "-n", "3", array]));
    assert_eq!(lines(&["tail", "-n", "2", array, "0"])[3], "… [0, 11:13, 0:3] of 10 x 13 x 7");
    assert_eq!(lines(&["head", "-n", "1", "kinds.b2z", "0:3", "--columns", "i"])[2..], ["    1", "rows 0:1 of 6 rows, 1 column"]);
    assert_eq!(lines(&["tail", "--rows", "1", "kinds.b2z", "--columns", "i"])[3], "rows 5:6 of 6 rows, 1 column");
}

#[test]
fn info_tells_types_nulls_and_sizes_of_columns() {
    let shown = tables().ok(&["info", "blocks.b2z::/"]);
    let line = |name: &str| {
        let line =
            shown.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).find(|words| words.first() == Some(&name));
        line.unwrap_or_else(|| panic!("{name}: {shown}")).join(" ")
    };
    assert!(!shown.contains("metadata") && !shown.contains("\\\""), "no escaped JSON: {shown}");
    assert!(tables().ok(&["info", "--full", "blocks.b2z::/"]).contains("\n  metadata "));
    // The schema of this table contains NaN, which standard JSON does not allow.
    assert_eq!(line("columns"), "columns 8");
    assert_eq!(line("name"), "name type nulls bytes ratio");
    assert_eq!(line("n"), "n Int32 0 993 bytes 1.11x");
    assert_eq!(line("m"), "m Int16 26 1,978 bytes (1.9 KiB) 0.278x");
    assert_eq!(line("y"), "y Float32 1,074 bytes (1.0 KiB) 1.02x");
    let shown = tables().ok(&["info", "refused.b2z::/"]);
    assert!(
        shown.contains("its values are not in a file: python-blosc2 computes them from \"i\" with the expression \"(o0 * 2)\""),
        "{shown}"
    );
}

#[test]
fn objects_batches_and_lists_are_tables_of_one_column() {
    assert_eq!(
        tables().ok(&["cat", "list.b2b", "--json"]),
        "{\"values\":[1,null]}\n{\"values\":null}\n{\"values\":[]}\n{\"values\":[2]}\n"
    );
    assert_eq!(tables().ok(&["cat", "lists.b2b", "--csv"]), "values\n\"[\"\"a\"\"]\"\n\"[\"\"b\"\",\"\"c\"\"]\"\n");
    assert_eq!(tables().ok(&["cat", "arrow.b2b", "--csv", "--rows", "2:"]), "values\nc\nd\n");
    assert_eq!(tables().ok(&["cat", "batches.b2b", "1:3", "--json"]), "{\"values\":\"\\\"two\\\"\"}\n{\"values\":null}\n");
    let shown = tables().ok(&["head", "objects.b2b"]);
    let words: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
    let expected =
        [vec!["values"], vec!["string"], vec!["{\"a\":1}"], vec!["\"text\""], vec!["NULL"], vec!["2.5"], vec!["4", "values"]];
    assert_eq!(words, expected, "{shown}");
    assert_eq!(
        tables().refused(&["cat", "list.b2b", "--rows", "::2"]),
        "list.b2b: rows cannot have a step: give them as \
                                                                         START:STOP, such as 100:120"
    );
    assert!(tables().ok(&["cat", "objects.b2b", "--rows", "1:3"]).ends_with("\n2 of 4 values\n"));
}

#[test]
fn a_list_of_an_unknown_kind_is_refused_for_its_kind() {
    let tests = Directory::new();
    let mut bytes = tables().read("list.b2b");
    let at = bytes.windows(5).position(|word| word == b"int16").unwrap();
    bytes[at..at + 5].copy_from_slice(b"int1x");
    tests.write("bad.b2b", &bytes);
    for args in [&["cat", "bad.b2b"][..], &["cat", "bad.b2b", "--rows", "0:2"]] {
        assert!(tests.refused(args).contains("the kind \"int1x\" is not supported"), "{}", tests.refused(args));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn values_that_do_not_fit_the_disk_are_an_error() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = tables().command(&["cat", "objects.b2b"]).stdout(full).stderr(std::process::Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(1));
}

#[test]
fn check_reads_the_values_of_tables() {
    let tests = Directory::new();
    let archive = tables().read("kinds.b2z");
    let zip = b2nd_store::Zip::open(archive).unwrap();
    for name in b2nd_store::Folder::files(&zip).unwrap() {
        let path = tests.path("t.b2d").join(&name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let member = b2nd_store::Folder::open(&zip, &name).unwrap();
        fs::write(path, member.read(0..member.len().unwrap()).unwrap()).unwrap();
    }
    assert!(tests.ok(&["check", "--data", "t.b2d"]).lines().all(|line| line.contains(": ok: ")));
    // This frame is valid, but it is a column of another table with another dtype.
    let archive = tables().read("tree.b2z");
    let zip = b2nd_store::Zip::open(archive).unwrap();
    let member = b2nd_store::Folder::open(&zip, "things/_cols/n.b2nd").unwrap();
    fs::write(tests.path("t.b2d/_cols/i.b2nd"), member.read(0..member.len().unwrap()).unwrap()).unwrap();
    assert!(tests.ok(&["check", "t.b2d"]).lines().all(|line| line.contains(": ok: ")));
    let (found, _, code) = tests.found(&["check", "--data", "t.b2d"]);
    assert!(found.contains("column \"i\": expected a little-endian dtype for Int32, found \"|i1\""), "{found}");
    assert_eq!(code, 1);
    // The error of each command contains the path and the column only once.
    for args in [&["cat", "t.b2d"][..], &["cat", "--csv", "t.b2d"], &["stats", "t.b2d"], &["export", "t.b2d", "t.json"]] {
        let error = tests.refused(args);
        assert!(error.starts_with("t.b2d: column \"i\"") && error.matches("t.b2d").count() == 1, "{error}");
    }
    assert!(!tests.path("t.json").exists());
    // The path may contain `::` or bytes that are not UTF-8.
    #[cfg(target_os = "linux")]
    for name in [&b"t::/x.b2d"[..], b"t::b.b2d", b"t\xff.b2d"] {
        let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name);
        let path = tests.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::rename(tests.path("t.b2d"), &path).unwrap();
        let output = tests.command(&["check", "--data"]).arg(name).output().unwrap();
        let found = String::from_utf8(output.stdout).unwrap();
        assert!(found.contains("column \"i\": expected a little-endian dtype for Int32"), "{found}");
        assert_eq!(output.status.code(), Some(1));
        fs::rename(&path, tests.path("t.b2d")).unwrap();
    }
}

#[test]
fn arrays_are_exported_as_tables() {
    let tests = Directory::new();
    let path = |name: &str| tests.path(name).to_str().unwrap().to_owned();
    let array = "blocks.b2z::/_cols/n";
    for (form, first) in [("arrow", &b"ARROW1"[..]), ("parquet", b"PAR1")] {
        tables().ok(&["export", array, &path(&format!("one.{form}"))]);
        assert!(fs::read(path(&format!("one.{form}"))).unwrap().starts_with(first), "{form}");
    }
    let stream = Place::data().pipe(&["export", "example.b2nd", "-", "--format", "arrow"], b"");
    assert!(stream.starts_with(b"\xff\xff\xff\xff"), "a stream has no magic of files");
    let refused = tables().refused(&["export", array, "-", "--format", "zarr"]);
    assert!(refused.ends_with("a Zarr array is a directory: give its name instead of -"), "{refused}");
}

#[test]
fn columns_are_counted_and_nulls_by_themselves() {
    let lines = tables().ok(&["stats", "--json", "kinds.b2z"]);
    // The expected values come from pyarrow and NumPy.
    let line = |name: &str| {
        let column = format!("\"column\":\"{name}\",");
        let line =
            lines.lines().find_map(|line| line.strip_prefix("{\"path\":\"kinds.b2z\",\"key\":\"/\",")?.strip_prefix(&column));
        line.unwrap_or_else(|| panic!("{name}: {lines}")).to_owned()
    };
    assert_eq!(
        line("o"),
        "\"dtype\":\"|b1\",\"shape\":[6],\"count\":4,\"nan\":0,\"zeros\":1,\"min\":false,\"max\":true,\"mean\":0.75,\
         \"std\":0.4330127018922193,\"values\":[[false,1],[true,3]],\"nulls\":2,\"distinct\":null}"
    );
    assert_eq!(
        line("d"),
        "\"dtype\":\"Dictionary(Int32, Utf8)\",\"shape\":[6],\"count\":4,\"nan\":0,\"zeros\":0,\"min\":null,\"max\":null,\
         \"mean\":null,\"std\":null,\"values\":[[\"blue\",1],[\"red\",3]],\"nulls\":2,\"distinct\":2}"
    );
    assert!(line("u").contains("\"zeros\":1,") && line("u").ends_with("\"nulls\":2,\"distinct\":4}"), "{}", line("u"));
    assert!(line("l").starts_with("\"dtype\":\"List(Int16)\",\"shape\":[6],\"count\":4,"), "{}", line("l"));
    assert!(line("l").ends_with("\"values\":null,\"nulls\":2,\"distinct\":null}"), "{}", line("l"));
    // In an ndarray column, a null row counts as one null for each of its items; a null struct counts as one null in each field.
    assert!(line("n").starts_with("\"dtype\":\"<i2\",\"shape\":[6,4],\"count\":16,\"nan\":0,\"zeros\":3,\"min\":-1,\"max\":9,"));
    assert!(line("n").contains("\"nulls\":8,"), "{}", line("n"));
    assert!(line("g.x").contains("\"count\":4,\"nan\":0,\"zeros\":0,\"min\":-1,\"max\":1099511627776,"), "{}", line("g.x"));
    assert!(line("t").contains("\"min\":\"1969-12-31T23:59:59.999\",\"max\":\"1970-01-01T00:00:00.005\","), "{}", line("t"));
    let page = tables().ok(&["stats", "kinds.b2z", "--slice", ":2"]);
    let row: Vec<&str> = page.lines().find(|line| line.starts_with("d ")).unwrap().split_whitespace().collect();
    assert_eq!(row, ["d", "Dictionary(Int…", "1", "1", "0", "1"], "count, null, empty and distinct: {page}");
    let one = tables().ok(&["stats", "kinds.b2z", ":2", "--columns", "d"]);
    let expected = "kinds.b2z::/  d\n  dtype     Dictionary(Int32, Utf8)\n  shape     2\n  count     1\n  null      1\n  empty     0\n  \
                    distinct  1\n  values    \"red\" (1)\n";
    assert_eq!(one, expected);
    assert_eq!(tables().ok(&["stats", "--json", "empty.b2z"]).lines().filter(|line| line.contains("\"count\":0,")).count(), 4);
}

#[test]
fn json_has_every_field_of_every_row() {
    let lines = tables().ok(&["cat", "--json", "kinds.b2z", "--columns", "i,y,c,g", "--rows", ":2"]);
    let expected = [
        r#"{"i":1,"y":{"bytes":"610062"},"c":[0.5],"g":{"x":1,"z":["a",null]}}"#,
        r#"{"i":null,"y":{"bytes":""},"c":[],"g":null}"#,
    ];
    assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
    let lines = tables().ok(&["cat", "--json", "blocks.b2z", "--columns", "x", "--rows", ":120"]);
    assert!(lines.lines().any(|line| line == r#"{"x":null}"#), "{lines}");
}

/// Removes nulls from rows, and replaces bytes by their hexadecimal digits. In JSON, NaN is also null.
fn as_the_page_has(value: &serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Object(fields) => match fields.get("bytes") {
            Some(digits) => digits.clone(),
            None => {
                let fields = fields.iter().filter(|(_, value)| !value.is_null());
                fields.map(|(name, value)| (name.clone(), as_the_page_has(value))).collect()
            }
        },
        other => other.clone(),
    }
}

/// The tests of the web page compare its grids with the same file.
#[test]
fn rows_are_those_that_the_page_is_compared_with() {
    let file = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/tests/tables.json")).unwrap();
    let rows_of: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&file).unwrap();
    assert!(rows_of.len() >= 8, "{}", rows_of.len());
    for (name, rows) in rows_of {
        let lines = tables().ok(&["cat", "--json", &name]);
        let printed: Vec<serde_json::Value> =
            lines.lines().map(|line| as_the_page_has(&serde_json::from_str(line).unwrap())).collect();
        let rows: Vec<_> = rows.as_array().unwrap().iter().map(as_the_page_has).collect();
        assert_eq!(printed, rows, "{name}");
    }
}

#[test]
fn batches_on_their_own_are_exported_and_counted() {
    let tests = Directory::new();
    let path = |name: &str| tests.path(name).to_str().unwrap().to_owned();
    for name in ["list", "lists", "objects", "batches", "arrow"] {
        let (file, csv, arrow) = (format!("{name}.b2b"), path(&format!("{name}.csv")), path(&format!("{name}.arrow")));
        tables().ok(&["export", &file, &csv]);
        assert_eq!(fs::read_to_string(&csv).unwrap(), tables().ok(&["cat", "--csv", &file]), "{name}");
        tables().ok(&["export", &file, &arrow]);
        assert!(fs::read(&arrow).unwrap().starts_with(b"ARROW1"), "{name}");
    }
    assert_eq!(tables().ok(&["export", "arrow.b2b", "-", "--format", "csv", "2:"]), "values\nc\nd\n");
    let refused = tables().refused(&["export", "list.b2b", &path("list.npy")]);
    assert_eq!(refused, "list.b2b: it is not an array, so it can only be exported as Arrow, Parquet, CSV or JSON");
    let counted = tables().ok(&["stats", "--json", "arrow.b2b", "list.b2b"]);
    let start = ["arrow", "list"].map(|name| format!("{{\"path\":\"{name}.b2b\",\"key\":null,\"column\":\"values\","));
    let lines: Vec<&str> = counted.lines().zip(&start).map(|(line, start)| line.strip_prefix(start.as_str()).unwrap()).collect();
    assert!(lines[0].contains("\"shape\":[4],\"count\":3,") && lines[0].contains("\"nulls\":1,\"distinct\":3"), "{counted}");
    assert!(lines[1].contains("\"shape\":[4],\"count\":3,") && lines[1].contains("\"nulls\":1,"), "{counted}");
    assert!(tables().ok(&["stats", "--json", "arrow.b2b", "--slice", "2:"]).contains("\"shape\":[2],\"count\":2,"));
}

#[test]
fn a_slice_of_a_table_means_rows_and_export_takes_rows_and_columns() {
    let rows = tables().ok(&["cat", "kinds.b2z", "--csv", "--rows", "2:4"]);
    for args in [&["cat", "kinds.b2z", "2:4", "--csv"][..], &["cat", "kinds.b2z::/", "2:4", "--csv"]] {
        assert_eq!(tables().ok(args), rows, "{args:?}");
    }
    let some = tables().ok(&["cat", "kinds.b2z", "2:4", "--csv", "--columns", "u,i"]);
    assert!(some.starts_with("u,i\n") && some.lines().count() == 3, "{some}");
    let export = |args: &[&str]| tables().ok(&[&["export", "kinds.b2z", "-", "--format", "csv"], args].concat());
    assert_eq!(export(&["2:4"]), rows);
    assert_eq!(export(&["--rows", "2:4"]), rows);
    assert_eq!(export(&["--rows", "2:4", "--columns", "u,i"]), some);
    assert_eq!(tables().ok(&["export", "arrow.b2b", "-", "--format", "csv", "--rows", "2:"]), "values\nc\nd\n");
    let refused = |args: &[&str]| tables().refused(args);
    assert_eq!(
        refused(&["cat", "kinds.b2z", "::2"]),
        "kinds.b2z: rows cannot have a step: give them as START:STOP, such as \
                                                       100:120"
    );
    let expected = "kinds.b2z: the slice has 2 indices, but rows need only one, such as 100:120";
    assert_eq!(refused(&["cat", "kinds.b2z", "2:4,1"]), expected);
    let expected = "kinds.b2z: no frame starts at byte 0 of the file: without --offset, the file itself is opened";
    assert_eq!(refused(&["cat", "kinds.b2z", "--offset", "0"]), expected);
    assert_eq!(refused(&["export", "kinds.b2z", "-", "--offset", "0"]), expected);
    // The store has several tables, so a leaf must be named.
    let expected = "tree.b2z: it is a store: name a leaf, as in tree.b2z::/array";
    assert_eq!(refused(&["cat", "tree.b2z", "0:1"]), expected);
    let array = "blocks.b2z::/_cols/n";
    for args in [["--rows", "0:1"], ["--columns", "n"]] {
        let expected = format!(
            "{array}: it is not a table: --columns and --objects are only for tables, and --rows only for tables and lists"
        );
        assert_eq!(refused(&[&["export", array, "-"], &args[..]].concat()), expected);
    }
}

#[test]
fn show_draws_the_columns_of_a_table_in_80_characters() {
    let shown = tables().ok(&["show", "kinds.b2z"]);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "kinds.b2z  6 rows, 17 columns");
    assert!(lines[1].starts_with("name ") && lines[1].ends_with("distribution"), "{shown}");
    assert!(lines.len() <= 24 && lines.iter().all(|line| line.chars().count() <= 80), "{shown}");
    let line = |name: &str| lines.iter().find(|line| line.split(' ').next() == Some(name)).unwrap_or_else(|| panic!("{shown}"));
    assert!(line("u").ends_with("4 different") && line("i").contains('█'), "{shown}");
}
