//! Stores, recipes, tables and attributes that python-blosc2 wrote: `b2nd info --json` says of each leaf what Python says.
//!
//! Those files are not in the repository: their test runs where `../shared/corpus/stores` is, or what `B2ND_STORES` names.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use b2nd::dtype::DType;
use b2nd::frame::{Header, Sizes, Special, Writer};
use serde_json::{Value, json};

fn corpus() -> Option<PathBuf> {
    let place = std::env::var_os("B2ND_STORES").map(PathBuf::from);
    let place = place.unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/stores").into());
    place.join("expect.json").is_file().then_some(place)
}

fn lines(corpus: &PathBuf, name: &str) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_b2nd")).args(["info", "--json", name]).current_dir(corpus).output().unwrap();
    assert_eq!((String::from_utf8(output.stderr).unwrap(), output.status.code()), (String::new(), Some(0)), "{name}");
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn json_says_of_each_leaf_what_python_says() {
    let Some(corpus) = corpus() else { return eprintln!("no corpus here: nothing was compared") };
    let expect: Value = serde_json::from_slice(&std::fs::read(corpus.join("expect.json")).unwrap()).unwrap();
    let (mut leaves, mut values) = (0, 0);
    for (name, expected) in expect["expect"].as_object().unwrap() {
        let lines = lines(&corpus, name.split('#').next().unwrap());
        match name.split_once('#') {
            Some((_, "vlmeta")) => assert_eq!(&lines[0]["vlmeta"], expected, "{name}"),
            Some((_, "map")) => assert_eq!(attributes(&lines[0])["estore_metadata"], *expected, "{name}"),
            Some((_, other)) => panic!("{other}"),
            None => {
                let is_store = lines[0].get("leaves").is_some() || lines.len() > 1;
                let found = if is_store { &lines[1..] } else { &lines[..] };
                let keys =
                    |all: &[Value]| all.iter().map(|leaf| leaf["key"].as_str().unwrap_or("/").to_owned()).collect::<Vec<_>>();
                let mut expected = expected.as_array().unwrap().clone();
                expected.sort_by(|a, b| a["key"].as_str().cmp(&b["key"].as_str()));
                assert_eq!(keys(found), keys(&expected), "{name}");
                for (found, expected) in found.iter().zip(&expected) {
                    values += compare(&format!("{name}{}", expected["key"]), found, expected);
                    leaves += 1;
                }
            }
        }
    }
    assert!(leaves >= 39 && values >= 34, "{leaves} leaves, {values} attributes");
}

