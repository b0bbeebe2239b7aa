//! Stores: leaves, groups, attributes and recipes, in directories, archives and frames.

use std::fs;
use std::path::Path;
use std::path::PathBuf;

use b2nd::dtype::DType;
use b2nd_frame::{Chunk, Header, Sizes, Special, Writer};
use serde_json::{Value, json};

use crate::harness::{Directory, Place, Printed, printed, zip};

fn corpus() -> Option<PathBuf> {
    let place = std::env::var_os("B2ND_STORES").map(PathBuf::from);
    let place = place.unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/stores").into());
    place.join("expect.json").is_file().then_some(place)
}

fn lines(corpus: &Path, name: &str) -> Vec<Value> {
    Place(corpus.to_owned()).ok(&["info", "--json", name]).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn json_says_of_each_leaf_what_python_says() {
    let Some(corpus) = corpus() else { return eprintln!("no corpus here: nothing was compared") };
    let expect: Value = serde_json::from_slice(&fs::read(corpus.join("expect.json")).unwrap()).unwrap();
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

/// Compares a leaf with what Python reports about it. Returns the number of its attributes.
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
        // Python's report of a NumPy array lacks its data, and sorts a set by the texts of its elements.
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

/// An object with the names and values of the attributes.
fn attributes(found: &Value) -> Value {
    let all = found["trailer"]["vlmetalayers"].as_array().unwrap().iter();
    Value::Object(all.map(|attribute| (attribute["name"].as_str().unwrap().to_owned(), attribute["value"].clone())).collect())
}

/// Parses a dtype, so that different spellings are equal.
fn dtype(string: &Value) -> DType {
    string.as_str().unwrap().parse::<DType>().unwrap().into_canonical()
}

/// A store in a temporary directory.
struct Store(Directory);

impl Store {
    const NAME: &str = "store.b2d";

    fn new() -> Store {
        Store(Directory::new())
    }

    fn write(&self, file: &str, bytes: impl AsRef<[u8]>) {
        self.0.write(&format!("{}/{file}", Store::NAME), bytes);
    }

    /// Writes a frame with an attribute, whose value is MessagePack.
    fn attribute(&self, file: &str, name: &str, value: &[u8]) {
        let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 }).unwrap());
        writer.append_special(Special::Zeros, 4).unwrap();
        writer.set_vlmetalayer_bytes(name, value).unwrap();
        let frame: Vec<u8> = writer.finish().unwrap();
        self.write(file, frame);
    }

    fn run(&self, args: &[&str]) -> Printed {
        self.0.run(&[args, &[Store::NAME]].concat())
    }

    fn json(&self, args: &[&str]) -> Vec<Value> {
        self.run(args).0.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[test]
fn a_table_has_the_attributes_of_its_user() {
    for (table, line) in [("", 0), ("", 1), ("g/t/", 1)] {
        let store = Store::new();
        store.attribute(&format!("{table}_meta.b2f"), "kind", b"\xa6ctable");
        store.attribute(&format!("{table}_vlmeta.b2f"), "author", b"\xa2me");
        let found = store.json(&["info", "--json"]);
        assert_eq!(found.len(), 2);
        assert_eq!((&found[line]["kind"], &found[line]["vlmeta"]), (&json!("ctable"), &json!({"author": "me"})));
        assert_eq!(found[1]["metadata"], json!({"kind": "ctable"}));
        assert!(store.run(&["info", "--full"]).0.ends_with("\n  attributes    1\n    \"author\"  \"me\"\n"));
    }
}

/// The offset of a member in an archive depends on the local header in front of it.
#[test]
fn a_member_that_is_not_where_the_archive_says_is_said() {
    let tests = Directory::new();
    let mut archive = Place::data().read("python-blosc2-4.14.1/treestore__dfltb2z.b2z");
    const MEMBER: &[u8] = b"g1/n1.b2nd";
    const BEFORE_NAME: usize = 30;
    let name = archive.windows(MEMBER.len()).position(|bytes| bytes == MEMBER).unwrap();
    archive[name - BEFORE_NAME] = b'?';
    tests.write("bad.b2z", archive);
    let (out, err, status) = tests.run(&["info", "--json", "bad.b2z"]);
    assert!(
        err.starts_with(
            "bad.b2z::/g1/n1: the member \"g1/n1.b2nd\" is damaged: its own header, which should match the \
             archive's directory, "
        ),
        "{err}"
    );
    assert_eq!((out.lines().count(), err.lines().count(), status), (5, 1, 1));
}

#[test]
fn columns_that_are_computed_come_last() {
    let store = Store::new();
    let schema = br#"{"columns": [{"name": "i", "kind": "int64"}], "n_rows": 2,
        "computed_columns": [{"name": "i2", "kind": "expression", "expression": "(o0 * 2)", "col_deps": ["i"]}]}"#;
    store.attribute("_meta.b2f", "schema", &[&[0xd9, schema.len() as u8][..], schema].concat());
    store.attribute("_cols/i.b2nd", "own", b"\x01");
    let columns = &store.json(&["info", "--json"])[1]["columns"];
    assert_eq!(columns[1], json!({"name": "i2", "kind": "expression", "expression": "(o0 * 2)", "col_deps": ["i"]}));
    let (page, _, _) = store.run(&["info"]);
    assert!(page.contains("\n  columns       2\n    i   int64\n    i2  expression  (o0 * 2)\n"), "{page}");
    // These two files may hold attributes too.
    store.attribute("embed.b2e", "own", b"\x01");
    store.attribute("_valid_rows.b2nd", "own", b"\x01");
    assert!(store.run(&["check"]).0.lines().all(|line| line.contains(": ok: ")));
}

