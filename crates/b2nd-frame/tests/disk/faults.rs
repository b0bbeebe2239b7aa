//! Each operation of an edit, a new frame or a rewrite fails, or is the last one before a crash. The file then has the
//! complete old content or the complete new one, and changes that succeeded survive the crash.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::common::faulty::{Fault, Faulty, Tree, materialize};
use crate::common::frames;
use crate::common::scratch::{Scratch, copy};
use crate::common::state::State;
use b2nd_frame::testing::replace_storage;
use b2nd_frame::{Chunk, Editor, File, Special, Target, Writer};

const FAULTS: [Fault; 9] = [
    Fault::Nothing,
    Fault::Part(0),
    Fault::Part(1),
    Fault::Part(4),
    Fault::Part(7),
    Fault::All,
    Fault::Short,
    Fault::End,
    Fault::Interrupted,
];

/// A change to a directory with frames.
struct Case<'a> {
    name: String,
    /// Writes the old frames.
    set_up: &'a dyn Fn(&Path),
    /// The frames that are checked.
    watched: &'a [&'a str],
    act: &'a dyn Fn(&Faulty, &Path, Watch) -> b2nd_frame::Result<()>,
}

/// Called after each failed attempt with the edited frame, if it is still open.
type Watch<'a> = &'a mut dyn FnMut(Option<&File>);

type States = Vec<Option<State>>;

impl Case<'_> {
    #[track_caller]
    fn states(&self, root: &Path, when: &str) -> States {
        let read = |name: &&str| {
            let path = root.join(name);
            path.exists().then(|| State::read(&path).unwrap_or_else(|error| panic!("{}, {when}: {name}: {error}", self.name)))
        };
        self.watched.iter().map(read).collect()
    }

    fn act(&self, storage: &Faulty, root: &Path, watch: Watch) -> b2nd_frame::Result<()> {
        let _replaced = replace_storage(Arc::new(storage.clone()));
        (self.act)(storage, root, watch)
    }

    /// Tries the possible faults at every operation. Returns the number of tries and the number of crashed directories that were checked.
    fn run(&self) -> (usize, usize) {
        let template = Scratch::new();
        (self.set_up)(template.path());
        let old = self.states(template.path(), "before");

        let clean = Scratch::new();
        copy_into(&template, &clean);
        let storage = Faulty::new(clean.path(), None);
        self.act(&storage, clean.path(), &mut |_| ()).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        let new = self.states(clean.path(), "after");
        assert_ne!(old, new, "{}: nothing changes", self.name);
        let names = [template.names(), clean.names()];
        let operations = storage.operations();

        let after = Scratch::new();
        let mut seen = BTreeSet::new();
        let mut look = |trees: BTreeSet<Tree>, allowed: &[&States], when: &str| {
            for tree in trees {
                // The same directory is checked again only if the number of allowed states differs.
                if seen.contains(&(allowed.len(), tree.clone())) {
                    continue;
                }
                materialize(&tree, after.path());
                let found = self.states(after.path(), when);
                assert!(allowed.contains(&&found), "{}, {when}: neither the old nor the new frame", self.name);
                seen.insert((allowed.len(), tree));
            }
        };
        look(storage.crashes(), &[&new], "crash when all is done");

        let mut tries = 0;
        for (at, moves_bytes) in operations.into_iter().enumerate() {
            let root = Scratch::new();
            copy_into(&template, &root);
            let storage = Faulty::new(root.path(), Some((at, Fault::Crash)));
            assert!(self.act(&storage, root.path(), &mut |_| ()).is_err(), "{}: a crash without an effect", self.name);
            look(storage.crashes(), &[&old, &new], &format!("crash at operation {at}"));
            tries += 1;

            for fault in FAULTS.into_iter().filter(|fault| moves_bytes || matches!(fault, Fault::Nothing | Fault::All)) {
                let when = format!("{fault:?} at operation {at}");
                let root = Scratch::new();
                copy_into(&template, &root);
                let storage = Faulty::new(root.path(), Some((at, fault)));
                let mut failures = 0;
                let mut watch = |file: Option<&File>| {
                    failures += 1;
                    let found = self.states(root.path(), &when);
                    assert!(found == old || found == new, "{}, {when}: neither the old nor the new frame", self.name);
                    if let Some(file) = file {
                        let memory = State::of(file).unwrap_or_else(|error| panic!("{}, {when}: {error}", self.name));
                        assert!(found[0] == Some(memory), "{}, {when}: the open file is not what the disk holds", self.name);
                    }
                    assert!(names.contains(&root.names()), "{}, {when}: left {:?}", self.name, root.names());
                    look(storage.crashes(), &[&old, &new], &format!("{when}, then a crash"));
                };
                let result = self.act(&storage, root.path(), &mut watch);
                assert!(failures <= 1, "{}, {when}: one fault, {failures} errors", self.name);
                result.unwrap_or_else(|error| panic!("{}, {when}: {error}", self.name));
                assert!(self.states(root.path(), &when) == new, "{}, {when}: it succeeded, and is not there", self.name);
                assert_eq!(root.names(), names[1], "{}, {when}", self.name);
                look(storage.crashes(), &[&new], &format!("{when}, success, then a crash"));
                tries += 1;
            }
        }
        assert_ne!(tries, 0);
        (tries, seen.len())
    }
}

