//! `b2nd meta`, `rewrite`, `diff`, `cat`, `export` and `import`: what becomes of files, and what is refused.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use b2nd::frame::{File, decode_msgpack};
use serde_json::{Value, json};

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/example.b2nd");

/// A directory that is gone after its test.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Temporary {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("edit-{name}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        fs::copy(EXAMPLE, path.join("a.b2nd")).unwrap();
        Temporary(path)
    }

    /// Runs the tool in the directory: output, errors and status.
    fn run(&self, args: &[&str]) -> (String, String, i32) {
        let output = Command::new(env!("CARGO_BIN_EXE_b2nd")).args(args).current_dir(&self.0).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr), output.status.code().unwrap())
    }

    #[track_caller]
    fn ok(&self, args: &[&str]) -> String {
        let (out, err, status) = self.run(args);
        assert_eq!((err.as_str(), status), ("", 0), "{args:?}");
        out
    }

    #[track_caller]
    fn refused(&self, args: &[&str], error: &str) {
        let before = self.contents();
        assert_eq!(self.run(args), (String::new(), format!("{error}\n"), 1), "{args:?}");
        assert!(self.contents() == before, "{args:?} changed a file");
    }

    fn contents(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut all: Vec<_> = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().path()).collect();
        all.sort();
        all.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn an_attribute_is_set_read_and_removed() {
    let tests = Temporary::new("attribute");
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
    tests.refused(&["meta", "get", "a.b2nd", "file"], r#"a.b2nd: "file" is not MessagePack: --raw writes its bytes"#);

    // Packed as rmp-serde packs the same, which is the shortest form.
    tests.ok(&["meta", "set", "a.b2nd", "plain", "--json", r#"{"a": [1, -200, 70000, "x", null, true, 0.5], "b": {"c": []}}"#]);
    let trailer = File::open(tests.0.join("a.b2nd")).unwrap().trailer().unwrap();
    let value = trailer.value("plain", ()).unwrap().unwrap();
    let expected = json!({"a": [1, -200, 70000, "x", null, true, 0.5], "b": {"c": []}});
    assert_eq!(decode_msgpack::<Value>(&value).unwrap(), expected);
    assert_eq!(b2nd::frame::encode_msgpack(&expected).unwrap(), &*value);

    for name in ["all", "title", "raw", "file", "plain"] {
        tests.ok(&["meta", "rm", "a.b2nd", name]);
        tests.refused(&["meta", "rm", "a.b2nd", name], &format!("a.b2nd: there is no attribute {name:?}"));
    }
    tests.refused(&["meta", "get", "a.b2nd", "all"], r#"a.b2nd: there is no attribute "all""#);
    let trailer = |path: &Path| File::open(path).unwrap().trailer().unwrap();
    assert_eq!(trailer(&tests.0.join("a.b2nd")), trailer(Path::new(EXAMPLE)));
}

#[test]
fn values_that_are_none_are_refused() {
    let tests = Temporary::new("values");
    let set = |value: &str| format!("a.b2nd: {value}");
    let json = |value: &str, error: &str| tests.refused(&["meta", "set", "a.b2nd", "x", "--json", value], &set(error));
    json("{", "the value is not JSON: EOF while parsing an object at line 1 column 1");
    json(r#"{"bytes": "0"}"#, r#"{"bytes": ..}: expected pairs of hexadecimal digits"#);
    json(r#"{"complex": [1]}"#, r#"{"complex": ..}: expected [real, imaginary]"#);
    json(r#"{"ext": [200, ""]}"#, r#"{"ext": ..}: expected a type from -128 to 127"#);
    tests.refused(&["meta", "set", "a.b2nd", "x", "--hex", "abc"], &set("--hex: expected pairs of hexadecimal digits"));
    let integer = "18446744073709551616";
    let error = format!("{integer}: expected an integer from -2^63 to 2^64 - 1, or a float such as {integer}.0");
    json(&format!(r#"{{"a\\\"": [1e3, {integer}]}}"#), &error);
    let leaf = "it names a leaf of a store, and only files and sparse frames are changed";
    tests.refused(&["meta", "set", "a.b2z::/a", "x", "--json", "1"], &format!("a.b2z::/a: {leaf}"));
    let server = "it is on a server, and only files of this machine are changed";
    tests.refused(&["meta", "rm", "http://localhost/a", "x"], &format!("http://localhost/a: {server}"));
    assert_eq!(tests.run(&["meta", "set", "a.b2nd", "x"]).2, 2, "no value");
    assert_eq!(tests.run(&["meta", "set", "a.b2nd", "x", "--text", "a", "--hex", "00"]).2, 2, "two values");
}

#[test]
fn a_metalayer_keeps_its_length_unless_the_frame_is_rewritten() {
    let tests = Temporary::new("metalayer");
    assert_eq!(tests.ok(&["meta", "get", "--fixed", "a.b2nd", "units"]), "[\"s\",\"°C\",\"mm\"]\n");
    tests.ok(&["meta", "set", "--fixed", "a.b2nd", "units", "--json", r#"["h","°F","in"]"#]);
    assert_eq!(tests.ok(&["meta", "get", "--fixed", "a.b2nd", "units"]), "[\"h\",\"°F\",\"in\"]\n");
    let longer = ["meta", "set", "--fixed", "a.b2nd", "units", "--text", "much longer"];
    let (_, err, status) = tests.run(&longer);
    assert!(err.contains("its place in the header holds 10") && status == 1, "{err}");

    tests.ok(&["rewrite", "a.b2nd", "b.b2nd", "--set", r#"units="much longer""#, "--set", "new=[1, 2]", "--rm", "station"]);
    assert_eq!(tests.ok(&["meta", "get", "--fixed", "b.b2nd", "new"]), "[1,2]\n");
    tests.refused(&["rewrite", "a.b2nd", "b.b2nd"], "a.b2nd: b.b2nd exists, and nothing is overwritten");
    tests.refused(&["rewrite", "a.b2nd", "--rm", "none"], r#"a.b2nd: there is no metalayer "none""#);
    let (out, err, status) = tests.run(&["diff", "--data", "a.b2nd", "b.b2nd"]);
    assert_eq!((err.as_str(), status), ("", 1));
    let lines: Vec<&str> = out.lines().filter(|line| line.contains("metalayers")).collect();
    let station = r#"- metalayers.station: {"id":17,"lat":47.38,"lon":8.54,"name":"Zürich"}"#;
    let expected =
        ["+ metalayers.new: [1,2]", station, r#"- metalayers.units: ["h","°F","in"]"#, r#"+ metalayers.units: "much longer""#];
    assert_eq!(lines, expected);
    assert!(!out.contains("values"), "{out}");
}

#[test]
fn diff_ends_as_diff_does() {
    let tests = Temporary::new("diff");
    fs::copy(EXAMPLE, tests.0.join("b.b2nd")).unwrap();
    assert_eq!(tests.run(&["diff", "--data", "a.b2nd", "b.b2nd"]), (String::new(), String::new(), 0));
    assert_eq!(tests.run(&["diff", "a.b2nd", "missing.b2nd"]).2, 3);
    assert_eq!(tests.run(&["diff", "a.b2nd"]).2, 2);
    fs::write(tests.0.join("one.npy"), npy("<i4", "(2, 3)", &[0, 1, 2, 3, 4, 5])).unwrap();
    fs::write(tests.0.join("two.npy"), npy("<i4", "(2, 3)", &[0, 1, 2, 3, 9, 9])).unwrap();
    tests.ok(&["import", "one.npy", "one.b2nd"]);
    tests.ok(&["import", "two.npy", "two.b2nd"]);
    let (out, _, status) = tests.run(&["diff", "--data", "one.b2nd", "two.b2nd"]);
    assert!(out.ends_with("  values: 2 elements differ, the first at [1, 1]\n") && status == 1, "{out}");
    // What has no values differs in what it says.
    tests.ok(&["rewrite", "a.b2nd", "none.b2nd", "--rm", "b2nd", "--rm", "units"]);
    let (out, error, status) = tests.run(&["diff", "--data", "a.b2nd", "none.b2nd"]);
    assert!(out.contains("- metalayers.units: ") && error.starts_with("values: ") && status == 3, "{out}{error}");
}

fn npy(descr: &str, shape: &str, values: &[i32]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}").into_bytes();
    header.resize(117, b' ');
    header.push(b'\n');
    let bytes = values.iter().flat_map(|value| value.to_le_bytes());
    b"\x93NUMPY\x01\x00\x76\x00".iter().copied().chain(header).chain(bytes).collect()
}

#[test]
fn a_numpy_file_comes_back_as_it_was() {
    let tests = Temporary::new("npy");
    for (name, shape, values) in [
        ("two", "(2, 3)", &[0, 1, 2, 3, 4, 5][..]),
        ("one", "(4,)", &[7, -7, 8, -8]),
        ("none", "()", &[42]),
        ("empty", "(0, 3)", &[]),
    ] {
        let (file, array, back) = (format!("{name}.npy"), format!("{name}.b2nd"), format!("{name}.back.npy"));
        fs::write(tests.0.join(&file), npy("<i4", shape, values)).unwrap();
        tests.ok(&["import", &file, &array]);
        tests.ok(&["export", &array, &back]);
        assert!(fs::read(tests.0.join(&back)).unwrap() == fs::read(tests.0.join(&file)).unwrap(), "{name}");
        tests.refused(&["import", &file, &array], &format!("{file}: {array} exists, and nothing is overwritten"));
        tests.refused(&["export", &array, &back], &format!("{array}: {back} exists, and nothing is overwritten"));
    }
    assert_eq!(tests.ok(&["cat", "two.b2nd"]), "0  1  2\n3  4  5\n");
    assert_eq!(tests.ok(&["cat", "two.b2nd", "-1,1:"]), "4  5\n");
    assert_eq!(tests.ok(&["cat", "two.b2nd", "...,0"]), "0\n3\n");
    tests.refused(&["cat", "two.b2nd", "7"], "two.b2nd: index 7 is outside dimension 0, whose length is 2");
    // As in Python an index takes its dimension away.
    for (slice, shape) in [("1", "(3,)"), ("...,0:1", "(2, 1)"), ("0,0", "()")] {
        tests.ok(&["export", "two.b2nd", "slice.npy", "--slice", slice]);
        let file = fs::read(tests.0.join("slice.npy")).unwrap();
        fs::remove_file(tests.0.join("slice.npy")).unwrap();
        let header = String::from_utf8_lossy(&file[10..128]).into_owned();
        assert!(header.contains(&format!("'shape': {shape}, }}")), "{slice}: {header}");
    }
    let (first, ..) = tests.run(&["cat", "a.b2nd", "0,0,0"]);
    assert!(first.starts_with('(') && first.matches(", ").count() == 2, "{first}");
}

/// The limit on the length of a file stands for a disk that is full.
#[cfg(unix)]
#[test]
fn what_cannot_be_written_is_named_and_not_left_half() {
    let tests = Temporary::new("full");
    fs::write(tests.0.join("in.npy"), npy("<i4", "(3000,)", &(0..3000).map(|n| n * 40_503).collect::<Vec<i32>>())).unwrap();
    tests.ok(&["import", "in.npy", "in.b2nd", "--level", "0"]);
    let before = tests.contents();
    for (args, error) in [
        ("import in.npy out.b2nd --level 0", "in.npy: out.b2nd: File too large (os error 27)\n"),
        ("export in.b2nd out.npy", "in.b2nd: out.npy: File too large (os error 27)\n"),
    ] {
        let script = format!("trap '' XFSZ; ulimit -f 4; exec \"$B2ND\" {args}");
        let mut shell = Command::new("sh");
        let output = shell.arg("-c").arg(script).env("B2ND", env!("CARGO_BIN_EXE_b2nd")).current_dir(&tests.0).output().unwrap();
        assert_eq!((String::from_utf8(output.stderr).unwrap().as_str(), output.status.code()), (error, Some(1)));
        assert!(tests.contents() == before, "{args} left something");
    }
}

#[test]
fn editors_at_once_lose_nothing() {
    let tests = Temporary::new("at-once");
    let all = |args: &dyn Fn(usize) -> Vec<String>| {
        let start = |n: usize| Command::new(env!("CARGO_BIN_EXE_b2nd")).args(args(n)).current_dir(&tests.0).spawn().unwrap();
        let started: Vec<_> = (0..8).map(start).collect();
        for mut child in started {
            assert!(child.wait().unwrap().success());
        }
    };
    let words = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
    all(&|n| words(&format!("meta set a.b2nd n{n} --json {n}")));
    all(&|n| words(&format!("rewrite a.b2nd --set m{n}={n}")));
    all(&|n| words(&format!("meta set a.b2nd m{n} --fixed --json {}", n + 8)));
    let file = File::open(tests.0.join("a.b2nd")).unwrap();
    for n in 0..8_u8 {
        assert_eq!(file.header().metalayers().get(format!("m{n}")), Some(&[n + 8][..]));
        assert_eq!(tests.ok(&["meta", "get", "a.b2nd", &format!("n{n}")]), format!("{n}\n"));
    }
    assert_eq!(tests.run(&["check", "--data", "a.b2nd"]).2, 0);
}

/// Headers of the versions 1 and 2 are Latin-1, of version 3 UTF-8.
#[test]
fn a_numpy_field_may_have_an_accent() {
    let tests = Temporary::new("latin");
    let mut latin = npy("X", "(1,)", &[7]);
    let descr = b"[('\xe9', '<i4')]";
    let place = latin.windows(3).position(|bytes| bytes == b"'X'").unwrap();
    latin.splice(place..place + 3, descr.iter().copied());
    // The padding gives what the name takes.
    let end = latin.len() - 5;
    latin.drain(end - (descr.len() - 3)..end);
    fs::write(tests.0.join("latin.npy"), latin).unwrap();
    tests.ok(&["import", "latin.npy", "latin.b2nd"]);
    let header = File::open(tests.0.join("latin.b2nd")).unwrap();
    assert_eq!(header.header().array().unwrap().unwrap().dtype(), Some("[('é', '<i4')]"));
    tests.ok(&["export", "latin.b2nd", "back.npy"]);
    tests.ok(&["import", "back.npy", "back.b2nd"]);
    assert_eq!(tests.ok(&["cat", "back.b2nd"]), "(7)\n");
}

#[test]
fn what_is_no_numpy_file_is_refused() {
    let tests = Temporary::new("no-npy");
    let good = npy("<i4", "(2, 3)", &[0, 1, 2, 3, 4, 5]);
    let cases: [(&str, Vec<u8>, &str); 5] = [
        ("text", b"text".to_vec(), "no numpy file: it does not begin with \\x93NUMPY"),
        ("cut", good[..40].to_vec(), "the header is cut off"),
        ("short", good[..good.len() - 1].to_vec(), "the shape says 24 bytes of elements, the file holds 23"),
        ("dtype", npy("<x4", "(1,)", &[1]), "descr: dtype: expected a type code, found 'x' at byte 1"),
        ("lengths", npy("<i4", "(x,)", &[1]), "shape: \"x\" is no length"),
    ];
    for (name, bytes, error) in cases {
        fs::write(tests.0.join(name), bytes).unwrap();
        tests.refused(&["import", name, "out.b2nd"], &format!("{name}: {error}"));
    }
    fs::write(tests.0.join("good"), &good).unwrap();
    let wide = "blockshape[1] is 7, chunkshape[1] is 3: no block is longer than its chunk";
    tests.refused(&["import", "good", "out.b2nd", "--chunks", "2,3", "--blocks", "1,7"], &format!("good: {wide}"));
    // Addresses, or a pickle, which nothing here opens.
    fs::write(tests.0.join("objects"), npy("|O", "(1,)", &[0, 0])).unwrap();
    let objects = "its elements are Python objects: addresses in the memory of the program that wrote them, or a pickle";
    tests.refused(&["import", "objects", "out.b2nd"], &format!("objects: {objects}"));
    let array = b2nd::B2ndMeta::new(b2nd::Geometry::new(&[1], &[1], &[1]).unwrap(), "[('a', '|O')]");
    b2nd_ndarray::write_bytes(tests.0.join("objects.b2nd"), &array, &[0; 8], &b2nd_ndarray::Options::default()).unwrap();
    tests.refused(&["cat", "objects.b2nd"], &format!("objects.b2nd: {objects}"));
    tests.refused(&["export", "objects.b2nd", "out.npy"], &format!("objects.b2nd: {objects}"));
    for length in 0..good.len() {
        fs::write(tests.0.join("cut"), &good[..length]).unwrap();
        assert_eq!(tests.run(&["import", "cut", "out.b2nd"]).2, 1, "{length}");
    }
    assert!(!tests.0.join("out.b2nd").exists());
}

/// A program on PATH is a subcommand; a file of its name comes first.
#[cfg(unix)]
#[test]
fn another_program_is_a_subcommand() {
    use std::os::unix::fs::PermissionsExt;
    let tests = Temporary::new("external");
    let program = tests.0.join("b2nd-hello");
    fs::write(&program, "#!/bin/sh\necho hello \"$@\"\nexit 7\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let before = tests.0.join("before");
    fs::create_dir(&before).unwrap();
    fs::write(before.join("b2nd-hello"), "a shell passes over what is not executable").unwrap();
    let path = format!("{}:{}:{}", before.display(), tests.0.display(), std::env::var("PATH").unwrap());
    let run = || {
        Command::new(env!("CARGO_BIN_EXE_b2nd")).args(["hello", "a b"]).env("PATH", &path).current_dir(&tests.0).output().unwrap()
    };
    let output = run();
    assert_eq!((output.stdout.as_slice(), output.status.code()), (b"hello a b\n".as_slice(), Some(7)));
    fs::write(&program, "#!/bin/sh\necho $$\n").unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_b2nd"))
        .arg("hello")
        .env("PATH", &path)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let process = child.id();
    let its_own = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(its_own.trim(), process.to_string(), "signals go to it");
    fs::copy(EXAMPLE, tests.0.join("hello")).unwrap();
    assert_eq!(run().status.code(), Some(1), "the file, and one that is missing");
    let (_, error, status) = tests.run(&["catalogue", "scan"]);
    assert_eq!(error, "b2nd: \"catalogue\" is no file and no subcommand, and no program \"b2nd-catalogue\" is on PATH\n");
    assert_eq!(status, 1);
}

#[test]
fn a_shell_and_a_manual_know_every_subcommand() {
    let tests = Temporary::new("man");
    for shell in ["bash", "zsh", "fish"] {
        let completions = tests.ok(&["completions", shell]);
        ["info", "hex", "draw", "check", "meta", "import"]
            .iter()
            .for_each(|name| assert!(completions.contains(name), "{shell}: {name}"));
    }
    assert!(tests.ok(&["man"]).contains("b2nd\\-check(1)"));
    let page = tests.ok(&["man", "meta", "set"]);
    assert!(page.contains("b2nd\\-meta\\-set \\-") && page.contains("\\-\\-fixed"), "{page}");
    let (_, error, status) = tests.run(&["man", "set"]);
    assert!(error.starts_with("error: no subcommand \"set\"\n"), "{error}");
    assert_eq!(status, 2);
}
