//! Catalogues and live scans agree with the files, for example if files are cut off or stores have changed. Files that must not be
//! replaced stay.

use std::fs;

use serde_json::json;

use crate::files::{archive, ask, directory, file, frame, program, rows, run};
use crate::server::{Kind, Server};

#[test]
fn a_file_that_is_cut_off_is_no_good_one() {
    let found = directory(2);
    let bytes = fs::read(file(&found, 1)).unwrap();
    fs::write(file(&found, 1), &bytes[..bytes.len() - 1]).unwrap();
    let cut = fs::read(file(&found, 1)).unwrap();
    fs::write(found.path().join("b.b2z"), archive([("x.b2nd".to_owned(), cut)])).unwrap();
    let out = found.path().join("out.parquet");
    run(&["scan", found.path().to_str().unwrap(), "--out", out.to_str().unwrap()]);
    let error = format!("the frame's header says {} bytes, but the file or leaf ends after {}", bytes.len(), bytes.len() - 1);
    let expected =
        [json!({"shape": [1]}), json!({"shape": [2], "error": error}), json!({}), json!({"shape": [2], "error": error})];
    assert_eq!(ask(&out, "select shape, error from arrays order by url, key nulls first"), expected);
}

#[test]
fn a_store_has_changed_where_one_of_its_files_has() {
    let found = tempfile::tempdir().unwrap();
    let store = found.path().join("s.b2d");
    fs::create_dir(&store).unwrap();
    for (name, length) in [("a", 10), ("b", 11)] {
        let path = store.join(name).with_extension("b2nd");
        fs::write(&path, frame(length)).unwrap();
        let time = std::time::SystemTime::now() - std::time::Duration::from_secs(length as u64);
        fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    }
    let out = found.path().join("out.parquet");
    let update = || {
        let done = run(&["scan", found.path().to_str().unwrap(), "--update", "--out", out.to_str().unwrap()]);
        let keys = ask(&out, "select key, shape from arrays where key is not null order by key");
        (String::from_utf8(done.stderr).unwrap().starts_with("1 file read"), json!(keys))
    };
    let keys = |one: &str, first, other: &str, second| json!([{"key": format!("/{one}"), "shape": [first]}, {"key": format!("/{other}"), "shape": [second]}]);
    assert_eq!(update(), (true, keys("a", 10, "b", 11)));
    assert_eq!(update(), (false, keys("a", 10, "b", 11)), "as it was");
    // The sum of the sizes and the newest time stay the same.
    fs::rename(store.join("a.b2nd"), store.join("c.b2nd")).unwrap();
    assert_eq!(update(), (true, keys("b", 11, "c", 10)));
    fs::rename(store.join("b.b2nd"), store.join("a.b2nd")).unwrap();
    fs::rename(store.join("c.b2nd"), store.join("b.b2nd")).unwrap();
    fs::rename(store.join("a.b2nd"), store.join("c.b2nd")).unwrap();
    assert_eq!(update(), (true, keys("b", 10, "c", 11)));
}

#[test]
fn a_store_with_other_times_is_read_again() {
    let server = Server::of_kind(Kind::Touched, [("s.b2d/a.b2nd".to_owned(), frame(1)), ("s.b2d/b.b2nd".to_owned(), frame(2))]);
    let found = tempfile::tempdir().unwrap();
    let out = found.path().join("out.parquet");
    for _ in 0..2 {
        let done = run(&["scan", &server.url(), "--update", "--out", out.to_str().unwrap()]);
        let said = String::from_utf8(done.stderr).unwrap();
        assert!(said.starts_with("1 file read") && said.contains(" 0 unchanged"), "{said}");
    }
    assert_eq!(ask(&out, "select count(*) as n from arrays where key is null"), [json!({"n": 1})]);
}