fn copy_into(from: &Scratch, to: &Scratch) {
    for entry in fs::read_dir(from.path()).unwrap() {
        let entry = entry.unwrap();
        copy(&entry.path(), &to.path().join(entry.file_name()));
    }
}

/// Makes an edit with one `Editor`, and tries it again with the same editor if it fails.
fn edit(path: &Path, watch: Watch, edit: &dyn Fn(&mut Editor) -> b2nd_frame::Result<()>) -> b2nd_frame::Result<()> {
    let open = || File::edit(path);
    let mut file = match open() {
        Err(_) => {
            watch(None);
            open()?
        }
        opened => opened?,
    };
    let Err(error) = edit(&mut file) else {
        let known = State::of(file.file())?;
        assert!(known == State::read(path)?, "the open file is what the disk holds");
        return Ok(());
    };
    let causes = ["injected", "the machine is off", "unexpected end of file", "the file has been changed, replaced or removed"];
    assert!(causes.iter().any(|cause| error.to_string().contains(cause)), "{error}");
    watch(Some(file.file()));
    edit(&mut file)
}

type Edit = (&'static str, &'static dyn Fn(&mut Editor) -> b2nd_frame::Result<()>);

const METALAYERS: [Edit; 3] = [
    ("a metalayer of the same length", &|file| file.overwrite_metalayer_bytes("small", &[7; 20])),
    ("a shorter metalayer of the array", &|file| file.overwrite_metalayer_unchecked("b2nd", &frames::short_array())),
    ("a metalayer over three sectors", &|file| file.overwrite_metalayer_bytes("wide", &[9; 1100])),
];

const VLMETALAYERS: [Edit; 4] = [
    ("a new vlmetalayer", &|file| file.set_vlmetalayer_bytes("other", &[4; 50])),
    ("another value", &|file| file.set_vlmetalayer_bytes("note", &[5; 100])),
    ("a long value", &|file| file.set_vlmetalayer_bytes("note", &[6; 3000])),
    ("a vlmetalayer removed", &|file| file.remove_vlmetalayer("note").map(|_| ())),
];

#[test]
fn edits_leave_the_old_frame_or_the_new_one() {
    let files: [(&str, &dyn Fn() -> Vec<u8>); 6] = [
        ("contiguous", &frames::contiguous),
        ("without vlmetalayers", &frames::bare),
        ("empty", &frames::empty),
        ("followed", &frames::followed),
        ("edited", &frames::edited),
        ("python", &frames::python),
    ];
    let (mut tries, mut crashes) = (0, 0);
    for (frame, bytes) in files {
        let edits = METALAYERS.iter().filter(|_| frame != "python").chain(&VLMETALAYERS);
        for (name, change) in edits {
            if *name == "a vlmetalayer removed" && matches!(frame, "without vlmetalayers" | "python") {
                continue;
            }
            let case = Case {
                name: format!("{frame}: {name}"),
                set_up: &|root| fs::write(root.join("f.b2nd"), bytes()).unwrap(),
                watched: &["f.b2nd"],
                act: &|_, root, watch| edit(&root.join("f.b2nd"), watch, change),
            };
            let (tried, crashed) = case.run();
            (tries, crashes) = (tries + tried, crashes + crashed);
        }
    }
    for (name, change) in METALAYERS.iter().chain(&VLMETALAYERS) {
        let case = Case {
            name: format!("sparse: {name}"),
            set_up: &|root| frames::sparse(&root.join("f.b2nd")),
            watched: &["f.b2nd"],
            act: &|_, root, watch| edit(&root.join("f.b2nd"), watch, change),
        };
        let (tried, crashed) = case.run();
        (tries, crashes) = (tries + tried, crashes + crashed);
    }
    println!("edits: {tries} faults, {crashes} crashed directories");
}

type Step<T> = dyn Fn(&mut Writer<T>) -> b2nd_frame::Result<()>;

