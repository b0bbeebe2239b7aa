//! The cases in the repository are those that the recipes make.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use b2nd_conformance::{Case, Differ, Layer, Verdict, recipes};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn files(below: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(below).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[test]
fn recipes_make_the_cases_again() {
    let scratch = tempfile::tempdir().unwrap();
    let differences = Differ::read(&here("differences.json")).unwrap();
    for case in recipes::all() {
        case.write(scratch.path(), &differences).unwrap();
    }
    let listed = |below: &Path| -> BTreeSet<PathBuf> {
        files(below).into_iter().map(|path| path.strip_prefix(below).unwrap().to_owned()).collect()
    };
    let (made, kept) = (listed(scratch.path()), listed(&here("cases")));
    assert_eq!(made.symmetric_difference(&kept).collect::<Vec<_>>(), Vec::<&PathBuf>::new());
    for path in made {
        let same = fs::read(scratch.path().join(&path)).unwrap() == fs::read(here("cases").join(&path)).unwrap();
        assert!(same, "{} differs: run `cargo run -p b2nd-conformance -- --make conformance/cases`", path.display());
    }
}

#[test]
fn there_are_many_cases_and_they_are_small() {
    let cases = Case::all(&here("cases")).unwrap();
    assert!(cases.len() >= 500, "{} cases", cases.len());
    let bytes: u64 = files(&here("cases")).iter().map(|path| path.metadata().unwrap().len()).sum();
    assert!(bytes < 3_000_000, "{bytes} bytes");
    for layer in Layer::ALL {
        let of = |accepted: bool| {
            let matching =
                cases.iter().filter(|case| case.layer == layer && matches!(case.verdict, Verdict::Accept(_)) == accepted);
            matching.count()
        };
        assert!(of(true) >= 5 && of(false) >= 5, "{layer}: {} to accept, {} to reject", of(true), of(false));
    }
}

#[test]
fn every_difference_is_about_a_case() {
    let ids: Vec<String> = recipes::all().iter().map(|case| format!("{}/{}", case.layer, case.name)).collect();
    for differ in Differ::read(&here("differences.json")).unwrap() {
        for pattern in &differ.cases {
            let alone = Differ { cases: vec![pattern.clone()], ..differ.clone() };
            assert!(ids.iter().any(|id| alone.matches(id)), "{}: no case is {pattern}", differ.who);
        }
    }
}
