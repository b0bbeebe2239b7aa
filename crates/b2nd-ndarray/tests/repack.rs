//! Repacking removes gaps from a frame, and can recompress it. The content stays the same.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::Path;

use b2nd_frame::{Chunk, CodecId, File, Filter, Frame, FrameType, Header, Offset, Sizes, Special, Writer};
use b2nd_ndarray::{Appender, Array, ArrayEditor, Options, RepackOptions, repack, repack_from};
use common::whole;
use ndarray::{Array2, s};

mod common;

fn len(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}

/// The metalayers, the trailer and the chunks of a frame, byte for byte.
type Contents = (Vec<(Vec<u8>, Vec<u8>)>, Vec<u8>, Vec<Vec<u8>>);

fn contents(path: &Path) -> Contents {
    let file = File::open(path).unwrap();
    let metalayers = file.header().metalayers().iter().map(|(name, content)| (name.to_vec(), content.to_vec())).collect();
    let trailer = b2nd::to_vec(&file.trailer().unwrap()).unwrap();
    let chunks = 0..file.offsets().unwrap().len();
    (metalayers, trailer, chunks.map(|number| file.chunk(number).unwrap().into_bytes()).collect())
}

fn options() -> Options {
    Options {
        chunkshape: Some(vec![16, 10]),
        blockshape: Some(vec![8, 5]),
        metalayers: vec![("station".into(), vec![0x81, 0xa2, b'i', b'd', 17])],
        attributes: vec![("unit".into(), vec![0xa1, b'm'])],
        overwrite: true,
        ..Options::default()
    }
}

/// Writes an array that was appended to 200 times and edited 50 times. Returns its values.
fn edited(path: &Path) -> Array2<i32> {
    let mut log = Appender::create::<i32>(path, &[10], &options()).unwrap();
    for row in 0..200 {
        log.append(&Array2::from_shape_fn((1, 10), |(_, column)| row * 7 + column as i32)).unwrap();
        log.flush().unwrap();
    }
    drop(log);
    let mut editor = ArrayEditor::open(path).unwrap();
    for row in 0..50 {
        editor.write_slice(&[row * 3..row * 3 + 1, 2..4], &ndarray::array![[-1, row as i32]]).unwrap();
    }
    drop(editor);
    whole::<i32>(path).into_dimensionality().unwrap()
}

#[test]
fn gaps_go_and_everything_else_stays() {
    let directory = tempfile::tempdir().unwrap();
    let [path, fresh, new] = ["log.b2nd", "fresh.b2nd", "new.b2nd"].map(|name| directory.path().join(name));
    let values = edited(&path);
    b2nd_ndarray::write(&fresh, &values, &options()).unwrap();
    assert!(len(&path) > 10 * len(&fresh), "{} {}", len(&path), len(&fresh));
    let before = contents(&path);
    repack(&path, &new, &RepackOptions::default()).unwrap();
    assert!(len(&new).abs_diff(len(&fresh)) * 100 <= len(&fresh), "{} {}", len(&new), len(&fresh));
    assert!(contents(&new) == before && whole::<i32>(&new) == values.clone().into_dyn());

    // Repacking in place gives the same bytes. Repacking a second time changes nothing.
    repack(&path, &path, &RepackOptions::default()).unwrap();
    assert!(fs::read(&path).unwrap() == fs::read(&new).unwrap());
    repack(&path, &path, &RepackOptions::default()).unwrap();
    assert!(fs::read(&path).unwrap() == fs::read(&new).unwrap());
    let mut log = Appender::open(&path).unwrap();
    log.append(&values.slice(s![..3, ..])).unwrap();
    log.flush().unwrap();
    assert_eq!(whole::<i32>(&path).shape(), [203, 10]);
}

