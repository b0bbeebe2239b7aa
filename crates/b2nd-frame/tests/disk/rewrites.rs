//! Rewrites: metalayers change, and chunks are copied unchanged.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use b2nd_frame::testing::{Disk, Handle, Storage, replace_storage};
use b2nd_frame::{Chunk, File, FrameType, Header, Metalayers, Sizes, Trailer, Writer, rewrite_to};

use crate::common::scratch::{Scratch, copy};
use crate::common::state::State;
use crate::common::{Hex, frames, message};
use crate::{change, file, real_frames, refusal};

#[test]
fn rewrites_keep_every_chunk() {
    let mut counts = [0, 0];
    for source in real_frames() {
        let scratch = Scratch::new();
        let (path, target) = (scratch.join("f.b2nd"), scratch.join("g.b2nd"));
        copy(&source, &path);
        let before = State::read(&path).unwrap();
        let mut expected = before.header.metalayers().clone();
        change(&mut expected).unwrap();

        rewrite_to(&path, &target, change).unwrap();
        assert!(State::read(&path).unwrap() == before, "{}: the source is as it was", source.display());
        let names_of_both = scratch.names();
        rewrite_to(&path, &path, change).unwrap();
        assert_eq!(scratch.names(), names_of_both, "{}", source.display());
        for (which, path) in [&path, &target].into_iter().enumerate() {
            let after = State::read(path).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
            assert_eq!(after.header.metalayers(), &expected, "{}", source.display());
            assert_eq!((&after.offsets, &after.chunks), (&before.offsets, &before.chunks), "{}", source.display());
            assert_eq!((&after.trailer, &after.values), (&before.trailer, &before.values), "{}", source.display());
            // In the part of the header before the metalayers, only the lengths differ.
            let mut header = b2nd::to_vec(&before.header).unwrap()[..0x57].to_vec();
            let found = b2nd::to_vec(&after.header).unwrap()[..0x57].to_vec();
            header[10..0x18].copy_from_slice(&found[10..0x18]);
            assert_eq!(Hex(&found), Hex(&header), "{}", source.display());
            let length = if after.header.frame_type() == FrameType::Contiguous {
                fs::metadata(path).unwrap().len()
            } else {
                fs::metadata(path.join("chunks.b2frame")).unwrap().len()
            };
            assert_eq!(length, after.header.frame_len(), "{}: nothing follows the frame", source.display());
            counts[which] += 1;
        }
    }
    println!("{counts:?} frames in place and to a new path");
    assert!(counts[0] > 50);
}

#[test]
fn a_frame_inside_a_file_is_rewritten_into_one_of_its_own() {
    // The path of `chunks.b2frame` in a sparse frame also names the whole frame.
    let scratch = Scratch::new();
    let path = scratch.join("s.b2nd");
    frames::sparse(&path);
    let before = State::read(&path).unwrap();
    rewrite_to(path.join("chunks.b2frame"), &path, change).unwrap();
    rewrite_to(&path, path.join("chunks.b2frame"), change).unwrap();
    let after = State::read(&path).unwrap();
    assert_eq!(after.chunks, before.chunks);
    assert!(after.header.metalayers().get("added").is_some());
}

#[test]
fn a_rewrite_that_is_refused_leaves_everything() {
    let scratch = Scratch::new();
    let path = file(&scratch, &frames::contiguous());
    frames::sparse(&scratch.join("s.b2nd"));
    fs::create_dir(scratch.join("there")).unwrap();
    let names = scratch.names();
    let many = |metalayers: &mut Metalayers| (0..14).try_for_each(|n| metalayers.insert(&format!("n{n}"), []).map(|_| ()));
    let too_many = "\"n13\" would be number 17: C-Blosc2 writes at most 16 metalayers and 16 vlmetalayers";
    assert_eq!(refusal(&path, rewrite_to(&path, &path, many)), too_many);
    assert_eq!(refusal(&path, rewrite_to(&path, scratch.join("new"), many)), too_many);
    let exists = format!("{}: it already exists", scratch.join("there").display());
    assert_eq!(message(rewrite_to(scratch.join("s.b2nd"), scratch.join("there"), |_| Ok(()))), exists);
    let replaced: b2nd_frame::Result<()> =
        File::edit(scratch.join("s.b2nd")).unwrap().replace_with(frames::header(), |_, _| Ok(()));
    assert!(message(replaced).ends_with("the frame is sparse, so it is a directory: call `replace_sparse_with`"));
    assert!(rewrite_to(scratch.join("none"), &path, |_| Ok(())).is_err());
    assert!(rewrite_to(&path, scratch.join("none/f.b2nd"), |_| Ok(())).is_err());
    assert_eq!(scratch.names(), names);
    assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&frames::contiguous()));
}

/// A disk on which another program creates the target right after this one has checked that it does not exist.
#[derive(Debug)]
struct Busy(PathBuf);