#[test]
fn a_store_and_a_group_are_shown_as_trees_and_in_full_if_asked_for() {
    let place = Place::data();
    let tree = "python-blosc2-4.14.1/treestore__dfltb2z.b2z";
    let page = place.ok(&[tree]);
    let expected = r#"python-blosc2-4.14.1/treestore__dfltb2z.b2z
  kind          treestore
  attributes    2
    "author"  "me"
    "n"       {"a": [1, 2]}
  leaves        5
    ├── ext     ndarray  <f4  50 x 40   7.8 KiB
    ├── g0/
    │   ├── n0  ndarray  <i8  4        32 bytes  0.5x
    │   └── n2  ndarray  <i8  6        48 bytes  0.8x
    └── g1/
        ├── n1  ndarray  <i8  5        40 bytes  0.7x
        └── n3  ndarray  <i8  7        56 bytes  0.9x
"#;
    assert_eq!(page, expected);
    let full = place.ok(&["info", "--full", tree]);
    assert_eq!(full.matches("\n  kind ").count(), 6, "{full}");
    assert!(full.contains(&place.ok(&["--full", &format!("{tree}::/g1/n3")])));

    let group = place.ok(&[&format!("{tree}::/g1")]);
    let name = format!("{tree}::/g1\n  kind          group\n");
    assert!(group.starts_with(&name) && group.contains("  leaves        2\n    ├── n1  ndarray"), "{group}");
    let lines: Vec<String> = place.ok(&["info", "--tree", &format!("{tree}::/g1")]).lines().map(str::to_owned).collect();
    assert_eq!((lines.len(), &*lines[0]), (3, &*format!("{tree}::/g1  group")));

    // Pages follow each other in the order of the arguments.
    let leaf = format!("{tree}::/ext");
    assert_eq!(place.ok(&[tree, &leaf, tree]), [&*page, &*place.ok(&[&leaf]), &*page].join("\n"));
    let embedded = place.ok(&["python-blosc2-4.8.0/embedstore__three.b2e"]);
    assert!(embedded.contains("\n  leaves        3\n    ├── "), "{embedded}");
}

#[test]
fn groups_have_their_attributes_in_every_form() {
    let store = Store::new();
    store.attribute("__vlmeta__.b2f", "root", b"\x01");
    store.attribute("g/h/__vlmeta__.b2f", "deep", b"\x02");
    store.attribute("g/leaf.b2f", "own", b"\x03");
    let found = store.json(&["info", "--json"]);
    assert_eq!((&found[0]["vlmeta"], &found[0]["groups"]), (&json!({"root": 1}), &json!({"/g/h": {"deep": 2}})));
    assert_eq!((&found[1]["key"], found[1].get("groups")), (&json!("/g/leaf"), None));
    assert_eq!(found[0].get("key"), None);
    for key in ["/g", "g/"] {
        let (out, ..) = store.0.run(&["info", "--json", &format!("{}::{key}", Store::NAME)]);
        let group: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((&group[0]["key"], &group[1]["key"]), (&json!("/g"), &json!("/g/leaf")), "{key}");
    }
}