/// Writes a frame of three chunks. Each chunk is appended by `attempt`.
fn write<T: Target<Output = ()>>(mut writer: Writer<T>, attempt: &dyn Fn(&mut Writer<T>, &Step<T>)) -> b2nd_frame::Result<()> {
    attempt(&mut writer, &|writer| writer.append(&Chunk::store(&frames::data(0, 64), 4)?));
    attempt(&mut writer, &|writer| writer.append_special(Special::Zeros, 64));
    attempt(&mut writer, &|writer| writer.append(&Chunk::store(&frames::data(1, 64), 4)?));
    writer.set_vlmetalayer_bytes("note", &[9; 40])?;
    writer.finish()
}

/// Writes a chunk, and tries it again if it fails.
fn twice_each<T: Target>(writer: &mut Writer<T>, step: &Step<T>) {
    if let Err(error) = step(writer).or_else(|_| step(writer)) {
        assert_eq!(error.to_string(), "the machine is off");
    }
}

/// Runs a step, and runs it once more if it fails.
fn twice(watch: Watch, mut step: impl FnMut() -> b2nd_frame::Result<()>) -> b2nd_frame::Result<()> {
    step().or_else(|_| {
        watch(None);
        step()
    })
}

#[test]
fn a_new_frame_is_absent_or_complete() {
    let mut header = frames::header_of(48);
    header.metalayers_mut().remove("wide");
    let header = &header;
    let create = |_: &Faulty, root: &Path, watch: Watch| {
        twice(watch, || write(Writer::create(root.join("f.b2nd"), header.clone())?, &twice_each))
    };
    let create_sparse = |storage: &Faulty, root: &Path, watch: Watch| {
        let path = root.join("f.b2nd");
        twice(watch, || {
            if path.exists() {
                return storage_settles(storage, root);
            }
            write(Writer::create_sparse(&path, header.clone())?, &twice_each)
        })
    };
    let cases = [
        Case { name: "a new file".into(), set_up: &|_| (), watched: &["f.b2nd"], act: &create },
        Case {
            name: "a new file in the place of one".into(),
            set_up: &|root| fs::write(root.join("f.b2nd"), frames::contiguous()).unwrap(),
            watched: &["f.b2nd"],
            act: &create,
        },
        Case { name: "a new directory".into(), set_up: &|_| (), watched: &["f.b2nd"], act: &create_sparse },
    ];
    let done = cases.iter().map(Case::run).fold((0, 0), |sum, case| (sum.0 + case.0, sum.1 + case.1));
    println!("new frames: {} faults, {} crashed directories", done.0, done.1);
}

#[test]
fn a_chunk_that_failed_is_left_out() {
    fn shorter<T: Target<Output = ()>>(create: &dyn Fn(&Path) -> b2nd_frame::Result<Writer<T>>) -> usize {
        let mut shorter = 0;
        for at in 0..40 {
            let root = Scratch::new();
            let path = root.join("f.b2nd");
            let _replaced = replace_storage(Arc::new(Faulty::new(root.path(), Some((at, Fault::Part(4))))));
            let Ok(writer) = create(&path) else { continue };
            let failed = std::cell::Cell::new(0);
            let done = write(writer, &|writer, step| failed.set(failed.get() + usize::from(step(writer).is_err())));
            if done.is_ok() {
                assert_eq!(State::read(&path).unwrap().chunks.len(), 3 - failed.get(), "operation {at}");
                shorter += failed.get();
            }
        }
        shorter
    }
    // The frame is not an array, because an array needs all of its chunks.
    let mut header = frames::header();
    header.metalayers_mut().remove("b2nd");
    let one_file = shorter(&|path| Writer::create(path, header.clone()));
    let directory = shorter(&|path| Writer::create_sparse(path, header.clone()));
    assert_eq!((one_file, directory), (2, 2), "each of the stored chunks failed once");
}

/// If a directory exists although the last operation failed, the caller notices that and syncs its name.
fn storage_settles(storage: &Faulty, root: &Path) -> b2nd_frame::Result<()> {
    use b2nd_frame::testing::Storage;
    Ok(storage.sync_dir(root)?)
}

