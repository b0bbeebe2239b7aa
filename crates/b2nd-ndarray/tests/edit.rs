//! Slices are written in place and axes are resized, in files and in sparse frames, with the same results as in ndarray. A crash
//! before the last write leaves the array unchanged.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
// A slice of a one-dimensional array is one range.
#![allow(clippy::single_range_in_vec_init)]

use std::fs;
use std::ops::Range;
use std::path::Path;

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{CodecId, File, FrameType, Offset, Special};
use b2nd_ndarray::{ArrayEditor, Options};
use common::{Draw, sparse, whole};
use ndarray::{Array2, ArrayD, ArrayViewMutD, IxDyn, Slice, arr0, array};

mod common;

impl Draw {
    fn values(&mut self, shape: &[usize]) -> ArrayD<f32> {
        // Some arrays contain only zeros, whose chunks take no bytes if they are compressed.
        let kind = self.below(3);
        ArrayD::from_shape_simple_fn(IxDyn(shape), || if kind == 0 { 0.0 } else { self.below(1 << 20) as f32 })
    }
}

fn part<'a>(array: &'a mut ArrayD<f32>, slice: &[Range<i64>]) -> ArrayViewMutD<'a, f32> {
    array.slice_each_axis_mut(|axis| {
        let range = &slice[axis.axis.index()];
        Slice::from(range.start as isize..range.end as isize)
    })
}

/// A random array in a file, or in a directory if `as_sparse` is true.
fn random(draw: &mut Draw, directory: &Path, as_sparse: bool) -> (std::path::PathBuf, ArrayD<f32>) {
    let ndim = 1 + draw.below(4);
    let shape: Vec<_> = (0..ndim).map(|_| 1 + draw.below([200, 40, 13, 7][ndim - 1])).collect();
    let chunks: Vec<_> = shape.iter().map(|&length| 1 + draw.below(length + 2) as i32).collect();
    let blocks: Vec<_> = chunks.iter().map(|&length| 1 + draw.below(length as usize) as i32).collect();
    let options = Options {
        chunkshape: Some(chunks),
        blockshape: Some(blocks),
        codec: [CodecId::Lz4, CodecId::Zstd, CodecId::BloscLz][draw.below(3)],
        level: [0, 1, 5][draw.below(3)],
        overwrite: true,
        ..Options::default()
    };
    let (values, path) = (draw.values(&shape), directory.join("array.b2nd"));
    b2nd_ndarray::write(&path, &values, &options).unwrap();
    if !as_sparse {
        return (path, values);
    }
    let directory = directory.join("sparse.b2nd");
    let _ = fs::remove_dir_all(&directory);
    sparse(&path, &directory);
    (directory, values)
}

fn random_slice(draw: &mut Draw, shape: &[usize]) -> Vec<Range<i64>> {
    let range = |&length: &usize| {
        let start = draw.below(length + 1);
        start as i64..(start + draw.below(length + 1 - start)) as i64
    };
    shape.iter().map(range).collect()
}

/// The array after a resize.
fn resized(values: &ArrayD<f32>, shape: &[usize], value: f32) -> ArrayD<f32> {
    let mut new = ArrayD::from_elem(IxDyn(shape), value);
    let shared: Vec<_> = values.shape().iter().zip(shape).map(|(old, new)| 0..*old.min(new) as i64).collect();
    part(&mut new, &shared).assign(&part(&mut values.clone(), &shared));
    new
}

