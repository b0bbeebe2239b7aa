//! Edits of a file: the expected bytes change, and no others.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use crate::common::faulty::{Fault, Faulty};
use crate::common::scratch::{Scratch, copy};
use crate::common::state::State;
use crate::common::{Hex, frames};
use crate::{file, real_frames, refusal};
use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::testing::replace_storage;
use b2nd_frame::{File, Frame, Header, Writer, rewrite_to};

#[test]
fn a_metalayer_changes_in_its_place_alone() {
    let scratch = Scratch::new();
    // The metalayer of the array may become shorter.
    for (name, content) in [("small", vec![7; 20]), ("wide", vec![9; 1100]), ("b2nd", frames::short_array())] {
        let before = frames::followed();
        let path = file(&scratch, &before);
        let mut open = File::edit(&path).unwrap();
        open.overwrite_metalayer_unchecked(name, &content).unwrap();
        let mut expected = before[..Header::from_slice(&before).unwrap().frame_len() as usize].to_vec();
        let old = Frame::from_slice(&before).unwrap().header().metalayers().get(name).unwrap().to_vec();
        let at = before.windows(old.len()).position(|window| window == old).unwrap();
        expected[at..at + content.len()].copy_from_slice(&content);
        let after = fs::read(&path).unwrap();
        assert_eq!(Hex(&after[..expected.len()]), Hex(&expected));
        assert_eq!(open.file().header(), File::open(&path).unwrap().header());
        assert_eq!(scratch.names(), ["f.b2nd"]);
    }
}

#[test]
fn a_typed_metalayer_changes_under_its_name() {
    let scratch = Scratch::new();
    let mut open = File::edit(file(&scratch, &frames::contiguous())).unwrap();
    let mut meta = open.file().header().metalayer::<B2ndMeta>().unwrap().unwrap();
    meta.dtype = "<u4".into();
    open.overwrite_metalayer(&meta).unwrap();
    assert_eq!(File::open(open.file().path()).unwrap().header().metalayer().unwrap(), Some(meta));
}

#[test]
fn a_frame_with_a_fingerprint_is_not_edited() {
    let scratch = Scratch::new();
    let mut bytes = frames::contiguous();
    let at = bytes.len() - 17;
    bytes[at] = 1;
    let path = file(&scratch, &bytes);
    let refused = "fingerprint: expected type 0 (none), found 1: an edit cannot update it; `b2nd repack FILE COPY` leaves it out";
    assert_eq!(refusal(&path, File::edit(&path)), refused);
    assert_eq!(refusal(&path, rewrite_to(&path, scratch.join("g.b2nd"), |_| Ok(()))), refused);
    assert_eq!((fs::read(&path).unwrap(), scratch.names()), (bytes.clone(), vec!["f.b2nd".into()]));
    // A copy has no fingerprint, so it can be edited.
    let frame = Frame::from_slice(&bytes).unwrap();
    let mut writer = Writer::new(frame.header().clone());
    writer.set_trailer(frame.trailer().unwrap().clone());
    (0..frame.offsets().unwrap().len()).for_each(|chunk| writer.append(&frame.chunk(chunk).unwrap()).unwrap());
    let copy: Vec<u8> = writer.finish().unwrap();
    File::edit(file(&scratch, &copy)).unwrap().set_vlmetalayer("note", &1).unwrap();
}

#[test]
fn a_metalayer_that_does_not_fit_is_refused() {
    let scratch = Scratch::new();
    let path = file(&scratch, &frames::contiguous());
    let mut open = File::edit(&path).unwrap();
    assert_eq!(
        refusal(&path, open.overwrite_metalayer_bytes("small", &[0; 21])),
        concat!(
            "the new value of metalayer \"small\" has 21 bytes, but its space in the header has 20 bytes: ",
            "an edit in place cannot change this, but `rewrite` can"
        )
    );
    let nothing = refusal(&path, open.overwrite_metalayer_bytes("b2nd", &[]));
    assert!(
        nothing.starts_with("the new value of metalayer \"b2nd\" has 0 bytes, but its space in the header has "),
        "{nothing}"
    );
    let shorter = refusal(&path, open.overwrite_metalayer_bytes("small", &[0; 19]));
    assert!(
        shorter.starts_with("the new value of metalayer \"small\" has 19 bytes, but its space in the header has 20 bytes: "),
        "{shorter}"
    );
    assert_eq!(
        refusal(&path, open.overwrite_metalayer_bytes("none", &[0; 21])),
        "metalayer \"none\" is not in the header, and an edit in place cannot add it, but `rewrite` can"
    );
    assert_eq!(
        refusal(&path, open.set_vlmetalayer_bytes(&"n".repeat(32), b"")),
        "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn: a metalayer's name: expected at most 31 bytes, found 32"
    );
    for number in 1..16 {
        open.set_vlmetalayer_bytes(&format!("v{number}"), b"").unwrap();
    }
    let too_many = "\"more\" would be number 17: C-Blosc2 writes at most 16 metalayers and 16 vlmetalayers";
    let before = fs::read(&path).unwrap();
    assert_eq!(refusal(&path, open.set_vlmetalayer_bytes("more", b"")), too_many);
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
            open.set_vlmetalayer_bytes("added by a test", value).unwrap();
            let now = State::read(&path).unwrap();
            assert!(State::of(open.file()).unwrap() == now, "{}", source.display());
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
        // A rewrite removes stale trailers.
        rewrite_to(&path, &path, |_| Ok(())).unwrap();
        let now = State::read(&path).unwrap();
        same_but_trailer(&now);
        let no_stale_byte = before.header.frame_len() + now.trailer.trailer_len() as u64 - before.trailer.trailer_len() as u64;
        assert!(now.header.frame_len() <= no_stale_byte, "{}", source.display());
        count += 1;
    }
    println!("{count} frames");
    assert!(count > 50);
}

