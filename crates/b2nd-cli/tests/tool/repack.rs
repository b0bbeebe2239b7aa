//! `b2nd repack`: gaps are removed, stores change their kind, and a failure changes no file.

use std::fs;
use std::process::Command;

use b2nd_ndarray::ArrayEditor;
use b2nd_store::{Folder, Store};
use b2nd_view::text::thousands;

use crate::harness::{Directory, Place, npy, zip};

/// An array with gaps from 50 edits and an attribute; and the length of the same array without gaps.
fn edited() -> (Directory, usize) {
    let tests = Directory::new();
    tests.write("a.npy", npy("<i4", "(60, 50)", &(0..3000).map(|n| n * 7).collect::<Vec<i32>>()));
    let import = |from: &str, to: &str| {
        tests.ok(&["import", "--chunks", "20,50", from, to]);
        tests.ok(&["meta", "set", to, "unit", "--text", "m"]);
    };
    import("a.npy", "a.b2nd");
    let mut editor = ArrayEditor::open(tests.path("a.b2nd")).unwrap();
    for row in 0..50 {
        editor.write_slice(&[row..row + 1, 0..1], &ndarray::array![[-(row as i32)]]).unwrap();
    }
    drop(editor);
    tests.ok(&["export", "a.b2nd", "b.npy"]);
    import("b.npy", "fresh.b2nd");
    let fresh = tests.read("fresh.b2nd").len();
    for name in ["a.npy", "b.npy", "fresh.b2nd"] {
        fs::remove_file(tests.path(name)).unwrap();
    }
    (tests, fresh)
}

#[test]
fn a_frame_shrinks_and_says_by_how_much() {
    let (tests, fresh) = edited();
    let before = tests.read("a.b2nd");
    let out = tests.ok(&["repack", "a.b2nd", "b.b2nd"]);
    let new = tests.read("b.b2nd");
    assert!(before.len() > 10 * fresh && new.len() * 100 <= fresh * 101, "{} {fresh} {}", before.len(), new.len());
    let line = |path: &str, old: usize| format!("{path}: {} bytes, {} before, ratio 7.2\n", thousands(new.len()), thousands(old));
    // The same ratio as in `info`: the size of the array divided by the size of its compressed chunks.
    assert!(tests.ok(&["info", "b.b2nd"]).contains(", ratio 7.2\n"));
    assert_eq!(out, line("b.b2nd", before.len()));
    let (out, err, _) = tests.run(&["diff", "--data", "a.b2nd", "b.b2nd"]);
    assert!(
        err.is_empty()
            && out.lines().all(|line| (!line.contains("values") || line == "  values: equal") && !line.contains("meta")),
        "{out}{err}"
    );
    tests.fails(&["repack", "a.b2nd", "b.b2nd"], "a.b2nd: b.b2nd already exists");
    let new = tests.read("b.b2nd");
    assert_eq!(tests.ok(&["repack", "--overwrite", "a.b2nd", "b.b2nd"]), line("b.b2nd", before.len()));
    assert!(tests.pipe(&["repack", "a.b2nd", "-"], &[]) == new);
    assert!(tests.pipe(&["repack", "-"], &before) == new);
    let sparse = Place::data().refused(&["repack", "python-blosc2-2.2.9/storage__sframe_2d_int32.b2sd", "-"]);
    assert!(
        sparse.ends_with("a sparse frame is a directory, so it cannot be written to standard output: name a target"),
        "{sparse}"
    );
    assert_eq!(tests.ok(&["repack", "a.b2nd"]), line("a.b2nd", before.len()));
    assert!(tests.read("a.b2nd") == new);
    assert_eq!(tests.names(), ["a.b2nd", "b.b2nd"]);

    tests.ok(&["repack", "--codec", "lz4", "--level", "9", "--filters", "bitshuffle", "--chunks", "7,11", "a.b2nd", "c.b2nd"]);
    assert_eq!(tests.ok(&["cat", "c.b2nd"]), tests.ok(&["cat", "a.b2nd"]));
    let about = tests.ok(&["info", "--full", "c.b2nd"]);
    assert!(about.contains("codec         lz4, level 9") && about.contains("chunkshape     7  11"), "{about}");
    tests.ok(&["repack", "--sparse", "a.b2nd", "sparse.b2nd"]);
    assert!(tests.path("sparse.b2nd").join("chunks.b2frame").is_file());
    let names = || fs::read_dir(tests.path("sparse.b2nd")).unwrap().count();
    let count = names();
    let mut editor = ArrayEditor::open(tests.path("sparse.b2nd")).unwrap();
    editor.write_slice(&[0..1, 0..1], &ndarray::array![[0]]).unwrap();
    drop(editor);
    tests.write("sparse.b2nd/000000FF.chunk", "of no index");
    assert!(tests.ok(&["repack", "sparse.b2nd"]).starts_with("sparse.b2nd: "));
    assert_eq!((tests.ok(&["cat", "sparse.b2nd"]), names()), (tests.ok(&["cat", "a.b2nd"]), count));
    tests.ok(&["repack", "--contiguous", "sparse.b2nd", "back.b2nd"]);
    assert!(tests.read("back.b2nd") == new);
    tests.write("text", "text");
    assert!(tests.refused(&["repack", "text", "d.b2nd"]).starts_with("text: "));
    assert!(!tests.path("d.b2nd").exists());
}

