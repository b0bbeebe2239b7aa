//! Special files and conditions: full disks, neighboring files, links, devices and long names.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use b2nd_frame::testing::{Disk, Handle, Storage, replace_storage};
use b2nd_frame::{File, FileSource, NewFile, Source, Writer, rewrite_to};

use crate::common::scratch::Scratch;
use crate::common::state::State;
use crate::common::{Hex, frames, message};
use crate::{file, refusal};

/// A disk on which each file can grow by at most this number of bytes.
#[derive(Debug)]
struct Full(u64);

#[derive(Debug)]
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

#[test]
fn a_full_disk_gets_back_what_a_failed_edit_took() {
    for bytes in [frames::contiguous(), frames::bare(), frames::empty(), frames::edited()] {
        let scratch = Scratch::new();
        let path = file(&scratch, &bytes);
        let replaced = replace_storage(Arc::new(Full(1000)));
        let mut editor = File::edit(&path).unwrap();
        let said = message(editor.set_vlmetalayer_bytes("long", &[7; 50_000]));
        assert!(said.starts_with(&path.display().to_string()), "{said}");
        assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&bytes));
        assert_eq!(scratch.names(), ["f.b2nd"]);
        drop((editor, replaced));
        let replaced = replace_storage(Arc::new(Full(100)));
        assert!(rewrite_to(&path, &path, |_| Ok(())).is_err());
        assert!(rewrite_to(&path, scratch.join("g.b2nd"), |_| Ok(())).is_err());
        drop(replaced);
        assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&bytes));
        assert_eq!(scratch.names(), ["f.b2nd"]);
        File::edit(&path).unwrap().set_vlmetalayer_bytes("long", &[7; 50_000]).unwrap();
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
        editor.set_vlmetalayer_bytes("large", &vec![round; 100_000]).unwrap();
        editor.set_vlmetalayer_bytes("note", &vec![round; usize::from(round)]).unwrap();
        let length = fs::metadata(&path).unwrap().len();
        assert!(length < 320_000, "round {round}: {length} bytes");
    }
    editor.remove_vlmetalayer("large").unwrap();
    for round in 0..3 {
        editor.set_vlmetalayer_bytes("note", &[round; 30]).unwrap();
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
        editor.overwrite_metalayer_bytes("wide", &[9; 1100]).unwrap();
        editor.set_vlmetalayer_bytes("more", b"value").unwrap();
        editor.rewrite(|metalayers| metalayers.insert("added", [1]).map(drop)).unwrap();
        assert_eq!(File::open(&path).unwrap().header().metalayers().get("added"), Some([1].as_slice()));
        assert_eq!(scratch.names(), [name]);
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_temporary_name_includes_up_to_200_bytes_of_the_final_name() {
    let scratch = Scratch::new();
    for (name, repeated) in
        [("n".repeat(201), "n".repeat(200)), ("é".repeat(101), "é".repeat(100)), ("n".repeat(200), "n".repeat(200))]
    {
        let _new = NewFile::create_new(scratch.join(&name)).unwrap();
        assert_eq!(scratch.names(), [format!(".{repeated}.b2nd.0.tmp")], "{name}");
    }
}

#[test]
fn the_error_of_a_read_past_the_end_has_the_number_of_missing_bytes() {
    let scratch = Scratch::new();
    let path = file(&scratch, &[7; 10]);
    let source = FileSource::open(&path).unwrap();
    for (start, buffer, missing) in [(0, 15, "5 more bytes"), (4, 7, "1 more byte"), (10, 3, "3 more bytes")] {
        let said = message(source.read_into(start, &mut vec![0; buffer]));
        assert_eq!(
            said,
            format!("unexpected end of input at byte 10: the source needs {missing}"),
            "{buffer} bytes from {start}"
        );
    }
}

#[test]
fn what_a_killed_process_left_is_removed_and_what_is_being_written_is_not() {
    let scratch = Scratch::new();
    let path = file(&scratch, &frames::contiguous());
    let left = [scratch.join(".f.b2nd.0.tmp"), scratch.join(".f.b2nd.1.tmp")];
    left.iter().for_each(|left| fs::write(left, b"half of a frame").unwrap());
    File::edit(&path).unwrap().overwrite_metalayer_bytes("small", &[9; 20]).unwrap();
    assert_eq!(scratch.names(), ["f.b2nd"]);

    let mut writer = Writer::create(&path, frames::header()).unwrap();
    fs::write(&left[1], b"half of a frame").unwrap();
    File::edit(&path).unwrap().overwrite_metalayer_bytes("wide", &[9; 1100]).unwrap();
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
fn what_was_left_of_other_files_is_removed_if_nobody_uses_it() {
    let scratch = Scratch::new();
    let path = file(&scratch, &frames::contiguous());
    // These are files of another program, of a writer that is still open, and of processes that were killed.
    fs::write(scratch.join(".notes.0.tmp"), b"text").unwrap();
    fs::write(scratch.join(".other.b2nd.tmp"), b"text").unwrap();
    let mut writer = Writer::create(scratch.join("other.b2nd"), frames::header()).unwrap();
    for left in [".gone.b2nd.0.tmp", ".gone.b2nd.17.tmp", ".chunks.b2frame.0.tmp"] {
        fs::write(scratch.join(left), b"half of a frame").unwrap();
    }
    if cfg!(unix) {
        fs::create_dir(scratch.join(".sparse.b2nd.0.tmp")).unwrap();
        fs::write(scratch.join(".sparse.b2nd.0.tmp/00000000.chunk"), b"half of a chunk").unwrap();
    }
    rewrite_to(&path, scratch.join("g.b2nd"), |_| Ok(())).unwrap();
    let kept = [".notes.0.tmp", ".other.b2nd.0.tmp", ".other.b2nd.tmp", "f.b2nd", "g.b2nd"];
    assert_eq!(scratch.names(), kept);
    frames::append(&mut writer).unwrap();
    writer.finish().unwrap();
    assert_eq!(State::read(&scratch.join("other.b2nd")).unwrap().header.metalayers(), frames::header().metalayers());
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let scratch = Scratch::new();
    let (path, source) = (file(&scratch, &frames::contiguous()), scratch.join("g.b2nd"));
    fs::write(&source, frames::contiguous()).unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    let refusal = format!("{}: it is read-only: make it writable first", path.display());
    assert_eq!(message(File::edit(&path)), refusal);
    assert_eq!(message(rewrite_to(&path, &path, |_| Ok(()))), refusal);
    assert_eq!(message(Writer::create(&path, frames::header())), refusal);
    assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&frames::contiguous()));
    rewrite_to(&path, scratch.join("h.b2nd"), |_| Ok(())).unwrap();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::os::unix::fs::{FileTypeExt, symlink};

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn what_is_no_file_is_neither_opened_nor_replaced() {
        // Opening a pipe could wait until another process opens it for writing.
        let scratch = Scratch::new();
        let (source, fifo, dangling) = (file(&scratch, &frames::contiguous()), scratch.join("fifo"), scratch.join("dangling"));
        mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        symlink("nothing", &dangling).unwrap();
        let names = scratch.names();
        for path in [fifo.as_path(), Path::new("/dev/null"), Path::new("/dev/zero")] {
            let refusal =
                format!("{}: it is a pipe, a device or a socket, not a regular file: give another path", path.display());
            assert_eq!(message(File::open(path)), format!("{}: it is a pipe, a device or a socket, not a file", path.display()));
            assert_eq!(message(File::edit(path)), refusal);
            assert_eq!(message(rewrite_to(&source, path, |_| Ok(()))), format!("{}: it already exists", path.display()));
            assert_eq!(message(Writer::create(path, frames::header())), refusal);
        }
        let refusal = format!("{}: it is a symbolic link to a file that does not exist", dangling.display());
        assert_eq!(message(File::edit(&dangling)), refusal);
        assert_eq!(message(rewrite_to(&source, &dangling, |_| Ok(()))), format!("{}: it already exists", dangling.display()));
        assert_eq!(message(Writer::create(&dangling, frames::header())), refusal);
        assert!(fs::metadata(&fifo).unwrap().file_type().is_fifo());
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        assert_eq!(scratch.names(), names);
    }
}

