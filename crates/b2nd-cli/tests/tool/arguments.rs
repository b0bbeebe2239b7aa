//! Arguments of the command line: how they are understood, errors about wrong ones, help, and external subcommands.

use std::fs;
use std::process::Stdio;

use crate::harness::{Directory, zip};

#[test]
fn a_file_of_another_format_is_named() {
    let tests = Directory::new();
    const HDF5: &str = if cfg!(feature = "hdf5") {
        "unsupported superblock"
    } else {
        "it is an HDF5 file, which this build cannot read: install"
    };
    let cases: [(&str, &[u8], &str); 6] = [
        ("a.h5", b"\x89HDF\r\n\x1a\n....", HDF5),
        ("a.npy", b"\x93NUMPY\x01\0", "it is a NumPy file: `b2nd import FILE.npy OUT.b2nd` converts it"),
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
    fs::create_dir(tests.path("a.zarr")).unwrap();
    tests.write("a.zarr/zarr.json", "{}");
    assert!(
        tests
            .refused(&["stats", "a.zarr"])
            .ends_with("it is a Zarr store, or a part of one: `b2nd ls` and `b2nd import` read its directory")
    );
}

#[test]
fn an_archive_without_blosc2_says_so() {
    let tests = Directory::new();
    tests.write("a.npz", zip("x.npy", b"\x93NUMPY"));
    tests.write("a.zip", zip("x.txt", b"x"));
    for args in [&["info"][..], &["cat"], &["check"], &["export"]] {
        let said = |name: &str| {
            let (_, err, status) = tests.run(&[args, &[name], &["new.csv"][..usize::from(args == ["export"])]].concat());
            assert_ne!(status, 0);
            err
        };
        assert_eq!(
            said("a.npz"),
            "a.npz: no Blosc2 frame was found in it: `b2nd import` converts .npy files (unpack an archive first)\n"
        );
        assert!(said("a.zip").starts_with("a.zip: no Blosc2 frame was found in it: "), "{}", said("a.zip"));
    }
}

/// A slice may start with a minus sign, but a misspelled option is not a slice.
#[test]
fn an_unknown_option_is_not_a_slice() {
    let tests = Directory::new();
    tests.take("grid/i4_2d.b2nd", "a.b2nd");
    for (args, expected) in [
        (&["head", "a.b2nd", "--bogus"][..], "unexpected argument '--bogus' found"),
        (&["cat", "a.b2nd", "--colour", "never"], "a similar argument exists: '--color'"),
        (&["export", "a.b2nd", "b.npy", "--overwriet"], "a similar argument exists: '--overwrite'"),
        (&["show", "a.b2nd", "-x"], "unexpected argument '-x' found"),
    ] {
        let (out, err, status) = tests.run(args);
        assert!(out.is_empty() && err.contains(expected) && status == 2, "{args:?}: {err}");
    }
    let last = tests.ok(&["cat", "a.b2nd", "16,-2:"]);
    for slice in ["-1,-2:", "[-1,-2:]", "[-1, 21:]"] {
        assert_eq!(tests.ok(&["cat", "a.b2nd", slice]), last, "{slice}");
    }
    assert_eq!(tests.ok(&["cat", "a.b2nd", "-1"]), tests.ok(&["cat", "a.b2nd", "16"]));
    assert_eq!(tests.ok(&["stats", "--slice", "-1,-2:", "a.b2nd"]), tests.ok(&["stats", "a.b2nd", "-1,-2:"]));
    assert_eq!(tests.ok(&["info", "a.b2nd", "-1,-2:"]), tests.ok(&["a.b2nd", "-1,-2:"]));
    // An option without a value does not take the next argument, which is a slice. The value of an option is not a slice.
    assert_eq!(tests.ok(&["cat", "a.b2nd", "--csv", "-1,-2:"]), tests.ok(&["cat", "--csv", "a.b2nd", "16,-2:"]));
    tests.ok(&["meta", "set", "a.b2nd", "note", "--text", "-1,5"]);
    assert_eq!(tests.ok(&["meta", "get", "a.b2nd", "note"]), "\"-1,5\"\n");
    tests.ok(&["meta", "set", "a.b2nd", "note", "--", "-2,5"]);
    assert_eq!(tests.ok(&["meta", "get", "a.b2nd", "note"]), "\"-2,5\"\n");
    let (_, err, status) = tests.run(&["meta", "set", "a.b2nd", "note", "-1,5"]);
    assert!(err.contains("'-1'") && status == 2, "{err}");
}

#[test]
fn a_key_that_is_not_a_leaf_is_answered_with_what_is_there() {
    let tests = Directory::new();
    tests.take("python-blosc2-4.14.1/treestore__dfltb2z.b2z", "t.b2z");
    assert_eq!(tests.refused(&["cat", "t.b2z/g0/n0"]), "t.b2z/g0/n0: t.b2z is a file: a leaf of a store is named t.b2z::/g0/n0");
    assert_eq!(tests.refused(&["head", "t.b2z::/g0"]), "t.b2z::/g0: /g0 is a group: name one of its leaves, /g0/n0, /g0/n2");
    if cfg!(feature = "arrow") {
        let refused = crate::harness::Place::tables().refused(&["cat", "kinds.b2z::/u"]);
        assert_eq!(
            refused,
            "kinds.b2z::/u: it has no leaf /u, but the table / has the column u: name the table, and select this column"
        );
    }
}

#[test]
fn a_word_that_looks_like_a_command_is_answered_as_one() {
    let tests = Directory::new();
    tests.take("example.b2nd", "a.b2nd");
    let refused = tests.refused(&["inof", "a.b2nd"]);
    assert!(refused.ends_with("; did you mean `b2nd info`?"), "{refused}");
    let refused = tests.refused(&["compress", "a.b2nd"]);
    assert!(refused.starts_with("b2nd: \"compress\" is neither a file nor a subcommand"), "{refused}");
}

#[test]
fn a_scheme_that_is_not_read_is_named() {
    let tests = Directory::new();
    for (address, expected) in [
        ("s3://bucket/a.b2nd", "s3:// is not supported: use an https:// URL"),
        ("ftp://host/a.b2nd", "ftp:// is not supported: copy the file to this machine first"),
        ("odd://a.b2nd", "odd:// is not supported: use a path or an HTTP URL"),
    ] {
        for command in ["info", "cat"] {
            let refused = tests.refused(&[command, address]);
            assert!(refused.starts_with(&format!("{address}: {expected}")), "{refused}");
        }
    }
}

#[test]
fn every_help_ends_with_two_examples() {
    let tests = Directory::new();
    let commands = "info hex draw check diff meta rewrite salvage upgrade cat export import completions man";
    let meta = ["list", "get", "set", "rm"].map(|command| vec!["meta", command]);
    for command in commands.split(' ').map(|command| vec![command]).chain(meta).chain([vec![]]) {
        let help = tests.ok(&[&command[..], &["--help"]].concat());
        let examples = help.split_once("\nExamples:\n").unwrap_or_else(|| panic!("{command:?}")).1;
        let is_one = |line: &str| line.starts_with("  b2nd") && line.contains(command.join(" ").as_str()) && line.len() < 80;
        assert!(examples.lines().count() == 2 && examples.lines().all(is_one), "{command:?}: {examples}");
    }
}

/// A program on PATH is a subcommand, but a file with the name of the subcommand takes precedence.
#[cfg(unix)]
#[test]
fn another_program_is_a_subcommand() {
    use std::os::unix::fs::PermissionsExt;
    let tests = Directory::with_example();
    let program = tests.path("b2nd-hello");
    fs::write(&program, "#!/bin/sh\necho hello \"$@\"\nexit 7\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let before = tests.path("before");
    fs::create_dir(&before).unwrap();
    fs::write(before.join("b2nd-hello"), "a shell passes over what is not executable").unwrap();
    let path = format!("{}:{}:{}", before.display(), tests.path("").display(), std::env::var("PATH").unwrap());
    let run = || tests.command(&["hello", "a b"]).env("PATH", &path).output().unwrap();
    let output = run();
    assert_eq!((output.stdout.as_slice(), output.status.code()), (b"hello a b\n".as_slice(), Some(7)));
    fs::write(&program, "#!/bin/sh\necho $$\n").unwrap();
    let child = tests.command(&["hello"]).env("PATH", &path).stdout(Stdio::piped()).spawn().unwrap();
    let process = child.id();
    let its_own = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(its_own.trim(), process.to_string(), "signals go to it");
    tests.take("example.b2nd", "hello");
    assert_eq!(run().status.code(), Some(1), "the file, and one that is missing");
    let (_, error, status) = tests.run(&["catalogue", "scan"]);
    assert_eq!(
        error,
        "b2nd: \"catalogue\" is neither a file nor a subcommand, and no program \"b2nd-catalogue\" is on PATH; did you mean `b2nd cat`?\n"
    );
    assert_eq!(status, 1);
}

#[test]
fn a_shell_and_a_manual_know_every_subcommand() {
    let tests = Directory::with_example();
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

#[test]
fn a_dtype_without_spaces_gets_the_same_hint_everywhere() {
    let tests = Directory::with_example();
    for command in
        [&["import", "a.bin", "b.b2nd"][..], &["upgrade", "a.b2nd", "b.b2nd"], &["cat", "a.b2nd"], &["stats", "a.b2nd"]]
    {
        let refused = |dtype: &str| {
            let (out, err, status) = tests.run(&[command, &["--dtype", dtype]].concat());
            assert_eq!((out.as_str(), status), ("", 2), "{command:?}");
            err
        };
        for dtype in ["[('x','<i4')]", "{'names':['x']}"] {
            assert!(refused(dtype).contains("with a space after each comma and colon: [('x', '<i4'), "), "{command:?} {dtype}");
        }
        let letter = refused("x4");
        assert!(letter.contains("expected a type code or name, found 'x' at byte 0") && !letter.contains("space"), "{letter}");
    }
}
