//! Edits in the file and rewrites: what changes, and that nothing else does.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::manifest::frames as manifest_frames;
use crate::common::scratch::{Scratch, copy};
use crate::common::state::State;
use crate::common::{Hex, frames, message};
use b2nd::frame::{Chunk, File, Frame, FrameType, Header, Metalayers, Sizes, Trailer, Writer, rewrite};
use b2nd::{B2ndMeta, ErrorKind};

/// A file with these bytes.
fn file(scratch: &Scratch, bytes: &[u8]) -> PathBuf {
    let path = scratch.join("f.b2nd");
    fs::write(&path, bytes).unwrap();
    path
}

/// The frames of `tests/data` that are files or directories of their own.
fn real_frames() -> Vec<PathBuf> {
    let own = |path: &PathBuf| path.starts_with("tests/data");
    manifest_frames().into_iter().filter(|entry| entry.offset == 0).map(|entry| entry.path).filter(own).collect()
}

#[test]
fn a_metalayer_changes_in_its_place_alone() {
    let scratch = Scratch::new();
    // The array's own may be shorter.
    for (name, content) in [("small", vec![7; 20]), ("wide", vec![9; 1100]), ("b2nd", frames::short_array())] {
        let before = frames::followed();
        let path = file(&scratch, &before);
        let mut open = File::edit(&path).unwrap();
        open.set_metalayer_bytes(name, &content).unwrap();
        let mut expected = before[..Header::from_slice(&before).unwrap().frame_len() as usize].to_vec();
        let old = Frame::from_slice(&before).unwrap().header().metalayers().get(name).unwrap().to_vec();
        let at = before.windows(old.len()).position(|window| window == old).unwrap();
        expected[at..at + content.len()].copy_from_slice(&content);
        let after = fs::read(&path).unwrap();
        assert_eq!(Hex(&after[..expected.len()]), Hex(&expected));
        assert_eq!(open.header(), File::open(&path).unwrap().header());
        assert_eq!(scratch.names(), ["f.b2nd"]);
    }
}

#[test]
fn a_typed_metalayer_changes_under_its_name() {
    let scratch = Scratch::new();
    let mut open = File::edit(file(&scratch, &frames::contiguous())).unwrap();
    let mut meta = open.header().metalayer::<B2ndMeta>().unwrap().unwrap();
    meta.dtype = "<u4".into();
    open.set_metalayer(&meta).unwrap();
    assert_eq!(File::open(open.path()).unwrap().header().metalayer().unwrap(), Some(meta));
}

#[test]
fn a_metalayer_that_does_not_fit_is_refused() {
    let scratch = Scratch::new();
    let path = file(&scratch, &frames::contiguous());
    let mut open = File::edit(&path).unwrap();
    assert_eq!(
        refusal(&path, open.set_metalayer_bytes("small", &[0; 21])),
        concat!(
            "metalayer \"small\" is 21 bytes, its place in the header holds 20: a metalayer in a file keeps its length, ",
            "and a rewrite changes it"
        )
    );
    let nothing = refusal(&path, open.set_metalayer_bytes("b2nd", &[]));
    assert!(nothing.starts_with("metalayer \"b2nd\" is 0 bytes, its place in the header holds "), "{nothing}");
    let shorter = refusal(&path, open.set_metalayer_bytes("small", &[0; 19]));
    assert!(shorter.starts_with("metalayer \"small\" is 19 bytes, its place in the header holds 20: "), "{shorter}");
    assert_eq!(
        refusal(&path, open.set_metalayer_bytes("none", &[0; 21])),
        "metalayer \"none\" is not in the header: it can be added by a rewrite, not in the file"
    );
    assert_eq!(
        refusal(&path, open.set_vlmetalayer(&"n".repeat(32), b"")),
        "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn: 32 bytes, a metalayer's name holds at most 31"
    );
    for number in 1..16 {
        open.set_vlmetalayer(&format!("v{number}"), b"").unwrap();
    }
    let too_many = "metalayer \"more\" would be number 17: C-Blosc2 takes at most 16";
    let before = fs::read(&path).unwrap();
    assert_eq!(refusal(&path, open.set_vlmetalayer("more", b"")), too_many);
    assert!(!open.remove_vlmetalayer("more").unwrap());
    assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&before));
}

