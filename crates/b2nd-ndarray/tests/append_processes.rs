//! Arrays that grow, in processes that are killed or run out of disk space, and in threads that take turns.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::io::{BufRead, BufReader};
use std::path::Path;

use b2nd_ndarray::{Appender, Options};
use common::{PATH, child, limit_files, whole};
use ndarray::Array2;

mod common;

/// Rows that cannot be compressed well.
fn rows(start: usize, count: usize) -> Array2<u32> {
    Array2::from_shape_fn((count, 64), |(row, column)| {
        (((start + row) * 64 + column) as u32).wrapping_mul(0x9e37_79b1).rotate_left(7)
    })
}

/// Writes a file with this number of rows.
fn log(path: &Path, count: usize) {
    let options = Options { chunkshape: Some(vec![16, 64]), blockshape: Some(vec![4, 64]), ..Options::default() };
    let mut log = Appender::create::<u32>(path, &[64], &options).unwrap();
    log.append(&rows(0, count)).unwrap();
    log.flush().unwrap();
}

#[test]
#[ignore = "run by a_process_that_is_killed_loses_what_it_had_not_flushed"]
fn appends_and_flushes_for_ever() {
    let mut log = Appender::open(std::env::var_os(PATH).unwrap()).unwrap();
    loop {
        let count = log.rows() as usize;
        log.append(&rows(count, 7)).unwrap();
        log.flush().unwrap();
        println!("\nflushed {}", log.rows());
    }
}

#[test]
fn a_process_that_is_killed_loses_what_it_had_not_flushed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log.b2nd");
    log(&path, 5);
    let mut count = 5;
    for round in 0_u32..20 {
        let mut process = child("", "appends_and_flushes_for_ever", &path).spawn().unwrap();
        let mut flushed = 0;
        let lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        for line in lines.filter(|line| line.starts_with("flushed ")).take(1 + round as usize % 3) {
            flushed = line["flushed ".len()..].parse().unwrap();
        }
        // Kills the process after a different time in each round.
        std::thread::sleep(std::time::Duration::from_micros(u64::from(round * 137 % 2000)));
        process.kill().unwrap();
        process.wait().unwrap();
        let now = whole::<u32>(&path);
        assert!(now.len() / 64 >= flushed && flushed > count && (now.len() / 64 - 5) % 7 == 0, "{flushed} flushed");
        count = now.len() / 64;
        assert_eq!(now, rows(0, count).into_dyn());
    }
}

#[test]
fn several_that_append_at_once_take_turns() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log.b2nd");
    log(&path, 5);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let mut log = Appender::open(&path).unwrap();
                    let count = log.rows() as usize;
                    log.append(&rows(count, 3)).unwrap();
                    log.flush().unwrap();
                }
            });
        }
    });
    assert_eq!(whole::<u32>(&path), rows(0, 5 + 4 * 10 * 3).into_dyn());
}

#[test]
#[ignore = "run by a_full_disk_is_an_error_and_the_file_is_as_it_was"]
fn appends_until_it_fails() {
    let mut log = Appender::open(std::env::var_os(PATH).unwrap()).unwrap();
    let mut grow = || log.append(&rows(log.rows() as usize, 2)).and_then(|()| log.flush());
    let failed = (0..10_000).find_map(|_| grow().err());
    let again = grow().unwrap_err();
    println!("\nflushed {}", log.rows());
    println!("\nfailed {}", failed.unwrap());
    // A second attempt fails too, and the file stays complete.
    println!("\nfailed {}", again);
}

/// Appends rows. In some rounds the file cannot grow; an append or flush that fails is repeated after the limit is removed.
#[test]
#[ignore = "run by an_append_that_failed_took_nothing_and_the_next_goes_on"]
fn appends_through_a_full_disk() {
    let mut log = Appender::open(std::env::var_os(PATH).unwrap()).unwrap();
    let portion: usize = std::env::var("B2ND_PORTION").unwrap().parse().unwrap();
    let mut failures = 0;
    for round in 0..60 {
        limit_files(if round % 7 == 3 { Some(512) } else { None });
        let before = log.rows();
        // If the append succeeds, its rows may be only in memory until they are flushed.
        if log.append(&rows(before as usize, portion)).is_err() {
            failures += 1;
            assert_eq!(log.rows(), before, "nothing is taken");
            assert!(log.append(&rows(before as usize, portion)).is_err(), "and again");
            assert_eq!(log.rows(), before);
            limit_files(None);
            log.append(&rows(before as usize, portion)).unwrap();
        }
        if round % 5 == 3 {
            let taken = log.rows();
            limit_files(Some(512));
            log.flush().unwrap_err();
            assert_eq!(log.rows(), taken, "rows that are not flushed stay");
            limit_files(None);
            log.flush().unwrap();
        }
    }
    limit_files(None);
    log.flush().unwrap();
    println!("\nfailures {failures}");
}

#[test]
fn an_append_that_failed_took_nothing_and_the_next_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    for portion in [1, 7, 16, 50] {
        let path = directory.path().join(format!("{portion}.b2nd"));
        log(&path, 5);
        let mut process = child("trap '' XFSZ;", "appends_through_a_full_disk", &path);
        let done = process.env("B2ND_PORTION", portion.to_string()).output().unwrap();
        let said = String::from_utf8(done.stdout).unwrap();
        assert!(done.status.success() && said.contains("\nfailures ") && !said.contains("\nfailures 0"), "{said}");
        assert_eq!(whole::<u32>(&path), rows(0, 5 + 60 * portion).into_dyn(), "{portion}");
    }
}

/// The shell's limit on the size of files simulates a full disk.
#[test]
fn a_full_disk_is_an_error_and_the_file_is_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    // With each limit, the disk becomes full at a different position in the frame.
    for blocks in 60..90 {
        let path = directory.path().join(format!("{blocks}.b2nd"));
        log(&path, 5);
        let full = child(&format!("trap '' XFSZ; ulimit -f {blocks};"), "appends_until_it_fails", &path).output().unwrap();
        let said = String::from_utf8(full.stdout).unwrap();
        let errors: Vec<_> = said.lines().filter(|line| line.starts_with("failed ")).collect();
        assert!(errors.len() == 2 && errors.iter().all(|error| error.contains("File too large")), "{said}");
        let now = whole::<u32>(&path);
        assert!(now.len() / 64 >= 5 && (now.len() / 64 - 5) % 2 == 0);
        assert_eq!(now, rows(0, now.len() / 64).into_dyn());
        // Without the limit, appending works again.
        let mut log = Appender::open(&path).unwrap();
        log.append(&rows(now.len() / 64, 3)).unwrap();
        log.flush().unwrap();
        assert_eq!(whole::<u32>(&path), rows(0, now.len() / 64 + 3).into_dyn());
    }
}