#[test]
fn one_file_becomes_many_and_many_become_one() {
    let directory = tempfile::tempdir().unwrap();
    let [path, sparse, back] = ["log.b2nd", "sparse.b2nd", "back.b2nd"].map(|name| directory.path().join(name));
    let values = edited(&path).into_dyn();
    let to = |frame_type| RepackOptions { frame_type: Some(frame_type), ..RepackOptions::default() };
    repack(&path, &sparse, &to(FrameType::Sparse)).unwrap();
    assert!(sparse.is_dir() && whole::<i32>(&sparse) == values && contents(&sparse) == contents(&path));
    repack(&sparse, &back, &to(FrameType::Contiguous)).unwrap();
    assert!(back.is_file() && whole::<i32>(&back) == values && contents(&back) == contents(&path));
    // The frame type does not change unless one is given, and gaps are removed.
    let mut editor = ArrayEditor::open(&sparse).unwrap();
    editor.write_slice(&[0..1, 0..1], &ndarray::array![[-5]]).unwrap();
    drop(editor);
    let again = directory.path().join("again.b2nd");
    repack(&sparse, &again, &RepackOptions::default()).unwrap();
    assert!(again.is_dir() && whole::<i32>(&again) == whole::<i32>(&sparse));
    let chunks = |path: &Path| fs::read_dir(path).unwrap().count();
    assert_eq!(chunks(&again), 14);
    assert!(chunks(&sparse) >= 14);

    // Repacking in place also removes the files that killed processes left.
    let (values, before) = (whole::<i32>(&sparse), contents(&sparse));
    fs::write(sparse.join("000000FF.chunk"), "of no index").unwrap();
    fs::create_dir(sparse.join(".new.b2frame.0.tmp")).unwrap();
    for options in [
        RepackOptions::default(),
        RepackOptions { level: Some(9), codec: Some(CodecId::Lz4), ..to(FrameType::Sparse) },
        RepackOptions { chunkshape: Some(vec![20, 10]), ..RepackOptions::default() },
    ] {
        repack(&sparse, &sparse, &options).unwrap();
        assert_eq!(whole::<i32>(&sparse), values);
        assert_eq!(contents(&sparse).1, before.1);
        let stored = File::open(&sparse).unwrap().offsets().unwrap().iter().filter(|at| matches!(at, Offset::At(_))).count();
        assert_eq!(chunks(&sparse), stored + 1);
    }
    assert_eq!(Array::open(&sparse).unwrap().header().codec(), CodecId::Lz4);

    for (path, kind) in [(&back, FrameType::Sparse), (&sparse, FrameType::Contiguous)] {
        assert!(repack(path, path, &to(kind)).unwrap_err().to_string().contains("choose another"));
    }
    assert!(repack(&back, &sparse, &to(FrameType::Sparse)).unwrap_err().to_string().contains("exists"));
}

/// Frames with special, compressed and stored chunks, with chunks of zeros only, and without chunks.
fn frames() -> Vec<(&'static str, Vec<u8>)> {
    let data: Vec<u8> = (0..4000_u32).flat_map(u32::to_le_bytes).collect();
    let header = |chunksize| {
        Header::new(Sizes { typesize: 4, chunksize, blocksize: 1600 })
            .unwrap()
            .with_codec(CodecId::Zstd)
            .unwrap()
            .with_level(5)
            .unwrap()
    };
    let compressed = |data: &[u8]| header(16000).compressor().unwrap().chunk(data).unwrap();
    let special = |kind: &'static str| {
        let mut writer = Writer::new(header(16000));
        writer.append_special(Special::Zeros, 16000).unwrap();
        writer.append_special(Special::Nan, 16000).unwrap();
        writer.append(&Chunk::repeated(&7_i32.to_le_bytes(), 16000).unwrap()).unwrap();
        writer.append_special(Special::Uninitialized, 16000).unwrap();
        writer.append(&Chunk::from_slice(&compressed(&data)).unwrap()).unwrap();
        writer.append(&Chunk::store(&data, 4).unwrap()).unwrap();
        writer.append(&Chunk::store(&data[..400], 4).unwrap()).unwrap();
        writer.set_vlmetalayer_bytes("note", &[0xc0]).unwrap();
        (kind, writer.finish().unwrap())
    };
    let empty = Writer::new(header(16000)).finish().unwrap();
    let zeros = {
        let mut writer = Writer::new(header(16000));
        (0..100).for_each(|_| writer.append_special(Special::Zeros, 16000).unwrap());
        writer.finish().unwrap()
    };
    vec![special("special"), ("empty", empty), ("zeros", zeros)]
}

