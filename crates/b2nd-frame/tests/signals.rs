//! `remove_temporary_files`, called as on a signal, removes the temporary files of all threads. The test has its own process.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use b2nd_frame::{Chunk, ChunkEditor, File, NewDirectory, NewFile, Writer, remove_temporary_files};

use crate::common::frames;
use crate::common::scratch::Scratch;

const FILES: usize = 300;

/// The number of chunks in a sparse frame. Each chunk file is synced.
const CHUNKS: usize = 60;

fn fill(path: &Path, content: &str) {
    fs::create_dir_all(path).unwrap();
    (0..FILES).for_each(|number| fs::write(path.join(number.to_string()), content).unwrap());
}

/// The content of the files in a directory. All of them must exist and have the same content.
fn content(path: &Path) -> String {
    let all: Vec<String> = fs::read_dir(path).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    assert_eq!(all.len(), FILES, "{} is not whole", path.display());
    assert!(all.iter().all(|one| *one == all[0]));
    all[0].clone()
}

fn names(scratch: &Scratch) -> Vec<String> {
    fs::read_dir(scratch.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// This is a single test, because a signal removes the temporary files of all tests.
#[test]
fn files_are_whole_when_a_signal_comes() {
    a_directory_is_whole_or_absent_when_a_signal_comes_while_it_gets_its_name();
    chunk_files_that_are_not_committed_are_removed();
    a_closed_sparse_frame_keeps_only_its_own_chunk_files();
    a_temporary_name_that_is_no_longer_used_is_not_removed();
    a_replaced_sparse_frame_has_no_other_chunk_files_when_a_signal_comes();
}

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

fn files(path: &Path) -> BTreeSet<OsString> {
    fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect()
}

fn chunk(number: usize) -> Chunk<'static> {
    Chunk::store(&frames::data(number as u8, 64), 4).unwrap().into_owned()
}

fn sparse(path: &Path) {
    let mut writer = Writer::create_sparse(path, frames::header_of(16 * CHUNKS as i64)).unwrap();
    (0..CHUNKS).for_each(|number| writer.append(&chunk(number)).unwrap());
    writer.finish().unwrap();
}

fn chunk_files_that_are_not_committed_are_removed() {
    let scratch = Scratch::new();
    let path = scratch.join("s.b2frame");
    sparse(&path);
    let before = files(&path);
    let mut editor = ChunkEditor::new(File::edit(&path).unwrap()).unwrap();
    editor.put(&chunk(1)).unwrap();
    editor.put(&chunk(2)).unwrap();
    assert_eq!(files(&path).len(), before.len() + 2);
    drop(remove_temporary_files());
    assert_eq!(files(&path), before);

    let mut offsets: Vec<_> = editor.file().offsets().unwrap().iter().collect();
    offsets[0] = editor.put(&chunk(3)).unwrap();
    let array = editor.file().header().array().unwrap().unwrap().into_owned();
    editor.commit(&array, &offsets).unwrap();
    let committed = files(&path);
    drop(remove_temporary_files());
    assert_eq!(files(&path), committed);

    // After the frame is unlocked, another process may write chunk files with the same names, so these files are kept.
    editor.put(&chunk(4)).unwrap();
    drop(editor);
    drop(remove_temporary_files());
    assert_eq!(files(&path).len(), committed.len() + 1);
}

/// Closing one sparse frame does not change which files of another frame a signal removes.
fn a_closed_sparse_frame_keeps_only_its_own_chunk_files() {
    let scratch = Scratch::new();
    let (closed, open) = (scratch.join("closed.b2frame"), scratch.join("open.b2frame"));
    frames::sparse(&closed);
    frames::sparse(&open);
    let before = files(&open);
    assert_eq!(files(&closed), before);
    let [first, _second] = [&closed, &open].map(|path| {
        let mut editor = ChunkEditor::new(File::edit(path).unwrap()).unwrap();
        editor.put(&chunk(1)).unwrap();
        editor
    });
    drop(first);
    drop(remove_temporary_files());
    assert_eq!((files(&closed).len(), files(&open)), (before.len() + 1, before));
}

/// After a `NewFile` is dropped, another process may create a file with the same temporary name.
fn a_temporary_name_that_is_no_longer_used_is_not_removed() {
    let scratch = Scratch::new();
    let new = NewFile::create_new(scratch.join("f.b2nd")).unwrap();
    let temporary = new.path().to_path_buf();
    drop(new);
    assert_eq!(names(&scratch), [""; 0]);
    fs::write(&temporary, b"of another process").unwrap();
    drop(remove_temporary_files());
    assert_eq!(fs::read(&temporary).unwrap(), b"of another process");
}

fn a_replaced_sparse_frame_has_no_other_chunk_files_when_a_signal_comes() {
    let scratch = Scratch::new();
    let path = scratch.join("s.b2frame");
    sparse(&path);
    let (mut failed, mut trial) = (0, 0);
    while trial < 20 || failed == 0 {
        let before = files(&path);
        let mut editor = File::edit(&path).unwrap();
        let header = editor.file().header().clone();
        let (mut remover, directory) = (None, path.clone());
        let replaced: b2nd_frame::Result<()> = editor.replace_sparse_with(header, |old, writer| {
            (0..CHUNKS as u64).try_for_each(|number| writer.copy_chunk(old, number).map(drop))?;
            remover = Some(thread::spawn(move || {
                thread::sleep(Duration::from_micros(trial % 20 * 150));
                let _held = remove_temporary_files();
                files(&directory)
            }));
            Ok(())
        });
        let found = remover.unwrap().join().unwrap();
        assert!(replaced.is_ok() || found == before, "trial {trial}: {} files", found.len());
        failed += u32::from(replaced.is_err());
        drop(editor);
        assert_eq!(files(&path).len(), CHUNKS + 1);
        assert_eq!(files(&path) == before, replaced.is_err());
        let file = File::open(&path).unwrap();
        for number in 0..CHUNKS {
            let found = file.chunk(number as u64).unwrap();
            assert_eq!(found.stored(), chunk(number).stored(), "trial {trial}, chunk {number}: {replaced:?}");
        }
        trial += 1;
    }
}
