//! Editors and readers of the same file, and programs that take no lock.

use std::fs;
use std::io::ErrorKind::NotFound;
use std::time::Duration;

use b2nd_frame::{ErrorKind, File, rewrite_to};

use crate::common::scratch::Scratch;
use crate::common::{Hex, frames, message};
use crate::{change, file, refusal};

#[test]
fn a_second_editor_is_told_that_there_is_one() {
    let scratch = Scratch::new();
    let path = file(&scratch, &frames::contiguous());
    let first = File::edit(&path).unwrap();
    let second = File::try_edit(&path).unwrap_err();
    assert!(matches!(second.kind(), ErrorKind::Locked { .. }));
    assert_eq!(second.to_string(), format!("{}: the file is locked by an editor or a reader", path.display()));
    drop(first);
    let shared = [File::open_shared(&path).unwrap(), File::open_shared(&path).unwrap()];
    assert!(matches!(File::try_edit(&path).unwrap_err().kind(), ErrorKind::Locked { .. }));
    drop(shared);
    File::try_edit(&path).unwrap().set_vlmetalayer_bytes("more", b"value").unwrap();
}

/// Runs a function in another thread, and checks that it waits until `holder` releases the lock.
fn waits<H, T: Send>(holder: H, act: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let waiting = scope.spawn(act);
        std::thread::sleep(Duration::from_millis(50));
        assert!(!waiting.is_finished());
        drop(holder);
        waiting.join().unwrap()
    })
}

#[test]
fn editors_and_readers_wait_for_each_other() {
    let scratch = Scratch::new();
    let path = file(&scratch, &frames::contiguous());
    let set = |value: &[u8]| File::edit(&path).unwrap().set_vlmetalayer_bytes("more", value).unwrap();
    let shared = || File::open_shared(&path).unwrap().trailer().unwrap().clone();
    set(b"first");
    waits(File::edit(&path).unwrap(), || set(b"second"));
    waits(File::open_shared(&path).unwrap(), || set(b"third"));
    let mut editor = File::edit(&path).unwrap();
    editor.set_vlmetalayer_bytes("more", b"fourth").unwrap();
    let trailer = waits(editor, shared);
    assert_eq!(trailer.vlmetalayers().value("more").unwrap().unwrap(), b"fourth".as_slice());
}

#[test]
fn a_file_that_is_not_there_is_not_locked() {
    let scratch = Scratch::new();
    let path = scratch.join("none");
    for error in [File::edit(&path).unwrap_err(), File::try_edit(&path).unwrap_err(), File::open_shared(&path).unwrap_err()] {
        assert!(matches!(error.kind(), ErrorKind::Io(error) if error.kind() == NotFound), "{error}");
        assert!(error.to_string().starts_with(&format!("{}: ", path.display())), "{error}");
    }
    assert!(scratch.names().is_empty());
}

#[test]
fn what_another_wrote_without_a_lock_is_not_overwritten() {
    let changed = "the file has been changed, replaced or removed since it was opened: try to open it again";
    let scratch = Scratch::new();
    let path = file(&scratch, &frames::contiguous());
    let mut editor = File::edit(&path).unwrap();
    // Another program changes the file without a lock, as C-Blosc2 does by default.
    let mut bytes = fs::read(&path).unwrap();
    let place = bytes.windows(20).position(|window| window == [1; 20]).unwrap();
    bytes[place] = 7;
    fs::write(&path, &bytes).unwrap();
    assert_eq!(refusal(&path, editor.set_vlmetalayer_bytes("more", &[9; 100])), changed);
    assert_eq!(refusal(&path, editor.overwrite_metalayer_bytes("small", &[9; 20])), changed);
    assert_eq!(refusal(&path, editor.overwrite_metalayer_bytes("wide", &[9; 1100])), changed);
    assert_eq!(refusal(&path, editor.remove_vlmetalayer("note")), changed);
    assert_eq!(refusal(&path, editor.rewrite(change)), changed);
    assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&bytes));
    assert_eq!(scratch.names(), ["f.b2nd"]);
}