/// All members of a store, sorted by name.
fn members(tests: &Directory, name: &str) -> Vec<(String, Vec<u8>)> {
    let store = Store::open(tests.path(name)).unwrap();
    let mut names = store.files().unwrap();
    names.sort();
    let bytes = |name: &str| {
        let member = store.member(name).unwrap().unwrap();
        member.read(0..member.len().unwrap()).unwrap().into_owned()
    };
    names.into_iter().map(|name| (name.clone(), bytes(&name))).collect()
}

#[test]
fn an_archive_becomes_a_directory_and_an_archive_again() {
    let tests = Directory::new();
    tests.take("python-blosc2-4.14.1/treestore__dfltb2z.b2z", "a.b2z");
    fs::copy(Place::tables().path("tree.b2z"), tests.path("t.b2z")).unwrap();
    for name in ["a", "t"] {
        let [first, directory, second] = ["", "2", "3"].map(|step| format!("{name}{step}"));
        let [first, directory, second] = [first + ".b2z", directory + ".b2d", second + ".b2z"];
        tests.ok(&["repack", &first, &directory]);
        // A file that is not a frame is copied unchanged.
        tests.write(&format!("{directory}/notes/read.me"), "some notes");
        tests.ok(&["repack", &directory, &second]);
        assert!(members(&tests, &second).contains(&("notes/read.me".to_owned(), b"some notes".to_vec())));
        assert!(members(&tests, &directory) == members(&tests, &second));
        fs::remove_dir_all(tests.path(format!("{directory}/notes"))).unwrap();
        for other in [&directory, &second] {
            let (out, err, _) = tests.run(&["diff", "--data", &first, other]);
            let differs =
                |line: &str| line.contains("values") && !line.contains("it is a table") && !line.ends_with("values: equal");
            assert!(!out.lines().chain(err.lines()).any(differs), "{out}{err}");
        }
        // Repacking in place does not change a store that has no gaps.
        let before = members(&tests, &second);
        tests.ok(&["repack", &second]);
        assert!(members(&tests, &second) == before);
        tests.ok(&["repack", &directory]);
        tests.ok(&["check", "--data", &second, &directory]);
    }
    assert_eq!(tests.ok(&["cat", "a3.b2z::/g0/n0"]), "0\n1\n2\n3\n");
    tests.ok(&["repack", "--codec", "lz4", "--level", "1", "a.b2z", "lz4.b2z"]);
    assert_eq!(tests.ok(&["cat", "lz4.b2z::/ext"]), tests.ok(&["cat", "a.b2z::/ext"]));
    assert!(tests.ok(&["info", "--full", "lz4.b2z::/ext"]).contains("lz4, level 1"));
    let shapes = "a.b2z: it is a store: --chunks and --blocks are only for single arrays";
    tests.fails(&["repack", "--chunks", "3", "a.b2z", "b.b2z"], shapes);
    tests.fails(
        &["repack", "--sparse", "a.b2z", "b.b2z"],
        "a.b2z: it is a store: --sparse and --contiguous are only for single frames; the name of the new store selects an archive (.b2z) \
         or a directory (.b2d)",
    );
    // An error in the source is reported before an error in the target's name.
    tests.write("bad.b2z", b"PK\x03\x04junk");
    tests.fails(&["repack", "bad.b2z", "b.b2d"], "bad.b2z: the zip archive cannot be read: Missing end of central directory");
    let foreign = "a.b2z: b.csv: .csv is the ending of another format: choose a name that ends in .b2z or .b2d";
    tests.fails(&["repack", "a.b2z", "b.csv"], foreign);
    let foreign = "a3.b2z::/g0/n0: b.b2z: .b2z is the ending of another format: choose a name that ends in .b2nd";
    tests.fails(&["repack", "a3.b2z::/g0/n0", "b.b2z"], foreign);
    assert!(tests.names().iter().all(|name| !name.starts_with('.') && !name.contains("members")), "{:?}", tests.names());
}