#[test]
fn vlmetalayers_come_and_go_in_every_real_frame() {
    let mut count = 0;
    for source in real_frames() {
        let scratch = Scratch::new();
        let path = scratch.join("f.b2nd");
        copy(&source, &path);
        let before = State::read(&path).unwrap();
        if before.trailer.vlmetalayers().len() >= 16 {
            continue;
        }
        let same_but_trailer = |state: &State| {
            assert_eq!(state.header.metalayers(), before.header.metalayers(), "{}", source.display());
            assert_eq!((&state.offsets, &state.chunks), (&before.offsets, &before.chunks), "{}", source.display());
            assert_eq!(state.header.has_vlmetalayers(), !state.trailer.vlmetalayers().is_empty(), "{}", source.display());
        };
        let mut open = File::edit(&path).unwrap();
        for value in [b"first".as_slice(), &[7; 5000], b""] {
            open.set_vlmetalayer("added by a test", value).unwrap();
            let now = State::read(&path).unwrap();
            assert!(State::of(&open).unwrap() == now, "{}", source.display());
            same_but_trailer(&now);
            assert_eq!(now.values.last().unwrap().as_deref(), Some(value), "{}", source.display());
            assert_eq!(now.trailer.vlmetalayers().len(), before.trailer.vlmetalayers().len() + 1);
        }
        assert!(open.remove_vlmetalayer("added by a test").unwrap());
        let now = State::read(&path).unwrap();
        same_but_trailer(&now);
        assert_eq!(now.trailer, before.trailer, "{}", source.display());
        if before.header.nbytes() == 0 {
            assert_eq!(now.header.frame_len() as usize, now.header.header_len() + now.trailer.trailer_len());
        }
        drop(open);
        // A rewrite drops the stale trailers.
        rewrite(&path, &path, |_| Ok(())).unwrap();
        let now = State::read(&path).unwrap();
        same_but_trailer(&now);
        let no_stale_byte = before.header.frame_len() + now.trailer.trailer_len() as u64 - before.trailer.trailer_len() as u64;
        assert!(now.header.frame_len() <= no_stale_byte, "{}", source.display());
        count += 1;
    }
    println!("{count} frames");
    assert!(count > 50);
}

fn change(metalayers: &mut Metalayers) -> b2nd::Result<()> {
    let first = metalayers.iter().next().and_then(|(name, _)| core::str::from_utf8(name).ok()).map(str::to_owned);
    if let Some(content) = first.and_then(|first| metalayers.remove(&first)) {
        metalayers.insert("renamed", [content.as_slice(), b"longer"].concat())?;
    }
    if metalayers.len() < 16 {
        metalayers.insert("added", [5; 1000])?;
    }
    Ok(())
}

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

        rewrite(&path, &target, change).unwrap();
        assert!(State::read(&path).unwrap() == before, "{}: the source is as it was", source.display());
        let names_of_both = scratch.names();
        rewrite(&path, &path, change).unwrap();
        assert_eq!(scratch.names(), names_of_both, "{}", source.display());
        for (which, path) in [&path, &target].into_iter().enumerate() {
            let after = State::read(path).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
            assert_eq!(after.header.metalayers(), &expected, "{}", source.display());
            assert_eq!((&after.offsets, &after.chunks), (&before.offsets, &before.chunks), "{}", source.display());
            assert_eq!((&after.trailer, &after.values), (&before.trailer, &before.values), "{}", source.display());
            // Everything but the lengths is as it was.
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
    // A rewrite of a sparse frame's `chunks.b2frame` by its path is one of the frame.
    let scratch = Scratch::new();
    let path = scratch.join("s.b2nd");
    frames::sparse(&path);
    let before = State::read(&path).unwrap();
    rewrite(path.join("chunks.b2frame"), &path, change).unwrap();
    rewrite(&path, path.join("chunks.b2frame"), change).unwrap();
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
    let too_many = "metalayer \"n13\" would be number 17: C-Blosc2 takes at most 16";
    assert_eq!(refusal(&path, rewrite(&path, &path, many)), too_many);
    assert_eq!(refusal(&path, rewrite(&path, scratch.join("new"), many)), too_many);
    let exists = format!("{}: it exists already", scratch.join("there").display());
    assert_eq!(message(rewrite(scratch.join("s.b2nd"), scratch.join("there"), |_| Ok(()))), exists);
    assert!(rewrite(scratch.join("none"), &path, |_| Ok(())).is_err());
    assert!(rewrite(&path, scratch.join("none/f.b2nd"), |_| Ok(())).is_err());
    assert_eq!(scratch.names(), names);
    assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&frames::contiguous()));
}