#[test]
fn a_file_that_ends_before_its_frame_is_not_copied() {
    let scratch = Scratch::new();
    let bytes = frames::contiguous();
    let short = &bytes[..bytes.len() - 10];
    let path = file(&scratch, short);
    let refused = refusal(&path, File::edit(&path).unwrap().overwrite_metalayer_bytes("wide", &[9; 1100]));
    assert_eq!(refused, format!("the file that is copied: expected {} or more bytes, found {}", bytes.len(), short.len()));
    assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(short));
    assert_eq!(scratch.names(), ["f.b2nd"]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, symlink};

    use crate::change;

    use super::*;

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
            File::edit(&path).unwrap().overwrite_metalayer_bytes("wide", &expected[wide..][..1100]).unwrap();
            assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&expected));
            assert_eq!(fs::metadata(&path).unwrap().ino() == before, in_place, "{first} to {last}");
        }
    }

    #[test]
    fn a_link_still_names_the_file() {
        let scratch = Scratch::new();
        let path = file(&scratch, &frames::contiguous());
        let link = scratch.join("link.b2nd");
        symlink("f.b2nd", &link).unwrap();
        File::edit(&link).unwrap().overwrite_metalayer_bytes("wide", &[9; 1100]).unwrap();
        rewrite_to(&link, &link, change).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(File::open(&path).unwrap().header().metalayers().get("wide"), Some([9; 1100].as_slice()));
        assert!(File::open(&path).unwrap().header().metalayers().get("added").is_some());
        assert_eq!(scratch.names(), ["f.b2nd", "link.b2nd"]);
    }
}

#[test]
fn nothing_follows_a_frame_that_was_edited() {
    for before in [frames::contiguous(), frames::empty(), frames::edited(), frames::followed()] {
        let scratch = Scratch::new();
        let path = file(&scratch, &before);
        let mut editor = File::edit(&path).unwrap();
        // If the frame has chunks, the trailer with a long value leaves unused space, in which later, shorter trailers fit.
        for value in [&[7; 5_000][..], b"short", b"shorter", &[7; 9_000], b""] {
            editor.set_vlmetalayer_bytes("value", value).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().len(), editor.file().header().frame_len());
            assert_eq!(File::open(&path).unwrap().trailer().unwrap().vlmetalayers().value("value").unwrap().unwrap(), value);
        }
    }
}

#[test]
fn an_array_metalayer_that_does_not_match_the_frame_is_refused() {
    let scratch = Scratch::new();
    let path = file(&scratch, &frames::contiguous());
    let mut open = File::edit(&path).unwrap();
    let before = fs::read(&path).unwrap();
    let of = |shape: i64, chunk: i32, block: i32, dtype: &str| {
        B2ndMeta::new(Geometry::new(&[shape], &[chunk], &[block]).unwrap(), dtype)
    };
    let said = "as the array's metalayer says, found";
    let shapes = "in chunks of [16] and blocks of [8]";
    let moves = format!("changing [56] {shapes} to [57] {shapes} may move, add or remove elements: write the array again");
    for (meta, expected) in [
        (of(65, 16, 8, "<i4"), "chunks: expected 5, as the array's shapes say, found 4".to_owned()),
        (of(56, 14, 7, "<i4"), format!("chunksize: expected 56, {said} 64")),
        (of(56, 16, 4, "<i4"), format!("blocksize: expected 16, {said} 32")),
        (of(56, 16, 8, "<i8"), format!("typesize: expected 8, {said} 4")),
        (of(57, 16, 8, "<i4"), moves),
    ] {
        assert_eq!(refusal(&path, open.overwrite_metalayer(&meta)), expected);
        assert_eq!(refusal(&path, open.rewrite(|metalayers| metalayers.set(&meta))), expected);
    }
    let length = open.file().header().metalayers().get("b2nd").unwrap().len();
    let nothing = refusal(&path, open.overwrite_metalayer_bytes("b2nd", &vec![7; length]));
    assert_eq!(nothing, "b2nd: expected array (90 to 9f, dc, dd), found positive fixint (07) at byte 133");
    assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&before));
    assert_eq!(open.file().header(), File::open(&path).unwrap().header());

    // Another dtype of the same size is accepted. `overwrite_metalayer_unchecked` accepts any content of the same length.
    open.overwrite_metalayer(&of(56, 16, 8, "<f4")).unwrap();
    open.overwrite_metalayer_unchecked("b2nd", &vec![7; length]).unwrap();
    assert!(File::open(&path).unwrap().header().array().is_err());
    open.overwrite_metalayer(&of(56, 16, 8, "<i4")).unwrap();
    assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&before));
    drop(open);

    let flat = |ndim: usize| Geometry::new(&[1, 56][2 - ndim..], &[1, 16][2 - ndim..], &[1, 8][2 - ndim..]).unwrap();
    let mut header = frames::header();
    header.metalayers_mut().set(&B2ndMeta::new(flat(2), "<i4")).unwrap();
    fs::write(&path, frames::with_header(header)).unwrap();
    let mut open = File::edit(&path).unwrap();
    open.overwrite_metalayer(&B2ndMeta::new(flat(1), "<i4")).unwrap();
    assert_eq!(open.file().header().array().unwrap().unwrap().geometry().shape(), [56]);
}

