//! `remove_temporary_files`, as a signal calls it, in a process of its own: it removes the temporary files of all threads.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use b2nd_frame::{NewDirectory, remove_temporary_files};

use crate::common::scratch::Scratch;

const FILES: usize = 300;

fn fill(path: &Path, content: &str) {
    fs::create_dir_all(path).unwrap();
    (0..FILES).for_each(|number| fs::write(path.join(number.to_string()), content).unwrap());
}

/// The content of the files of a directory, all of which must be there and have the same content.
fn content(path: &Path) -> String {
    let all: Vec<String> = fs::read_dir(path).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    assert_eq!(all.len(), FILES, "{} is not whole", path.display());
    assert!(all.iter().all(|one| *one == all[0]));
    all[0].clone()
}

fn names(scratch: &Scratch) -> Vec<String> {
    fs::read_dir(scratch.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_directory_is_whole_or_absent_when_a_signal_comes_while_it_gets_its_name() {
    let scratch = Scratch::new();
    let path = scratch.join("new");
    for trial in 0..20 {
        let new = NewDirectory::create_new(&path).unwrap();
        fill(new.path(), "new");
        let remover = thread::spawn(|| drop(remove_temporary_files()));
        thread::sleep(Duration::from_micros(trial * 40));
        let finished = new.finish();
        remover.join().unwrap();
        assert_eq!(path.exists(), finished.is_ok());
        if finished.is_ok() {
            assert_eq!(content(&path), "new");
            fs::remove_dir_all(&path).unwrap();
        }
        assert_eq!(names(&scratch), [""; 0]);
    }
}