#[test]
fn slices_and_shapes_that_were_changed_are_those_of_ndarray() {
    let directory = tempfile::tempdir().unwrap();
    let mut draw = Draw(26);
    for round in 0..30 {
        let (path, mut values) = random(&mut draw, directory.path(), round % 3 == 0);
        let mut editor = ArrayEditor::open(&path).unwrap();
        for _ in 0..6 {
            if draw.below(5) < 3 {
                let slice = random_slice(&mut draw, values.shape());
                let lengths: Vec<_> = slice.iter().map(|range| (range.end - range.start) as usize).collect();
                let new = draw.values(&lengths);
                editor.write_slice(&slice, &new).unwrap();
                part(&mut values, &slice).assign(&new);
            } else {
                let longer = |&length: &usize| match draw.below(8) {
                    0 | 1 => length,
                    2 => length / 2,
                    3 if draw.below(4) == 0 => 0,
                    _ => draw.below(length + 9),
                };
                let shape: Vec<_> = values.shape().iter().map(longer).collect();
                let value = [0.0, 7.5][draw.below(2)];
                let signed: Vec<_> = shape.iter().map(|&length| length as i64).collect();
                editor.resize(&signed, value).unwrap();
                values = resized(&values, &shape, value);
            }
            assert_eq!(editor.read::<f32>(&editor.whole()).unwrap(), values, "round {round}");
            assert_eq!(whole::<f32>(&path), values, "round {round}");
            if draw.below(3) == 0 {
                drop(editor);
                editor = ArrayEditor::open(&path).unwrap();
            }
        }
        if path.is_dir() {
            let frame = File::open(&path).unwrap();
            assert_eq!(frame.header().frame_type(), FrameType::Sparse);
            let named = frame.offsets().unwrap().iter().filter(|offset| matches!(offset, Offset::At(_))).count();
            let files =
                fs::read_dir(&path).unwrap().filter(|file| file.as_ref().unwrap().file_name() != "chunks.b2frame").count();
            assert!(
                [named, named + 1].contains(&files),
                "no file is left that no index names, apart from the last: {named} {files}"
            );
        }
    }
}

#[test]
fn an_array_without_dimensions_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    b2nd_ndarray::write(&path, &arr0(1.5), &Options::default()).unwrap();
    let mut editor = ArrayEditor::open(&path).unwrap();
    editor.write_slice(&[], &arr0(2.5)).unwrap();
    editor.resize(&[], 0.0).unwrap();
    assert_eq!(whole::<f64>(&path), arr0(2.5).into_dyn());
}

#[test]
fn elements_of_any_type_are_written_as_the_file_has_them() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    let meta = B2ndMeta::new(Geometry::new(&[4, 3], &[2, 2], &[1, 2]).unwrap(), ">i2");
    b2nd_ndarray::write_bytes(&path, &meta, &[0; 24], &Options::default()).unwrap();
    let mut editor = ArrayEditor::open(&path).unwrap();
    // The array is transposed, so it is not in C order. The file's elements are big-endian.
    editor.write_slice(&[1..3, 0..2], &array![[1_i16, 2], [3, 4]].reversed_axes()).unwrap();
    editor.resize(&[4, 4], -2_i16).unwrap();
    drop(editor);
    let expected = array![[0, 0, 0, -2], [1, 3, 0, -2], [2, 4, 0, -2], [0, 0, 0, -2_i16]].into_dyn();
    assert_eq!(whole::<i16>(&path), expected);

    let path = directory.path().join("structures.b2nd");
    let meta = B2ndMeta::new(Geometry::new(&[3], &[2], &[2]).unwrap(), "[('a', '|S2'), ('b', '|u1')]");
    b2nd_ndarray::write_bytes(&path, &meta, b"aa1bb2cc3", &Options::default()).unwrap();
    let mut editor = ArrayEditor::open(&path).unwrap();
    editor.write_slice_bytes(&[1..3], b"xx8yy9").unwrap();
    editor.resize_bytes(&[5], b"zz0").unwrap();
    assert_eq!(editor.read_bytes(&[0..5]).unwrap(), b"aa1xx8yy9zz0zz0");
}

#[test]
fn a_chunk_of_zeros_takes_no_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    let options = Options { chunkshape: Some(vec![4, 4]), blockshape: Some(vec![2, 4]), ..Options::default() };
    b2nd_ndarray::write(&path, &Array2::<i32>::ones((8, 8)), &options).unwrap();
    let mut editor = ArrayEditor::open(&path).unwrap();
    editor.write_slice(&[0..4, 0..8], &Array2::<i32>::zeros((4, 8))).unwrap();
    // The array then has 40,000 chunks. The new ones are zeros.
    editor.resize(&[800, 800], 0_i32).unwrap();
    let zeros = Some(Offset::Special(Special::Zeros));
    let offsets = File::open(&path).unwrap().offsets().unwrap().clone();
    assert_eq!((offsets.get(0), offsets.get(39_999)), (zeros, zeros));
    assert_eq!(editor.slice::<i32>(b2nd_ndarray::s![6..9, 7..9]).unwrap(), array![[1, 0], [1, 0], [0, 0]].into_dyn());
    assert_eq!(editor.slice::<i32>(b2nd_ndarray::s![.., ..;3]).unwrap().sum(), 4 * 3);
}

