//! Arrays in stores of python-blosc2 are opened by key.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::path::Path;
use std::sync::Arc;

use b2nd_ndarray::{Array, Options, to_frame};

const TREE: &str = "../../tests/data/python-blosc2-4.14.1/treestore__dfltb2z.b2z";

#[test]
fn a_key_of_an_archive_is_the_array_at_its_offset() {
    // values.tsv has hashes for these offsets.
    for (key, offset) in [("/g0/n0", 40), ("/g1/n3", 365), ("g0/n2", 689), ("/g1/n1", 1012), ("/ext", 1332)] {
        let member = Array::from_store(TREE, key).unwrap();
        let beside = Array::from_source(Arc::new(std::fs::File::open(TREE).unwrap()), offset).unwrap();
        assert_eq!(member.geometry(), beside.geometry());
        assert_eq!(member.read_bytes(&member.whole()).unwrap(), beside.read_bytes(&beside.whole()).unwrap(), "{key}");
    }
}

#[test]
fn a_key_of_a_directory_is_a_file_in_it() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("group")).unwrap();
    let values = ndarray::array![1_u16, 2, 3];
    b2nd_ndarray::write(directory.path().join("group/x.b2nd"), &values, &Options::default()).unwrap();
    let array = Array::from_store(directory.path(), "/group/x").unwrap();
    assert_eq!(array.read::<u16>(&array.whole()).unwrap(), values.into_dyn());
    let out = Array::from_store(directory.path().join("group"), "/../group/x").unwrap_err().to_string();
    assert!(out.ends_with("it has no leaf /../group/x; its leaf is /x"), "{out}");
}

#[test]
fn a_key_that_is_not_there_and_an_archive_that_is_none() {
    let sentence = |path: &Path, key: &str| Array::from_store(path, key).unwrap_err().to_string();
    assert_eq!(
        sentence(Path::new(TREE), "/g1/n9"),
        format!("{TREE}: it has no leaf /g1/n9; its leaves are /ext, /g0/n0, /g0/n2, /g1/n1, /g1/n3")
    );
    assert!(sentence(Path::new("../../tests/data/example.b2nd"), "/x").starts_with("../../tests/data/example.b2nd: "));
    assert!(sentence(Path::new("nowhere.b2z"), "/x").starts_with("nowhere.b2z: No such file"));
}

/// If the header of a frame states a length greater than that of the member, the bytes after the member must not be read.
#[test]
fn a_frame_longer_than_its_member() {
    let mut archive = std::fs::read(TREE).unwrap();
    let frame = to_frame(&ndarray::arr1(&[1_u8; 500]), &Options { level: 0, ..Options::default() }).unwrap();
    assert!(frame.len() > 285, "longer than the member g0/n0.b2nd");
    archive[40..40 + frame.len()].copy_from_slice(&frame);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("long.b2z");
    std::fs::write(&path, archive).unwrap();
    let error = Array::from_store(&path, "/g0/n0").unwrap_err().to_string();
    assert!(error.contains(&format!("says {} bytes, but the leaf has 285", frame.len())), "{error}");
}
