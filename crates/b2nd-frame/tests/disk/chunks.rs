//! Commits of new chunks. After any fault the file holds the old array or the new one, and the next commit succeeds.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::common::faulty::{Fault, Faulty, materialize};
use crate::common::frames;
use crate::common::scratch::{Scratch, copy};
use crate::common::state::State;
use b2nd::{ArrayMeta, B2ndMeta, Geometry};
use b2nd_frame::Result;
use b2nd_frame::testing::{Replaced, replace_storage};
use b2nd_frame::{Chunk, ChunkEditor, File, FrameType, Offset, Special};

fn array(length: i64) -> ArrayMeta {
    B2ndMeta::new(Geometry::new(&[length], &[16], &[8]).unwrap(), "<i4".to_owned()).into()
}

/// Opens a file for editing. Its operations use the given storage until both results are dropped.
fn open(storage: &Faulty, path: &Path) -> Result<(ChunkEditor, Replaced)> {
    let replaced = replace_storage(Arc::new(storage.clone()));
    Ok((ChunkEditor::new(File::edit(path)?)?, replaced))
}

/// Replaces the first chunk and adds two chunks, one of zeros.
fn grow(editor: &mut ChunkEditor) -> Result<()> {
    let mut offsets: Vec<_> = editor.file().offsets()?.iter().take(4).collect();
    offsets.resize(4, Offset::Special(Special::Zeros));
    offsets[0] = editor.put(&Chunk::store(&frames::data(10, 64), 4)?)?;
    offsets.push(editor.put(&Chunk::special(Special::Zeros, 64, 4)?)?);
    offsets.push(editor.put(&Chunk::store(&frames::data(15, 64), 4)?)?);
    editor.commit(&array(96), &offsets)
}

/// Keeps two chunks and adds a new one.
fn shrink(editor: &mut ChunkEditor) -> Result<()> {
    let mut offsets: Vec<_> = editor.file().offsets()?.iter().take(2).collect();
    offsets.push(editor.put(&Chunk::store(&frames::data(22, 64), 4)?)?);
    editor.commit(&array(48), &offsets)
}

fn empty(editor: &mut ChunkEditor) -> Result<()> {
    editor.commit(&array(0), &[])
}

/// What a reader sees: the length of the array, its chunks regardless of their offsets, and the values of its attributes.
#[derive(PartialEq, Debug)]
struct Seen {
    length: i64,
    chunks: Vec<Vec<u8>>,
    values: Vec<Option<Vec<u8>>>,
}

#[track_caller]
fn seen(state: State) -> Seen {
    let header = &state.header;
    let is_at = |offset: &Offset| matches!(offset, Offset::At(_));
    let stored = state.offsets.iter().zip(&state.chunks).filter(|(offset, _)| is_at(offset));
    if header.frame_type() == FrameType::Sparse {
        assert_eq!(header.cbytes(), stored.map(|(_, chunk)| chunk.len() as i64).sum::<i64>(), "the length of all chunk files");
    }
    assert_eq!(header.nbytes(), 64 * state.chunks.len() as i64);
    let Some(ArrayMeta::B2nd(meta)) = header.array().unwrap() else { panic!("the array's metalayer is gone") };
    Seen { length: meta.geometry.shape()[0], chunks: state.chunks, values: state.values }
}

#[track_caller]
fn read(path: &Path) -> Seen {
    seen(State::read(path).unwrap())
}

type Step = fn(&mut ChunkEditor) -> Result<()>;

