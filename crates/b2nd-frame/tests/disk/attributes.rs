//! Attributes that a file takes over from the one it replaces: permissions, owner, group, extended attributes and holes.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use b2nd_frame::testing::{Disk, Handle, Storage, replace_storage};
use b2nd_frame::{File, Header, NewDirectory, NewFile, Sizes, Writer, rewrite_to};

use crate::common::frames;
use crate::common::scratch::Scratch;
use crate::{change, file};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn permissions_are_kept() {
    let scratch = Scratch::new();
    let path = file(&scratch, &frames::empty());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let mut open = File::edit(&path).unwrap();
    open.overwrite_metalayer_bytes("wide", &[9; 1100]).unwrap();
    assert_eq!(mode(&path), 0o640);
    open.set_vlmetalayer_bytes("note", b"other").unwrap();
    assert_eq!(mode(&path), 0o640);
    drop(open);
    rewrite_to(&path, &path, change).unwrap();
    assert_eq!(mode(&path), 0o640);
    rewrite_to(&path, scratch.join("g.b2nd"), change).unwrap();
    assert_eq!(mode(&scratch.join("g.b2nd")), 0o640);
    Writer::create(&path, Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 }).unwrap()).unwrap().finish().unwrap();
    assert_eq!(mode(&path), 0o640);
    let writer = Writer::create(scratch.join("h.b2nd"), frames::header_of(0)).unwrap();
    writer.copy_attributes(&path).unwrap();
    writer.finish().unwrap();
    assert_eq!(mode(&scratch.join("h.b2nd")), 0o640);
    // Users who may read the file may also list a directory that is a copy of it.
    let writer = Writer::create_sparse(scratch.join("s.b2frame"), frames::header_of(0)).unwrap();
    writer.copy_attributes(&path).unwrap();
    writer.finish().unwrap();
    assert_eq!(mode(&scratch.join("s.b2frame")), 0o750);
}

/// Creates a file and a directory with the attributes of `source`.
fn copies(scratch: &Scratch, source: &Path) -> [PathBuf; 2] {
    let name = source.file_name().unwrap().to_str().unwrap();
    let [file, directory] = ["file", "directory"].map(|kind| scratch.join(&format!("{kind} like {name}")));
    let new = NewFile::create_new(&file).unwrap();
    new.copy_attributes(source).unwrap();
    new.finish().unwrap();
    let new = NewDirectory::create_new(&directory).unwrap();
    new.copy_attributes(source).unwrap();
    new.finish().unwrap();
    [file, directory]
}

#[test]
fn copies_get_the_permissions_of_their_source() {
    for (is_dir, of_source, of_copies) in [
        (false, 0o640, [0o640, 0o750]),
        // Execute bits of a file do not interfere with the execute bits that a directory needs.
        (false, 0o755, [0o755, 0o755]),
        // Execute bits of a directory do not make a file executable.
        (true, 0o751, [0o640, 0o751]),
    ] {
        let scratch = Scratch::new();
        let source = if is_dir { scratch.join("source") } else { file(&scratch, b"content") };
        if is_dir {
            fs::create_dir(&source).unwrap();
        }
        fs::set_permissions(&source, fs::Permissions::from_mode(of_source)).unwrap();
        let found = copies(&scratch, &source).map(|copy| mode(&copy));
        assert_eq!(found, of_copies, "{of_source:o}: {:o} and {:o}", found[0], found[1]);
    }
}

/// A disk that checks that a file has its permissions before it has content.
#[derive(Debug)]
struct Private;