/// A metalayer that Python reads as a dict.
#[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
struct Named {
    id: u8,
}

impl b2nd::Metalayer for Named {
    const NAME: &'static str = "named";
    const NAMED: bool = true;
}

#[test]
fn a_named_metalayer_is_a_map_wherever_it_is_written() {
    let scratch = Scratch::new();
    let path = file(&scratch, &frames::contiguous());
    rewrite_to(&path, &path, |metalayers| metalayers.set(&Named { id: 1 })).unwrap();
    let mut open = File::edit(&path).unwrap();
    assert_eq!(open.file().header().metalayers().get("named"), Some(&b"\x81\xa2id\x01"[..]));
    open.overwrite_metalayer(&Named { id: 2 }).unwrap();
    assert_eq!(open.file().header().metalayer().unwrap(), Some(Named { id: 2 }));
    assert_eq!(open.file().header().metalayers().get("named"), Some(&b"\x81\xa2id\x02"[..]));
}

/// C-Blosc2 edits in place like this: if the new value is as long as the old one, the header does not change.
#[test]
fn an_edit_keeps_what_another_process_wrote_to_the_trailer() {
    let scratch = Scratch::new();
    let path = file(&scratch, &frames::contiguous());
    File::edit(&path).unwrap().set_vlmetalayer_bytes("theirs", b"\xa3old").unwrap();
    let mut open = File::edit(&path).unwrap();
    open.file().trailer().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(4).rposition(|window| window == b"\xa3old").unwrap();
    bytes[at..at + 4].copy_from_slice(b"\xa3new");
    fs::write(&path, bytes).unwrap();
    open.set_vlmetalayer_bytes("ours", b"\x01").unwrap();
    let theirs = |file: &File| file.trailer().unwrap().vlmetalayers().get::<String>("theirs").unwrap();
    assert_eq!(theirs(&File::open(&path).unwrap()).as_deref(), Some("new"));
    assert_eq!(theirs(open.file()).as_deref(), Some("new"));
}

#[test]
fn an_edit_says_that_another_program_changed_the_header_meanwhile() {
    // Overwrites a byte after each sync of an edit in turn, and collects the errors of the edits.
    let errors = |position| {
        let mut errors = BTreeSet::new();
        for at in 0.. {
            let scratch = Scratch::new();
            let path = file(&scratch, &frames::contiguous());
            let storage = Faulty::new(scratch.path(), Some((at, Fault::Overwritten(position))));
            let _replaced = replace_storage(Arc::new(storage.clone()));
            let done = File::edit(&path).unwrap().set_vlmetalayer_bytes("more", &[7; 50]);
            if at >= storage.operations().len() {
                return errors;
            }
            let was_overwritten = fs::read(&path).unwrap()[position as usize] == 0;
            assert_eq!(done.is_err(), was_overwritten, "operation {at}: {done:?}");
            errors.extend(done.is_err().then(|| refusal(&path, done)));
        }
        unreachable!()
    };
    let changed = "the file has been changed, replaced or removed since it was opened: try to open it again";
    let small = frames::contiguous().windows(20).position(|window| window == [1; 20]).unwrap();
    assert_eq!(errors(small as u64), BTreeSet::from([changed.to_owned()]));
    // If the byte is overwritten after the last sync, the frame cannot be opened again.
    let no_frame = r#"magic: expected "b2frame\x00", found "\x002frame\x00" at byte 1"#;
    assert_eq!(errors(2), BTreeSet::from([changed.to_owned(), no_frame.to_owned()]));
}