/// The data of all chunks.
fn data(frame: &[u8]) -> Vec<Vec<u8>> {
    let frame = Frame::from_slice(frame).unwrap();
    (0..frame.offsets().unwrap().len()).map(|number| frame.chunk(number).unwrap().into_data().unwrap().into_owned()).collect()
}

/// Frames in tests/data.
fn samples() -> Vec<std::path::PathBuf> {
    let mut waiting = vec![Path::new("../../tests/data").to_path_buf()];
    let mut found = Vec::new();
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(|ending| ending.to_str()) {
                _ if path.is_dir() && !path.join("chunks.b2frame").exists() => waiting.push(path),
                Some("b2nd" | "b2frame" | "b2f" | "b2e" | "caterva") => found.push(path),
                _ => {}
            }
        }
    }
    found
}

#[test]
fn chunks_of_every_kind_are_the_same_afterwards() {
    let directory = tempfile::tempdir().unwrap();
    let new = directory.path().join("new.b2nd");
    let options = RepackOptions { overwrite: true, ..RepackOptions::default() };
    let smaller = RepackOptions { level: Some(9), codec: Some(CodecId::Lz4), overwrite: true, ..RepackOptions::default() };
    for (name, frame) in frames() {
        repack_from(std::sync::Arc::new(frame.clone()), &new, &options).unwrap();
        assert!(fs::read(&new).unwrap() == frame, "{name}");
        repack_from(std::sync::Arc::new(frame.clone()), &new, &smaller).unwrap();
        assert!(data(&fs::read(&new).unwrap()) == data(&frame), "{name}");
    }
    let (mut count, mut anew, mut varying) = (0, 0, 0);
    for path in samples() {
        // Damaged files are skipped.
        let Ok(file) = File::open(&path) else { continue };
        let Ok(chunks) = file.offsets().map(|offsets| offsets.len()) else { continue };
        if (0..chunks).any(|number| file.chunk(number).is_err()) || file.trailer().is_err() {
            continue;
        }
        let target = if path.is_dir() { directory.path().join(format!("sparse{count}")) } else { new.clone() };
        repack(&path, &target, &options).unwrap_or_else(|error| panic!("{error}"));
        assert!(contents(&target) == contents(&path), "{}", path.display());
        let (old, copy) = (file.header(), File::open(&target).unwrap());
        assert_eq!(
            (old.nbytes(), old.typesize(), old.chunksize()),
            (copy.header().nbytes(), copy.header().typesize(), copy.header().chunksize())
        );
        // Short files with supported codecs and filters are recompressed too.
        if path.is_file()
            && file.header().nbytes() < 1 << 20
            && (0..chunks).all(|number| file.chunk(number).unwrap().data().is_ok())
        {
            repack(&path, &new, &smaller).unwrap_or_else(|error| panic!("{error}"));
            let [old, new] = [&path, &new].map(|path| data(&fs::read(path).unwrap()));
            assert!(old == new, "{}", path.display());
            anew += 1;
        }
        varying += usize::from(old.has_variable_chunks());
        count += 1;
    }
    assert!(count > 70 && anew > 40 && varying > 2, "{count} {anew} {varying}");
}