/// Compares a leaf; gives the number of its attributes.
fn compare(name: &str, found: &Value, expected: &Value) -> usize {
    let kinds = [
        ("batcharray", "batch_array"),
        ("listarray", "list_array"),
        ("vlarray", "object_array"),
        ("proxy-source", "proxy"),
        ("__pack_tensor__", "tensor"),
    ];
    if let Some(by) = expected["kind_by"].as_str() {
        let kind = kinds.iter().find(|(name, _)| *name == by).map(|(_, kind)| json!(kind));
        let kind = kind.unwrap_or_else(|| match by {
            "b2o" => expected["meta"]["b2o"]["kind"].clone(),
            _ => json!(if expected["meta"]["LazyArray"] == 1 { "lazyudf" } else { "lazyexpr" }),
        });
        assert_eq!(found["kind"], kind, "{name}");
    }
    for (layer, value) in expected["meta"].as_object().into_iter().flatten() {
        let metalayers = found["metalayers"].as_array().unwrap();
        let metalayer = metalayers.iter().find(|metalayer| metalayer["name"] == *layer).unwrap();
        assert_eq!(&metalayer["value"], value, "{name}: {layer}");
    }
    match expected["class"].as_str() {
        Some("CTable") => {
            assert_eq!((&found["kind"], &found["rows"]), (&json!("ctable"), &expected["rows"]), "{name}");
            let columns: Vec<&Value> = found["columns"].as_array().unwrap().iter().map(|column| &column["name"]).collect();
            assert_eq!(json!(columns), expected["columns"], "{name}");
        }
        Some("NDArray") => {
            assert_eq!(found["kind"], "ndarray", "{name}");
            let array = &found["array"];
            assert_eq!(array["shape"], expected["shape"], "{name}");
            assert_eq!((&array["chunkshape"], &array["blockshape"]), (&expected["chunks"], &expected["blocks"]), "{name}");
            assert_eq!(array["grid"]["nchunks"], expected["nchunks"], "{name}");
            assert_eq!(dtype(&array["dtype"]), dtype(&expected["dtype"]), "{name}");
            for field in ["nbytes", "cbytes", "typesize", "codec"] {
                assert_eq!(found[field], expected[field], "{name}: {field}");
            }
        }
        Some(other) => panic!("{other}"),
        None => {}
    }
    if let Some(names) = expected["metalayers"].as_array() {
        let metalayers = found["metalayers"].as_array().unwrap().iter();
        let mut found: Vec<_> = metalayers.map(|metalayer| metalayer["name"].clone()).collect();
        found.sort_by_key(|name| name.as_str().map(str::to_owned));
        assert_eq!(found, *names, "{name}");
    }
    let Some(expected) = expected["vlmetalayers"].as_object() else { return 0 };
    let found = attributes(found);
    assert_eq!(found.as_object().unwrap().len(), expected.len(), "{name}");
    for (key, expected) in expected {
        let mut found = found[key].clone();
        // Python says of a NumPy array what it is, not what is in it, and gives a set in the order of its elements' names.
        if let Some(array) = found.get_mut("ndarray") {
            array.as_object_mut().unwrap().remove("data").unwrap();
            assert_eq!(dtype(&array["dtype"]), dtype(&expected["ndarray"]["dtype"]), "{name}: {key}");
            array["dtype"] = expected["ndarray"]["dtype"].clone();
        }
        if let Some(set) = found.get_mut("set") {
            set.as_array_mut().unwrap().sort_by_key(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
        assert_eq!(found, *expected, "{name}: {key}");
    }
    expected.len()
}

/// The vlmetalayers' values under their names.
fn attributes(found: &Value) -> Value {
    let all = found["trailer"]["vlmetalayers"].as_array().unwrap().iter();
    Value::Object(all.map(|attribute| (attribute["name"].as_str().unwrap().to_owned(), attribute["value"].clone())).collect())
}

/// A dtype, however it is spelled.
fn dtype(string: &Value) -> DType {
    string.as_str().unwrap().parse::<DType>().unwrap().into_canonical()
}

/// A folder that is gone after its test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("stores-{name}.b2d"));
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }

    fn write(&self, file: &str, bytes: impl AsRef<[u8]>) {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// A frame with an attribute, MessagePack.
    fn attribute(&self, file: &str, name: &str, value: &[u8]) {
        let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 }).unwrap());
        writer.append_special(Special::Zeros, 4).unwrap();
        writer.set_vlmetalayer(name, value).unwrap();
        let frame: Vec<u8> = writer.finish().unwrap();
        self.write(file, frame);
    }

    /// Runs b2nd on it: output, errors without the path, and status.
    fn run(&self, args: &[&str]) -> (String, String, i32) {
        let output = Command::new(env!("CARGO_BIN_EXE_b2nd")).args(args).arg(&self.0).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap().replace(self.0.to_str().unwrap(), "STORE");
        (text(output.stdout), text(output.stderr), output.status.code().unwrap())
    }

    fn json(&self, args: &[&str]) -> Vec<Value> {
        self.run(args).0.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_table_has_the_attributes_of_its_user() {
    for (table, line) in [("", 0), ("", 1), ("g/t/", 1)] {
        let store = Folder::new("table");
        store.attribute(&format!("{table}_meta.b2f"), "kind", b"\xa6ctable");
        store.attribute(&format!("{table}_vlmeta.b2f"), "author", b"\xa2me");
        let found = store.json(&["info", "--json"]);
        assert_eq!(found.len(), 2);
        assert_eq!((&found[line]["kind"], &found[line]["vlmeta"]), (&json!("ctable"), &json!({"author": "me"})));
        assert_eq!(found[1]["metadata"], json!({"kind": "ctable"}));
        assert_eq!(store.json(&["info", "--meta", "--json"])[line]["vlmeta"], json!({"author": "me"}));
        assert!(store.run(&["info"]).0.ends_with("\n  attributes    1\n    \"author\"  \"me\"\n"));
    }
}

/// In an archive a member's place is known only from the bytes before it.
#[test]
fn a_member_that_is_not_where_the_archive_says_is_said() {
    let folder = Folder::new("archive");
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/python-blosc2-4.14.1/treestore__dfltb2z.b2z");
    let mut archive = fs::read(data).unwrap();
    const MEMBER: &[u8] = b"g1/n1.b2nd";
    const BEFORE_NAME: usize = 30;
    let name = archive.windows(MEMBER.len()).position(|bytes| bytes == MEMBER).unwrap();
    archive[name - BEFORE_NAME] = b'?';
    folder.write("bad.b2z", archive);
    let path = folder.0.join("bad.b2z");
    let output = Command::new(env!("CARGO_BIN_EXE_b2nd")).args(["info", "--json"]).arg(&path).output().unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(err.starts_with(&format!("{}::/g1/n1: g1/n1.b2nd: the zip archive cannot be read", path.display())), "{err}");
    assert_eq!((out.lines().count(), err.lines().count(), output.status.code()), (5, 1, Some(1)));
}

#[test]
fn columns_that_are_computed_come_last() {
    let store = Folder::new("computed");
    let schema = br#"{"columns": [{"name": "i", "kind": "int64"}], "n_rows": 2,
        "computed_columns": [{"name": "i2", "kind": "expression", "expression": "(o0 * 2)", "col_deps": ["i"]}]}"#;
    store.attribute("_meta.b2f", "schema", &[&[0xd9, schema.len() as u8][..], schema].concat());
    store.attribute("_cols/i.b2nd", "own", b"\x01");
    let columns = &store.json(&["info", "--json"])[1]["columns"];
    assert_eq!(columns[1], json!({"name": "i2", "kind": "expression", "expression": "(o0 * 2)", "col_deps": ["i"]}));
    let (page, _, _) = store.run(&["info"]);
    assert!(page.contains("\n  columns       2\n    i   int64\n    i2  expression  (o0 * 2)\n"), "{page}");
    // No file has to hold them.
    assert_eq!(store.run(&["check"]), (String::new(), String::new(), 0));
}