#[test]
fn what_cannot_be_listed_keeps_its_own_rows_alone() {
    let [one, other] = [directory(2), directory(2)];
    let out = one.path().join("out.parquet");
    let [first, second] = [&one, &other].map(|found| found.path().join("a").to_str().unwrap().to_owned());
    let scan = |arguments: &[&str]| {
        let done = program(&[&["scan", &first, &second, "--out", out.to_str().unwrap()], arguments].concat()).output().unwrap();
        (String::from_utf8(done.stderr).unwrap(), done.status.code())
    };
    scan(&[]);
    fs::remove_file(file(&one, 0)).unwrap();
    fs::rename(&second, format!("{second}.away")).unwrap();
    let (said, status) = scan(&["--update"]);
    assert!(said.contains(" 1 gone,") && status == Some(1), "{said}");
    let good = "select count(*) as n from arrays where error is null";
    assert_eq!(ask(&out, good), [json!({"n": 3})], "one here, and two that could not be looked for");
    // If nothing can be listed, the catalogue is not changed.
    fs::rename(&first, format!("{first}.away")).unwrap();
    let (said, status) = scan(&[]);
    assert!(said.contains("out.parquet was not changed: file:///") && status == Some(1), "{said}");
    assert_eq!(ask(&out, good), [json!({"n": 3})]);
}

#[test]
fn what_is_no_catalogue_is_not_replaced() {
    let found = directory(1);
    let arguments =
        |out: &str| ["scan".to_owned(), found.path().to_str().unwrap().to_owned(), "--out".to_owned(), out.to_owned()];
    let scan = |out: &str| program(&arguments(out).each_ref().map(String::as_str)).output().unwrap();
    let array = file(&found, 0);
    let before = fs::read(&array).unwrap();
    for out in [array.to_str().unwrap(), "/dev/null"] {
        let said = String::from_utf8(scan(out).stderr).unwrap();
        assert_eq!(said, format!("error: {out} is not a Parquet file, so it is not replaced: give another --out\n"));
    }
    assert!(fs::read(&array).unwrap() == before);
    // If the output is a link, its target is replaced.
    let (link, out) = (found.path().join("link.parquet"), found.path().join("out.parquet"));
    fs::write(&out, b"").unwrap();
    std::os::unix::fs::symlink(&out, &link).unwrap();
    assert!(scan(link.to_str().unwrap()).status.success());
    assert!(link.is_symlink() && fs::read(&out).unwrap().starts_with(b"PAR1"));
}

#[test]
fn a_query_that_fails_leaves_the_file_as_it_was() {
    let found = directory(3);
    let [out, result] = ["out.parquet", "result.csv"].map(|name| found.path().join(name));
    run(&["scan", found.path().to_str().unwrap(), "--out", out.to_str().unwrap()]);
    let sql = |query: &str| {
        program(&["sql", query, "--catalog", out.to_str().unwrap(), "--out", result.to_str().unwrap()]).output().unwrap().status
    };
    assert!(sql("select ndim from arrays").success());
    let before = fs::read(&result).unwrap();
    assert_eq!(before, b"ndim\n1\n1\n1\n");
    assert!(!sql("select 1 / (ndim - 1) from arrays").success());
    assert!(fs::read(&result).unwrap() == before);
    let table = run(&["sql", "select chr(27) || 'x' as t", "--catalog", out.to_str().unwrap()]);
    assert!(String::from_utf8(table.stdout).unwrap().contains("\\u{1b}x"));
}

#[test]
fn a_live_scan_gives_no_row_that_does_not_pass() {
    let found = tempfile::tempdir().unwrap();
    fs::create_dir(found.path().join("Upper")).unwrap();
    fs::write(found.path().join("Upper/x.b2nd"), frame(1)).unwrap();
    let url = format!("file://{}/", found.path().canonicalize().unwrap().display());
    let count = |filter: &str| {
        let query = format!("select count(*) as n, count(error) as e from b2nd('{}') where {filter}", found.path().display());
        rows(run(&["sql", &query, "--format", "json"])).remove(0)
    };
    let lower = format!("{url}Upper/x.b2nd").to_lowercase();
    assert_eq!(count(&format!("lower(url) = '{lower}'")), json!({"n": 1, "e": 0}));
    assert_eq!(count(&format!("starts_with(replace(url, 'Upper', 'none'), '{url}none/')")), json!({"n": 1, "e": 0}));
    assert_eq!(count(&format!("url = '{url}none/x.b2nd'")), json!({"n": 0, "e": 0}));
    assert_eq!(count(&format!("url = '{url}Upper/x.b2nd'")), json!({"n": 1, "e": 0}));
}