/// So many metalayers, which is more than `insert` takes.
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
        let mut bytes = [b2nd::to_vec(&header).unwrap(), b2nd::to_vec(&Trailer::new(many(0))).unwrap()].concat();
        let length = bytes.len() as u64;
        bytes[0x10..0x18].copy_from_slice(&length.to_be_bytes());
        let scratch = Scratch::new();
        let path = file(&scratch, &bytes);
        let result = rewrite(&path, &path, |metalayers| {
            *metalayers = many(after);
            Ok(())
        });
        if taken {
            result.unwrap();
        } else {
            assert_eq!(refusal(&path, result), format!("{after} metalayers: C-Blosc2 takes at most 16"));
        }
        assert_eq!(File::open(&path).unwrap().header().metalayers().len(), if taken { after } else { before });
    }
}

#[test]
fn an_index_that_reaches_into_the_trailer_is_not_rewritten() {
    for (cbytes, needed) in [(49, "1 more byte"), (130, "82 more bytes"), (4000, "3952 more bytes")] {
        let scratch = Scratch::new();
        let mut bytes = frames::small();
        bytes[frames::INDEX + 12..][..4].copy_from_slice(&i32::to_le_bytes(cbytes));
        let path = file(&scratch, &bytes);
        let expected = format!("unexpected end of input at byte 256: index needs {needed}");
        assert_eq!(refusal(&path, rewrite(&path, &path, |_| Ok(()))), expected);
        assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&bytes));
    }
}

#[test]
fn a_second_editor_is_told_that_there_is_one() {
    let scratch = Scratch::new();
    let path = file(&scratch, &frames::contiguous());
    let first = File::edit(&path).unwrap();
    let second = File::try_edit(&path).unwrap_err();
    assert!(matches!(second.kind(), ErrorKind::Locked));
    assert_eq!(second.to_string(), format!("{}: the file is being edited", path.display()));
    drop(first);
    let shared = [File::open_shared(&path).unwrap(), File::open_shared(&path).unwrap()];
    assert!(matches!(File::try_edit(&path).unwrap_err().kind(), ErrorKind::Locked));
    drop(shared);
    File::try_edit(&path).unwrap().set_vlmetalayer("more", b"value").unwrap();
}

#[test]
fn what_another_wrote_without_a_lock_is_not_overwritten() {
    let changed = "the header has changed since the frame was opened: open it again";
    let scratch = Scratch::new();
    let path = file(&scratch, &frames::contiguous());
    let mut editor = File::edit(&path).unwrap();
    // C-Blosc2 without its lock, say.
    let mut bytes = fs::read(&path).unwrap();
    let place = bytes.windows(20).position(|window| window == [1; 20]).unwrap();
    bytes[place] = 7;
    fs::write(&path, &bytes).unwrap();
    assert_eq!(refusal(&path, editor.set_vlmetalayer("more", &[9; 100])), changed);
    assert_eq!(refusal(&path, editor.set_metalayer_bytes("small", &[9; 20])), changed);
    assert_eq!(refusal(&path, editor.set_metalayer_bytes("wide", &[9; 1100])), changed);
    assert_eq!(refusal(&path, editor.remove_vlmetalayer("note")), changed);
    assert_eq!(refusal(&path, editor.rewrite(change)), changed);
    assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&bytes));
    assert_eq!(scratch.names(), ["f.b2nd"]);
}

#[test]
fn a_file_that_ends_before_its_frame_is_not_copied() {
    let scratch = Scratch::new();
    let bytes = frames::contiguous();
    let short = &bytes[..bytes.len() - 10];
    let path = file(&scratch, short);
    let refused = refusal(&path, File::edit(&path).unwrap().set_metalayer_bytes("wide", &[9; 1100]));
    assert_eq!(refused, "the file ends 10 bytes before the frame does");
    assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(short));
    assert_eq!(scratch.names(), ["f.b2nd"]);
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
    rewrite(&path, &target, change).unwrap();
    File::edit(&path).unwrap().set_metalayer_bytes("wide", &[9; 1100]).unwrap();
    for path in [&path, &target] {
        let after = State::read(path).unwrap();
        assert_eq!(fs::metadata(path).unwrap().len(), after.header.frame_len());
        assert!(after.chunks == before.chunks);
    }
}