#[test]
fn meta_finds_the_attributes_of_groups_and_the_metadata_of_tables() {
    let tests = Directory::new();
    tests.unpack("kinds.b2z", "group/table.b2d");
    let attributes = |name: &str, value: &str| {
        tests.take("example.b2nd", "group.b2nd");
        tests.ok(&["meta", "set", "group.b2nd", name, "--text", value]);
        tests.read("group.b2nd")
    };
    tests.write("tree.b2d/g/h/__vlmeta__.b2f", attributes("depth", "of a group"));
    tests.write("tree.b2d/g/leaf.b2nd", tests.read("group.b2nd"));
    assert_eq!(tests.ok(&["meta", "get", "tree.b2d::/g/h", "depth"]), "\"of a group\"\n");
    assert!(tests.ok(&["meta", "list", "tree.b2d::/g/h"]).contains("\"depth\"       attribute  \"of a group\"\n"));
    tests.fails(
        &["meta", "get", "tree.b2d::/g/h", "none"],
        r#"tree.b2d::/g/h: there is no attribute or metalayer "none": see `b2nd meta list`"#,
    );
    assert_eq!(tests.ok(&["meta", "list", "tree.b2d::/g"]), "");
    for (command, status) in [("check", 3), ("stats", 1)] {
        let refused = "tree.b2d::/g/h: it is a group without leaves\n".to_owned();
        assert_eq!(tests.run(&[command, "tree.b2d::/g/h"]), (String::new(), refused, status));
    }
    assert!(tests.refused(&["meta", "list", "tree.b2d::/g/i"]).starts_with("tree.b2d::/g/i: it has no leaf /g/i"));
    for table in ["group/table.b2d", "group/table.b2d::/"] {
        let listed = tests.ok(&["meta", "list", table]);
        assert!(listed.lines().any(|line| line.starts_with("\"schema\"") && line.contains("  metadata  ")), "{listed}");
        assert!(tests.ok(&["meta", "get", table, "schema"]).contains("n_rows"), "{table}");
        let refused = tests.refused(&["meta", "get", "--fixed", table, "schema"]);
        assert_eq!(refused, format!("{table}: there is no metalayer \"schema\": see `b2nd meta list`"));
    }
}

#[test]
fn what_cannot_be_read_in_a_store_is_said_and_the_rest_is_shown() {
    for with_table in [false, true] {
        let store = Store::new();
        if with_table {
            store.write("t/_meta.b2f", b"no frame");
            store.attribute("t/_vlmeta.b2f", "author", b"\xa2me");
        }
        store.write("a.b2nd", b"");
        store.attribute("b.b2f", "own", b"\x01");
        store.write("g/__vlmeta__.b2f", b"");
        store.attribute("g/c.b2f", "own", b"\x02");
        let empty = "unexpected end of input at byte 0: the frame's header needs 15 more bytes";
        let mut errors = format!("store.b2d::/a: {empty}\nstore.b2d::/g/__vlmeta__: {empty}\n");
        let mut shown = vec!["/b", "/g/c"];
        if with_table {
            shown.push("/t");
            errors += "store.b2d::/t/_meta: not a Blosc2 frame: expected an array of 14 elements (9e), found 6e at byte 0\n";
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
        assert_eq!((err, status), (format!("{errors}1 file checked\n"), 3));
    }
}

#[test]
fn a_directory_named_like_a_store_that_is_none_says_so() {
    const NOTHING: &str =
        "store.b2d: no Blosc2 frame was found in it: it has no leaf, such as a .b2nd file or, in HDF5, a dataset";
    let folder = Store::new();
    fs::create_dir_all(folder.0.path("store.b2d/below")).unwrap();
    for (command, expected) in [("info", 1), ("check", 3)] {
        let (out, err, status) = folder.run(&[command]);
        assert_eq!((out.as_str(), err.trim_end(), status), ("", NOTHING, expected));
    }
}

#[test]
fn an_embed_store_without_leaves_is_whole() {
    let tests = Directory::new();
    let mut header = Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 }).unwrap();
    header.metalayers_mut().insert("b2embed", [0x81, 0xa7, b'v', b'e', b'r', b's', b'i', b'o', b'n', 1]).unwrap();
    let mut writer = Writer::new(header);
    writer.append_special(b2nd_frame::Special::Zeros, 4).unwrap();
    tests.write("empty.b2e", writer.finish().unwrap());
    for command in ["info", "check"] {
        let (_, err, status) = tests.run(&[command, "empty.b2e"]);
        assert_eq!((err.as_str(), status), ("", 0));
    }
}