/// A limit on the size of files simulates a full disk.
#[cfg(unix)]
#[test]
fn a_failure_leaves_what_was_there() {
    let tests = Directory::new();
    tests.write("a.npy", npy("<i4", "(3000,)", &(0..3000).map(|n| n * 40_503).collect::<Vec<i32>>()));
    tests.ok(&["import", "a.npy", "a.b2nd", "--level", "0"]);
    tests.write("store.b2d/x.b2nd", tests.read("a.b2nd"));
    tests.ok(&["repack", "store.b2d", "store.b2z"]);
    tests.ok(&["repack", "--sparse", "a.b2nd", "sparse.b2nd"]);
    let before = tests.contents();
    for args in [
        "a.b2nd",
        "a.b2nd b.b2nd",
        "--sparse a.b2nd b.b2nd",
        "sparse.b2nd",
        "store.b2z",
        "store.b2z new.b2d",
        "store.b2d",
        "store.b2d new.b2z",
    ] {
        let script = format!("trap '' XFSZ; ulimit -f 4; exec \"$B2ND\" repack {args}");
        let mut shell = Command::new("sh");
        let output =
            shell.arg("-c").arg(script).env("B2ND", env!("CARGO_BIN_EXE_b2nd")).current_dir(tests.path("")).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains("File too large") && output.status.code() == Some(1), "{args}: {error}");
        assert!(tests.contents() == before, "{args} left something: {:?}", tests.names());
    }
}

#[test]
fn a_directory_is_never_replaced() {
    let tests = Directory::new();
    tests.take("example.b2nd", "a.b2nd");
    tests.ok(&["repack", "--sparse", "a.b2nd", "new.b2frame"]);
    tests.unpack("tree.b2z", "store.b2d");
    let before = tests.contents();
    for args in ["--sparse a.b2nd new.b2frame", "a.b2nd new.b2frame", "store.b2d new.b2frame", "a.b2nd store.b2d"] {
        let args: Vec<_> = ["repack", "--overwrite"].into_iter().chain(args.split(' ')).collect();
        tests.refused(&args);
        assert!(tests.contents() == before, "{args:?} changed something");
    }
    let said = tests.refused(&["repack", "--overwrite", "--sparse", "a.b2nd", "new.b2frame"]);
    assert_eq!(said, "a.b2nd: new.b2frame: a directory is not replaced: remove it first");
}

