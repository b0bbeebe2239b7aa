//! Scans over HTTP: the number of requests, and the handling of faults.

use std::time::Duration;

use serde_json::json;

use crate::files::{archive, ask, frame, rows, run};
use crate::server::Server;

fn arrays(count: i64) -> impl Iterator<Item = (String, Vec<u8>)> {
    (0..count).map(|number| (format!("{number}.b2nd"), frame(number % 100 + 1)))
}

#[test]
fn of_faults_nothing_is_lost_and_nothing_comes_twice() {
    let server = Server::failing(arrays(500));
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out.parquet");
    run(&["scan", &server.url(), "--out", out.to_str().unwrap()]);
    assert_eq!(server.faulted(), 400);
    let counted =
        ask(&out, "select count(*) as n, count(distinct url) as urls, count(error) as errors, sum(shape[1]) as sum from arrays");
    assert_eq!(counted, [json!({"n": 500, "urls": 500, "errors": 0, "sum": 5 * 5050})]);
}

#[test]
fn a_file_takes_one_request_and_its_attributes_another() {
    let large = frame(4000);
    let server = Server::start([("large.b2nd".to_owned(), large.clone()), ("small.b2nd".to_owned(), frame(1))], Duration::ZERO);
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out.parquet");
    let scan = |more: &[&str]| {
        let url = server.url();
        run(&[&["scan", url.as_str(), "--out", out.to_str().unwrap()], more].concat());
    };
    scan(&[]);
    assert_eq!(server.requests()["/large.b2nd"], vec![0..4096; 1]);
    scan(&["--attributes", "--index"]);
    assert_eq!(server.requests()["/large.b2nd"], [0..4096, 0..4096, large.len().saturating_sub(1 << 15)..large.len()]);
    assert_eq!(server.requests()["/small.b2nd"].len(), 2);
    let attributes = ask(&out, "select attributes from arrays");
    assert_eq!(attributes, [json!({"attributes": "{}"}), json!({"attributes": "{}"})]);
}

/// A `.b2z` in which some arrays are far apart and others are next to each other, and a `.b2d` with the same arrays.
#[test]
fn the_members_of_a_store_are_asked_for_together() {
    const MEMBERS: i64 = 300;
    // A chunk of four elements has 64 bytes, so some members take 100 KB and others a few KB.
    let length = |number: i64| if number < 100 { 6000 + number } else { number };
    let members = || (0..MEMBERS).map(|number| (format!("{number}.b2nd"), frame(length(number))));
    let store = members().map(|(name, content)| (format!("tree.b2d/{name}"), content));
    let files = store.chain([("large.b2z".to_owned(), archive(members()))]);
    // The server is so slow that even a busy machine sends all requests that it may send before the first response.
    let server = Server::start(files, Duration::from_millis(300));
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out.parquet");
    run(&["scan", &server.url(), "--out", out.to_str().unwrap()]);
    let sum: i64 = (0..MEMBERS).map(length).sum();
    for store in ["large.b2z", "tree.b2d"] {
        let query = format!(
            "select count(key) as n, sum(shape[1]) as sum, count(error) as errors from arrays where url like '%/{store}'"
        );
        assert_eq!(ask(&out, &query), [json!({"n": MEMBERS, "sum": sum, "errors": 0})], "{store}");
    }
    assert!(server.most_in_flight() >= 64, "{}", server.most_in_flight());
    let requests = server.requests();
    let of_archive = &requests["/large.b2z"];
    assert!(of_archive.len() < 120, "{}", of_archive.len());
    assert!(of_archive.iter().map(ExactSizeIterator::len).sum::<usize>() < 2_000_000);
    assert!((0..MEMBERS).all(|number| requests[&format!("/tree.b2d/{number}.b2nd")].len() == 1));
}

#[test]
fn filters_on_url_spare_requests() {
    let server = Server::start(arrays(50), Duration::ZERO);
    let query = format!("select shape from b2nd('{0}') where url in ('{0}7.b2nd', '{0}8.b2nd') order by url", server.url());
    assert_eq!(rows(run(&["sql", &query, "--format", "json"])), [json!({"shape": [8]}), json!({"shape": [9]})]);
    assert_eq!(server.answered(), 2);
}

#[test]
fn as_many_requests_are_in_flight_as_there_are_jobs() {
    const JOBS: u64 = 64;
    // The server is so slow that most of the requests that may be in flight are sent before the first response.
    let server = Server::start(arrays(640), Duration::from_millis(300));
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out.parquet");
    run(&["scan", &server.url(), "--jobs", &JOBS.to_string(), "--out", out.to_str().unwrap()]);
    assert_eq!(server.answered(), 640);
    let most = server.most_in_flight();
    assert!((JOBS / 2..=JOBS).contains(&most), "{most}");
}