#[test]
fn a_new_file_of_any_content_appears_when_it_is_complete() {
    let scratch = Scratch::new();
    let (path, other) = (scratch.join("table.csv"), scratch.join("other.csv"));
    fs::write(scratch.join(".gone.csv.b2nd.0.tmp"), b"half of a file").unwrap();
    let new = NewFile::create_new(&path).unwrap();
    new.file().write_all(b"1,2\n").unwrap();
    assert_eq!(scratch.names(), [".table.csv.b2nd.0.tmp"], "what a killed process left is removed");
    // Another program creates the file in the meantime, and that file is kept.
    fs::write(&path, b"somebody else's").unwrap();
    assert_eq!(refusal(&path, new.finish()), "it already exists");
    assert_eq!(refusal(&path, NewFile::create_new(&path)), "it already exists");
    assert_eq!(fs::read(&path).unwrap(), b"somebody else's");
    drop(NewFile::create_new(&other).unwrap());
    assert_eq!(scratch.names(), ["table.csv"]);
    // A file from `NewFile::create` replaces a file even if that is locked.
    let locked = fs::File::open(&path).unwrap();
    #[cfg(target_os = "linux")]
    rustix::fs::flock(&locked, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let new = NewFile::create(&path).unwrap();
    new.file().write_all(b"3,4\n").unwrap();
    new.finish().unwrap();
    drop(locked);
    assert_eq!(fs::read(&path).unwrap(), b"3,4\n");
    assert_eq!(scratch.names(), ["table.csv"]);
}
