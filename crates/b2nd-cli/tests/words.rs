//! Words of the command line: what they are taken for, what is said of those that are nothing, and help.
#![allow(clippy::unwrap_used)]

mod harness;

use std::io::Read;
use std::process::Stdio;

use harness::Directory;

const STORE: &str = "python-blosc2-4.14.1/treestore__dfltb2z.b2z";

#[test]
fn a_file_of_another_format_is_named() {
    let tests = Directory::new("words-foreign");
    let cases: [(&str, &[u8], &str); 6] = [
        ("a.h5", b"\x89HDF\r\n\x1a\n....", "it is an HDF5 file: `b2nd info --offset N` shows"),
        ("a.npy", b"\x93NUMPY\x01\0", "it is a numpy file: `b2nd import FILE.npy OUT.b2nd` makes an array of it"),
        ("a.parquet", b"PAR1....", "it is a Parquet file"),
        ("a.gz", b"\x1f\x8b\x08\0", "it is a gzip file: unpack it first"),
        ("a.html", b"<!DOCTYPE html><html>", "it is an HTML page"),
        ("a.md", "# Title\n\nSome text, that is no frame: é\n".as_bytes(), "it is a text file"),
    ];
    for (name, bytes, expected) in cases {
        tests.write(name, bytes);
        for command in ["info", "cat", "check"] {
            let (out, err, status) = tests.run(&[command, name]);
            assert!(err.starts_with(&format!("{name}: {expected}")) && out.is_empty() && status != 0, "{command}: {err}");
        }
    }
    std::fs::create_dir(tests.0.join("a.zarr")).unwrap();
    tests.write("a.zarr/zarr.json", "{}");
    assert!(tests.refused(&["info", "a.zarr"]).ends_with("it is a part of a Zarr store: zarr-python reads it"));
}

#[test]
fn a_word_that_looks_like_a_command_is_answered_as_one() {
    let tests = Directory::new("words-command");
    tests.take("example.b2nd", "a.b2nd");
    let refused = tests.refused(&["inof", "a.b2nd"]);
    assert!(refused.ends_with("; did you mean `b2nd info`?"), "{refused}");
    let refused = tests.refused(&["tail", "a.b2nd"]);
    assert!(refused.starts_with("b2nd: \"tail\" is no file and no subcommand"), "{refused}");
}

#[test]
fn a_scheme_that_is_not_read_is_named() {
    let tests = Directory::new("words-schemes");
    for (address, expected) in [
        ("s3://bucket/a.b2nd", "s3:// is not read here: give the object's address with https://"),
        ("ftp://host/a.b2nd", "ftp:// is not read here: copy the file to this machine first"),
        ("odd://a.b2nd", "odd:// is not read here: paths, http:// and https:// are"),
    ] {
        for command in ["info", "cat"] {
            let refused = tests.refused(&[command, address]);
            assert!(refused.starts_with(&format!("{address}: {expected}")), "{refused}");
        }
    }
}

#[test]
fn every_help_ends_with_two_examples() {
    let tests = Directory::new("words-help");
    let commands = "info hex draw chunks slice check diff meta rewrite salvage upgrade cat export import completions man";
    let meta = ["list", "get", "set", "rm"].map(|command| vec!["meta", command]);
    for command in commands.split(' ').map(|command| vec![command]).chain(meta).chain([vec![]]) {
        let help = tests.ok(&[&command[..], &["--help"]].concat());
        let examples = help.split_once("\nExamples:\n").unwrap_or_else(|| panic!("{command:?}")).1;
        let is_one = |line: &str| line.starts_with("  b2nd") && line.contains(command.join(" ").as_str()) && line.len() < 80;
        assert!(examples.lines().count() == 2 && examples.lines().all(is_one), "{command:?}: {examples}");
    }
}

#[test]
fn attributes_are_listed_found_in_either_place_and_not_changed_in_stores() {
    let tests = Directory::new("words-meta");
    tests.take("example.b2nd", "a.b2nd");
    tests.take(STORE, "a.b2z");
    tests.ok(&["meta", "set", "a.b2nd", "note", "--text", "hi"]);
    let list = tests.ok(&["meta", "list", "a.b2nd"]);
    assert!(
        list.lines().any(|line| line.split_whitespace().collect::<Vec<_>>() == ["\"note\"", "attribute", "\"hi\""]),
        "{list}"
    );
    assert!(list.lines().any(|line| line.starts_with("\"b2nd\"  ")), "{list}");
    assert_eq!(tests.ok(&["meta", "get", "a.b2nd", "units"]), tests.ok(&["meta", "get", "--fixed", "a.b2nd", "units"]));
    assert!(tests.refused(&["meta", "set", "a.b2z", "note", "--text", "hi"]).starts_with("a.b2z: it is a store: "));
}

#[test]
fn stores_are_compared_leaf_by_leaf() {
    let tests = Directory::new("words-diff");
    tests.take(STORE, "a.b2z");
    tests.take(STORE, "b.b2z");
    assert_eq!(tests.ok(&["diff", "--data", "a.b2z", "b.b2z"]), "");
    std::fs::create_dir_all(tests.0.join("c.b2d/g0")).unwrap();
    tests.take("example.b2nd", "c.b2d/g0/n0.b2nd");
    let (out, err, status) = tests.run(&["diff", "--data", "a.b2z", "c.b2d"]);
    assert_eq!((err.as_str(), status), ("", 1));
    assert!(out.contains("\n- /g1/n3: ndarray\n") && out.contains("\n- /g0/n0.array.dtype: \"<i8\"\n"), "{out}");
}

#[test]
fn what_info_shows_of_a_table_cat_reads() {
    let tests = Directory::new("words-column");
    let Some(table) = std::fs::read_dir(format!("{}/python-blosc2-4.14.1", harness::DATA)).unwrap().find_map(|entry| {
        let path = entry.unwrap().path();
        path.to_str().filter(|name| name.contains("ctable") && name.ends_with(".b2z")).map(str::to_owned)
    }) else {
        return;
    };
    let wrong = format!("{table}::/_cols/none");
    assert!(tests.refused(&["info", &wrong]).contains("there is no /_cols/none in it"));
    assert!(tests.refused(&["cat", &wrong]).contains("there is no /_cols/none in it"));
}

/// Whoever reads the findings may stop: the status is that of all of them.
#[test]
fn a_closed_pipe_does_not_change_what_check_says() {
    let tests = Directory::new("words-pipe");
    let odd = "python-blosc2-3.9.0/squeeze__2to1_meta.b2nd";
    tests.take(odd, "odd.b2nd");
    let files = vec!["odd.b2nd"; 2000];
    let mut check =
        tests.command(&[&["check"], files.as_slice()].concat()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = check.stdout.take().unwrap();
    out.read_exact(&mut [0; 10]).unwrap();
    drop(out);
    let output = check.wait_with_output().unwrap();
    assert_eq!((String::from_utf8(output.stderr).unwrap(), output.status.code()), (String::new(), Some(1)));
}
