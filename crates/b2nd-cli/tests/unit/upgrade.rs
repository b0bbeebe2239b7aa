//! Tests that a new frame is rejected if it differs from the old frame in more than the metalayer. Other tests of `b2nd upgrade` are among
//! the tests of the tool.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};

use b2nd::{CatervaMeta, Geometry};
use b2nd_frame::File;

use super::plan::Plan;
use super::work;
use early_frame::early;

#[path = "../tool/early_frame.rs"]
mod early_frame;

const SPARSE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/python-caterva-0.7.0/meta__sframe.catsd");

/// Upgrades a frame, changes a byte of a file in the new one, and compares the two.
#[track_caller]
fn assert_notices(source: &Path, damage: impl Fn(&File) -> (PathBuf, usize), error: &str) {
    let tests = tempfile::tempdir().unwrap();
    let target = tests.path().join("new");
    let old = File::open(source).unwrap();
    let Ok(Plan::Upgrade(upgrade)) = Plan::new(old.header(), Some("<i4")) else { unreachable!("there is much to do") };
    work::run(source, &upgrade, Some(&target), &|_| {}).unwrap();
    let new = File::open(&target).unwrap();
    let compare = |new: &File| {
        let chunks = || work::compare_chunks(old.path(), new.path(), &|_| {});
        work::compare(&old, new, &upgrade, &|_| {}).and_then(|()| chunks()).map_err(|error| error.to_string())
    };
    assert_eq!(compare(&new), Ok(()));

    let (path, position) = damage(&new);
    let mut bytes = fs::read(&path).unwrap();
    bytes[position] ^= 1;
    fs::write(&path, bytes).unwrap();
    assert_eq!(compare(&File::open(&target).unwrap()), Err(error.to_owned()));
}

#[test]
fn a_new_frame_that_differs_is_noticed() {
    let tests = tempfile::tempdir().unwrap();
    let source = tests.path().join("old");
    let geometry = Geometry::new(&[10], &[5], &[5]).unwrap();
    early(&source, "caterva", &b2nd::to_vec(&CatervaMeta { version: 0, geometry }).unwrap());
    let file = |file: &File, position: usize| (file.path().to_owned(), position);
    let header_len = |new: &File| new.header().header_len();
    let data = "the new frame's chunks or index differ from the old one's";
    let header = "the new header differs from the intended one";
    let trailer = "the new trailer differs from the old one";
    assert_notices(&source, |new| file(new, header_len(new) + 40), data);
    assert_notices(&source, |new| file(new, header_len(new) + 52 + 8), data);
    assert_notices(&source, |new| file(new, header_len(new) - 1), header);
    assert_notices(&source, |new| file(new, 0x42), header);
    assert_notices(&source, |new| file(new, usize::try_from(new.header().frame_len()).unwrap() - 26), trailer);
    let chunk = |new: &File| (new.path().with_file_name("00000002.chunk"), 50);
    assert_notices(Path::new(SPARSE), chunk, "the new 00000002.chunk differs from the old one");
}
