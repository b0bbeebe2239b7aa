//! A file is more than its bytes: full disks, what stands beside it, links, devices, long names, holes.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use b2nd::frame::{Disk, File, Handle, Storage, Writer, rewrite, rewrite_in};

use crate::common::scratch::Scratch;
use crate::common::state::State;
use crate::common::{Hex, frames, message};

/// A disk with room for so many bytes more in each file that is written.
#[derive(Debug)]
struct Full(u64);

struct Limited {
    handle: Box<dyn Handle>,
    end: u64,
}

impl Storage for Full {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Handle>> {
        let handle = Disk.open(path)?;
        let end = handle.file().metadata()?.len() + self.0;
        Ok(Box::new(Limited { handle, end }))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Handle>> {
        Ok(Box::new(Limited { handle: Disk.create(path)?, end: self.0 }))
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        Disk.create_dir(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        Disk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        Disk.remove(path)
    }

    fn copy_attributes(&self, from: &Path, to: &Path) -> io::Result<()> {
        Disk.copy_attributes(from, to)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        Disk.sync_dir(path)
    }
}

impl Handle for Limited {
    fn sync(&mut self) -> io::Result<()> {
        self.handle.sync()
    }

    fn set_len(&mut self, length: u64) -> io::Result<()> {
        self.handle.set_len(length)
    }

    fn file(&self) -> &fs::File {
        self.handle.file()
    }
}

impl Read for Limited {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.handle.read(buffer)
    }
}

impl Seek for Limited {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.handle.seek(to)
    }
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.end.saturating_sub(self.handle.stream_position()?);
        let fits = bytes.len().min(room as usize);
        if fits == 0 { Err(io::ErrorKind::StorageFull.into()) } else { self.handle.write(&bytes[..fits]) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.handle.flush()
    }
}

fn file(scratch: &Scratch, bytes: &[u8]) -> std::path::PathBuf {
    let path = scratch.join("f.b2nd");
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_full_disk_gets_back_what_a_failed_edit_took() {
    for bytes in [frames::contiguous(), frames::bare(), frames::empty(), frames::edited()] {
        let scratch = Scratch::new();
        let path = file(&scratch, &bytes);
        let mut editor = File::edit_in(Arc::new(Full(1000)), &path).unwrap();
        let said = message(editor.set_vlmetalayer("long", &[7; 50_000]));
        assert!(said.starts_with(&path.display().to_string()), "{said}");
        assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&bytes));
        assert_eq!(scratch.names(), ["f.b2nd"]);
        drop(editor);
        assert!(rewrite_in(Arc::new(Full(100)), &path, &path, |_| Ok(())).is_err());
        assert!(rewrite_in(Arc::new(Full(100)), &path, scratch.join("g.b2nd"), |_| Ok(())).is_err());
        assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&bytes));
        assert_eq!(scratch.names(), ["f.b2nd"]);
        File::edit(&path).unwrap().set_vlmetalayer("long", &[7; 50_000]).unwrap();
        assert!(State::read(&path).is_ok());
    }
}

#[test]
fn a_trailer_is_written_where_older_ones_stood() {
    let scratch = Scratch::new();
    let path = file(&scratch, &frames::contiguous());
    let before = State::read(&path).unwrap();
    let mut editor = File::edit(&path).unwrap();
    for round in 0..100u8 {
        editor.set_vlmetalayer("large", &vec![round; 100_000]).unwrap();
        editor.set_vlmetalayer("note", &vec![round; usize::from(round)]).unwrap();
        let length = fs::metadata(&path).unwrap().len();
        assert!(length < 320_000, "round {round}: {length} bytes");
    }
    editor.remove_vlmetalayer("large").unwrap();
    for round in 0..3 {
        editor.set_vlmetalayer("note", &[round; 30]).unwrap();
    }
    let length = fs::metadata(&path).unwrap().len();
    assert!(length < frames::contiguous().len() as u64 + 1000, "{length} bytes");
    let after = State::read(&path).unwrap();
    assert_eq!((after.chunks, after.header.metalayers()), (before.chunks, before.header.metalayers()));
    assert_eq!(after.values, [Some(vec![2; 30])]);
}