#[test]
fn attributes_and_metalayers_stay() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    let options = Options {
        metalayers: vec![("other".to_owned(), vec![7; 600])],
        attributes: vec![("title".to_owned(), b2nd::msgpack::to_vec("North Sea").unwrap())],
        ..Options::default()
    };
    b2nd_ndarray::write(&path, &Array2::<i32>::ones((8, 8)), &options).unwrap();
    let mut editor = ArrayEditor::open(&path).unwrap();
    editor.write_slice(&[0..1, 0..1], &array![[5]]).unwrap();
    editor.resize(&[9, 9], 3).unwrap();
    editor.resize(&[0, 9], 3).unwrap();
    editor.resize(&[1, 1], 4).unwrap();
    let frame = File::open(&path).unwrap();
    assert_eq!(frame.header().metalayers().get("other"), Some(&[7; 600][..]));
    let title = frame.trailer().unwrap().vlmetalayers().value("title").unwrap().unwrap().into_owned();
    assert_eq!(b2nd::msgpack::from_slice::<String>(&title).unwrap(), "North Sea");
    assert_eq!(whole::<i32>(&path), array![[4]].into_dyn());
}

#[test]
fn a_crash_before_the_headers_write_leaves_the_array_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let mut draw = Draw(28);
    for round in 0..8 {
        let (path, values) = random(&mut draw, directory.path(), false);
        let before = fs::read(&path).unwrap();
        let mut editor = ArrayEditor::open(&path).unwrap();
        if round % 2 == 0 {
            let all = editor.whole();
            editor.write_slice(&all, &values.mapv(|value| value + 1.0)).unwrap();
        } else {
            let longer: Vec<_> = values.shape().iter().map(|&length| length as i64 + 3).collect();
            editor.resize(&longer, 1.0_f32).unwrap();
        }
        drop(editor);
        let mut after = fs::read(&path).unwrap();
        let sector = 512.min(before.len());
        assert_ne!(after[..sector], before[..sector]);
        after[..sector].copy_from_slice(&before[..sector]);
        assert_eq!(after[..before.len()], before[..], "nothing of the old frame is written over");
        fs::write(&path, &after).unwrap();
        assert_eq!(whole::<f32>(&path), values);
        // The next edit overwrites or removes the bytes that the crash left.
        let mut editor = ArrayEditor::open(&path).unwrap();
        let none: Vec<_> = values.shape().iter().map(|_| 0..1).collect();
        editor.write_slice(&none, &ArrayD::from_elem(vec![1; none.len()], -1.0_f32)).unwrap();
        let length = fs::metadata(&path).unwrap().len();
        assert_eq!(length, File::open(&path).unwrap().header().frame_len());
    }
}

