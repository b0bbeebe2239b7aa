//! `b2nd ls`: prints a line for each frame, store and leaf.

use std::fs;

use crate::harness::{Directory, Place, STORE, five_by_seven};

#[test]
fn a_directory_is_listed_with_a_line_each() {
    let tests = five_by_seven();
    tests.take("example.b2nd", "below/s.b2nd");
    tests.take(STORE, "t.b2z");
    tests.write("notes.txt", "no frame");
    let lines = tests.ok(&["ls"]);
    let expected = "a.b2nd  ndarray    <i4  5 x 7  140 bytes  0.2x\nt.b2z   treestore       5 leaves\n";
    assert_eq!(lines, expected);
    assert_eq!(tests.ok(&["ls", "."]), expected);
    assert_eq!(tests.ok(&["."]), expected, "a directory is listed");
    let all = tests.ok(&["ls", "-r"]);
    assert!(
        all.contains("below/s.b2nd  ndarray") && all.contains("10 x 13 x 7   14.2 KiB  3.6x") && all.lines().count() == 3,
        "{all}"
    );
    let leaves = tests.ok(&["ls", "t.b2z"]);
    assert!(leaves.contains("t.b2z::/g0/n0  ndarray    <i8  4        32 bytes  0.5x") && leaves.lines().count() == 6, "{leaves}");
    let tree = tests.ok(&["ls", "--tree", "t.b2z"]);
    assert_eq!(tree, tests.ok(&["info", "--tree", "t.b2z"]));
    tests.take("grid/i4_2d.b2nd", "below/deep/a.b2nd");
    assert!(!tests.ok(&["ls", "--tree"]).contains("deep") && tests.ok(&["ls", "-r", "--tree"]).contains("deep"));
}

#[test]
fn a_directory_without_frames_and_a_file_of_another_format_are_errors() {
    let tests = Directory::new();
    tests.write("notes.txt", "Some text, that is no frame\n");
    assert_eq!(tests.refused(&["ls"]), ".: it has no readable frames or stores (-r also searches its subdirectories)");
    assert_eq!(tests.refused(&["ls", "-r", "."]), ".: it has no readable frames or stores");
    assert_eq!(tests.refused(&["ls", "notes.txt"]), "notes.txt: it is a text file");
    assert!(tests.refused(&["ls", "gone"]).starts_with("gone: "));
    // Lines are printed in batches of a thousand.
    let frame = Place::data().read("grid/i4_2d.b2nd");
    (0..1000).for_each(|nth| tests.write(&format!("{nth}.b2nd"), &frame));
    assert_eq!(tests.ok(&["ls"]).lines().count(), 1000);
}

#[test]
fn files_that_are_named_like_frames_and_are_none_are_not_left_out_in_silence() {
    let tests = five_by_seven();
    tests.write("empty.b2nd", "");
    for args in [&["ls"][..], &["info", "-r", "."], &["ls", "-r"], &["ls", "--tree"]] {
        let (out, err, status) = tests.run(args);
        assert!(out.contains("a.b2nd") && err.trim_start_matches("./") == "empty.b2nd: it is an empty file\n", "{args:?}: {err}");
        assert_eq!(status, 1, "{args:?}");
    }
    if cfg!(feature = "hdf5") {
        for (content, why) in [("", "it is an empty file"), ("no HDF5", "")] {
            fs::write(tests.path("empty.b2nd"), Place::data().read("example.b2nd")).unwrap();
            tests.write("empty.h5", content);
            let (_, err, status) = tests.run(&["ls"]);
            assert!(err.starts_with(&format!("./empty.h5: {why}")) && status == 1, "{err}");
        }
    }
}