#[test]
fn names_as_long_as_the_system_takes_are_edited() {
    let scratch = Scratch::new();
    for name in ["n".repeat(248), "n".repeat(255), "é".repeat(127)] {
        let path = scratch.join(&name);
        fs::write(&path, frames::contiguous()).unwrap();
        let mut editor = File::edit(&path).unwrap();
        editor.set_metalayer_bytes("wide", &[9; 1100]).unwrap();
        editor.set_vlmetalayer("more", b"value").unwrap();
        editor.rewrite(|metalayers| metalayers.insert("added", [1]).map(drop)).unwrap();
        assert_eq!(File::open(&path).unwrap().header().metalayers().get("added"), Some([1].as_slice()));
        assert_eq!(scratch.names(), [name]);
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn what_a_killed_process_left_is_removed_and_what_is_being_written_is_not() {
    let scratch = Scratch::new();
    let path = file(&scratch, &frames::contiguous());
    let left = [scratch.join(".f.b2nd.0.tmp"), scratch.join(".f.b2nd.1.tmp")];
    left.iter().for_each(|left| fs::write(left, b"half of a frame").unwrap());
    File::edit(&path).unwrap().set_metalayer_bytes("small", &[9; 20]).unwrap();
    assert_eq!(scratch.names(), ["f.b2nd"]);

    let mut writer = Writer::create(&path, frames::header()).unwrap();
    fs::write(&left[1], b"half of a frame").unwrap();
    File::edit(&path).unwrap().set_metalayer_bytes("wide", &[9; 1100]).unwrap();
    assert_eq!(scratch.names(), [".f.b2nd.0.tmp", "f.b2nd"]);
    frames::append(&mut writer).unwrap();
    writer.finish().unwrap();
    assert_eq!(scratch.names(), ["f.b2nd"]);
    assert_eq!(State::read(&path).unwrap().header.metalayers(), frames::header().metalayers());
    if cfg!(unix) {
        fs::create_dir(scratch.join(".s.b2nd.0.tmp")).unwrap();
        frames::sparse(&scratch.join("s.b2nd"));
        assert!(!scratch.join(".s.b2nd.0.tmp").exists());
    }
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let scratch = Scratch::new();
    let (path, source) = (file(&scratch, &frames::contiguous()), scratch.join("g.b2nd"));
    fs::write(&source, frames::contiguous()).unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    let refusal = format!("{}: it is read-only: give it permission to be written first", path.display());
    assert_eq!(message(File::edit(&path)), refusal);
    assert_eq!(message(rewrite(&path, &path, |_| Ok(()))), refusal);
    assert_eq!(message(rewrite(&source, &path, |_| Ok(()))), refusal);
    assert_eq!(message(Writer::create(&path, frames::header())), refusal);
    assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&frames::contiguous()));
    rewrite(&path, scratch.join("h.b2nd"), |_| Ok(())).unwrap();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown, symlink};
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::time::Instant;

    use b2nd::ErrorKind;
    use b2nd::frame::Chunk;
    use rustix::fs::{CWD, FileType, FlockOperation, Mode, XattrFlags, flock, getxattr, mknodat, setxattr};

    use super::*;
    use crate::common::report;

    #[test]
    fn what_is_no_file_is_neither_opened_nor_replaced() {
        let scratch = Scratch::new();
        let (source, fifo, dangling) = (file(&scratch, &frames::contiguous()), scratch.join("fifo"), scratch.join("dangling"));
        mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        symlink("nothing", &dangling).unwrap();
        let names = scratch.names();
        let start = Instant::now();
        for path in [fifo.as_path(), Path::new("/dev/null"), Path::new("/dev/zero")] {
            let refusal = format!("{}: it is not a regular file", path.display());
            assert_eq!(message(File::open(path)), refusal);
            assert_eq!(message(File::edit(path)), refusal);
            assert_eq!(message(rewrite(&source, path, |_| Ok(()))), refusal);
            assert_eq!(message(Writer::create(path, frames::header())), refusal);
        }
        let refusal = format!("{}: it is a symbolic link to a file that does not exist", dangling.display());
        assert_eq!(message(File::edit(&dangling)), refusal);
        assert_eq!(message(rewrite(&source, &dangling, |_| Ok(()))), refusal);
        assert_eq!(message(Writer::create(&dangling, frames::header())), refusal);
        assert!(start.elapsed().as_secs() < 2, "nothing waits for a writer");
        assert!(fs::metadata(&fifo).unwrap().file_type().is_fifo());
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        assert_eq!(scratch.names(), names);
    }

    #[test]
    fn owner_group_and_extended_attributes_are_kept() {
        let scratch = Scratch::new();
        let path = file(&scratch, &frames::contiguous());
        let given = chown(&path, Some(1234), Some(2345)).is_ok();
        if !given {
            report("files are not given away without root: that their owner is kept was not tried");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).unwrap();
        let marked = setxattr(&path, "user.b2nd", b"kept", XattrFlags::empty()).is_ok();
        if !marked {
            report("the file system has no extended attributes: that they are kept was not tried");
        }
        let look = |path: &Path| {
            let found = fs::metadata(path).unwrap();
            assert_eq!(found.permissions().mode() & 0o7777, 0o664);
            if given {
                assert_eq!((found.uid(), found.gid()), (1234, 2345));
            }
            let mut value = [0; 8];
            if marked {
                assert_eq!(getxattr(path, "user.b2nd", &mut value), Ok(4));
                assert_eq!(&value[..4], b"kept");
            }
            found.ino()
        };
        let mut inodes = vec![look(&path)];
        File::edit(&path).unwrap().set_metalayer_bytes("wide", &[9; 1100]).unwrap();
        inodes.push(look(&path));
        rewrite(&path, &path, |metalayers| metalayers.insert("added", [1]).map(drop)).unwrap();
        inodes.push(look(&path));
        Writer::create(&path, frames::header_of(0)).unwrap().finish().unwrap();
        inodes.push(look(&path));
        assert!(inodes.windows(2).all(|pair| pair[0] != pair[1]), "replaced each time");
    }

    /// Set for a process that is another user's: the file to edit.
    const EDITED: &str = "B2ND_TEST_EDITED";

    #[test]
    #[ignore = "the next test runs it as a process of its own"]
    fn another_user() {
        let Some(path) = std::env::var_os(EDITED) else { return };
        File::edit(path).unwrap().set_metalayer_bytes("wide", &[9; 1100]).unwrap();
    }

    /// Has a file replaced by another user. `false` if this process may not become one who can run it.
    fn edited_by(user: u32, group: u32, path: &Path) -> bool {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["files::linux::another_user", "--exact", "--ignored"]).env(EDITED, path).uid(user).gid(group);
        match child.output() {
            Ok(output) => {
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
                true
            }
            Err(_) => false,
        }
    }

    #[test]
    fn where_owner_or_group_cannot_be_kept_nobody_gets_more_rights() {
        const GROUP: u32 = 2345;
        for (user, group, before, after) in [
            // Without its group a file keeps of the group's rights those that others have.
            (4321, 4321, 0o676, 0o666),
            (4321, 4321, 0o646, 0o646),
            (4321, 4321, 0o677, 0o677),
            (4321, GROUP, 0o676, 0o676),
            (1234, 4321, 0o676, 0o666),
        ] {
            let scratch = Scratch::new();
            fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o777)).unwrap();
            let path = file(&scratch, &frames::contiguous());
            let given = chown(&path, Some(1234), Some(GROUP)).is_ok();
            fs::set_permissions(&path, fs::Permissions::from_mode(before)).unwrap();
            if !given || !edited_by(user, group, &path) {
                return report("only root edits as another user: what such an edit keeps was not tried");
            }
            let found = fs::metadata(&path).unwrap();
            assert_eq!((found.uid(), found.gid()), (user, group));
            assert_eq!(found.permissions().mode() & 0o7777, after, "{before:o} by {user}:{group}");
        }
    }

    #[test]
    fn holes_stay_holes() {
        const HOLE: usize = 32 << 20;
        let scratch = Scratch::new();
        let path = scratch.join("f.b2nd");
        let mut header = frames::header();
        header.metalayers_mut().remove("b2nd");
        let mut large =
            b2nd::frame::Header::new(b2nd::frame::Sizes { typesize: 4, chunksize: HOLE as i32, blocksize: 4 }).unwrap();
        *large.metalayers_mut() = header.metalayers().clone();
        let mut writer = Writer::new(large);
        writer.append(&Chunk::store(&vec![0; HOLE], 4).unwrap()).unwrap();
        writer.set_vlmetalayer("note", &[3; 100]).unwrap();
        let bytes = writer.finish().unwrap();
        let mut sparse = fs::File::create(&path).unwrap();
        for (number, block) in bytes.chunks(4096).enumerate().filter(|(_, block)| block.iter().any(|&byte| byte != 0)) {
            sparse.seek(SeekFrom::Start(number as u64 * 4096)).unwrap();
            sparse.write_all(block).unwrap();
        }
        assert_eq!(fs::metadata(&path).unwrap().len(), bytes.len() as u64);
        let few = |path: &Path| assert!(fs::metadata(path).unwrap().blocks() * 512 < 1 << 20, "{}", path.display());
        few(&path);
        let mut editor = File::edit(&path).unwrap();
        editor.set_metalayer_bytes("wide", &[9; 1100]).unwrap();
        few(&path);
        editor.rewrite(|metalayers| metalayers.insert("added", [1; 700]).map(drop)).unwrap();
        few(&path);
        drop(editor);
        rewrite(&path, scratch.join("g.b2nd"), |_| Ok(())).unwrap();
        few(&scratch.join("g.b2nd"));
        for path in [&path, &scratch.join("g.b2nd")] {
            let file = File::open(path).unwrap();
            assert!(file.chunk(0).unwrap().data(()).unwrap().iter().all(|&byte| byte == 0));
            assert_eq!(file.trailer().unwrap().value("note", ()).unwrap().as_deref(), Some([3; 100].as_slice()));
        }
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
            File::edit(&frame).unwrap().set_vlmetalayer("more", b"value").unwrap();
            assert!(!sidecar.exists(), "nothing asks for it");
            // It appears while there is an editor already.
            let mut editor = File::try_edit(&frame).unwrap();
            let theirs = fs::File::options().read(true).write(true).create(true).truncate(false).open(&sidecar).unwrap();
            flock(&theirs, FlockOperation::LockExclusive).unwrap();
            assert!(matches!(editor.set_vlmetalayer("more", b"other").unwrap_err().kind(), ErrorKind::Locked));
            drop(editor);
            assert!(matches!(File::try_edit(&frame).unwrap_err().kind(), ErrorKind::Locked));
            flock(&theirs, FlockOperation::Unlock).unwrap();
            for count in 1..4u64 {
                let mut editor = File::edit(&frame).unwrap();
                editor.set_vlmetalayer("more", &[7; 7]).unwrap();
                editor.set_vlmetalayer("more", &[8; 7]).unwrap();
                assert!(flock(&theirs, FlockOperation::NonBlockingLockShared).is_err());
                assert_eq!(fs::read(&sidecar).unwrap()[8..], count.to_ne_bytes());
            }
            let shared = File::open_shared(&frame).unwrap();
            flock(&theirs, FlockOperation::NonBlockingLockShared).unwrap();
            assert!(flock(&theirs, FlockOperation::NonBlockingLockExclusive).is_err());
            drop(shared);
            assert_eq!(fs::read(&sidecar).unwrap()[8..], 3u64.to_ne_bytes(), "who reads is not counted");
            drop(theirs);
            fs::remove_file(sidecar).unwrap();
        }
        assert!(State::read(&path).is_ok());
    }

    #[test]
    fn a_file_that_was_put_in_the_place_of_an_edited_one_is_left() {
        let scratch = Scratch::new();
        let path = file(&scratch, &frames::contiguous());
        let mut editor = File::edit(&path).unwrap();
        fs::write(scratch.join("g.b2nd"), frames::contiguous()).unwrap();
        fs::rename(scratch.join("g.b2nd"), &path).unwrap();
        let replaced = format!("{}: another file has been put in its place since it was opened: open it again", path.display());
        assert_eq!(message(editor.set_vlmetalayer("more", b"value")), replaced);
        assert_eq!(message(editor.set_metalayer_bytes("small", &[9; 20])), replaced);
        assert_eq!(message(editor.set_metalayer_bytes("wide", &[9; 1100])), replaced);
        assert_eq!(message(editor.rewrite(|_| Ok(()))), replaced);
        assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&frames::contiguous()));
        assert_eq!(scratch.names(), ["f.b2nd"]);
    }
}