#[test]
fn values_are_equal_when_they_are_compressed_anew() {
    let directory = tempfile::tempdir().unwrap();
    let [path, new] = ["log.b2nd", "new.b2nd"].map(|name| directory.path().join(name));
    let values = edited(&path).into_dyn();
    let base = RepackOptions { overwrite: true, ..RepackOptions::default() };
    let (old_metalayers, old_trailer, _) = contents(&path);
    for options in [
        RepackOptions { codec: Some(CodecId::Lz4), ..base.clone() },
        RepackOptions { level: Some(0), ..base.clone() },
        RepackOptions { filters: Some(vec![(Filter::BitShuffle, 0)]), ..base.clone() },
        RepackOptions { filters: Some(vec![]), codec: Some(CodecId::Zlib), level: Some(9), ..base.clone() },
        RepackOptions { chunkshape: Some(vec![30, 7]), blockshape: Some(vec![4, 3]), ..base.clone() },
        RepackOptions { chunkshape: Some(vec![200, 10]), ..base.clone() },
        RepackOptions { blockshape: Some(vec![1, 10]), level: Some(1), ..base.clone() },
    ] {
        repack(&path, &new, &options).unwrap();
        assert_eq!(whole::<i32>(&new), values);
        let (metalayers, trailer, _) = contents(&new);
        assert_eq!((&metalayers[1..], &trailer), (&old_metalayers[1..], &old_trailer));
        let array = Array::open(&new).unwrap();
        options.codec.iter().for_each(|&codec| assert_eq!(array.header().codec(), codec));
        options.level.iter().for_each(|&level| assert_eq!(array.header().level(), level));
        options.filters.iter().for_each(|filters| assert_eq!(&array.header().filters().collect::<Vec<_>>(), filters));
        options.chunkshape.iter().for_each(|shape| assert_eq!(array.geometry().chunkshape(), shape));
        options.blockshape.iter().for_each(|shape| assert_eq!(array.geometry().blockshape(), shape));
    }
    let wrong = RepackOptions { blockshape: Some(vec![100, 10]), ..base.clone() };
    assert!(repack(&path, &new, &wrong).unwrap_err().to_string().contains("blocks must fit in chunks"));
    let (_, flat) = frames().remove(0);
    let old = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/python-caterva-0.7.3/resize__mixed.caterva");
    for (frame, sentence) in [
        (flat, "it has no array metalayer, so its chunks and blocks have no shapes"),
        (fs::read(old).unwrap(), "its array metalayer is `caterva`; new shapes need `b2nd`: `b2nd upgrade` converts it"),
    ] {
        let options = RepackOptions { chunkshape: Some(vec![3]), ..base.clone() };
        let error = repack_from(std::sync::Arc::new(frame), &new, &options).unwrap_err();
        assert!(error.to_string().contains(sentence), "{error}");
    }
    assert_eq!(whole::<i32>(&new), values);
}

#[test]
fn nothing_is_replaced_unasked_and_an_editor_is_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    let [path, new] = ["log.b2nd", "new.b2nd"].map(|name| directory.path().join(name));
    edited(&path);
    fs::write(&new, "mine").unwrap();
    assert!(repack(&path, &new, &RepackOptions::default()).unwrap_err().to_string().contains("exists"));
    assert_eq!(fs::read(&new).unwrap(), b"mine");
    let editor = ArrayEditor::open(&path).unwrap();
    let before = fs::read(&path).unwrap();
    assert!(
        repack(&path, &path, &RepackOptions::default()).unwrap_err().to_string().contains("this thread itself has the file open")
    );
    assert!(fs::read(&path).unwrap() == before);
    std::thread::scope(|scope| {
        let repacked = scope.spawn(|| repack(&path, &path, &RepackOptions::default()).unwrap());
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert!(!repacked.is_finished() && fs::read(&path).unwrap() == before);
        drop(editor);
    });
    assert!(len(&path) < before.len() as u64 / 10);
}

/// A limit on the size of files simulates a full disk.
#[cfg(unix)]
#[test]
fn a_failure_leaves_the_file_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log.b2nd");
    edited(&path);
    let before = fs::read(&path).unwrap();
    let mut child = common::child("trap '' XFSZ; ulimit -f 1;", "repacks_under_a_limit", &path);
    let output = child.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(fs::read(&path).unwrap() == before);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
#[ignore = "run by a_failure_leaves_the_file_as_it_was"]
fn repacks_under_a_limit() {
    let path = std::env::var_os(common::PATH).unwrap();
    let error = repack(&path, &path, &RepackOptions { level: Some(0), ..RepackOptions::default() }).unwrap_err();
    assert!(error.to_string().contains("File too large"), "{error}");
}
