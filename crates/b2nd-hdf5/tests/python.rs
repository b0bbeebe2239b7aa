//! Random slices, compared with h5py. The comparison needs a Python that `B2ND_PYTHON` names (see `../ci`). Without it,
//! the test is skipped, or fails if `CI` is set.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use b2nd_hdf5::File;
use b2nd_store::LocalFile;
use sha2::{Digest, Sha256};

#[test]
fn slices_at_random_are_those_of_h5py() {
    let Some(python) = std::env::var_os("B2ND_PYTHON") else {
        return assert!(std::env::var_os("CI").is_none(), "B2ND_PYTHON names no Python");
    };
    let mut files: Vec<PathBuf> = Vec::new();
    for directory in [Some("tests/data".into()), std::env::var_os("B2ND_HDF5")].into_iter().flatten() {
        files.extend(std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()));
    }
    files.retain(|path| path.extension().is_some_and(|ending| ending == "h5"));
    let output = Command::new(python).args(["-B", "python/slices.py"]).args(&files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (mut arrays, mut same) = (BTreeMap::new(), 0);
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let [file, dataset, ranges, expected] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let array = arrays
            .entry((file.to_owned(), dataset.to_owned()))
            .or_insert_with(|| File::open(Arc::new(LocalFile::open(Path::new(file)).unwrap())).unwrap().array(dataset).unwrap());
        let range = |text: &str| {
            let (start, end) = text.split_once(':').unwrap();
            Range { start: start.parse::<i64>().unwrap(), end: end.parse().unwrap() }
        };
        let bytes = array.read_bytes(&ranges.split(',').map(range).collect::<Vec<_>>());
        let found = Sha256::digest(bytes.unwrap_or_else(|error| panic!("{line}: {error}")));
        assert_eq!(found.iter().map(|byte| format!("{byte:02x}")).collect::<String>(), expected, "{line}");
        same += 1;
    }
    println!("{same} slices of {} files are the same", files.len());
    assert_eq!(same, 200 * files.len());
}
