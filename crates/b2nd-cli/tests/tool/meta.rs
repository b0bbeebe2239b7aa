//! `b2nd meta`: attributes and metalayers are set, read, listed and removed; and values that are rejected.

use std::collections::BTreeMap;
use std::path::Path;

use b2nd::msgpack;
use b2nd_frame::{File, Source};
use b2nd_store::{Content, Folder, Store};
use serde_json::{Value, json};

use crate::harness::{Directory, Place, STORE};

#[test]
fn an_attribute_is_set_read_and_removed() {
    let tests = Directory::with_example();
    let forms = r#"{"x":["m",1.5,null],"c":{"complex":[1.0,-2.5]},"s":{"set":[1,"y"]},"b":{"bytes":"00ff"},"n":{"float":"nan"},"a":{"ndarray":{"dtype":"<i4","shape":[2],"data":"0100000002000000"}},"e":{"ext":[-3,"01"]},"m":{"map":[[1,2]]},"i":[0,127,128,65536,4294967296,-32,-33,-129,-32769,-2147483649]}"#;
    tests.ok(&["meta", "set", "a.b2nd", "all", "--json", forms]);
    assert_eq!(tests.ok(&["meta", "get", "a.b2nd", "all"]), format!("{forms}\n"));
    tests.ok(&["meta", "set", "a.b2nd", "title", "--text", "Zürich"]);
    assert_eq!(tests.ok(&["meta", "get", "a.b2nd", "title"]), "\"Zürich\"\n");
    for number in ["0.48593400794451524", "-1", "-9223372036854775808", "18446744073709551615", r#""-9999999999999999999999""#] {
        tests.ok(&["meta", "set", "a.b2nd", "title", "--json", number]);
        assert_eq!(tests.ok(&["meta", "get", "a.b2nd", "title"]), format!("{number}\n"));
    }
    tests.ok(&["meta", "set", "a.b2nd", "title", "--text", "-x"]);
    tests.ok(&["meta", "set", "a.b2nd", "raw", "--hex", "c3"]);
    assert_eq!(tests.ok(&["meta", "get", "a.b2nd", "raw"]), "true\n");
    tests.ok(&["meta", "set", "a.b2nd", "file", "--file", "a.b2nd"]);
    tests.fails(&["meta", "get", "a.b2nd", "file"], r#"a.b2nd: "file" cannot be decoded as MessagePack: --raw writes its bytes"#);

    tests.ok(&["meta", "set", "a.b2nd", "plain", "--json", r#"{"a": [1, -200, 70000, "x", null, true, 0.5], "b": {"c": []}}"#]);
    let trailer = File::open(tests.path("a.b2nd")).unwrap().trailer().unwrap().clone();
    let value = trailer.vlmetalayers().value("plain").unwrap().unwrap();
    let expected = json!({"a": [1, -200, 70000, "x", null, true, 0.5], "b": {"c": []}});
    assert_eq!(msgpack::from_slice::<Value>(&value).unwrap(), expected);
    assert_eq!(b2nd::msgpack::to_vec(&expected).unwrap(), &*value);

    for name in ["all", "title", "raw", "file", "plain"] {
        tests.ok(&["meta", "rm", "a.b2nd", name]);
        tests.fails(&["meta", "rm", "a.b2nd", name], &format!("a.b2nd: there is no attribute {name:?}: see `b2nd meta list`"));
    }
    tests.fails(&["meta", "get", "a.b2nd", "all"], r#"a.b2nd: there is no attribute or metalayer "all": see `b2nd meta list`"#);
    let trailer = |path: &Path| File::open(path).unwrap().trailer().unwrap().clone();
    assert_eq!(trailer(&tests.path("a.b2nd")), trailer(&Place::data().path("example.b2nd")));
}

#[test]
fn an_attribute_that_cannot_be_read_is_listed_with_its_error() {
    let tests = Directory::with_example();
    tests.ok(&["meta", "set", "a.b2nd", "x", "--text", "abcdefgh"]);
    let mut bytes = tests.read("a.b2nd");
    let at = bytes.windows(9).rposition(|part| part == b"\xa8abcdefgh").unwrap();
    // This byte is in the length field of the chunk's header.
    bytes[at - 28] = 0xff;
    tests.write("a.b2nd", bytes);
    let (out, _, status) = tests.run(&["meta", "list", "--json", "a.b2nd"]);
    let last = out.lines().last().unwrap();
    assert!(last.contains(",\"error\":\"") && status == 1, "{last}");
}

#[test]
fn a_value_without_an_option_is_what_it_looks_like() {
    let tests = Directory::with_example();
    let cases = [
        ("degC", "\"degC\""),
        ("1.5", "1.5"),
        ("-3", "-3"),
        ("true", "true"),
        ("null", "null"),
        ("[1, \"x\"]", "[1,\"x\"]"),
        ("{\"version\": {\"major\": 2}}", "{\"version\":{\"major\":2}}"),
        ("2020-01-01", "\"2020-01-01\""),
        ("\"7\"", "\"7\""),
    ];
    for (word, expected) in cases {
        tests.ok(&["meta", "set", "a.b2nd", "x", word]);
        assert_eq!(tests.ok(&["meta", "get", "a.b2nd", "x"]), format!("{expected}\n"), "{word}");
    }
    tests.ok(&["meta", "set", "a.b2nd", "x", "--text", "7"]);
    assert_eq!(tests.ok(&["meta", "get", "a.b2nd", "x"]), "\"7\"\n");
    assert!(
        tests.refused(&["meta", "set", "a.b2nd", "x", "[1,"]).starts_with("a.b2nd: "),
        "what starts like JSON has to be JSON"
    );
    assert_eq!(tests.refused(&["meta", "set", "a.b2nd", "x"]), "a.b2nd: give one value, as in `b2nd meta set a.b2nd x VALUE`");
    // Values inside an attribute are found by a path.
    assert_eq!(tests.ok(&["meta", "get", "a.b2nd", "processing.version"]), "3\n");
    assert_eq!(tests.ok(&["meta", "get", "a.b2nd", "processing.steps.1"]), "true\n");
    assert_eq!(tests.refused(&["meta", "get", "a.b2nd", "processing.none"]), "a.b2nd: there is no \"none\" in \"processing\"");
    tests.ok(&["meta", "set", "a.b2nd", "paths", r#"{"a/b": 1, "~1": [2]}"#]);
    assert_eq!(tests.ok(&["meta", "get", "a.b2nd", "paths.a/b"]), "1\n");
    assert_eq!(tests.ok(&["meta", "get", "a.b2nd", "paths.~1.0"]), "2\n");
    tests.ok(&["meta", "rm", "a.b2nd", "paths"]);
    // On a pipe, values are printed in full, and JSON has them exactly.
    let listed = tests.ok(&["meta", "list", "a.b2nd"]);
    assert!(!listed.contains('…') && listed.contains("\"raw\": b\"\\x00\\xff\"}"), "{listed}");
    let json = tests.ok(&["meta", "list", "--json", "a.b2nd"]);
    assert!(json.contains("{\"name\":\"station\",\"place\":\"metalayer\",\"value\":{\"id\":17,"), "{json}");
}

#[test]
fn values_that_are_none_are_refused() {
    let tests = Directory::with_example();
    let set = |value: &str| format!("a.b2nd: {value}");
    let json = |value: &str, error: &str| tests.fails(&["meta", "set", "a.b2nd", "x", "--json", value], &set(error));
    json("{", "the value cannot be read as JSON: EOF while parsing an object at line 1 column 1");
    json(r#"{"bytes": "0"}"#, r#"{"bytes": ..}: expected pairs of hexadecimal digits, found "0""#);
    json(r#"{"complex": [1]}"#, r#"{"complex": ..}: expected two numbers, [real, imaginary], found [1]"#);
    json(r#"{"ext": [200, ""]}"#, r#"{"ext": ..}: expected a type from -128 to 127, found 200"#);
    let digits = set("--hex: expected pairs of hexadecimal digits, found \"abc\"");
    tests.fails(&["meta", "set", "a.b2nd", "x", "--hex", "abc"], &digits);
    let integer = "18446744073709551616";
    let error = format!("{integer}: expected an integer from -2^63 to 2^64 - 1, or a float such as {integer}.0");
    json(&format!(r#"{{"a\\\"": [1e3, {integer}]}}"#), &error);
    tests.fails(&["meta", "set", "a.b2z::/a", "x", "--json", "1"], "a.b2z::/a: No such file or directory (os error 2)");
    let server = "it is a URL, but only local files can be changed";
    tests.fails(&["meta", "rm", "http://localhost/a", "x"], &format!("http://localhost/a: {server}"));
    tests.fails(&["meta", "set", "a.b2nd", "x"], "a.b2nd: give one value, as in `b2nd meta set a.b2nd x VALUE`");
    tests.fails(&["meta", "a.b2nd"], "a.b2nd: meta needs a subcommand, as in `b2nd meta list a.b2nd`");
    tests.fails(&["meta", "foo", "a.b2nd"], "foo: it is neither a file nor a subcommand of meta: list, get, set or rm");
    assert_eq!(tests.run(&["meta", "set", "a.b2nd", "x", "--text", "a", "--hex", "00"]).2, 2, "two values");
}

#[test]
fn editors_at_once_lose_nothing() {
    let tests = Directory::with_example();
    let all = |args: &dyn Fn(usize) -> Vec<String>| {
        let start = |n: usize| tests.command(&[]).args(args(n)).spawn().unwrap();
        let started: Vec<_> = (0..8).map(start).collect();
        for mut child in started {
            assert!(child.wait().unwrap().success());
        }
    };
    let words = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
    all(&|n| words(&format!("meta set a.b2nd n{n} --json {n}")));
    all(&|n| words(&format!("rewrite a.b2nd --set m{n}={n}")));
    all(&|n| words(&format!("meta set a.b2nd m{n} --fixed --json {}", n + 8)));
    let file = File::open(tests.path("a.b2nd")).unwrap();
    for n in 0..8_u8 {
        assert_eq!(file.header().metalayers().get(format!("m{n}")), Some(&[n + 8][..]));
        assert_eq!(tests.ok(&["meta", "get", "a.b2nd", &format!("n{n}")]), format!("{n}\n"));
    }
    assert_eq!(tests.run(&["check", "--data", "a.b2nd"]).2, 0);

    tests.take(STORE, "a.b2z");
    all(&|n| words(&format!("meta set a.b2z n{n} --json {n}")));
    for n in 0..8 {
        assert_eq!(tests.ok(&["meta", "get", "a.b2z", &format!("n{n}")]), format!("{n}\n"));
    }
}

#[test]
fn attributes_are_listed_and_found_in_either_place() {
    let tests = Directory::new();
    tests.take("example.b2nd", "a.b2nd");
    tests.ok(&["meta", "set", "a.b2nd", "note", "--text", "hi"]);
    let list = tests.ok(&["meta", "list", "a.b2nd"]);
    assert!(
        list.lines().any(|line| line.split_whitespace().collect::<Vec<_>>() == ["\"note\"", "attribute", "\"hi\""]),
        "{list}"
    );
    assert!(list.lines().any(|line| line.starts_with("\"b2nd\"  ")), "{list}");
    assert_eq!(tests.ok(&["meta", "get", "a.b2nd", "units"]), tests.ok(&["meta", "get", "--fixed", "a.b2nd", "units"]));
}

/// Only the member that holds the attribute changes.
#[test]
fn attributes_in_stores_are_changed_and_nothing_else() {
    let tests = Directory::new();
    tests.take(STORE, "a.b2z");
    tests.ok(&["repack", "a.b2z", "a.b2d"]);
    let members = |path: &Path| {
        let store = Store::open(path).unwrap();
        let mut names = store.files().unwrap();
        names.sort_unstable();
        let bytes = |name: &String| {
            let member = store.member(name).unwrap().unwrap();
            member.read(0..member.len().unwrap()).unwrap().into_owned()
        };
        names.into_iter().map(|name| (name.clone(), bytes(&name))).collect::<BTreeMap<_, _>>()
    };
    for store in ["a.b2z", "a.b2d"] {
        let leaves = Store::open(tests.path(store)).unwrap().list().unwrap().leaves;
        let leaf = leaves.iter().find(|leaf| matches!(leaf.content, Content::Frame)).unwrap();
        let word = format!("{store}::{}", leaf.key);
        for word in [word.as_str(), store] {
            let before = members(&tests.path(store));
            tests.ok(&["meta", "set", word, "note", "--text", "hi"]);
            assert_eq!(tests.ok(&["meta", "get", word, "note"]), "\"hi\"\n");
            let after = members(&tests.path(store));
            let changed: Vec<_> =
                after.iter().filter(|(name, bytes)| before.get(*name) != Some(bytes)).map(|(name, _)| name).collect();
            let expected = if word == store { "__vlmeta__.b2f" } else { leaf.member.as_deref().unwrap() };
            assert_eq!(changed, [expected]);
            tests.ok(&["meta", "rm", word, "note"]);
            tests.fails(&["meta", "rm", word, "note"], &format!("{word}: there is no attribute \"note\": see `b2nd meta list`"));
        }
    }
    assert_eq!(tests.names(), ["a.b2d", "a.b2z"]);
}

#[test]
fn the_attribute_that_is_one_too_many_is_named() {
    let tests = Directory::with_example();
    for number in 3..16 {
        tests.ok(&["meta", "set", "a.b2nd", &format!("n{number}"), "--text", "x"]);
    }
    let error = "a.b2nd: \"more\" would be number 17: C-Blosc2 writes at most 16 metalayers and 16 vlmetalayers";
    tests.fails(&["meta", "set", "a.b2nd", "more", "--text", "x"], error);
    tests.ok(&["meta", "set", "a.b2nd", "n3", "--text", "y"]);
}
