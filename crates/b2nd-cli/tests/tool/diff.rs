//! `b2nd diff`: files, values, stores, and the exit status.

use std::fs;

use crate::harness::{Directory, STORE, npy};

#[test]
fn diff_ends_as_diff_does() {
    let tests = Directory::with_example();
    tests.take("example.b2nd", "b.b2nd");
    assert_eq!(tests.run(&["diff", "--data", "a.b2nd", "b.b2nd"]), (String::new(), String::new(), 0));
    assert_eq!(tests.run(&["diff", "a.b2nd", "missing.b2nd"]).2, 3);
    assert_eq!(tests.run(&["diff", "a.b2nd"]).2, 2);
    tests.write("one.npy", npy("<i4", "(2, 3)", &[0, 1, 2, 3, 4, 5]));
    tests.write("two.npy", npy("<i4", "(2, 3)", &[0, 1, 2, 3, 9, 9]));
    tests.ok(&["import", "one.npy", "one.b2nd"]);
    tests.ok(&["import", "two.npy", "two.b2nd"]);
    let (out, _, status) = tests.run(&["diff", "--data", "one.b2nd", "two.b2nd"]);
    assert!(out.ends_with("  values: 2 elements differ, the first at [1, 1]\n") && status == 1, "{out}");
    // What has no values differs in what it says.
    tests.ok(&["rewrite", "a.b2nd", "none.b2nd", "--rm", "b2nd", "--rm", "units"]);
    let (out, error, status) = tests.run(&["diff", "--data", "a.b2nd", "none.b2nd"]);
    assert!(out.contains("- metalayers.units: ") && error.starts_with("values: ") && status == 3, "{out}{error}");
}

#[test]
fn stores_are_compared_leaf_by_leaf() {
    let tests = Directory::new();
    tests.take(STORE, "a.b2z");
    tests.take(STORE, "b.b2z");
    assert_eq!(tests.ok(&["diff", "--data", "a.b2z", "b.b2z"]), "");
    fs::create_dir_all(tests.path("c.b2d/g0")).unwrap();
    tests.take("example.b2nd", "c.b2d/g0/n0.b2nd");
    let (out, err, status) = tests.run(&["diff", "--data", "a.b2z", "c.b2d"]);
    assert_eq!((err.as_str(), status), ("", 1));
    assert!(out.contains("\n- /g1/n3: ndarray\n") && out.contains("\n- /g0/n0.array.dtype: \"<i8\"\n"), "{out}");
}
