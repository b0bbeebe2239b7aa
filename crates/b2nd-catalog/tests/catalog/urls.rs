//! Scans of web servers: directories that a server lists, and lists of URLs.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::files::{archive, ask, frame, program, rows, run};
use crate::server::{Kind, Server};

/// Files in directories. Some names must be escaped in URLs.
fn arrays() -> Vec<(String, Vec<u8>)> {
    let names = ["0.b2nd", "a/1.b2nd", "a/b/2.b2nd", "c/3&amp.b2nd", "c/4%20%C3%A9.b2nd", "c/notes.txt"];
    names.iter().zip(1..).map(|(name, length)| ((*name).to_owned(), frame(length))).collect()
}

/// Scans these paths of a server. Returns the rows of the catalogue.
fn scanned(server: &Server, paths: &[&str]) -> Vec<Value> {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out.parquet");
    let urls: Vec<_> = paths.iter().map(|path| format!("{}{path}", server.url())).collect();
    let urls = urls.iter().map(String::as_str);
    run(&["scan", "--out", out.to_str().unwrap()].into_iter().chain(urls).collect::<Vec<_>>());
    let query = "select replace(url, '{}', '') as name, shape[1] as n, error from arrays order by url";
    ask(&out, &query.replace("{}", &server.url()))
}

#[test]
fn a_list_of_urls_needs_no_listing() {
    for kind in [Kind::Plain, Kind::WithoutRanges] {
        let server = Server::of_kind(kind, arrays());
        let found = scanned(&server, &["c/4%20%C3%A9.b2nd", "a/1.b2nd", "c/3&amp.b2nd", "0.b2nd"]);
        let row = |name: &str, length: i64| json!({"name": name, "n": length});
        assert_eq!(found, [row("0.b2nd", 1), row("a/1.b2nd", 2), row("c/3&amp.b2nd", 4), row("c/4%20%C3%A9.b2nd", 5)]);
    }
}

#[test]
fn without_ranges_attributes_come_too() {
    let server = Server::of_kind(Kind::WithoutRanges, [("large.b2nd".to_owned(), frame(4000))]);
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out.parquet");
    let url = format!("{}large.b2nd", server.url());
    run(&["scan", &url, "--attributes", "--index", "--out", out.to_str().unwrap()]);
    let found = ask(&out, "select shape, attributes, nchunks, error from arrays");
    assert_eq!(found, [json!({"shape": [4000], "attributes": "{}", "nchunks": 1000})]);
}

#[test]
fn a_filter_on_url_asks_for_the_directory_below_it_alone() {
    let server = Server::of_kind(Kind::WebDav, arrays());
    let query = format!("select shape from b2nd('{0}') where url like '{0}a/%' order by url", server.url());
    assert_eq!(rows(run(&["sql", &query, "--format", "json"])), [json!({"shape": [2]}), json!({"shape": [3]})]);
    let asked: BTreeSet<String> = server.requests().into_keys().map(|path| path.trim_end_matches('/').to_owned()).collect();
    assert_eq!(asked, ["/a", "/a/1.b2nd", "/a/b/2.b2nd"].map(str::to_owned).into());
}

#[test]
fn a_directory_is_one_without_a_final_slash_too() {
    let server = Server::of_kind(Kind::WebDav, arrays());
    let (one, other) = (json!({"name": "a/1.b2nd", "n": 2}), json!({"name": "a/b/2.b2nd", "n": 3}));
    assert_eq!(scanned(&server, &["a"]), [one.clone(), other.clone()]);
    assert_eq!(scanned(&server, &["a/"]), [one.clone(), other]);
    assert_eq!(scanned(&server, &["a/1.b2nd"]), [one]);
}

#[test]
fn passwords_are_used_and_not_shown() {
    let server = Server::guarded([("a/1.b2nd".to_owned(), frame(1)), ("a/2.b2z".to_owned(), archive([]))]);
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out.parquet");
    let out = out.to_str().unwrap();
    let shown = server.url();
    let with = |user: &str| shown.replace("http://", &format!("http://{user}@"));
    let secret = with("me:se%40cret");
    let all = |done: std::process::Output| {
        let said = [done.stdout, done.stderr].map(|said| String::from_utf8(said).unwrap()).concat();
        assert!(!["me:", "cret", "other"].iter().any(|word| said.contains(word)), "{said}");
        said
    };
    all(run(&["scan", &secret, "--out", out]));
    let urls = "select url, ndim, error from arrays where url like '%.b2nd' order by url";
    let expected = [json!({"url": format!("{shown}a/1.b2nd"), "ndim": 1})];
    assert_eq!(ask(out.as_ref(), urls), expected, "{}", all(run(&["sql", "select * from arrays", "--catalog", out])));
    let said = all(run(&["scan", &secret, "--update", "--out", out]));
    assert!(said.contains(" 0 gone, "), "{said}");
    let one = all(run(&["scan", &format!("{secret}a/1.b2nd"), "--out", out]));
    assert!(one.starts_with("1 file read") && one.contains("rows with an error: 0"), "{one}");
    assert_eq!(ask(out.as_ref(), urls), expected);
    // The server is queried directly, without and with a filter that reduces the listing.
    for filter in ["true", &format!("url like '{shown}a/%'")] {
        let query = urls.replace("arrays", &format!("b2nd('{secret}')")).replace("where", &format!("where {filter} and"));
        assert_eq!(rows(run(&["sql", &query, "--format", "json"])), expected);
    }
    // With a wrong user or password, the messages contain neither.
    for wrong in ["other:cret", "me:"] {
        let done = program(&["scan", &with(wrong), "--out", out]).output().unwrap();
        assert_eq!(done.status.code(), Some(1));
        let said = all(done);
        assert!(said.contains("out.parquet was not changed: ") && said.contains(" cannot be listed: "), "{said}");
        assert_eq!(ask(out.as_ref(), urls), expected);
        let live = format!("select url, error from b2nd('{}')", with(wrong));
        assert!(all(run(&["sql", &live])).contains("cannot be listed: "));
    }
    for url in ["http://me:cret/@127.0.0.1:99999/", "http://me:cret@127.0.0.1:99999/", "http://me:cret@127.0.0.1:1/a?x=1"] {
        let done = program(&["scan", url, "--out", out]).output().unwrap();
        assert_eq!(done.status.code(), Some(1));
        all(done);
        all(program(&["sql", "select 1", "--catalog", url]).output().unwrap());
    }
}

#[test]
fn a_directory_that_cannot_be_listed_is_a_row_with_the_reason() {
    let said = |kind, path: &str| {
        let server = Server::of_kind(kind, arrays());
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("out.parquet");
        let url = format!("{}{path}", server.url());
        let done = program(&["scan", &url, "--out", out.to_str().unwrap()]).output().unwrap();
        assert_eq!(done.status.code(), Some(1), "{path}");
        ask(&out, "select error from arrays")[0]["error"].as_str().unwrap().to_owned()
    };
    let expected = "cannot be listed: there is no file, and the server does not list directories by WebDAV: check the URL, or scan URLs of files";
    for kind in [Kind::Plain, Kind::WithoutRanges] {
        assert_eq!((said(kind, "a/").as_str(), said(kind, "a").as_str()), (expected, expected));
    }
    let expected = "cannot be listed: there is no file, and listing a directory by WebDAV failed: 404 Not Found";
    assert_eq!(said(Kind::WebDav, "nowhere/"), expected);
}