#[test]
fn a_crash_before_the_rename_leaves_a_sparse_frame_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let mut draw = Draw(29);
    for round in 0..4 {
        let (path, values) = random(&mut draw, directory.path(), true);
        let files = |path: &Path| -> Vec<_> {
            let files = fs::read_dir(path).unwrap().map(|file| file.unwrap().path());
            files.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
        };
        let before = files(&path);
        let mut editor = ArrayEditor::open(&path).unwrap();
        let all = editor.whole();
        editor.write_slice(&all, &values.mapv(|value| value + 1.0)).unwrap();
        if round % 2 == 1 {
            let longer: Vec<_> = values.shape().iter().map(|&length| length as i64 + 3).collect();
            editor.resize(&longer, 1.0_f32).unwrap();
        }
        drop(editor);
        // Simulates the crash by restoring the old files. The new chunk files remain.
        let after = files(&path);
        let common = after.iter().filter(|(path, _)| before.iter().any(|(other, _)| other == path));
        assert!(common.clone().all(|(path, _)| path.ends_with("chunks.b2frame")), "no chunk's file is written over");
        before.iter().for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
        assert_eq!(whole::<f32>(&path), values);
        let mut editor = ArrayEditor::open(&path).unwrap();
        editor.write_slice(&all, &values.mapv(|value| value + 2.0)).unwrap();
        assert_eq!(whole::<f32>(&path), values.mapv(|value| value + 2.0));
    }
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    b2nd_ndarray::write(&path, &Array2::<i32>::ones((4, 3)), &Options::default()).unwrap();
    let before = fs::read(&path).unwrap();
    let mut editor = ArrayEditor::open(&path).unwrap();
    let said = |done: b2nd_ndarray::Result<()>| done.unwrap_err().kind().to_string();
    assert_eq!(
        said(editor.write_slice(&[0..1, 0..2], &array![[1.0, 2.0]])),
        "the elements are int32, little-endian, not float64"
    );
    assert_eq!(
        said(editor.write_slice(&[0..1, 0..2], &array![[1, 2, 3]])),
        "expected the shape [1, 2] of the slice, found [1, 3]"
    );
    assert_eq!(
        said(editor.write_slice(&[0..1, 2..4], &array![[1, 2]])),
        "slice[1]: expected 0 <= start <= stop <= 3, found 2..4"
    );
    assert_eq!(said(editor.write_slice(&[0..1], &array![1])), "slice: expected one range per dimension (2), found 1");
    assert_eq!(said(editor.write_slice_bytes(&[0..1, 0..1], b"12345")), "expected 4 bytes, found 5");
    assert_eq!(said(editor.resize(&[4], 1)), "expected 2 dimensions, found 1");
    assert_eq!(said(editor.resize(&[4, -3], 1)), "shape[1]: expected a length of 0 or more, found -3");
    assert_eq!(said(editor.resize(&[4, 3], 1.0)), "the elements are int32, little-endian, not float64");
    assert_eq!(
        said(editor.resize(&[1 << 40, 1 << 20], 1)),
        "the new shape needs 96076975302508544 chunks; at most 268435455 can be written"
    );
    assert_eq!(said(editor.resize_bytes(&[4, 3], b"1")), "the elements have 4 bytes, not 1");
    drop(editor);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_damaged_chunk_is_an_error_and_the_file_stays() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    let options = Options { chunkshape: Some(vec![4, 4]), blockshape: Some(vec![4, 4]), ..Options::default() };
    let values = Array2::from_shape_fn((8, 4), |(row, column)| row * 7919 + column * 104_729).mapv(|value| value as u32);
    b2nd_ndarray::write(&path, &values, &options).unwrap();
    let mut frame = fs::read(&path).unwrap();
    let place = File::open(&path).unwrap().offsets().unwrap().range(1).unwrap();
    frame[place.start as usize + 5] ^= 1;
    fs::write(&path, &frame).unwrap();
    let mut editor = ArrayEditor::open(&path).unwrap();
    // The first chunk would be overwritten without being read, but the second one is read.
    let error = editor.write_slice(&[0..5, 0..4], &Array2::<u32>::zeros((5, 4))).unwrap_err().kind().to_string();
    assert!(error.starts_with("chunk[1]"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), frame);
    editor.write_slice(&[4..8, 0..4], &Array2::<u32>::zeros((4, 4))).unwrap();
    assert_eq!(editor.read::<u32>(&[4..8, 0..4]).unwrap().sum(), 0);
}

/// The editor keeps reading and writing the file that it locked, even if the link to it is changed.
#[test]
#[cfg(unix)]
fn an_editor_stays_with_its_file() {
    use std::os::unix::fs::symlink;
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let options = Options { chunkshape: Some(vec![4]), blockshape: Some(vec![4]), ..Options::default() };
    for is_sparse in [false, true] {
        for (name, value) in [("a", 1), ("b", 2)] {
            b2nd_ndarray::write(path(name), &ndarray::Array1::from_elem(8, value), &options).unwrap();
            if is_sparse {
                fs::rename(path(name), path("file")).unwrap();
                sparse(&path("file"), &path(name));
                fs::remove_file(path("file")).unwrap();
            }
        }
        symlink("a", path("link")).unwrap();
        let mut editor = ArrayEditor::open(path("link")).unwrap();
        fs::remove_file(path("link")).unwrap();
        symlink("b", path("link")).unwrap();
        editor.write_slice(&[0..1], &array![100]).unwrap();
        assert_eq!(editor.read::<i32>(&[0..8]).unwrap(), array![100, 1, 1, 1, 1, 1, 1, 1].into_dyn());
        editor.write_slice(&[5..6], &array![500]).unwrap();
        drop(editor);
        let read = |name: &str| b2nd_ndarray::Array::open(path(name)).unwrap().read::<i32>(&[0..8]).unwrap();
        assert_eq!(read("a"), array![100, 1, 1, 1, 1, 500, 1, 1].into_dyn());
        assert_eq!(read("b"), ndarray::Array1::from_elem(8, 2).into_dyn());
        for name in ["a", "b", "link"] {
            let path = path(name);
            if fs::symlink_metadata(&path).unwrap().is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        }
    }
}