impl Storage for Busy {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Handle>> {
        Disk.open(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Handle>> {
        if self.0.parent() == path.parent() {
            fs::write(&self.0, b"of somebody else")?;
        }
        Disk.create(path)
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(&self.0)?;
        Disk.create_dir(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        Disk.rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        Disk.rename_new(from, to)
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

#[test]
fn a_target_that_was_made_meanwhile_is_not_replaced() {
    let scratch = Scratch::new();
    let (path, target) = (file(&scratch, &frames::contiguous()), scratch.join("g.b2nd"));
    frames::sparse(&scratch.join("s.b2nd"));
    let exists = format!("{}: it already exists", target.display());
    let replaced = replace_storage(Arc::new(Busy(target.clone())));
    assert_eq!(message(rewrite_to(&path, &target, |_| Ok(()))), exists);
    assert_eq!(fs::read(&target).unwrap(), b"of somebody else");
    fs::remove_file(&target).unwrap();
    let mut writer = Writer::create(&target, frames::header()).unwrap();
    frames::append(&mut writer).unwrap();
    assert_eq!(message(writer.finish()), "it already exists");
    assert_eq!(fs::read(&target).unwrap(), b"of somebody else");
    fs::remove_file(&target).unwrap();
    assert_eq!(message(rewrite_to(scratch.join("s.b2nd"), &target, |_| Ok(()))), exists);
    assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
    assert!(scratch.names().iter().all(|name| !name.contains(".tmp")), "{:?}", scratch.names());
    drop(replaced);
    // A target that existed from the start is not replaced either.
    fs::remove_dir(&target).unwrap();
    fs::write(&target, frames::bare()).unwrap();
    assert_eq!(message(rewrite_to(&path, &target, change)), exists);
    assert_eq!(fs::read(&target).unwrap(), frames::bare());
}

/// This number of metalayers, which may be more than `insert` allows.
fn many(count: usize) -> Metalayers {
    let pairs: Vec<_> = (0..count).map(|number| (format!("m{number}"), "01")).collect();
    serde_json::from_value(serde_json::to_value(pairs).unwrap()).unwrap()
}

#[test]
fn a_rewrite_adds_no_metalayer_beyond_16() {
    for (before, after, taken) in
        [(2, 16, true), (2, 17, false), (16, 17, false), (17, 17, true), (17, 18, false), (18, 17, true), (18, 16, true)]
    {
        let mut header = Header::new(Sizes { typesize: 4, chunksize: 64, blocksize: 32 }).unwrap();
        *header.metalayers_mut() = many(before);
        let mut bytes = [b2nd::to_vec(&header).unwrap(), b2nd::to_vec(&Trailer::new(Default::default())).unwrap()].concat();
        let length = bytes.len() as u64;
        bytes[0x10..0x18].copy_from_slice(&length.to_be_bytes());
        let scratch = Scratch::new();
        let path = file(&scratch, &bytes);
        let result = rewrite_to(&path, &path, |metalayers| {
            *metalayers = many(after);
            Ok(())
        });
        if taken {
            result.unwrap();
        } else {
            assert_eq!(refusal(&path, result), format!("the header has {after} metalayers, but C-Blosc2 supports at most 16"));
        }
        assert_eq!(File::open(&path).unwrap().header().metalayers().len(), if taken { after } else { before });
    }
}

#[test]
fn an_index_that_reaches_into_the_trailer_is_not_rewritten() {
    for cbytes in [49, 130, 4000] {
        let scratch = Scratch::new();
        let mut bytes = frames::small();
        bytes[frames::INDEX + 12..][..4].copy_from_slice(&i32::to_le_bytes(cbytes));
        let path = file(&scratch, &bytes);
        let expected = format!("index.cbytes: expected at most 48, found {cbytes} at byte {}", frames::INDEX + 12);
        assert_eq!(refusal(&path, rewrite_to(&path, &path, |_| Ok(()))), expected);
        assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&bytes));
    }
}

#[test]
fn a_frame_that_takes_several_reads_is_copied_and_nothing_after_it() {
    let mut header = Header::new(Sizes { typesize: 4, chunksize: 3 << 20, blocksize: 1 << 20 }).unwrap();
    header.metalayers_mut().insert("wide", [2; 1100]).unwrap();
    let mut writer = Writer::new(header);
    writer.append(&Chunk::store(&frames::data(1, 3 << 19), 4).unwrap()).unwrap();
    let scratch = Scratch::new();
    let path = file(&scratch, &[writer.finish().unwrap(), vec![0x5a; 3 << 20]].concat());
    let before = State::read(&path).unwrap();
    let target = scratch.join("g.b2nd");
    rewrite_to(&path, &target, change).unwrap();
    File::edit(&path).unwrap().overwrite_metalayer_bytes("wide", &[9; 1100]).unwrap();
    for path in [&path, &target] {
        let after = State::read(path).unwrap();
        assert_eq!(fs::metadata(path).unwrap().len(), after.header.frame_len());
        assert!(after.chunks == before.chunks);
    }
}

#[cfg(unix)]
#[test]
fn a_directory_is_rewritten_with_its_mode_and_its_chunks_alone() {
    use std::os::unix::fs::PermissionsExt;

    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    // Chunks cannot be written to a read-only directory, so the owner of the copy gets all permissions.
    for old in [0o750, 0o550] {
        let scratch = Scratch::new();
        let (from, to) = (scratch.join("from.b2nd"), scratch.join("to.b2nd"));
        frames::sparse(&from);
        for name in [".b2lock", "notes", "notes.txt"] {
            fs::write(from.join(name), b"not a chunk").unwrap();
        }
        // The chunk file ends in a hole.
        let chunk = fs::File::options().write(true).open(from.join("00000002.chunk")).unwrap();
        chunk.set_len(1 << 20).unwrap();
        fs::set_permissions(&from, fs::Permissions::from_mode(old)).unwrap();
        rewrite_to(&from, &to, change).unwrap();
        fs::set_permissions(&from, fs::Permissions::from_mode(0o755)).unwrap();
        let mut names: Vec<_> = fs::read_dir(&to).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["00000000.chunk", "00000002.chunk", "00000003.chunk", "chunks.b2frame"]);
        assert_eq!(fs::metadata(to.join("00000002.chunk")).unwrap().len(), 1 << 20);
        assert_eq!(mode(&to) == old, old == 0o750, "{old:o}: {:o}", mode(&to));
    }
}