/// A frame whose data is a sequence of frames; `map` has the offset and length for each key.
fn embed_store(metalayer: &str, data: &[u8], map: &str) -> Vec<u8> {
    let length = i32::try_from(data.len()).unwrap();
    let mut header = Header::new(Sizes { typesize: 1, chunksize: length, blocksize: length }).unwrap();
    header.metalayers_mut().insert(metalayer, b2nd_view::value::pack(r#"{"version": 1}"#).unwrap()).unwrap();
    let mut writer = Writer::new(header);
    writer.append(&Chunk::store(data, 1).unwrap()).unwrap();
    let map = b2nd_view::value::pack(&format!(r#"{{"embed_map": {{{map}}}, "current_offset": {length}}}"#)).unwrap();
    writer.set_vlmetalayer_bytes("estore_metadata", &map).unwrap();
    writer.finish().unwrap()
}

/// Small frames are embedded, and the attributes of a store and of its groups are stored in such frames.
#[test]
fn embedded_attributes_are_no_leaves() {
    let tests = Directory::new();
    let frame = |number: u8| -> Vec<u8> {
        let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 }).unwrap());
        writer.set_vlmetalayer_bytes("number", &[number]).unwrap();
        writer.finish().unwrap()
    };
    let frames = [frame(1), frame(2), frame(3)];
    let mut start = 0;
    let mut place = |key: &str, frame: &Vec<u8>| {
        let place = format!(r#""{key}": {{"offset": {start}, "length": {}}}"#, frame.len());
        start += frame.len();
        place
    };
    let keys = ["/__vlmeta__", "/g/__vlmeta__", "/g/x"];
    let map: Vec<_> = keys.iter().zip(&frames).map(|(key, frame)| place(key, frame)).collect();
    fs::create_dir(tests.path("t.b2d")).unwrap();
    tests.write("t.b2d/embed.b2e", embed_store("b2tree", &frames.concat(), &map.join(",")));
    let (out, ..) = tests.run(&["info", "--json", "t.b2d"]);
    let lines: Vec<&str> = out.as_str().lines().collect();
    assert_eq!(lines[0], r#"{"path":"t.b2d","kind":"treestore","vlmeta":{"number":1},"leaves":1,"groups":{"/g":{"number":2}}}"#);
    assert!(lines.len() == 2 && lines[1].contains(r#""key":"/g/x""#), "{lines:?}");
}

/// A store with a thousand leaves that are the same inner store, and a store with a leaf outside its data.
#[test]
fn an_embed_map_that_leads_to_itself_has_an_end() {
    let tests = Directory::new();
    let store = |data: &[u8], map: &str| embed_store("b2embed", data, map);
    let inner: Vec<u8> = store(b"data", r#""/a": {"offset": 0, "length": 4}"#);
    let whole = format!(r#"{{"offset": 0, "length": {}}}"#, inner.len());
    let map: Vec<_> = (0..1000).map(|n| format!(r#""/{n}": {whole}"#)).collect();
    tests.write("same.b2e", store(&inner, &map.join(",")));
    let (out, err, _) = tests.run(&["info", "--json", "same.b2e"]);
    assert_eq!((err.as_str(), out.as_str().lines().count()), ("", 1001));
    assert_eq!(tests.run(&["check", "--data", "same.b2e"]).2, 0);
    // This range is longer than the data. If the offset were relative to the start of the file, it would begin with the store itself.
    let beyond = store(&inner, r#""/self": {"offset": 0, "length": 100000}"#);
    tests.write("beyond.b2e", beyond);
    let error = format!(
        "beyond.b2e::/self: the leaf has 100,000 bytes at offset 0, but the frame has only {} of data\n",
        b2nd_store::text::count(inner.len(), "byte")
    );
    assert_eq!(tests.run(&["check", "beyond.b2e"]).1, error);
}

#[test]
fn a_tree_has_an_end() {
    let tests = Directory::new();
    let deep = tests.path("deep.b2d").join("d/".repeat(100));
    fs::create_dir_all(&deep).unwrap();
    fs::copy(Place::data().path("example.b2nd"), deep.join("x.b2nd")).unwrap();
    let (out, err, _) = tests.run(&["info", "--tree", "deep.b2d"]);
    assert_eq!(out.as_str().lines().count(), 65, "{}", err.as_str());
    assert!(out.as_str().ends_with("d/  1 leaf\n"));
}

#[test]
fn a_leaf_has_a_key() {
    let store = "python-blosc2-4.14.1/treestore__dfltb2z.b2z";
    let leaf = format!("{store}::/g0/n0");
    let (out, ..) = Place::data().run(&[&leaf]);
    assert!(out.as_str().starts_with(&format!("{leaf}\n  kind          ndarray\n")));
    let (_, err, _) = Place::data().run(&[&format!("{store}::/none")]);
    assert_eq!(
        err.as_str(),
        format!("{store}::/none: it has no leaf /none; its leaves are /ext, /g0/n0, /g0/n2, /g1/n1, /g1/n3\n")
    );
    let (_, err, _) = Place::data().run(&["hex", store]);
    assert_eq!(err.as_str(), format!("{store}: it is a store: name a leaf, as in {store}::/ext\n"));
    let (_, err, _) = Place::data().run(&["example.b2nd::/a"]);
    assert_eq!(err.as_str(), "example.b2nd::/a: it is not a store, so it has no /a\n");
}

#[test]
fn the_error_for_a_store_on_standard_input_names_arguments_that_work() {
    let cat = |words: &[&str]| {
        let store = fs::File::open(Place::data().path("python-blosc2-4.14.1/treestore__dfltb2z.b2z")).unwrap();
        printed(Place::data().command(&[&["cat"], words].concat()).stdin(store))
    };
    let (_, error, _) = cat(&["-"]);
    let words: Vec<_> = error.trim_end().strip_prefix("-: it is a store: name a leaf, as in ").unwrap().split(' ').collect();
    assert_eq!(words, ["--", "-::/ext"]);
    let leaf = "-::/g0/n0";
    assert_eq!(cat(&[words[0], leaf]).0, "0\n1\n2\n3\n");
    assert_eq!(cat(&[leaf]).2, 2);
}

/// A deflated `embed.b2e` in an archive is rejected, as by python-blosc2; other members are inflated.
#[test]
fn deflated_members_are_read_or_named() {
    let tests = Directory::new();
    let example = Place::data().read("example.b2nd");
    tests.write("good.zip", zip("data/a.b2nd", &example));
    let (out, err, _) = tests.run(&["--full", "good.zip::/data/a"]);
    assert!(out.as_str().contains("  element       structure of 3 fields"), "{}", err.as_str());
    tests.write("bad.b2z", zip("embed.b2e", &example));
    let (_, err, status) = tests.run(&["bad.b2z"]);
    let error =
        "the member \"embed.b2e\" is compressed, but python-blosc2 needs it uncompressed: pack the files again with `zip -0`";
    assert_eq!((err.as_str(), status), (format!("bad.b2z: embed.b2e: {error}\n").as_str(), 1));
    // The key is the member's name without its ending, even if the name contains `::`.
    tests.write("colons.zip", zip("a::b.b2nd", &example));
    assert_eq!(tests.run(&["colons.zip::/a::b"]).2, 0);
    assert_eq!(tests.run(&["info", "--tree", "colons.zip"]).0.matches("a::b").count(), 1);
    let mut cut = zip("data/a.b2nd", &example);
    cut.truncate(cut.len() - 30);
    tests.write("cut.zip", cut);
    assert_eq!(tests.run(&["cut.zip"]).2, 1);
}

/// Replaces each occurrence of `old` by bytes of the same length.
fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    while let Some(at) = bytes.windows(old.len()).position(|part| part == old) {
        bytes[at..at + old.len()].copy_from_slice(new);
    }
    bytes
}

#[test]
fn an_edit_of_an_archive_loses_no_member() {
    let tests = Directory::new();
    let tree = Place::tables().read("tree.b2z");
    for (new, why) in [
        (
            &b"/rray.b2nd"[..],
            "/rray.b2nd: its name starts with / or has a part \"..\", so it could name a file outside of the store",
        ),
        (b"arra\xff.b2nd", "arra\u{fffd}.b2nd: its name is not UTF-8"),
    ] {
        let bytes = replaced(&tree, b"array.b2nd", new);
        assert!(bytes != tree);
        tests.write("a.b2z", &bytes);
        for args in ["meta set a.b2z k --json 1", "repack a.b2z", "repack a.b2z b.b2d", "repack a.b2z b.b2z"] {
            let said = tests.refused(&args.split(' ').collect::<Vec<_>>());
            assert!(said.contains(why), "{args}: {said}");
            assert!(tests.read("a.b2z") == bytes && tests.names() == ["a.b2z"], "{args}");
        }
        let (out, ..) = tests.run(&["check", "a.b2z"]);
        assert!(out.contains(why.split_once(": ").unwrap().1), "{out}");
    }
}

#[test]
fn an_edit_of_an_archive_keeps_the_evidence_of_damage() {
    let tests = Directory::new();
    tests.take("example.b2nd", "x.b2nd");
    tests.unpack("tree.b2z", "a.b2d");
    fs::copy(tests.path("x.b2nd"), tests.path("a.b2d/other.b2nd")).unwrap();
    tests.ok(&["repack", "a.b2d", "a.b2z"]);
    // Changes a letter in the name of a metalayer. The frame can still be read.
    let bytes = tests.read("a.b2z");
    let at = bytes.windows(10).position(|part| part == b"other.b2nd").unwrap();
    let units = at + bytes[at..].windows(5).position(|part| part == b"units").unwrap();
    let mut damaged = bytes.clone();
    damaged[units] = b'U';
    let crc = |place: &str| {
        let (out, ..) = tests.run(&["check", "--data", place]);
        out.lines().filter(|line| line.contains("expected the CRC-32")).count()
    };
    assert_eq!(crc("a.b2z"), 0);
    tests.write("a.b2z", &damaged);
    assert_eq!(crc("a.b2z"), 1);
    tests.ok(&["meta", "set", "a.b2z::/array", "k", "--json", "1"]);
    assert_eq!(crc("a.b2z"), 1, "the stored CRC is copied");
    let before = tests.read("a.b2z");
    for args in ["meta set a.b2z::/other k --json 1", "repack a.b2z", "repack a.b2z b.b2z"] {
        let said = tests.refused(&args.split(' ').collect::<Vec<_>>());
        assert!(said.contains("other.b2nd: the archive is damaged: expected the CRC-32"), "{args}: {said}");
        assert!(tests.read("a.b2z") == before);
    }
    assert_eq!(tests.names(), ["a.b2d", "a.b2z", "x.b2nd"]);
}

#[test]
#[cfg(unix)]
fn links_in_a_store_are_neither_followed_nor_copied() {
    use std::os::unix::fs::symlink;
    let tests = Directory::new();
    tests.take("example.b2nd", "x.b2nd");
    tests.write("secret.txt", "secret");
    tests.unpack("tree.b2z", "a.b2d");
    fs::create_dir(tests.path("outside")).unwrap();
    tests.take("example.b2nd", "outside/y.b2nd");
    symlink("../x.b2nd", tests.path("a.b2d/link.b2nd")).unwrap();
    symlink("../secret.txt", tests.path("a.b2d/notes.txt")).unwrap();
    symlink("../outside", tests.path("a.b2d/far")).unwrap();
    let outside = (tests.read("x.b2nd"), tests.read("outside/y.b2nd"));

    let (out, err, code) = tests.run(&["repack", "a.b2d", "b.b2z"]);
    assert_eq!(code, 0, "{out}{err}");
    for name in ["link.b2nd", "notes.txt", "far"] {
        assert!(err.contains(&format!("{name}: it is a symbolic link, which is not followed")), "{err}");
    }
    let copied = b2nd_store::Folder::files(&b2nd_store::Store::open(tests.path("b.b2z")).unwrap()).unwrap();
    assert!(copied.iter().all(|name| !["link", "notes", "far"].iter().any(|link| name.starts_with(link))), "{copied:?}");
    assert_eq!(tests.run(&["repack", "--codec", "lz4", "a.b2d"]).2, 0);
    for key in ["/link", "/far/y"] {
        tests.refused(&["meta", "set", &format!("a.b2d::{key}"), "k", "--json", "1"]);
        assert!(tests.refused(&["cat", &format!("a.b2d::{key}")]).contains("it is a symbolic link"));
    }
    assert!((tests.read("x.b2nd"), tests.read("outside/y.b2nd")) == outside);
    let (out, ..) = tests.run(&["check", "a.b2d"]);
    assert_eq!(out.matches("it is a symbolic link").count(), 3, "{out}");
}