#[test]
fn groups_have_their_attributes_in_every_form() {
    let store = Folder::new("groups");
    store.attribute("__vlmeta__.b2f", "root", b"\x01");
    store.attribute("g/h/__vlmeta__.b2f", "deep", b"\x02");
    store.attribute("g/leaf.b2f", "own", b"\x03");
    for form in [&["info", "--json"][..], &["info", "--meta", "--json"]] {
        let found = store.json(form);
        assert_eq!((&found[0]["vlmeta"], &found[0]["groups"]), (&json!({"root": 1}), &json!({"/g/h": {"deep": 2}})), "{form:?}");
        assert_eq!((&found[1]["key"], found[1].get("groups")), (&json!("/g/leaf"), None), "{form:?}");
    }
}

#[test]
fn what_cannot_be_read_in_a_store_is_said_and_the_rest_is_shown() {
    for with_table in [false, true] {
        let store = Folder::new(if with_table { "broken-table" } else { "broken" });
        if with_table {
            store.write("t/_meta.b2f", b"no frame");
            store.attribute("t/_vlmeta.b2f", "author", b"\xa2me");
        }
        store.write("a.b2nd", b"");
        store.attribute("b.b2f", "own", b"\x01");
        store.write("g/__vlmeta__.b2f", b"");
        store.attribute("g/c.b2f", "own", b"\x02");
        let empty = "unexpected end of input at byte 0: the frame's header needs 15 more bytes";
        let mut errors = format!("STORE::/a: {empty}\nSTORE::/g/__vlmeta__: {empty}\n");
        let mut shown = vec!["/b", "/g/c"];
        if with_table {
            shown.push("/t");
            errors +=
                "STORE::/t/_meta: not a Blosc2 frame: expected array (90 to 9f, dc, dd), found positive fixint (6e) at byte 0\n";
        }
        let keys = |lines: Vec<Value>| {
            let keys = lines.iter().filter_map(|line| line["key"].as_str().map(str::to_owned));
            keys.collect::<Vec<_>>()
        };
        assert_eq!(keys(store.json(&["info", "--json"])), shown);
        assert_eq!(keys(store.json(&["check", "--json"])), shown);
        for (command, status) in [(&["info"][..], 1), (&["info", "--tree"], 1), (&["check"], 3)] {
            let (_, err, found) = store.run(command);
            assert_eq!((err.as_str(), found), (errors.as_str(), status), "{command:?}");
        }
        let (_, err, status) = store.run(&["check", "-r"]);
        assert_eq!((err.as_str(), status), (errors.as_str(), 3));
    }
}

#[test]
fn a_directory_named_like_a_store_that_is_none_says_so() {
    const NOTHING: &str = "STORE: there is no Blosc2 file in it: no frame (.b2nd, .b2f, .b2b, or chunks.b2frame of a sparse one) and no store (embed.b2e)";
    let folder = Folder::new("no-store");
    fs::create_dir_all(folder.0.join("below")).unwrap();
    for (command, expected) in [("info", 1), ("check", 3)] {
        let (out, err, status) = folder.run(&[command]);
        assert_eq!((out.as_str(), err.trim_end(), status), ("", NOTHING, expected));
    }
}
