//! Compares all elements of the datasets with digests of what h5py or PyTables reads. `tests/data/recipes/make.py` writes the files
//! in `tests/data`. If `B2ND_HDF5` names a directory with a `truth.json`, its files are compared too.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use b2nd::dtype::DType;
use b2nd_hdf5::File;
use b2nd_ndarray::Array;
use b2nd_store::LocalFile;
use serde_json::Value;
use sha2::{Digest, Sha256};

fn open(path: &Path) -> File {
    File::open(Arc::new(LocalFile::open(path).unwrap())).unwrap()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn read(array: &Array) -> b2nd_ndarray::Result<Vec<u8>> {
    array.read_bytes(&array.whole())
}

#[test]
fn every_dataset_has_the_shape_dtype_and_values_that_h5py_reads() {
    let directory = Path::new("tests/data");
    let expected = std::fs::read_to_string(directory.join("values.json")).unwrap();
    let expected: BTreeMap<String, Value> = serde_json::from_str(&expected).unwrap();
    assert_eq!(expected.len(), 43);
    for (name, expected) in expected {
        let (file, path) = name.split_once("::").unwrap();
        let array = open(&directory.join(file)).array(path).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(serde_json::json!(array.geometry().shape()), expected["shape"], "{name}");
        assert_eq!(array.dtype().map(DType::to_string).as_deref(), expected["dtype"].as_str(), "{name}");
        let bytes = read(&array).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(sha256(&bytes), expected["sha256"], "{name}");
    }
}

/// The digests in `truth.json` are of little-endian elements.
#[test]
fn every_dataset_of_the_corpus_has_the_values_that_h5py_reads() {
    let Some(directory) = std::env::var_os("B2ND_HDF5") else {
        return println!("B2ND_HDF5 names no directory: only tests/data is tested");
    };
    let directory = Path::new(&directory);
    let truth: BTreeMap<String, Value> =
        serde_json::from_str(&std::fs::read_to_string(directory.join("truth.json")).unwrap()).unwrap();
    for (name, truth) in &truth {
        let (file, path) = name.split_once("::").unwrap();
        let array = open(&directory.join(file)).array(path).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(serde_json::json!(array.geometry().shape()), truth["shape"], "{name}");
        let mut bytes = read(&array).unwrap_or_else(|error| panic!("{name}: {error}"));
        let dtype = array.dtype().unwrap().to_string();
        if dtype.starts_with('>') {
            bytes.chunks_exact_mut(array.itemsize()).for_each(<[u8]>::reverse);
        }
        // The digests are from PyTables, which reads complex numbers and booleans as such, and have its dtype.
        let expected = truth["dtype"].as_str().unwrap();
        assert!(dtype == expected || expected.starts_with('['), "{name}: {dtype}, not {expected}");
        assert_eq!(sha256(&bytes), truth["sha256"], "{name}");
    }
    println!("{} datasets are the same", truth.len());
    assert!(truth.len() > 100);
}
