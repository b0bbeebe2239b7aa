//! Random edits of a frame in a file, a frame in a directory and an archive, with faults and crashes. After each edit, every file
//! is as before or as after the edit. At the end, no temporary files remain.
//!
//! `B2ND_SEQUENCE=100000:1` makes the run longer: the number of edits, and the seed.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use b2nd_frame::testing::replace_storage;
use b2nd_frame::{Chunk, ChunkEditor, File, NewFile, Result};

use crate::common::faulty::{Fault, Faulty, materialize};
use crate::common::frames;
use crate::common::scratch::{Scratch, copy};
use crate::common::state::State;

const FAULTS: [Fault; 6] = [Fault::Nothing, Fault::Part(0), Fault::Part(4), Fault::All, Fault::Short, Fault::Crash];

/// Pseudorandom numbers: xorshift64*.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }
}

/// An edit that is derived from a random number.
fn edit(root: &Path, edit: u64, storage: Option<&Faulty>) -> Result<()> {
    let (kind, length, byte) = (edit % 6, (edit >> 16) as usize % 900, (edit >> 8) as u8);
    let path = root.join(if edit >> 4 & 1 == 0 { "f.b2nd" } else { "s.b2frame" });
    let name = ["a", "b", "c"][byte as usize % 3];
    match kind {
        0 => File::edit(path)?.set_vlmetalayer_bytes(name, &vec![byte; length]),
        1 => File::edit(path)?.remove_vlmetalayer(name).map(|_| ()),
        2 => File::edit(path)?.rewrite(|metalayers| metalayers.insert("more", vec![byte; length]).map(|_| ())),
        3 => {
            let mut editor = File::edit(path)?;
            let old = editor.file().header().metalayers().get("small").unwrap().len();
            editor.overwrite_metalayer_bytes("small", &vec![byte % 100; old])
        }
        4 => {
            let mut editor = ChunkEditor::new(File::edit(path)?)?;
            let mut offsets: Vec<_> = editor.file().offsets()?.iter().collect();
            let number = length % offsets.len();
            let elements = vec![byte | 1; editor.file().header().chunksize() as usize];
            offsets[number] = editor.put(&Chunk::store(&elements, editor.file().header().typesize() as usize)?)?;
            let array = editor.file().header().array()?.unwrap().into_owned();
            editor.commit(&array, &offsets)
        }
        _ => {
            let file = NewFile::replace(root.join("a.b2z"))?;
            let mut to: Box<dyn Write> = match storage {
                Some(storage) => Box::new(storage.handle(file.path(), file.file().try_clone()?)),
                None => Box::new(file.file()),
            };
            // The parts represent the members and the directory of an archive.
            vec![byte; length].chunks(200).try_for_each(|part| to.write_all(part))?;
            drop(to);
            file.finish()
        }
    }
}

type All = (State, State, Vec<u8>);

/// The contents of all files. The numbers of the chunk files in a sparse frame are not compared.
fn all(root: &Path, when: &str) -> All {
    let state = |name: &str| State::read(&root.join(name)).unwrap_or_else(|error| panic!("{when}: {name}: {error}"));
    (state("f.b2nd"), State { offsets: Vec::new(), ..state("s.b2frame") }, fs::read(root.join("a.b2z")).unwrap())
}

#[test]
fn edits_go_on_after_any_number_of_faults_and_crashes() {
    let asked = std::env::var("B2ND_SEQUENCE").ok();
    let (count, seed) = asked.as_deref().and_then(|asked| asked.split_once(':')).unwrap_or(("400", "1"));
    let (count, seed): (u64, u64) = (count.parse().unwrap(), seed.parse().unwrap());
    let (root, clean, mut numbers) = (Scratch::new(), Scratch::new(), Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1));
    fs::write(root.join("f.b2nd"), frames::contiguous()).unwrap();
    fs::write(root.join("a.b2z"), b"an archive").unwrap();
    frames::sparse(&root.join("s.b2frame"));
    let (mut done, mut crashes, mut before) = (0, 0, all(root.path(), "at the start"));
    for at in 0..count {
        let number = numbers.next();
        let when = format!("seed {seed}, edit {at} ({number:#x})");
        fs::remove_dir_all(clean.path()).unwrap();
        copy(root.path(), clean.path());
        let storage = Faulty::new(clean.path(), None);
        let replaced = replace_storage(Arc::new(storage.clone()));
        edit(clean.path(), number, Some(&storage)).unwrap_or_else(|error| panic!("{when}, without faults: {error}"));
        drop(replaced);
        let (after, operations) = (all(clean.path(), &when), storage.operations().len() as u64);

        let fault = FAULTS[numbers.next() as usize % FAULTS.len()];
        let storage = Faulty::new(root.path(), Some(((numbers.next() % (operations + 2)) as usize, fault)));
        let replaced = replace_storage(Arc::new(storage.clone()));
        let edited = edit(root.path(), number, Some(&storage));
        drop(replaced);
        // The machine stops at the failed operation or after the edit. Each change that was not synced may be lost.
        if edited.is_err() && fault == Fault::Crash || numbers.next() % 8 == 0 {
            materialize(&storage.crash(|| numbers.next() % 2 == 0), root.path());
            crashes += 1;
        }
        let found = all(root.path(), &when);
        assert!(found == after || found == before && edited.is_err(), "{when}, {fault:?}: neither old nor new, {edited:?}");
        done += u64::from(found != before);
        before = found;
    }
    // Edits without faults remove the temporary files of interrupted edits.
    for number in [0, 0x10, 4, 0x14, 5] {
        edit(root.path(), number, None).unwrap();
    }
    let (chunks, others): (Vec<_>, Vec<_>) = root.names().into_iter().partition(|name| name.ends_with(".chunk"));
    assert_eq!(others, ["a.b2z", "f.b2nd", "s.b2frame", "s.b2frame/chunks.b2frame"]);
    // An unused chunk file with the highest number may be kept so that the number is not used again.
    assert!(chunks.len() as u64 <= File::open(root.join("s.b2frame")).unwrap().offsets().unwrap().len() + 1, "{chunks:?}");
    println!("{count} edits, {done} of them done, {crashes} crashes");
    assert!(done > count / 3 && crashes > count / 10, "{done} {crashes}");
}