/// Lets each operation of the steps fail. The failed step is then skipped or tried again. Returns the numbers of faults and of
/// directories after crashes.
fn try_all(set_up: &dyn Fn(&Path), steps: &[Step]) -> (usize, usize) {
    let template = Scratch::new();
    set_up(&template.join("f.b2nd"));
    let fresh = || {
        let root = Scratch::new();
        copy(&template.join("f.b2nd"), &root.join("f.b2nd"));
        root
    };
    let root = fresh();
    let path = root.join("f.b2nd");
    let storage = Faulty::new(root.path(), None);
    let mut states = vec![read(&path)];
    let (mut editor, replaced) = open(&storage, &path).unwrap();
    for step in steps {
        step(&mut editor).unwrap();
        states.push(read(&path));
    }
    drop(replaced);
    let operations = storage.operations().len();
    let (mut faults, mut crashes) = (0, 0);
    let after = Scratch::new();
    for at in 0..operations {
        let root = fresh();
        let path = root.join("f.b2nd");
        let storage = Faulty::new(root.path(), Some((at, Fault::Crash)));
        let Ok((mut editor, _replaced)) = open(&storage, &path) else { continue };
        // Whether this fails depends on the operation: errors of removing unused chunk files after a commit are not reported.
        let _ = steps.iter().try_for_each(|step| step(&mut editor));
        for tree in storage.crashes() {
            materialize(&tree, after.path());
            let found = read(&after.join("f.b2nd"));
            assert!(states.contains(&found), "crash at operation {at}: {found:?}");
            crashes += 1;
        }
        for (fault, again) in [(Fault::Nothing, true), (Fault::Part(4), true), (Fault::All, true), (Fault::All, false)] {
            let when = format!("{fault:?} at operation {at}, tried again: {again}");
            let root = fresh();
            let path = root.join("f.b2nd");
            let storage = Faulty::new(root.path(), Some((at, fault)));
            let Ok((mut editor, _replaced)) = open(&storage, &path) else { continue };
            for (number, step) in steps.iter().enumerate() {
                if step(&mut editor).is_err() {
                    faults += 1;
                    editor.rewind(0);
                    let found = read(&path);
                    assert!(found == states[number] || found == states[number + 1], "{when}: neither old nor new");
                    assert_eq!(seen(State::of(editor.file()).unwrap()), found, "{when}: the editor shows what the file holds");
                    if again || number + 1 == steps.len() {
                        step(&mut editor).unwrap_or_else(|error| panic!("{when}: {error}"));
                    }
                }
                // If a step was skipped, the states of the later steps differ from the expected ones.
                let expected = if again { &states[number + 1] } else { &read(&path) };
                assert_eq!(&read(&path), expected, "{when}");
            }
            let last = states.last().unwrap();
            assert_eq!(read(&path).length, last.length, "{when}");
            assert_eq!(read(&path).values, last.values, "{when}: attributes stay");
        }
    }
    (faults, crashes)
}

#[test]
fn a_commit_leaves_the_old_array_or_the_new_one_and_the_next_is_right() {
    let bytes = || {
        let mut header = frames::header();
        header.metalayers_mut().remove("wide");
        frames::with_header(header)
    };
    let contiguous = |path: &Path| fs::write(path, bytes()).unwrap();
    let done = [
        try_all(&contiguous, &[grow, shrink]),
        try_all(&contiguous, &[grow, empty]),
        try_all(&|path| frames::sparse(path), &[grow, shrink]),
        try_all(&|path| frames::sparse(path), &[shrink, grow, empty]),
    ];
    println!("commits (faults, crashed directories): {done:?}");
    assert!(done.iter().all(|&(faults, crashes)| faults > 20 && crashes > 20), "{done:?}");
}

#[test]
fn a_metalayer_behind_the_first_sector_is_refused() {
    let root = Scratch::new();
    let path = root.join("f.b2nd");
    let mut header = frames::header();
    let array_last = header.metalayers_mut().remove("b2nd").unwrap();
    header.metalayers_mut().insert("b2nd", array_last).unwrap();
    fs::write(&path, frames::with_header(header)).unwrap();
    let before = read(&path);
    let mut editor = ChunkEditor::new(File::edit(&path).unwrap()).unwrap();
    let error = grow(&mut editor).unwrap_err().to_string();
    let expected = "the edit would change the header's length or the bytes after its first 512, which must not change: copy the \
                    array to a sparse frame with `b2nd repack --sparse`, and edit the copy";
    assert_eq!(error, format!("{}: {expected}", path.display()));
    assert_eq!(editor.check(&array(96)).unwrap_err().to_string(), expected);
    assert_eq!(read(&path), before);
}

#[test]
fn a_rewind_takes_back_the_chunks_after_a_position() {
    let root = Scratch::new();
    for name in ["f.b2nd", "s.b2frame"] {
        let path = root.join(name);
        match name {
            "f.b2nd" => fs::write(&path, frames::contiguous()).unwrap(),
            _ => frames::sparse(&path),
        }
        let mut editor = ChunkEditor::new(File::edit(&path).unwrap()).unwrap();
        let mut offsets: Vec<_> = editor.file().offsets().unwrap().iter().collect();
        let chunk = |number| Chunk::store(&frames::data(number, 64), 4).unwrap().into_bytes();
        offsets[0] = editor.put(&Chunk::from_slice(&chunk(10)).unwrap()).unwrap();
        let (names, length, position) = (root.names(), fs::metadata(&path).unwrap().len(), editor.position());
        editor.put(&Chunk::from_slice(&chunk(11)).unwrap()).unwrap();
        editor.rewind(position);
        assert_eq!((root.names(), fs::metadata(&path).unwrap().len()), (names, length), "{name}");
        offsets[3] = editor.put(&Chunk::from_slice(&chunk(12)).unwrap()).unwrap();
        editor.commit(&array(56), &offsets).unwrap();
        assert_eq!((&read(&path).chunks[0], &read(&path).chunks[3]), (&chunk(10), &chunk(12)), "{name}");
    }
}