#[test]
fn the_input_is_not_replaced() {
    let tests = Directory::new();
    tests.take("example.b2nd", "a.b2nd");
    tests.ok(&["repack", "--sparse", "a.b2nd", "sparse.b2frame"]);
    tests.unpack("tree.b2z", "store.b2d");
    let before = tests.contents();
    for args in [
        "repack --overwrite a.b2nd a.b2nd",
        "repack --overwrite a.b2nd ./a.b2nd",
        "repack --overwrite --sparse sparse.b2frame sparse.b2frame",
        "repack --overwrite --sparse sparse.b2frame/chunks.b2frame sparse.b2frame",
        "repack --overwrite store.b2d store.b2d",
        "export --overwrite --format npy a.b2nd a.b2nd",
        "show a.b2nd --png a.b2nd --overwrite",
        "import --overwrite --dtype |u1 a.b2nd a.b2nd",
    ] {
        let said = tests.refused(&args.split(' ').collect::<Vec<_>>());
        assert!(said.contains("it is the input, or contains it"), "{args}: {said}");
        assert!(tests.contents() == before, "{args} changed something");
    }
}

#[test]
#[cfg(unix)]
fn a_copy_is_as_private_as_its_source() {
    use std::os::unix::fs::PermissionsExt;
    let tests = Directory::new();
    tests.take("example.b2nd", "a.b2nd");
    tests.unpack("tree.b2z", "store.b2d");
    let set = |name: &str, mode| fs::set_permissions(tests.path(name), fs::Permissions::from_mode(mode)).unwrap();
    let mode = |name: &str| fs::metadata(tests.path(name)).unwrap().permissions().mode() & 0o777;
    set("a.b2nd", 0o600);
    set("store.b2d", 0o700);
    for (args, new, expected) in [
        ("repack a.b2nd", "b.b2nd", 0o600),
        ("repack --sparse a.b2nd", "c.b2nd", 0o700),
        ("repack --contiguous c.b2nd", "d.b2nd", 0o600),
        ("salvage a.b2nd", "e.b2nd", 0o600),
        ("repack store.b2d", "f.b2z", 0o600),
        ("repack f.b2z", "g.b2d", 0o700),
        ("repack store.b2d", "h.b2d", 0o700),
    ] {
        let args: Vec<_> = args.split(' ').chain([new]).collect();
        tests.ok(&args);
        assert_eq!(mode(new), expected, "{args:?}");
    }
    // The target keeps the permissions of the file that it replaces.
    for (name, mode) in [("a.b2nd", 0o644), ("store.b2d", 0o755), ("f.b2z", 0o600)] {
        set(name, mode);
    }
    tests.ok(&["repack", "--overwrite", "a.b2nd", "b.b2nd"]);
    tests.ok(&["repack", "--overwrite", "store.b2d", "f.b2z"]);
    assert_eq!(["b.b2nd", "f.b2z"].map(mode), [0o600; 2]);
}

#[test]
fn codecs_and_filters_are_tried_on_a_sample() {
    let (tests, _) = edited();
    let before = tests.contents();
    let out = tests.ok(&["repack", "--try", "a.b2nd"]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "a sample of 3 chunks, 12,000 bytes (11.7 KiB):");
    assert_eq!(lines[1].split_whitespace().collect::<Vec<_>>(), ["codec", "level", "filters", "ratio", "compress", "decompress"]);
    assert_eq!(lines.len(), 2 + 5 * 4, "{out}");
    let ratio = |codec: &str, filter: &str| -> f64 {
        let words = lines.iter().map(|line| line.split_whitespace().collect::<Vec<_>>());
        words.into_iter().find(|words| words[0] == codec && words[2] == filter).unwrap()[3].parse().unwrap()
    };
    assert!(ratio("zstd", "shuffle") > 2.0 && ratio("zstd", "shuffle") > ratio("lz4", "none"), "{out}");
    assert!(tests.contents() == before, "nothing is written");
    assert_eq!(tests.ok(&["repack", "--try", "--codec", "lz4", "--level", "9", "a.b2nd"]).lines().count(), 2 + 4);
    let out = tests.ok(&["repack", "--try", "--filters", "shuffle", "a.b2nd"]);
    assert_eq!(out.lines().skip(2).filter(|line| line.split_whitespace().nth(2) == Some("shuffle")).count(), 5, "{out}");
    assert_eq!(out.lines().count(), 2 + 5, "{out}");
    tests.write("large.npy", npy("<i4", "(5000000,)", &vec![0; 5_000_000]));
    tests.ok(&["import", "--chunks", "5000000", "--codec", "lz4", "large.npy", "large.b2nd"]);
    let out = tests.ok(&["repack", "--try", "--codec", "lz4", "--filters", "none", "large.b2nd"]);
    assert!(out.starts_with("a sample of 1 chunk, 16,777,216 bytes"), "{out}");
}

