//! Scans of plain http servers, whose directories are pages of links.

use std::collections::BTreeSet;

use serde_json::json;

use crate::files::{archive, ask, frame, program, rows, run};
use crate::server::{Kind, Server};

/// Files in directories, with names that pages must escape.
fn arrays() -> Vec<(String, Vec<u8>)> {
    let names = [
        "0.b2nd",
        "a/1.b2nd",
        "a/b/2.b2nd",
        "c/3&amp.b2nd",
        "c/4%20%C3%A9.b2nd",
        "c/notes.txt",
        "tree.b2d/x.b2nd",
        "tree.b2d/y/z.b2nd",
    ];
    names.iter().zip(1..).map(|(name, length)| ((*name).to_owned(), frame(length))).collect()
}

#[test]
fn a_scan_follows_links_below_the_directory() {
    for kind in [Kind::Pages, Kind::WithoutRanges] {
        let server = Server::of_kind(kind, arrays());
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("out.parquet");
        run(&["scan", &server.url(), "--out", out.to_str().unwrap()]);
        let found =
            ask(&out, "select url, key, shape, error from arrays where shape is not null or error is not null order by url, key");
        let row = |name: &str, length: i64| json!({"url": format!("{}{name}", server.url()), "shape": [length]});
        let leaf = |key: &str, length: i64| json!({"url": format!("{}tree.b2d", server.url()), "key": key, "shape": [length]});
        let expected = [
            row("0.b2nd", 1),
            row("a/1.b2nd", 2),
            row("a/b/2.b2nd", 3),
            row("c/3&amp.b2nd", 4),
            row("c/4%20%C3%A9.b2nd", 5),
            leaf("/x", 7),
            leaf("/y/z", 8),
        ];
        assert_eq!(found, expected);
    }
}

#[test]
fn without_ranges_attributes_come_too() {
    let server = Server::of_kind(Kind::WithoutRanges, [("large.b2nd".to_owned(), frame(4000))]);
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out.parquet");
    run(&["scan", &server.url(), "--attributes", "--index", "--out", out.to_str().unwrap()]);
    let found = ask(&out, "select shape, attributes, nchunks, error from arrays");
    assert_eq!(found, [json!({"shape": [4000], "attributes": "{}", "nchunks": 1000})]);
}

#[test]
fn a_filter_on_url_asks_for_the_pages_below_it_alone() {
    let server = Server::of_kind(Kind::Pages, arrays());
    let query = format!("select shape from b2nd('{0}') where url like '{0}a/%' order by url", server.url());
    assert_eq!(rows(run(&["sql", &query, "--format", "json"])), [json!({"shape": [2]}), json!({"shape": [3]})]);
    let asked: BTreeSet<String> = server.requests().into_keys().collect();
    assert_eq!(asked, ["/a/", "/a/1.b2nd", "/a/b/", "/a/b/2.b2nd"].map(str::to_owned).into());
}

#[test]
fn a_directory_is_one_without_a_final_slash_too() {
    // One sends to the url with a slash, the other answers with a page, and the third lists.
    for kind in [Kind::Pages, Kind::WithoutRanges, Kind::WebDav] {
        let server = Server::of_kind(kind, arrays());
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("out.parquet");
        let scanned = |path: &str| {
            run(&["scan", &format!("{}{path}", server.url()), "--out", out.to_str().unwrap()]);
            ask(&out, "select url, shape, error from arrays order by url")
        };
        let row = |name: &str, length: i64| json!({"url": format!("{}{name}", server.url()), "shape": [length]});
        if kind != Kind::WebDav {
            assert_eq!(scanned("a"), [row("a/1.b2nd", 2), row("a/b/2.b2nd", 3)]);
        }
        assert_eq!(scanned("a/1.b2nd"), [row("a/1.b2nd", 2)]);
    }
}

#[test]
fn passwords_are_used_and_not_shown() {
    for kind in [Kind::WebDav, Kind::Pages, Kind::WithoutRanges] {
        let server = Server::guarded(kind, [("a/1.b2nd".to_owned(), frame(1)), ("a/2.b2z".to_owned(), archive([]))]);
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
        assert!(one.starts_with("1 files read") && one.contains(" 0 with an error"), "{one}");
        assert_eq!(ask(out.as_ref(), urls), expected);
        // Live, with a filter that narrows what is listed.
        for filter in ["true", &format!("url like '{shown}a/%'")] {
            let query = urls.replace("arrays", &format!("b2nd('{secret}')")).replace("where", &format!("where {filter} and"));
            assert_eq!(rows(run(&["sql", &query, "--format", "json"])), expected);
        }
        // A wrong one: what is said of it is said without it.
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
}

#[test]
fn what_is_no_listing_is_said() {
    let server =
        Server::of_kind(Kind::Pages, [("page/".to_owned(), b"<html>Welcome! <a href='/other/'>more</a></html>".to_vec())]);
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out.parquet");
    let said = |path: &str| {
        let url = format!("{}{path}", server.url());
        let _ = std::fs::remove_file(&out);
        let done = program(&["scan", &url, "--out", out.to_str().unwrap()]).output().unwrap();
        assert_eq!(done.status.code(), Some(1), "{path}");
        ask(&out, "select error from arrays")[0]["error"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        said("page/"),
        "cannot be listed: the server does not list this directory: the page has no link to anything in the directory"
    );
    assert!(said("nowhere/page").contains("404"), "{}", said("nowhere/page"));
}