impl Storage for Private {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Handle>> {
        Disk.open(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Handle>> {
        Disk.create(path)
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
        let empty = if to.is_dir() { fs::read_dir(to)?.next().is_none() } else { fs::metadata(to)?.len() == 0 };
        assert!(empty, "{}", to.display());
        Disk.copy_attributes(from, to)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        Disk.sync_dir(path)
    }
}

#[test]
fn what_is_private_stays_private_while_it_is_copied() {
    let scratch = Scratch::new();
    let private = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    let path = file(&scratch, &frames::contiguous());
    private(&path);
    let replaced = replace_storage(Arc::new(Private));
    File::edit(&path).unwrap().overwrite_metalayer_bytes("wide", &[9; 1100]).unwrap();
    assert_eq!(mode(&path), 0o600);
    drop(replaced);

    let (from, to) = (scratch.join("from.b2nd"), scratch.join("to.b2nd"));
    frames::sparse(&from);
    let names = || fs::read_dir(&from).unwrap().map(|entry| entry.unwrap().file_name());
    names().for_each(|name| private(&from.join(name)));
    let _replaced = replace_storage(Arc::new(Private));
    rewrite_to(&from, &to, change).unwrap();
    assert!(names().count() > 1);
    names().for_each(|name| assert_eq!(mode(&to.join(&name)), 0o600, "{name:?}"));
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io::{Seek, SeekFrom, Write};
    use std::os::unix::fs::{MetadataExt, chown};
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use b2nd_frame::Chunk;
    use rustix::fs::{XattrFlags, getxattr, setxattr};

    use super::*;
    use crate::common::report;

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
        File::edit(&path).unwrap().overwrite_metalayer_bytes("wide", &[9; 1100]).unwrap();
        inodes.push(look(&path));
        rewrite_to(&path, &path, |metalayers| metalayers.insert("added", [1]).map(drop)).unwrap();
        inodes.push(look(&path));
        Writer::create(&path, frames::header_of(0)).unwrap().finish().unwrap();
        inodes.push(look(&path));
        assert!(inodes.windows(2).all(|pair| pair[0] != pair[1]), "replaced each time");
    }

    #[test]
    fn copies_get_the_extended_attributes_of_a_source_of_their_kind() {
        let scratch = Scratch::new();
        let (path, directory) = (file(&scratch, b"content"), scratch.join("d"));
        fs::create_dir(&directory).unwrap();
        for source in [path, directory] {
            if setxattr(&source, "user.b2nd", b"kept", XattrFlags::empty()).is_err() {
                return report("the file system has no extended attributes: that copies get them was not tried");
            }
            for copy in copies(&scratch, &source) {
                let mut value = [0; 4];
                let is_copied = getxattr(&copy, "user.b2nd", &mut value).is_ok() && &value == b"kept";
                assert_eq!(is_copied, copy.is_dir() == source.is_dir(), "{}", copy.display());
            }
        }
    }

    /// An environment variable with the file to edit, for a process that runs as another user.
    const EDITED: &str = "B2ND_TEST_EDITED";

    #[test]
    #[ignore = "the next test runs it as a process of its own"]
    fn another_user() {
        let Some(path) = std::env::var_os(EDITED) else { return };
        File::edit(path).unwrap().overwrite_metalayer_bytes("wide", &[9; 1100]).unwrap();
    }

    /// Edits a file as another user. Returns `false` if this process may not switch to a user that can run it.
    fn edited_by(user: u32, group: u32, path: &Path) -> bool {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["attributes::linux::another_user", "--exact", "--ignored"]).env(EDITED, path).uid(user).gid(group);
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
            // If the group cannot be kept, the new group gets only rights that both the old group and all other users have.
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
        let mut large = b2nd_frame::Header::new(b2nd_frame::Sizes { typesize: 4, chunksize: HOLE as i32, blocksize: 4 }).unwrap();
        *large.metalayers_mut() = header.metalayers().clone();
        let mut writer = Writer::new(large);
        writer.append(&Chunk::store(&vec![0; HOLE], 4).unwrap()).unwrap();
        writer.set_vlmetalayer_bytes("note", &[3; 100]).unwrap();
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
        editor.overwrite_metalayer_bytes("wide", &[9; 1100]).unwrap();
        few(&path);
        editor.rewrite(|metalayers| metalayers.insert("added", [1; 700]).map(drop)).unwrap();
        few(&path);
        drop(editor);
        rewrite_to(&path, scratch.join("g.b2nd"), |_| Ok(())).unwrap();
        few(&scratch.join("g.b2nd"));
        for path in [&path, &scratch.join("g.b2nd")] {
            let file = File::open(path).unwrap();
            assert!(file.chunk(0).unwrap().data().unwrap().iter().all(|&byte| byte == 0));
            assert_eq!(file.trailer().unwrap().vlmetalayers().value("note").unwrap().as_deref(), Some([3; 100].as_slice()));
        }
    }
}