#[test]
fn a_thread_does_not_wait_for_itself() {
    let scratch = Scratch::new();
    let path = file(&scratch, &frames::contiguous());
    let said = "the file is locked: this thread itself has the file open, and would wait forever";
    let refused = |error: b2nd_frame::Error| {
        assert!(matches!(error.kind(), ErrorKind::Locked { .. }));
        assert_eq!(error.to_string(), format!("{}: {said}", path.display()));
    };
    let editor = File::edit(&path).unwrap();
    refused(File::edit(&path).unwrap_err());
    refused(File::open_shared(&path).unwrap_err());
    refused(rewrite_to(&path, &path, |_| Ok(())).unwrap_err());
    waits(editor, || File::edit(&path).unwrap().set_vlmetalayer_bytes("more", b"value").unwrap());
    let shared = File::open_shared(&path).unwrap();
    refused(File::edit(&path).unwrap_err());
    // Several readers can have the file open.
    drop(File::open_shared(&path).unwrap());
    // Another thread waits until this thread closes the file.
    waits(shared, || File::edit(&path).map(drop).unwrap());
    drop(File::edit(&path).unwrap());
    assert_eq!(scratch.names(), ["f.b2nd"]);
    // After a thread closes one of its two files, it still has the other one locked.
    let other = scratch.join("g.b2nd");
    fs::write(&other, frames::contiguous()).unwrap();
    let (first, second) = (File::edit(&path).unwrap(), File::edit(&other).unwrap());
    drop(second);
    refused(File::edit(&path).unwrap_err());
    // A source that shares the open file does not keep the lock.
    let _reader = first.file().source().try_clone().unwrap();
    drop(first);
    File::try_edit(&path).unwrap();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::os::unix::fs::symlink;

    use b2nd_frame::Source;
    use rustix::fs::{CWD, FileType, FlockOperation, Mode, flock, mknodat};

    use super::*;
    use crate::common::state::State;

    #[test]
    fn what_another_program_made_under_a_temporary_name_is_kept() {
        let scratch = Scratch::new();
        let path = file(&scratch, &frames::contiguous());
        let mode = Mode::RUSR | Mode::WUSR;
        mknodat(CWD, scratch.join(".f.b2nd.0.tmp"), FileType::Fifo, mode, 0).unwrap();
        rewrite_to(&path, &path, |_| Ok(())).unwrap();
        assert_eq!(scratch.names(), [".f.b2nd.0.tmp", "f.b2nd"]);
    }

    #[test]
    fn a_clone_of_the_source_of_a_shared_file_does_not_keep_it_locked() {
        let scratch = Scratch::new();
        let path = file(&scratch, &frames::contiguous());
        let shared = File::open_shared(&path).unwrap();
        let clone = shared.source().try_clone().unwrap();
        assert!(matches!(File::try_edit(&path).unwrap_err().kind(), ErrorKind::Locked { .. }));
        drop(shared);
        File::try_edit(&path).unwrap().set_vlmetalayer_bytes("more", b"value").unwrap();
        assert!(clone.read(0..8).is_ok());
    }

    #[test]
    fn a_link_to_itself_is_no_link_to_a_file_that_does_not_exist() {
        let scratch = Scratch::new();
        for name in ["loop.b2nd", "none.b2nd"] {
            symlink(name.replace("none", "nothing"), scratch.join(name)).unwrap();
        }
        let edited = |name| message(File::edit(scratch.join(name)));
        assert!(edited("loop.b2nd").contains("(os error 40)"), "{}", edited("loop.b2nd"));
        assert!(edited("none.b2nd").ends_with("it is a symbolic link to a file that does not exist"), "{}", edited("none.b2nd"));
    }

    #[test]
    fn the_lock_of_c_blosc2_is_taken_where_its_file_is() {
        let scratch = Scratch::new();
        frames::sparse(&scratch.join("s.b2nd"));
        let path = file(&scratch, &frames::contiguous());
        symlink("f.b2nd", scratch.join("link.b2nd")).unwrap();
        for (frame, sidecar) in [
            ("f.b2nd", "f.b2nd.b2lock"),
            ("s.b2nd", "s.b2nd/.b2lock"),
            ("link.b2nd", "link.b2nd.b2lock"),
            ("link.b2nd", "f.b2nd.b2lock"),
        ] {
            let (frame, sidecar) = (scratch.join(frame), scratch.join(sidecar));
            File::edit(&frame).unwrap().set_vlmetalayer_bytes("more", b"value").unwrap();
            assert!(!sidecar.exists(), "nothing asks for it");
            // The lock file of C-Blosc2 appears while an editor is open.
            let mut editor = File::try_edit(&frame).unwrap();
            let theirs = fs::File::options().read(true).write(true).create(true).truncate(false).open(&sidecar).unwrap();
            flock(&theirs, FlockOperation::LockExclusive).unwrap();
            assert!(matches!(editor.set_vlmetalayer_bytes("more", b"other").unwrap_err().kind(), ErrorKind::Locked { .. }));
            drop(editor);
            assert!(matches!(File::try_edit(&frame).unwrap_err().kind(), ErrorKind::Locked { .. }));
            flock(&theirs, FlockOperation::Unlock).unwrap();
            for count in 1..4u64 {
                let mut editor = File::edit(&frame).unwrap();
                editor.set_vlmetalayer_bytes("more", &[7; 7]).unwrap();
                editor.set_vlmetalayer_bytes("more", &[8; 7]).unwrap();
                assert!(flock(&theirs, FlockOperation::NonBlockingLockShared).is_err());
                assert_eq!(fs::read(&sidecar).unwrap()[8..], count.to_ne_bytes());
            }
            let held = || {
                let file = fs::File::open(&sidecar).unwrap();
                flock(&file, FlockOperation::LockExclusive).unwrap();
                file
            };
            let shared = waits(held(), || File::open_shared(&frame).unwrap());
            flock(&theirs, FlockOperation::NonBlockingLockShared).unwrap();
            assert!(flock(&theirs, FlockOperation::NonBlockingLockExclusive).is_err());
            drop(shared);
            assert_eq!(fs::read(&sidecar).unwrap()[8..], 3u64.to_ne_bytes(), "who reads is not counted");
            waits(held(), || File::edit(&frame).map(drop).unwrap());
            drop(theirs);
            fs::remove_file(sidecar).unwrap();
        }
        assert!(State::read(&path).is_ok());
    }

    #[test]
    fn a_lock_file_that_cannot_be_opened_is_not_taken_for_none() {
        let scratch = Scratch::new();
        let path = file(&scratch, &frames::contiguous());
        let _socket = std::os::unix::net::UnixListener::bind(scratch.join("f.b2nd.b2lock")).unwrap();
        assert!(message(File::edit(&path)).contains("f.b2nd.b2lock"));
        assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&frames::contiguous()));
    }

    #[test]
    fn what_is_no_lock_file_is_neither_written_nor_followed() {
        let scratch = Scratch::new();
        let (path, victim) = (file(&scratch, &frames::contiguous()), scratch.join("victim"));
        let sidecar = scratch.join("f.b2nd.b2lock");
        let text: String = (0..100).map(|line| format!("{line}\n")).collect();
        let make: [(&str, &dyn Fn()); 4] = [
            ("it is a symbolic link", &|| symlink("victim", &sidecar).unwrap()),
            ("it is a symbolic link", &|| symlink("nothing", &sidecar).unwrap()),
            ("it has 290 bytes, and a lock file has at most 16", &|| fs::hard_link(&victim, &sidecar).unwrap()),
            ("it is a pipe, a device or a socket", &|| {
                mknodat(CWD, &sidecar, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap()
            }),
        ];
        for (why, make) in make {
            fs::write(&victim, &text).unwrap();
            make();
            for refused in [File::edit(&path).map(drop), File::open_shared(&path).map(drop)] {
                let expected = format!("{}: this is where C-Blosc2 has its lock file, but {why}: rename it", sidecar.display());
                assert_eq!(refusal(&path, refused), expected);
            }
            assert_eq!(fs::read_to_string(&victim).unwrap(), text);
            assert_eq!(scratch.names(), ["f.b2nd", "f.b2nd.b2lock", "victim"]);
            fs::remove_file(&sidecar).unwrap();
        }
        // A link appears while an editor is open.
        let mut editor = File::edit(&path).unwrap();
        symlink("victim", &sidecar).unwrap();
        assert!(editor.set_vlmetalayer_bytes("more", b"value").is_err());
        assert_eq!(fs::read_to_string(&victim).unwrap(), text);
    }

    #[test]
    fn a_file_that_was_put_in_the_place_of_an_edited_one_is_left() {
        let scratch = Scratch::new();
        let path = file(&scratch, &frames::contiguous());
        let mut editor = File::edit(&path).unwrap();
        fs::write(scratch.join("g.b2nd"), frames::contiguous()).unwrap();
        fs::rename(scratch.join("g.b2nd"), &path).unwrap();
        let said = format!(
            "{}: the file has been changed, replaced or removed since it was opened: try to open it again",
            path.display()
        );
        assert_eq!(message(editor.set_vlmetalayer_bytes("more", b"value")), said);
        assert_eq!(message(editor.overwrite_metalayer_bytes("small", &[9; 20])), said);
        assert_eq!(message(editor.overwrite_metalayer_bytes("wide", &[9; 1100])), said);
        assert_eq!(message(editor.rewrite(|_| Ok(()))), said);
        assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&frames::contiguous()));
        assert_eq!(scratch.names(), ["f.b2nd"]);
    }
}

#[test]
fn a_file_that_is_removed_while_it_is_edited_stays_removed() {
    let scratch = Scratch::new();
    let path = file(&scratch, &frames::contiguous());
    let mut editor = File::edit(&path).unwrap();
    fs::remove_file(&path).unwrap();
    for refused in [editor.set_vlmetalayer_bytes("more", b"value").unwrap_err(), editor.rewrite(|_| Ok(())).unwrap_err()] {
        assert!(matches!(refused.kind(), ErrorKind::Changed), "{refused}");
    }
    assert!(!path.exists());
}
