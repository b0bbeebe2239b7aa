//! Scans of directories, and SQL queries on the catalogues.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::files::{ask, directory, file, frame, program, rows, run};

/// Scans a directory and returns the messages of the program.
#[track_caller]
fn scan(directory: &Path, out: &Path, more: &[&str]) -> String {
    let mut arguments = vec!["scan", directory.to_str().unwrap(), "--out", out.to_str().unwrap()];
    arguments.extend(more);
    String::from_utf8(run(&arguments).stderr).unwrap()
}

#[test]
fn a_row_says_what_the_header_says() {
    let found = directory(3);
    let out = found.path().join("out.parquet");
    scan(found.path(), &out, &[]);
    let row = &ask(&out, "select * from arrays where url like '%/2.b2nd'")[0];
    assert_eq!(row["url"], url::Url::from_file_path(file(&found, 2)).unwrap().as_str());
    let expected = json!({
        "kind": "ndarray", "ndim": 1, "shape": [3], "chunkshape": [4], "blockshape": [2], "dtype": "<f8", "itemsize": 8,
        "nbytes": 32, "codec": "blosclz", "level": 5, "filters": ["shuffle"], "nchunks": 1, "layout": "b2nd", "offset": 0,
        "frame_type": "contiguous", "frame_version": 2, "metalayers": ["b2nd"], "size": frame(3).len(),
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(row[name], *value, "{name}");
    }
    assert!(row.get("error").is_none() && row.get("key").is_none() && row.get("attributes").is_none(), "{row}");
}

#[test]
fn a_bad_file_is_a_row_with_its_error() {
    let found = directory(2);
    let whole = frame(5);
    std::fs::write(file(&found, 7), &whole[..50]).unwrap();
    std::fs::write(file(&found, 8), b"").unwrap();
    std::fs::write(file(&found, 9), b"not a frame, but long enough to be read as one").unwrap();
    std::fs::write(found.path().join("a/notes.txt"), "no array").unwrap();
    let out = found.path().join("out.parquet");
    let said = scan(found.path(), &out, &[]);
    assert!(said.contains("5 files read") && said.contains("rows with an error: 3"), "{said}");
    let bad = ask(&out, "select error from arrays where error is not null order by url");
    let sentences: Vec<_> = bad.iter().map(|row| row["error"].as_str().unwrap()).collect();
    assert!(sentences[0].starts_with("unexpected end of input at byte 50"), "{sentences:?}");
    assert!(sentences[1].starts_with("unexpected end of input at byte 0"), "{sentences:?}");
    assert!(sentences[2].starts_with("not a Blosc2 frame: expected an array"), "{sentences:?}");
    assert_eq!(ask(&out, "select count(*) as n from arrays where kind = 'ndarray'")[0]["n"], 2);
}

#[test]
fn an_update_reads_what_is_new_or_changed_and_drops_what_is_gone() {
    let found = directory(10);
    let out = found.path().join("out.parquet");
    scan(found.path(), &out, &[]);
    std::fs::write(file(&found, 3), frame(50)).unwrap();
    std::fs::remove_file(file(&found, 4)).unwrap();
    std::fs::write(file(&found, 10), frame(60)).unwrap();
    let said = scan(found.path(), &out, &["--update"]);
    assert!(said.contains("2 files read") && said.contains("8 unchanged, 1 gone"), "{said}");
    let shapes = ask(&out, "select count(*) as n, count(distinct url) as urls, sum(shape[1]) as sum from arrays");
    assert_eq!(shapes, [json!({"n": 10, "urls": 10, "sum": 1 + 2 + 3 + 50 + 6 + 7 + 8 + 9 + 10 + 60})]);
    let said = scan(found.path(), &out, &["--update"]);
    assert!(said.contains("0 files read") && said.contains("10 unchanged, 0 gone"), "{said}");
}

#[test]
fn an_update_keeps_what_it_does_not_cover() {
    let (one, other) = (directory(4), directory(3));
    let out = one.path().join("out.parquet");
    scan(one.path(), &out, &[]);
    let said = scan(other.path(), &out, &["--update"]);
    assert!(said.contains("3 files read") && said.contains("0 gone"), "{said}");
    assert_eq!(ask(&out, "select count(*) as n from arrays")[0]["n"], 7);
}

#[test]
fn shards_have_every_file_once_and_the_same_ones_each_time() {
    let found = directory(200);
    let parts = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        for index in 0..3 {
            scan(found.path(), parts.path(), &["--shard", &format!("{index}/3")]);
        }
    }
    let names = std::fs::read_dir(parts.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    assert_eq!(names, ["part-0-of-3.parquet", "part-1-of-3.parquet", "part-2-of-3.parquet"]);
    let counted = ask(parts.path(), "select count(*) as n, count(distinct url) as urls from arrays");
    assert_eq!(counted, [json!({"n": 200, "urls": 200})]);
    let one = ask(&parts.path().join("part-0-of-3.parquet"), "select count(*) as n from arrays")[0]["n"].as_i64().unwrap();
    assert!((20..120).contains(&one), "{one}");
}

#[test]
fn a_live_scan_reads_only_what_filters_admit() {
    let found = directory(5);
    let bad = found.path().join("b");
    std::fs::create_dir(&bad).unwrap();
    std::fs::write(bad.join("bad.b2nd"), "bad").unwrap();
    let ask = |query: &str| rows(run(&["sql", &query.replace("DIR", found.path().to_str().unwrap()), "--format", "json"]));
    assert_eq!(ask("select count(*) as n, sum(shape[1]) as sum from b2nd('DIR')"), [json!({"n": 6, "sum": 15})]);
    assert_eq!(
        ask("select shape from b2nd('DIR') where url like 'file://DIR/a/%' and url like '%/4.b2nd'"),
        [json!({"shape": [5]})]
    );
    assert_eq!(ask("select count(*) as n from b2nd('DIR') where key = '/x'"), [json!({"n": 0})]);
    assert_eq!(ask("select count(*) as n from b2nd('DIR') where error is not null"), [json!({"n": 1})]);
    let plan = ask("explain select shape from b2nd('DIR') where url = 'file://DIR/a/4.b2nd'");
    assert!(plan.iter().any(|row| row.to_string().contains("partial_filters=[b2nd().url = ")), "{plan:?}");
}

#[test]
fn a_result_is_a_table_csv_json_or_parquet() {
    let found = directory(2);
    let out = found.path().join("out.parquet");
    scan(found.path(), &out, &[]);
    let query = "select shape, dtype from arrays order by shape[1]";
    let ask = |more: &[&str]| {
        let arguments = [&["sql", query, "--catalog", out.to_str().unwrap()], more].concat();
        String::from_utf8(run(&arguments).stdout).unwrap()
    };
    assert_eq!(
        ask(&[]),
        "+-------+-------+\n| shape | dtype |\n+-------+-------+\n| [1]   | <f8   |\n| [2]   | <f8   |\n+-------+-------+\n"
    );
    assert_eq!(ask(&["--format", "csv"]), "shape,dtype\n[1],<f8\n[2],<f8\n");
    assert_eq!(ask(&["--format", "json"]), "{\"shape\":[1],\"dtype\":\"<f8\"}\n{\"shape\":[2],\"dtype\":\"<f8\"}\n");
    let result = found.path().join("result.parquet");
    ask(&["--out", result.to_str().unwrap()]);
    assert_eq!(crate::files::ask(&result, "select count(*) as n from arrays")[0]["n"], 2);
}

#[test]
#[cfg(unix)]
fn an_interrupted_scan_leaves_a_catalogue_of_what_is_done() {
    let server =
        crate::server::Server::start((0..4000).map(|number| (format!("{number}.b2nd"), frame(2))), Duration::from_millis(20));
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out.parquet");
    let mut child = program(&["scan", &server.url(), "--jobs", "16", "--out", out.to_str().unwrap()]).spawn().unwrap();
    let started = Instant::now();
    while server.answered() < 400 {
        assert!(started.elapsed() < Duration::from_secs(300), "only {} requests", server.answered());
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let done = &ask(&out, "select count(*) as n, count(distinct url) as urls, count(error) as errors from arrays")[0];
    let number = done["n"].as_i64().unwrap();
    assert!((300..4000).contains(&number) && done["urls"] == number && done["errors"] == 0, "{done}");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    run(&["scan", &server.url(), "--update", "--out", out.to_str().unwrap()]);
    let all = ask(&out, "select count(*) as n, count(distinct url) as urls from arrays");
    assert_eq!(all, [json!({"n": 4000, "urls": 4000})]);
}