/// What an edit says, after the path that it names.
#[track_caller]
fn refusal<T: std::fmt::Debug>(path: &Path, result: b2nd::Result<T>) -> String {
    let message = message(result);
    message.strip_prefix(&format!("{}: ", path.display())).unwrap_or_else(|| panic!("{message}")).to_owned()
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::sync::Arc;

    use b2nd::frame::{Disk, Handle, Storage, rewrite_in};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn what_is_in_one_sector_is_overwritten_in_place() {
        let bytes = frames::contiguous();
        let wide = bytes.windows(1100).position(|window| window == [2; 1100]).unwrap();
        let sector = wide.next_multiple_of(512);
        let cases = [
            (sector - 1, sector - 1, true),
            (sector, sector, true),
            (sector - 1, sector, false),
            (sector, sector + 511, true),
            (sector, sector + 512, false),
            (sector + 511, sector + 512, false),
        ];
        for (first, last, in_place) in cases {
            let scratch = Scratch::new();
            let path = file(&scratch, &bytes);
            let before = fs::metadata(&path).unwrap().ino();
            let mut expected = bytes.clone();
            (expected[first], expected[last]) = (7, 7);
            File::edit(&path).unwrap().set_metalayer_bytes("wide", &expected[wide..][..1100]).unwrap();
            assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&expected));
            assert_eq!(fs::metadata(&path).unwrap().ino() == before, in_place, "{first} to {last}");
        }
    }

    #[test]
    fn permissions_are_kept() {
        let scratch = Scratch::new();
        let path = file(&scratch, &frames::empty());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let mut open = File::edit(&path).unwrap();
        open.set_metalayer_bytes("wide", &[9; 1100]).unwrap();
        assert_eq!(mode(&path), 0o640);
        open.set_vlmetalayer("note", b"other").unwrap();
        assert_eq!(mode(&path), 0o640);
        drop(open);
        rewrite(&path, &path, change).unwrap();
        assert_eq!(mode(&path), 0o640);
        rewrite(&path, scratch.join("g.b2nd"), change).unwrap();
        assert_eq!(mode(&scratch.join("g.b2nd")), 0o640);
        Writer::create(&path, Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 }).unwrap()).unwrap().finish().unwrap();
        assert_eq!(mode(&path), 0o640);
    }

    /// A disk that makes sure that a file has its permissions before it has content.
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
        File::edit_in(Arc::new(Private), &path).unwrap().set_metalayer_bytes("wide", &[9; 1100]).unwrap();
        assert_eq!(mode(&path), 0o600);

        let (from, to) = (scratch.join("from.b2nd"), scratch.join("to.b2nd"));
        frames::sparse(&from);
        let names = || fs::read_dir(&from).unwrap().map(|entry| entry.unwrap().file_name());
        names().for_each(|name| private(&from.join(name)));
        rewrite_in(Arc::new(Private), &from, &to, change).unwrap();
        assert!(names().count() > 1);
        names().for_each(|name| assert_eq!(mode(&to.join(&name)), 0o600, "{name:?}"));
    }

    #[test]
    fn a_link_still_names_the_file() {
        let scratch = Scratch::new();
        let path = file(&scratch, &frames::contiguous());
        let link = scratch.join("link.b2nd");
        symlink("f.b2nd", &link).unwrap();
        File::edit(&link).unwrap().set_metalayer_bytes("wide", &[9; 1100]).unwrap();
        rewrite(&link, &link, change).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(File::open(&path).unwrap().header().metalayers().get("wide"), Some([9; 1100].as_slice()));
        assert!(File::open(&path).unwrap().header().metalayers().get("added").is_some());
        assert_eq!(scratch.names(), ["f.b2nd", "link.b2nd"]);
    }
}

#[test]
fn nothing_follows_a_frame_that_was_edited() {
    let scratch = Scratch::new();
    let path = scratch.join("a.b2nd");
    std::fs::write(&path, frames::contiguous()).unwrap();
    let mut editor = File::edit(&path).unwrap();
    // The second of them goes where the first trailer stood, and is shorter than what stands behind it.
    for value in [&[7; 5_000][..], b"short", b"shorter", &[7; 9_000], b""] {
        editor.set_vlmetalayer("value", value).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().len(), editor.header().frame_len());
        assert_eq!(File::open(&path).unwrap().trailer().unwrap().value("value", ()).unwrap().unwrap(), value);
    }
}
