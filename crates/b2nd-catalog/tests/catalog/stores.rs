//! Stores with many leaves, which are read in several parts.

use std::time::{Duration, Instant};

use b2nd_catalog::listing::{Names, list};
use b2nd_catalog::row::{CatalogRow, Extent};
use b2nd_catalog::scan::{ReadOptions, scan};
use futures::StreamExt;
use serde_json::json;

use crate::files::{archive, ask, frame, program, run};
use crate::server::{Kind, Server};

/// More members than are read at the same time.
const MEMBERS: usize = 2 * 2048 + 500;

fn members() -> impl Iterator<Item = (String, Vec<u8>)> {
    let frame = frame(3);
    (0..MEMBERS).map(move |number| (format!("g/{number:05}.b2nd"), frame.clone()))
}

/// Scans a store and checks its rows and their order.
async fn check(root: &str, name: &str) {
    let options = ReadOptions { extent: Extent::default(), jobs: None };
    let files: Vec<Vec<CatalogRow>> = scan(list(root, Names::default()).await, options).map(Result::unwrap).collect().await;
    let [rows] = files.as_slice() else { panic!("{name}: {} files", files.len()) };
    let expected = (0..MEMBERS).map(|number| Some(format!("/g/{number:05}")));
    assert!(std::iter::once(None).chain(expected).eq(rows.iter().map(|row| row.key.clone())), "{name}");
    assert!(rows.iter().all(|row| row.url.ends_with(name) && row.error.is_none()), "{name}");
    assert!(rows.iter().skip(1).all(|row| row.shape == Some(vec![3])), "{name}");
}

#[tokio::test]
async fn rows_of_a_large_store_are_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let root = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    std::fs::create_dir_all(directory.path().join("many.b2d/g")).unwrap();
    for (name, content) in members() {
        std::fs::write(directory.path().join("many.b2d").join(name), content).unwrap();
    }
    std::fs::write(root("many.b2z"), archive(members())).unwrap();
    for name in ["many.b2d", "many.b2z"] {
        check(&root(name), name).await;
    }
    let store = members().map(|(name, content)| (format!("many.b2d/{name}"), content));
    let server = Server::start(store.chain([("many.b2z".to_owned(), archive(members()))]), Duration::ZERO);
    for name in ["many.b2d", "many.b2z"] {
        check(&format!("{}{name}", server.url()), name).await;
    }
    // Later rows do not request the whole archive again.
    let requests = &server.requests()["/many.b2z"];
    assert!(requests.iter().map(ExactSizeIterator::len).sum::<usize>() < 2 * archive(members()).len(), "{requests:?}");
    assert!(requests.len() < 60, "{}", requests.len());
}

#[test]
fn an_interrupted_scan_leaves_all_rows_of_a_store_or_none() {
    let store = members().map(|(name, content)| (format!("many.b2d/{name}"), content));
    // Each listing has new times, so each scan reads the files again.
    let server = Server::of_kind(Kind::Touched, store.chain([("one.b2nd".to_owned(), frame(2))]));
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out.parquet");
    let url = server.url();
    let scan = ["scan", &url, "--update", "--out", out.to_str().unwrap()];
    let rows = || {
        let query = "select count(*) as n, count(distinct key) as leaves from arrays where url like '%/many.b2d'";
        ask(&out, query)
    };
    let interrupt = || {
        let before = server.answered();
        let mut child = program(&scan).spawn().unwrap();
        let started = Instant::now();
        while server.answered() < before + (MEMBERS - 300) as u64 {
            assert!(started.elapsed() < Duration::from_secs(300), "only {} requests", server.answered() - before);
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130));
    };
    interrupt();
    assert_eq!(rows(), [json!({"n": 0, "leaves": 0})]);
    run(&scan);
    assert_eq!(rows(), [json!({"n": MEMBERS + 1, "leaves": MEMBERS})]);
    interrupt();
    assert_eq!(rows(), [json!({"n": MEMBERS + 1, "leaves": MEMBERS})]);
}