fn chunk_files(path: &Path) -> usize {
    let names = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    names.filter(|path| path.extension().is_some_and(|end| end == "chunk")).count()
}

/// A reader with an old index gets the old values or an error, but never the values of other chunks.
#[test]
fn numbers_of_chunk_files_are_not_used_again() {
    let directory = tempfile::tempdir().unwrap();
    let (file, path) = (directory.path().join("file"), directory.path().join("sparse"));
    let options = Options { chunkshape: Some(vec![7, 9]), blockshape: Some(vec![7, 9]), ..Options::default() };
    let values = Array2::from_shape_fn((40, 30), |(row, column)| (row * 100 + column) as i32);
    b2nd_ndarray::write(&file, &values, &options).unwrap();
    for reopened in [false, true] {
        sparse(&file, &path);
        let reader = b2nd_ndarray::Array::open(&path).unwrap();
        for (shape, value) in [([7, 30], 0), ([7, 90], -9), ([0, 90], 0), ([40, 30], -7)] {
            let mut editor = ArrayEditor::open(&path).unwrap();
            editor.resize(&shape, value).unwrap();
            if !reopened {
                editor.resize(&[1, 1], value).unwrap();
                editor.resize(&[40, 30], value - 1).unwrap();
            }
            for row in 0..40 {
                if let Ok(found) = reader.read::<i32>(&[row..row + 1, 0..30]) {
                    assert_eq!(found, values.slice(ndarray::s![row as usize..=row as usize, ..]).into_dyn());
                }
            }
        }
        fs::remove_dir_all(&path).unwrap();
    }
}

#[test]
fn chunk_files_of_interrupted_edits_are_removed_by_the_next_edit() {
    let directory = tempfile::tempdir().unwrap();
    let (file, path) = (directory.path().join("file"), directory.path().join("sparse"));
    let options = Options { chunkshape: Some(vec![4]), blockshape: Some(vec![4]), ..Options::default() };
    b2nd_ndarray::write(&file, &ndarray::Array1::from_elem(8, 1), &options).unwrap();
    sparse(&file, &path);
    let chunk = fs::read(path.join("00000000.chunk")).unwrap();
    for number in 2..100 {
        fs::write(path.join(format!("{number:08X}.chunk")), &chunk).unwrap();
    }
    let mut editor = ArrayEditor::open(&path).unwrap();
    editor.write_slice(&[0..1], &array![100]).unwrap();
    assert_eq!(chunk_files(&path), 2);
    editor.resize(&[4], 0).unwrap();
    editor.resize(&[0], 0).unwrap();
    assert_eq!(chunk_files(&path), 1, "the last one is kept, so that its number is not used again");
    editor.resize(&[8], 3).unwrap();
    assert_eq!(editor.read::<i32>(&[0..8]).unwrap(), ndarray::Array1::from_elem(8, 3).into_dyn());
    assert_eq!(chunk_files(&path), 2);
}

/// C-Blosc2 wrote these files with a blocksize of 0 in the header.
#[test]
fn an_array_without_a_blocksize_in_its_header_can_be_edited() {
    let directory = tempfile::tempdir().unwrap();
    for (name, shape) in [("format5", &[90][..]), ("null_dtype", &[25, 8])] {
        let path = directory.path().join(name);
        fs::copy(format!("../../tests/data/c-blosc2-3.3.5/clib-b2nd__{name}.b2nd"), &path).unwrap();
        assert_eq!(File::open(&path).unwrap().header().blocksize(), 0);
        let mut editor = ArrayEditor::open(&path).unwrap();
        let slice: Vec<_> = shape.iter().map(|_| 0..3).collect();
        let itemsize = b2nd_ndarray::Array::open(&path).unwrap().itemsize();
        let values: Vec<u8> = (0..3_usize.pow(shape.len() as u32) * itemsize).map(|value| value as u8).collect();
        editor.write_slice_bytes(&slice, &values).unwrap();
        drop(editor);
        let array = b2nd_ndarray::Array::open(&path).unwrap();
        assert_eq!(array.read_bytes(&slice).unwrap(), values, "{name}");
        assert!(array.header().blocksize() > 0);
    }
}
