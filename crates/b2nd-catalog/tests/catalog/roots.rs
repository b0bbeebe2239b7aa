//! Directories that a scan might list twice or only in part.

use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use crate::files::{archive, ask, directory, frame, program, run};

/// Scans these roots. Returns the URLs in the catalogue relative to `below`, with their keys and errors.
#[track_caller]
fn scanned(roots: &[&Path], below: &Path) -> Vec<Value> {
    let out = tempfile::tempdir().unwrap();
    let out = out.path().join("out.parquet");
    let mut arguments = vec!["scan"];
    arguments.extend(roots.iter().map(|root| root.to_str().unwrap()));
    arguments.extend(["--out", out.to_str().unwrap()]);
    run_whatever(&arguments);
    let below = url::Url::from_directory_path(below).unwrap();
    ask(&out, &format!("select replace(url, '{below}', '') as name, key, error from arrays order by url, key"))
}

/// Runs the program, whose status is 1 if something could not be listed.
fn run_whatever(arguments: &[&str]) {
    let output = program(arguments).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_root_below_another_and_a_link_to_a_directory_above_count_once() {
    let found = directory(2);
    let a = found.path().join("a");
    assert_eq!(
        scanned(&[found.path(), &a, found.path()], found.path()),
        [json!({"name": "a/0.b2nd"}), json!({"name": "a/1.b2nd"})]
    );
    // The link `a/up` leads to the parent directory, which contains `a` again.
    std::fs::write(found.path().join("top.b2nd"), frame(1)).unwrap();
    symlink("..", a.join("up")).unwrap();
    assert_eq!(scanned(&[&a], found.path()), [json!({"name": "a/0.b2nd"}), json!({"name": "a/1.b2nd"})]);
}

#[test]
fn a_part_of_a_store_is_not_scanned_without_the_store() {
    let found = tempfile::tempdir().unwrap();
    let store = found.path().join("s.b2d");
    std::fs::create_dir_all(store.join("deep")).unwrap();
    std::fs::write(store.join("deep/x.b2nd"), frame(1)).unwrap();
    let url = url::Url::from_file_path(&store).unwrap();
    for part in ["deep", "deep/x.b2nd"] {
        let expected = json!({
            "name": format!("s.b2d/{part}"),
            "error": format!("cannot be listed: a directory whose name ends in .b2d can only be scanned as a whole: scan {url}"),
        });
        assert_eq!(scanned(&[&store.join(part)], found.path()), [expected]);
    }
}

#[test]
fn a_directory_or_archive_named_like_a_store_that_is_none_has_no_kind() {
    let found = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(found.path().join("frames.b2d")).unwrap();
    std::fs::write(found.path().join("frames.b2d/x.b2nd"), frame(1)).unwrap();
    std::fs::write(found.path().join("frames.b2z"), archive([("x.b2nd".to_owned(), frame(1))])).unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/python-blosc2-4.14.1/treestore__dfltb2z.b2z");
    std::fs::copy(data, found.path().join("store.b2z")).unwrap();
    let out = found.path().join("out.parquet");
    run(&["scan", found.path().to_str().unwrap(), "--out", out.to_str().unwrap()]);
    let rows = ask(&out, "select kind, count(*) as n from arrays where key is null group by kind order by kind");
    assert_eq!(rows, [json!({"kind": "treestore", "n": 1}), json!({"n": 2})]);
}

#[test]
fn parts_of_two_sizes_do_not_stand_beside_each_other() {
    let found = directory(2);
    let parts = tempfile::tempdir().unwrap();
    let arguments = |shard| ["scan", found.path().to_str().unwrap(), "--out", parts.path().to_str().unwrap(), "--shard", shard];
    run(&arguments("0/2"));
    let refused = program(&arguments("0/3")).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("contains part-0-of-2.parquet") && said.contains("may be counted twice"), "{said}");
    assert_eq!(std::fs::read_dir(parts.path()).unwrap().count(), 1);
}