#[test]
fn a_sparse_frame_has_no_more_chunk_files_than_names() {
    let root = Scratch::new();
    let path = root.join("s.b2frame");
    frames::sparse(&path);
    // An interrupted edit left this chunk file.
    fs::write(path.join("FFFFFFFE.chunk"), b"").unwrap();
    let mut editor = ChunkEditor::new(File::edit(&path).unwrap()).unwrap();
    let chunk = Chunk::store(&frames::data(10, 64), 4).unwrap();
    assert_eq!(editor.put(&chunk).unwrap(), Offset::At(u32::MAX.into()));
    let error = editor.put(&chunk).unwrap_err().to_string();
    assert_eq!(error, "no number is left for a new chunk file: `b2nd repack DIRECTORY NEW` makes a copy with new numbers");
}

#[test]
fn a_commit_of_chunks_that_are_not_those_of_the_array_is_refused() {
    let root = Scratch::new();
    let path = root.join("f.b2nd");
    fs::write(&path, frames::contiguous()).unwrap();
    let before = fs::read(&path).unwrap();
    let mut editor = ChunkEditor::new(File::edit(&path).unwrap()).unwrap();
    let offsets: Vec<_> = editor.file().offsets().unwrap().iter().collect();
    let refused = |editor: &mut ChunkEditor, array: &ArrayMeta, offsets: &[Offset]| {
        let error = editor.commit(array, offsets).unwrap_err().to_string();
        error.strip_prefix(&format!("{}: ", path.display())).unwrap_or(&error).to_owned()
    };
    let of = |shape: i64, chunk: i32, block: i32, dtype: &str| -> ArrayMeta {
        B2ndMeta::new(Geometry::new(&[shape], &[chunk], &[block]).unwrap(), dtype.to_owned()).into()
    };
    let count = "chunks: expected 4, as the array's shapes say, found";
    assert_eq!(refused(&mut editor, &array(56), &offsets[..3]), format!("{count} 3"));
    assert_eq!(refused(&mut editor, &array(56), &vec![offsets[0]; 71]), format!("{count} 71"));
    let Offset::At(first) = offsets[0] else { panic!("it is stored") };
    let twice = format!("chunk[3]: the offset {first} belongs to an earlier chunk too");
    assert_eq!(refused(&mut editor, &array(56), &[offsets[0], offsets[1], offsets[2], offsets[0]]), twice);
    let nowhere = "chunk[3]: the offset 7 does not belong to a chunk in this frame: put the chunk first";
    assert_eq!(refused(&mut editor, &array(56), &[offsets[0], offsets[1], offsets[2], Offset::At(7)]), nowhere);
    let value = [offsets[0], offsets[1], offsets[2], Offset::Special(Special::Value)];
    assert_eq!(refused(&mut editor, &array(56), &value), "an index cannot hold `Special::Value`: put a `Chunk::repeated`");
    let blocks = "blocksize: expected 16, as the array's metalayer says, found 32";
    assert_eq!(refused(&mut editor, &of(56, 16, 4, "<i4"), &offsets), blocks);
    let typesize = "typesize: expected 8, as the array's metalayer says, found 4";
    assert_eq!(refused(&mut editor, &of(28, 8, 4, "<i8"), &offsets), typesize);

    let short = editor.put(&Chunk::store(&[1, 2, 3], 4).unwrap()).unwrap_err().to_string();
    assert_eq!(short, "the chunk's data in bytes: expected 64, as the header says, found 3");
    // A chunk that `rewind` discarded cannot be committed.
    let taken = editor.put(&Chunk::store(&frames::data(9, 64), 4).unwrap()).unwrap();
    editor.rewind(0);
    let gone = refused(&mut editor, &array(56), &[offsets[0], offsets[1], offsets[2], taken]);
    assert!(gone.ends_with("does not belong to a chunk in this frame: put the chunk first"), "{gone}");
    drop(editor);
    assert!(fs::read(&path).unwrap() == before, "the file is as it was");
}
