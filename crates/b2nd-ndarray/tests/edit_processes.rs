//! Arrays that are edited in place, in processes that are killed or run out of disk space.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::io::{BufRead, BufReader};
use std::path::Path;

use b2nd_ndarray::{ArrayEditor, Options};
use common::{PATH, child, limit_files, whole};
use ndarray::Array2;

mod common;

/// Values that cannot be compressed well, and that differ for each `number`.
fn values(number: u32, shape: (usize, usize)) -> Array2<u32> {
    Array2::from_shape_fn(shape, |(row, column)| ((row * 64 + column) as u32 ^ number << 16).wrapping_mul(0x9e37_79b1))
}

fn array(path: &Path) {
    let options = Options { chunkshape: Some(vec![16, 40]), blockshape: Some(vec![4, 40]), ..Options::default() };
    b2nd_ndarray::write(path, &values(0, (50, 64)), &options).unwrap();
}

#[test]
#[ignore = "run by a_process_that_is_killed_leaves_the_old_values_or_the_new_ones"]
fn writes_for_ever() {
    let mut editor = ArrayEditor::open(std::env::var_os(PATH).unwrap()).unwrap();
    for number in 1_u32.. {
        editor.write_slice(&[0..50, 0..64], &values(number, (50, 64))).unwrap();
        println!("\nwritten {number}");
    }
}

#[test]
fn a_process_that_is_killed_leaves_the_old_values_or_the_new_ones() {
    let directory = tempfile::tempdir().unwrap();
    for round in 0_u32..12 {
        let path = directory.path().join(format!("{round}.b2nd"));
        array(&path);
        let mut process = child("", "writes_for_ever", &path).spawn().unwrap();
        let mut written = 0;
        let lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        for line in lines.filter(|line| line.starts_with("written ")).take(1 + round as usize % 3) {
            written = line["written ".len()..].parse().unwrap();
        }
        // Kills the process after a different time in each round.
        std::thread::sleep(std::time::Duration::from_micros(u64::from(round * 237 % 2000)));
        process.kill().unwrap();
        process.wait().unwrap();
        let now = whole::<u32>(&path);
        // The process may have written more before it was killed.
        let number = (written..written + 10_000).find(|&number| values(number, (50, 64)).into_dyn() == now);
        assert!(written > 0 && number.is_some(), "after {written} writes");
    }
}

/// Edits an array. If the file cannot grow, the edit fails and is repeated after the limit is removed.
#[test]
#[ignore = "run by a_full_disk_is_an_error_and_the_array_is_as_it_was"]
fn edits_on_a_full_disk() {
    let path = std::path::PathBuf::from(std::env::var_os(PATH).unwrap());
    let mut editor = ArrayEditor::open(&path).unwrap();
    let mut before = editor.read::<u32>(&editor.whole()).unwrap();
    let mut failures = 0;
    for number in 1..40_u32 {
        let length = std::fs::metadata(&path).unwrap().len();
        // In each round, the file can grow by a different number of bytes.
        limit_files(Some(length + u64::from(number) * 997 % 20_000));
        let rows = i64::from(50 + number);
        let edit = |editor: &mut ArrayEditor| match number % 2 {
            0 => editor.write_slice(&[3..45, 5..64], &values(number, (42, 59))),
            _ => editor.resize(&[rows, 64], number),
        };
        if let Err(error) = edit(&mut editor) {
            failures += 1;
            assert!(error.to_string().contains("File too large"), "{error}");
            edit(&mut editor).unwrap_err();
            assert_eq!(editor.read::<u32>(&editor.whole()).unwrap(), before);
            assert_eq!(whole::<u32>(&path), before);
            assert_eq!(std::fs::metadata(&path).unwrap().len(), length, "the space is given back");
            limit_files(None);
            edit(&mut editor).unwrap();
        }
        limit_files(None);
        assert_ne!(whole::<u32>(&path), before);
        before = whole::<u32>(&path);
    }
    println!("\nfailures {failures}");
}

#[test]
fn a_full_disk_is_an_error_and_the_array_is_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    array(&path);
    let done = child("trap '' XFSZ;", "edits_on_a_full_disk", &path).output().unwrap();
    let said = String::from_utf8(done.stdout).unwrap();
    let failures = said.lines().find_map(|line| line.strip_prefix("failures ")?.parse::<u32>().ok());
    assert!(done.status.success() && failures.is_some_and(|count| count > 10), "{said}");
}