#[test]
fn a_rewrite_leaves_the_old_frame_or_the_new_one() {
    let rewrite = |source: &'static str, target: &'static str| {
        move |storage: &Faulty, root: &Path, watch: Watch| {
            twice(watch, || {
                let (source, target) = (root.join(source), root.join(target));
                if target.exists() && source != target {
                    return storage_settles(storage, root);
                }
                b2nd_frame::rewrite_to(source, target, |metalayers| {
                    metalayers.remove("small");
                    metalayers.insert("wide", [4; 1300])?;
                    metalayers.insert("license", b"CC0".as_slice())?;
                    Ok(())
                })
            })
        }
    };
    let by_an_editor = |_: &Faulty, root: &Path, watch: Watch| {
        twice(watch, || {
            let mut editor = File::edit(root.join("f.b2nd"))?;
            let mut header = editor.file().header().clone();
            header.metalayers_mut().remove("small");
            editor.replace_with(header, |old, writer| {
                writer.set_trailer(old.trailer()?.clone());
                (0..old.offsets()?.len()).try_for_each(|number| writer.copy_chunk(old, number).map(|_| ()))
            })
        })
    };
    let contiguous = |root: &Path| fs::write(root.join("f.b2nd"), frames::followed()).unwrap();
    let sparse = |root: &Path| frames::sparse(&root.join("f.b2nd"));
    let (in_place, to_new) = (rewrite("f.b2nd", "f.b2nd"), rewrite("f.b2nd", "g.b2nd"));
    let watched = &["f.b2nd", "g.b2nd"];
    let cases = [
        Case { name: "in place".into(), set_up: &contiguous, watched, act: &in_place },
        Case { name: "by an editor".into(), set_up: &contiguous, watched, act: &by_an_editor },
        Case { name: "to a new file".into(), set_up: &contiguous, watched, act: &to_new },
        Case { name: "a sparse frame in place".into(), set_up: &sparse, watched, act: &in_place },
        Case { name: "a sparse frame to a new directory".into(), set_up: &sparse, watched, act: &to_new },
    ];
    let done = cases.iter().map(Case::run).fold((0, 0), |sum, case| (sum.0 + case.0, sum.1 + case.1));
    println!("rewrites: {} faults, {} crashed directories", done.0, done.1);
}

/// The state of a sparse frame without the names of its chunk files.
fn sparse_state(path: &Path, when: &str) -> State {
    let state = State::read(path).unwrap_or_else(|error| panic!("{when}: {error}"));
    State { offsets: Vec::new(), ..state }
}

#[test]
fn a_replaced_sparse_frame_is_the_old_one_or_the_new_one_and_the_next_try_leaves_nothing() {
    let replace = |path: &Path| {
        let mut editor = File::edit(path)?;
        let mut header = editor.file().header().clone();
        header.metalayers_mut().remove("small");
        editor.replace_sparse_with(header, |old, writer| {
            writer.set_trailer(old.trailer()?.clone());
            (0..old.offsets()?.len()).try_for_each(|number| writer.copy_chunk(old, number).map(|_| ()))
        })
    };
    let (template, after) = (Scratch::new(), Scratch::new());
    // With two chunk files, all combinations of names that survive a crash can be tried.
    let mut header = frames::header_of(48);
    header.metalayers_mut().remove("wide");
    write(Writer::create_sparse(template.join("f.b2nd"), header).unwrap(), &twice_each).unwrap();
    let (old, names) = (sparse_state(&template.join("f.b2nd"), "before"), template.names());
    let run = |fault| {
        let root = Scratch::new();
        copy_into(&template, &root);
        let storage = Faulty::new(root.path(), fault);
        let _replaced = replace_storage(Arc::new(storage.clone()));
        let done = replace(&root.join("f.b2nd"));
        (root, storage, done)
    };
    let (root, storage, done) = run(None);
    done.unwrap();
    let new = sparse_state(&root.join("f.b2nd"), "after");
    assert!(new.header.metalayers().get("small").is_none() && new.chunks == old.chunks && root.names().len() == names.len());
    let (mut failures, mut seen) = (0, BTreeSet::new());
    for at in 0..storage.operations().len() {
        for fault in [Fault::Nothing, Fault::Part(4), Fault::All, Fault::Crash] {
            let when = format!("{fault:?} at operation {at}");
            let (root, storage, done) = run(Some((at, fault)));
            let path = root.join("f.b2nd");
            let found = sparse_state(&path, &when);
            assert!(found == new || found == old && done.is_err(), "{when}: neither the old nor the new frame");
            for tree in storage.crashes() {
                if seen.insert((done.is_ok(), tree.clone())) {
                    materialize(&tree, after.path());
                    let found = sparse_state(&after.join("f.b2nd"), &when);
                    assert!(found == new || found == old && done.is_err(), "{when}, then a crash");
                }
            }
            if fault != Fault::Crash && found == old {
                assert_eq!(root.names(), names, "{when}: {done:?}");
                failures += 1;
            }
            replace(&path).unwrap_or_else(|error| panic!("{when}, then again: {error}"));
            assert_eq!((sparse_state(&path, &when) == new, root.names().len()), (true, names.len()), "{when}, then again");
        }
    }
    assert!(failures > 20 && seen.len() > 60, "{failures} {}", seen.len());
    assert!(replace(Path::new("../../tests/data/example.b2nd")).unwrap_err().to_string().contains("is one file"));
}