#[test]
fn filters_are_changed_by_name() {
    let (tests, _) = edited();
    tests.ok(&["repack", "--filters", "shuffle,bytedelta", "a.b2nd", "b.b2nd"]);
    assert_eq!(tests.ok(&["cat", "b.b2nd"]), tests.ok(&["cat", "a.b2nd"]));
    let about = tests.ok(&["info", "--full", "b.b2nd"]);
    assert!(about.contains("  filters       shuffle, bytedelta\n"), "{about}");
    assert!(tests.read("b.b2nd").len() < tests.read("a.b2nd").len());

    let refused = tests.refused(&["repack", "--filters", "delta", "a.b2nd", "c.b2nd"]);
    assert!(refused.ends_with("3.3.5 reads wrong values from slices of arrays with the filter delta: other filters are needed"));
    // The filter delta is refused only for arrays.
    tests.take("python-blosc2-0.6.6/schunk__vlmeta.b2frame", "s.b2frame");
    tests.ok(&["repack", "--filters", "delta,shuffle", "s.b2frame", "d.b2frame"]);
    assert_eq!(tests.ok(&["cat", "d.b2frame"]), tests.ok(&["cat", "s.b2frame"]));
    assert!(tests.ok(&["info", "--full", "d.b2frame"]).contains("  filters       delta, shuffle\n"));
    let (_, error, status) = tests.run(&["repack", "--filters", "deltas", "a.b2nd", "c.b2nd"]);
    assert!(error.contains("expected shuffle, bitshuffle, bytedelta, delta or none") && status == 2, "{error}");
}

#[test]
fn only_members_that_lead_out_of_the_store_are_rejected() {
    let tests = Directory::new();
    tests.write("dot.zip", zip("./one.b2nd", &Place::data().read("example.b2nd")));
    tests.ok(&["repack", "dot.zip", "out.b2d"]);
    assert!(tests.path("out.b2d/one.b2nd").is_file());
    tests.write("up.zip", zip("./a/../../one.b2nd", &Place::data().read("example.b2nd")));
    assert!(tests.refused(&["repack", "up.zip", "up.b2d"]).contains("could name a file outside of the store"));
    assert!(!tests.path("one.b2nd").exists() && !tests.path("up.b2d").exists());
}

#[cfg(unix)]
#[test]
fn members_of_archives_keep_their_names() {
    let tests = Directory::new();
    let frame = Place::data().read("example.b2nd");
    fs::create_dir_all(tests.path("s.b2d/x:y")).unwrap();
    for name in ["a:z", "b:z", "a\\z", "z", "x:y/ä", "µ.z"] {
        tests.write(&format!("s.b2d/{name}.b2nd"), &frame);
    }
    let keys = |store: &str| tests.ok(&["ls", store]).lines().filter_map(|line| line.split_once("::")).count();
    let names = |store: &str| Store::open(tests.path(store)).unwrap().contents().unwrap().0;
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let expected = sorted(names("s.b2d"));
    assert!(tests.refused(&["repack", "s.b2d", "s.b2z"]).contains("cannot zip non-ASCII names with :"));
    fs::rename(tests.path("s.b2d/x:y/ä.b2nd"), tests.path("s.b2d/ä.b2nd")).unwrap();
    assert!(keys("s.b2d") >= 6 && expected.len() == 6);
    tests.ok(&["repack", "s.b2d", "s.b2z"]);
    assert_eq!(sorted(names("s.b2z")), sorted(names("s.b2d")));
    tests.ok(&["repack", "s.b2z"]);
    tests.ok(&["meta", "set", "s.b2z::/z", "unit", "1"]);
    assert_eq!(sorted(names("s.b2z")), sorted(names("s.b2d")));
    assert_eq!(keys("s.b2z"), keys("s.b2d"));
}
