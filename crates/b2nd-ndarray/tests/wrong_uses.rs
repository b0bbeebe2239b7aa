//! Wrong uses are errors and leave no file. The same elements give the same file for any number of threads.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::io::Read as _;
use std::path::Path;

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{ErrorKind, File};
use b2nd_ndarray::{Array, Error, Options, write, write_bytes, write_from, write_slabs};
use common::whole;
use ndarray::{Array1, Array2, ArrayD, Axis, array};

mod common;

fn meta() -> B2ndMeta {
    B2ndMeta::new(Geometry::new(&[10, 3], &[4, 3], &[2, 3]).unwrap(), "<i4")
}

#[track_caller]
fn refused(path: &Path, result: Result<(), Error>, expected: &str) {
    assert_eq!(result.unwrap_err().to_string(), format!("{}: {expected}", path.display()));
    assert!(!path.exists(), "no file is left");
}

#[test]
fn a_reader_with_more_or_fewer_bytes_than_the_array_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.b2nd");
    let written = |length: u64| write_from(&path, &meta(), std::io::repeat(1).take(length), &Options::default());
    refused(&path, written(121), "expected 120 bytes, found more");
    refused(&path, written(u64::MAX), "expected 120 bytes, found more");
    refused(&path, written(119), "expected 120 bytes, found 119");
    refused(&path, written(0), "expected 120 bytes, found 0");
    refused(&path, write_bytes(&path, &meta(), &[0; 119], &Options::default()), "expected 120 bytes, found 119");
    written(120).unwrap();
    assert_eq!(whole::<i32>(&path), ArrayD::from_elem(vec![10, 3], 0x0101_0101));
    let empty = B2ndMeta::new(Geometry::new(&[0], &[1], &[1]).unwrap(), "<i4");
    let other = directory.path().join("b.b2nd");
    refused(&other, write_from(&other, &empty, &b"1"[..], &Options::default()), "expected 0 bytes, found more");
}

#[test]
fn slabs_give_the_same_file_as_the_whole_array() {
    let directory = tempfile::tempdir().unwrap();
    let [one, other] = ["one.b2nd", "other.b2nd"].map(|name| directory.path().join(name));
    let values = Array2::from_shape_fn((1000, 7), |(row, column)| (row * 7 + column) as f64);
    let options = Options { chunkshape: Some(vec![30, 4]), blockshape: Some(vec![10, 4]), ..Options::default() };
    write(&one, &values, &options).unwrap();
    let slabs = |rows| values.axis_chunks_iter(Axis(0), rows);
    for rows in [1, 7, 30, 999, 1000, 2000] {
        write_slabs(&other, &[1000, 7], slabs(rows), &options).unwrap();
        assert!(std::fs::read(&one).unwrap() == std::fs::read(&other).unwrap(), "slabs of {rows} rows");
        std::fs::remove_file(&other).unwrap();
    }
    let few = write_slabs(&other, &[1000, 7], slabs(10).take(99), &options);
    refused(&other, few, "expected 56,000 bytes, found 55,440");
    let many = write_slabs(&other, &[1000, 7], slabs(10).chain(slabs(1)), &options);
    refused(&other, many, "expected 56,000 bytes, found more");
    let rows = write_slabs(&other, &[1000, 6], slabs(10), &options);
    refused(&other, rows, "expected rows of the shape [6], found an array of the shape [10, 7]");
    write_slabs(&other, &[], [ndarray::arr0(7)], &Options::default()).unwrap();
    assert_eq!(whole::<i32>(&other), ndarray::arr0(7).into_dyn());
}

#[test]
fn metalayers_that_would_hide_the_arrays_own_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.b2nd");
    for name in ["b2nd", "caterva"] {
        let options = Options { metalayers: vec![(name.to_owned(), vec![7; 34])], ..Options::default() };
        let expected = format!("metalayers: the name {name:?} is reserved for the array's own metalayer");
        refused(&path, write(&path, &array![1, 2, 3], &options), &expected);
    }
    let twice = ["note", "other", "note"].map(|name| (name.to_owned(), vec![1]));
    let options = Options { metalayers: twice.to_vec(), ..Options::default() };
    refused(&path, write(&path, &array![1, 2, 3], &options), "metalayers: the name \"note\" occurs twice");
}

#[test]
fn an_array_reads_the_file_that_it_was_given() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.b2nd");
    let (old, new) = (Array1::from_iter(0..100), Array1::from_iter(100..200));
    write(&path, &old, &Options::default()).unwrap();
    let file = File::open(&path).unwrap();
    write(&path, &new, &Options { overwrite: true, ..Options::default() }).unwrap();
    let array = Array::new(file).unwrap();
    assert_eq!(array.read::<i32>(&array.whole()).unwrap(), old.into_dyn());

    // The lock is held as long as the array is open.
    let array = Array::new(File::open_shared(&path).unwrap()).unwrap();
    let edited = File::try_edit(&path).err().map(|error| matches!(error.kind(), ErrorKind::Locked { .. }));
    assert_eq!(edited, Some(true));
    assert_eq!(array.read::<i32>(&array.whole()).unwrap(), new.into_dyn());
    drop(array);
    File::try_edit(&path).unwrap();
}

#[cfg(feature = "rayon")]
#[test]
fn the_number_of_threads_does_not_change_a_byte() {
    use b2nd_ndarray::{Appender, ArrayEditor, RepackOptions, repack};

    let values = Array2::from_shape_fn((300, 500), |(row, column)| ((row * column) as f32).sin());
    let written = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let directory = tempfile::tempdir().unwrap();
        let path = |name| directory.path().join(name);
        let options = Options { chunkshape: Some(vec![64, 90]), blockshape: Some(vec![16, 40]), ..Options::default() };
        pool.install(|| {
            write(path("write"), &values, &options).unwrap();
            write(path("default"), &values, &Options::default()).unwrap();
            write_slabs(path("slabs"), &[300, 500], values.axis_chunks_iter(Axis(0), 7), &options).unwrap();
            repack(path("write"), path("repack"), &RepackOptions { level: Some(1), ..RepackOptions::default() }).unwrap();
            repack(path("write"), path("cut"), &RepackOptions { chunkshape: Some(vec![33, 33]), ..RepackOptions::default() })
                .unwrap();
            let mut editor = ArrayEditor::open(path("write")).unwrap();
            editor.write_slice(&[3..299, 50..400], &Array2::from_elem((296, 350), 1.5_f32)).unwrap();
            editor.resize(&[310, 520], 2.5_f32).unwrap();
            let mut log = Appender::create::<f32>(path("log"), &[500], &options).unwrap();
            values.axis_chunks_iter(Axis(0), 45).for_each(|rows| log.append(&rows).unwrap());
            log.flush().unwrap();
        });
        ["write", "default", "slabs", "repack", "cut", "log"].map(|name| std::fs::read(path(name)).unwrap())
    };
    let one = written(1);
    for threads in [2, 7] {
        assert!(written(threads) == one, "{threads} threads");
    }
}
