//! Grids compared with python-blosc2.
#![cfg(feature = "std")]

use std::fs;
use std::ops::Range;
use std::path::Path;

use b2nd::Geometry;
use serde::Deserialize;
use serde::de::DeserializeOwned;

const REFERENCE: &str = "tests/data/grid";

fn rows<T: DeserializeOwned>(path: impl AsRef<Path>) -> Vec<T> {
    let rows: Vec<T> = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert!(!rows.is_empty());
    rows
}

#[derive(Deserialize)]
struct Reference {
    #[serde(flatten, deserialize_with = "geometry")]
    geometry: Geometry,
    ext_shape: Vec<i64>,
    ext_chunks: Vec<i64>,
    nchunks: u64,
    nitems: i64,
    itemsize: u64,
    schunk_nbytes: u64,
    slices: Vec<Slice>,
}

/// The rows that Python writes have only the lists.
fn geometry<'de, D: serde::Deserializer<'de>>(row: D) -> Result<Geometry, D::Error> {
    #[derive(Deserialize)]
    struct Lists {
        shape: Vec<i64>,
        chunkshape: Vec<i32>,
        blockshape: Vec<i32>,
    }
    let Lists { shape, chunkshape, blockshape } = Lists::deserialize(row)?;
    Geometry::new(&shape, &chunkshape, &blockshape).map_err(serde::de::Error::custom)
}

#[derive(Deserialize)]
struct Slice {
    slice: Vec<(i64, i64)>,
    chunks: Vec<u64>,
}

#[test]
fn grids_are_those_of_python_blosc2() {
    let mut slices = 0;
    for row in rows::<Reference>(format!("{REFERENCE}/grids.json")) {
        let case = row.geometry;
        let grid = case.grid().unwrap();
        assert_eq!(grid.extshape(), row.ext_shape, "{case:?}");
        assert_eq!(grid.extchunkshape(), row.ext_chunks, "{case:?}");
        assert_eq!((grid.nchunks(), grid.nitems()), (row.nchunks, row.nitems), "{case:?}");
        assert_eq!(grid.nchunks() * grid.extchunknitems() as u64 * row.itemsize, row.schunk_nbytes, "{case:?}");
        for Slice { slice, chunks } in row.slices {
            let ranges: Vec<Range<i64>> = slice.iter().map(|&(start, stop)| start..stop).collect();
            let found = grid.chunks_in(&ranges).unwrap();
            assert_eq!(found.len(), chunks.len(), "{case:?}: {slice:?}");
            assert_eq!(found.collect::<Vec<_>>(), chunks, "{case:?}: {slice:?}");
            slices += 1;
        }
    }
    assert_ne!(slices, 0);
    println!("{slices} slices");
}

#[derive(Deserialize)]
struct Limit {
    #[serde(flatten, deserialize_with = "geometry")]
    geometry: Geometry,
    opens: bool,
    #[serde(default)]
    ext_shape: Vec<i64>,
    #[serde(default)]
    ext_chunks: Vec<i64>,
    #[serde(default)]
    nitems: i64,
}

#[test]
fn grids_overflow_where_c_blosc2_refuses_to_open() {
    let (mut opened, mut refused) = (0, 0);
    for row in rows::<Limit>(format!("{REFERENCE}/limits.json")) {
        match row.geometry.grid() {
            Ok(grid) => {
                assert!(row.opens, "{:?}", row.geometry);
                assert_eq!(grid.extshape(), row.ext_shape, "{:?}", row.geometry);
                assert_eq!(grid.extchunkshape(), row.ext_chunks, "{:?}", row.geometry);
                assert_eq!(grid.nitems(), row.nitems, "{:?}", row.geometry);
                opened += 1;
            }
            Err(error) => {
                assert!(!row.opens, "{error}");
                refused += 1;
            }
        }
    }
    assert!(opened != 0 && refused != 0);
    println!("{opened} opened, {refused} refused");
}
