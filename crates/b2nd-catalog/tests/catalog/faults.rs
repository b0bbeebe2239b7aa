//! Catalogues after failures of files, disks and processes.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use b2nd_catalog::place::{FilePlace, Member, Object};
use b2nd_catalog::read::{rows, rows_on_disk};
use b2nd_catalog::row::{CatalogRow, Extent};
use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use serde_json::json;

use crate::files::{ask, directory, file, frame, program, run};
use crate::server::Server;

/// Runs the program with limits that the shell sets.
fn limited(limits: &str, arguments: &[&str]) -> Output {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{limits}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_b2nd-catalog")]);
    shell.args(arguments).output().unwrap()
}

#[test]
fn a_killed_scan_leaves_the_catalogue_as_it_was() {
    let found = directory(3);
    let out = found.path().join("out.parquet");
    let out = out.to_str().unwrap();
    run(&["scan", found.path().to_str().unwrap(), "--out", out]);
    let before = std::fs::read(out).unwrap();
    let server = Server::start((0..2000).map(|number| (format!("{number}.b2nd"), frame(2))), Duration::from_millis(20));
    let mut child = program(&["scan", &server.url(), "--jobs", "8", "--update", "--out", out]).spawn().unwrap();
    let started = Instant::now();
    while server.answered() < 200 {
        assert!(started.elapsed() < Duration::from_secs(300), "only {} requests", server.answered());
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(std::fs::read(out).unwrap() == before);
    // The temporary file of the killed scan does not prevent the next scan.
    run(&["scan", found.path().to_str().unwrap(), "--update", "--out", out]);
}

#[test]
fn a_full_disk_is_an_error_and_leaves_the_catalogue_as_it_was() {
    let found = directory(3);
    let out = found.path().join("out.parquet");
    let arguments = ["scan", found.path().to_str().unwrap(), "--out", out.to_str().unwrap()];
    run(&arguments);
    let before = std::fs::read(&out).unwrap();
    std::fs::write(file(&found, 3), frame(4)).unwrap();
    let done = limited("trap '' XFSZ; ulimit -f 0", &arguments);
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("File too large"), "{said}");
    assert!(std::fs::read(&out).unwrap() == before);
    assert_eq!(std::fs::read_dir(found.path()).unwrap().count(), 2, "the unfinished file is deleted");
}

#[test]
fn of_two_updates_of_a_catalogue_the_second_is_refused() {
    let found = directory(3);
    let out = found.path().join("out.parquet");
    let arguments = ["scan", found.path().to_str().unwrap(), "--update", "--out", out.to_str().unwrap()];
    run(&arguments);
    let other = std::fs::File::open(&out).unwrap();
    other.lock().unwrap();
    let done = program(&arguments).output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    let expected = "out.parquet is locked, probably by another scan: wait until it ends\n";
    assert!(!done.status.success() && said.ends_with(expected), "{said}");
    drop(other);
    run(&arguments);
}

