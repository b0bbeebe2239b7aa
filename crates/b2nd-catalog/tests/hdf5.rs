//! HDF5 files have a row for the file and a row for each dataset.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use b2nd_catalog::place::Object;
use b2nd_catalog::read::rows_on_disk;
use b2nd_catalog::row::Extent;
use serde_json::json;

#[test]
fn a_dataset_has_a_row_with_its_shape_dtype_and_codec() {
    let data = Path::new("../b2nd-hdf5/tests/data").canonicalize().unwrap();
    let extent = Extent { attributes: true, ..Extent::default() };
    let rows = |name: &str| {
        let object = Object::of(data.join(name).to_str().unwrap()).unwrap();
        rows_on_disk(&[object], extent)
    };
    let datasets = rows("pytables.h5");
    let keys: Vec<_> = datasets.iter().map(|row| row.key.as_deref()).collect();
    assert_eq!(keys, [None, Some("/flags"), Some("/grid"), Some("/group/events"), Some("/old")]);
    assert!(datasets.iter().all(|row| row.error.is_none()), "{datasets:?}");
    let grid = serde_json::to_value(&datasets[2]).unwrap();
    for (column, expected) in [
        ("kind", json!("ndarray")),
        ("shape", json!([12, 25])),
        ("chunkshape", json!([5, 10])),
        ("dtype", json!("<f8")),
        ("codec", json!("zstd")),
        ("filters", json!(["shuffle"])),
        ("nchunks", json!(9)),
    ] {
        assert_eq!(grid[column], expected, "{column}");
    }
    assert!(datasets[3].units.as_deref() == Some("s"), "{:?}", datasets[3]);

    // A dataset whose dtype has no fixed size has a row with an error.
    let datasets = rows("h5py.h5");
    let row = |key: &str| datasets.iter().find(|row| row.key.as_deref() == Some(key)).unwrap();
    assert_eq!((&row("/cube").shape, &row("/cube").error), (&Some(vec![6, 20, 30]), &None));
    let error = row("/refused/strings").error.as_deref().unwrap();
    assert!(error.contains("strings of variable length"), "{error}");
}