#[test]
fn links_are_followed_once_and_those_that_lead_nowhere_are_rows() {
    let found = directory(2);
    let elsewhere = directory(1);
    symlink(found.path(), found.path().join("a/loop")).unwrap();
    symlink("itself.b2nd", found.path().join("itself.b2nd")).unwrap();
    symlink("nowhere", found.path().join("dangling.b2nd")).unwrap();
    symlink("nowhere", found.path().join("dangling.txt")).unwrap();
    symlink(elsewhere.path(), found.path().join("elsewhere")).unwrap();
    let out = found.path().join("out.parquet");
    run(&["scan", found.path().to_str().unwrap(), "--out", out.to_str().unwrap()]);
    let root = url::Url::from_directory_path(found.path()).unwrap();
    let rows = ask(&out, &format!("select replace(url, '{root}', '') as name, error from arrays order by url"));
    let expected = [
        json!({"name": "a/0.b2nd"}),
        json!({"name": "a/1.b2nd"}),
        json!({"name": "dangling.b2nd", "error": "cannot be read: No such file or directory (os error 2)"}),
        json!({"name": "elsewhere/a/0.b2nd"}),
        json!({"name": "itself.b2nd", "error": "cannot be read: Too many levels of symbolic links (os error 40)"}),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_directory_that_cannot_be_listed_is_a_row_and_hides_no_other_change() {
    let found = directory(2);
    let out = found.path().join("out.parquet");
    let arguments = ["scan", found.path().to_str().unwrap(), "--update", "--out", out.to_str().unwrap()];
    run(&arguments);
    std::fs::remove_file(file(&found, 1)).unwrap();
    // Not even root can open a path of more than 4096 bytes.
    let mut deep = openat(CWD, found.path(), OFlags::RDONLY, Mode::empty()).unwrap();
    let name = "d".repeat(250);
    for _ in 0..17 {
        mkdirat(&deep, name.as_str(), Mode::RWXU).unwrap();
        deep = openat(&deep, name.as_str(), OFlags::RDONLY, Mode::empty()).unwrap();
    }
    let done = program(&arguments).output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(said.contains("1 unchanged, 1 gone, new rows with an error: 1\nnot everything could be listed"), "{said}");
    let error = &ask(&out, "select error from arrays where error is not null")[0]["error"];
    let error = error.as_str().unwrap();
    assert!(error.starts_with("cannot be listed: ") && error.contains("File name too long"), "{error}");
    assert_eq!(ask(&out, "select count(*) as n from arrays where error is null")[0]["n"], 1);
}

#[test]
fn a_name_need_not_be_utf8() {
    let found = directory(0);
    std::fs::write(found.path().join(std::ffi::OsStr::from_bytes(b"\xff \n.b2nd")), frame(3)).unwrap();
    let out = found.path().join("out.parquet");
    let arguments = ["scan", found.path().to_str().unwrap(), "--update", "--out", out.to_str().unwrap()];
    run(&arguments);
    assert_eq!(ask(&out, "select right(url, 15) as name, shape from arrays"), [json!({"name": "/%FF%20%0A.b2nd", "shape": [3]})]);
    let said = String::from_utf8(run(&arguments).stderr).unwrap();
    assert!(said.contains("1 unchanged"), "{said}");
}

#[tokio::test]
async fn a_file_that_shrank_or_went_after_it_was_listed_is_a_row_with_an_error() {
    let found = directory(1);
    let server = Server::start([("0.b2nd".to_owned(), frame(1))], Duration::ZERO);
    let listed = |url: &str| Object { size: Some(5000), ..Object::of(url).unwrap() };
    let error = |rows: Vec<CatalogRow>| rows.into_iter().map(|row| row.error.unwrap_or_default()).collect::<Vec<_>>().join(";");
    let on_disk = |object: Object| error(rows_on_disk(&[object], Extent::default()));
    let file = |name: &str| listed(found.path().join(name).to_str().unwrap());
    let member = |name: &str| {
        let member = Member { name: name.into(), size: 5000, etag: None, modified: None };
        Object { members: vec![member], place: FilePlace::Disk(found.path().to_owned()), ..file("x.b2d") }
    };
    let remote = async |name: &str| {
        let object = listed(&format!("{}{name}", server.url()));
        let read = tokio::time::timeout(Duration::from_secs(60), rows(object, Extent::default()));
        error(read.await.expect("it is asked for again and again"))
    };
    // A single file on disk is read with its current length. In a `.b2d`, and on a server, the length in the listing must still be
    // right.
    assert_eq!(on_disk(file("a/0.b2nd")), "");
    let changed = "cannot be read: it was changed after it was listed or opened, or fewer bytes than requested were read";
    assert_eq!(on_disk(member("a/0.b2nd")), format!(";{changed}"));
    assert_eq!(remote("0.b2nd").await, changed);
    assert_eq!(on_disk(member("gone.b2nd")), ";cannot be read: No such file or directory (os error 2)");
    assert_eq!(on_disk(file("gone.b2nd")), "cannot be read: No such file or directory (os error 2)");
    assert_eq!(remote("gone.b2nd").await, "cannot be read: it does not exist");
}

#[test]
fn a_pipe_is_not_waited_for() {
    let found = directory(1);
    let pipe = found.path().join("pipe.b2nd");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let out = found.path().join("out.parquet");
    let mut child = program(&["scan", pipe.to_str().unwrap(), "--out", out.to_str().unwrap()]).spawn().unwrap();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(300) {
            child.kill().unwrap();
            panic!("it waits");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let error = &ask(&out, "select error from arrays")[0]["error"];
    assert!(error.as_str().unwrap().starts_with("unexpected end of input at byte 0"), "{error}");
}

#[test]
fn a_store_may_have_more_files_than_a_process_may_have_open() {
    let found = tempfile::tempdir().unwrap();
    let store = found.path().join("many.b2d");
    std::fs::create_dir(&store).unwrap();
    for number in 0..500 {
        std::fs::write(store.join(format!("{number}.b2nd")), frame(2)).unwrap();
    }
    let out = found.path().join("out.parquet");
    let done = limited("ulimit -n 100", &["scan", found.path().to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let counted = ask(&out, "select count(*) as n, count(key) as leaves, count(error) as errors from arrays");
    assert_eq!(counted, [json!({"n": 501, "leaves": 500, "errors": 0})]);
}
