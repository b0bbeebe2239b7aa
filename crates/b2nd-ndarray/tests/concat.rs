//! Arrays are joined along an axis: chunks are copied if they align, and are compressed again only if an option allows it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::path::{Path, PathBuf};

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{CodecId, File, Filter, FrameType, Header, Writer};
use b2nd_ndarray::{Array, ConcatOptions, Element, Error, Options, RepackOptions, concat, repack, write};
use common::whole;
use ndarray::{Array2, ArrayD, Axis, array, concatenate};

mod common;

const RECOMPRESS: ConcatOptions = ConcatOptions { recompress: true, overwrite: true };

fn values(rows: usize, columns: usize, first: usize) -> Array2<i32> {
    Array2::from_shape_fn((rows, columns), |(row, column)| (first + row * 1000 + column) as i32)
}

fn options() -> Options {
    let attributes = vec![("unit".to_owned(), b"\xa1m".to_vec())];
    Options { chunkshape: Some(vec![4, 5]), blockshape: Some(vec![2, 5]), attributes, ..Options::default() }
}

fn file<T: Element>(directory: &Path, name: &str, values: &Array2<T>) -> PathBuf {
    let path = directory.join(name);
    write(&path, values, &options()).unwrap();
    path
}

fn chunks(path: &Path) -> Vec<Vec<u8>> {
    let file = File::open(path).unwrap();
    (0..file.offsets().unwrap().len()).map(|number| file.chunk(number).unwrap().bytes().to_vec()).collect()
}

fn joined(parts: &[&Array2<i32>], axis: usize) -> ArrayD<i32> {
    concatenate(Axis(axis), &parts.iter().map(|part| part.view()).collect::<Vec<_>>()).unwrap().into_dyn()
}

#[test]
fn chunks_that_align_are_copied_along_any_axis() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out.b2nd");
    for axis in [0, 1] {
        let shapes = if axis == 0 { [(8, 7), (0, 7), (4, 7), (3, 7)] } else { [(6, 10), (6, 0), (6, 5), (6, 2)] };
        let parts: Vec<_> = shapes.iter().enumerate().map(|(at, &(rows, columns))| values(rows, columns, at * 100_000)).collect();
        let paths: Vec<_> =
            parts.iter().enumerate().map(|(at, part)| file(directory.path(), &format!("{axis}{at}.b2nd"), part)).collect();
        let sparse = directory.path().join(format!("sparse{axis}"));
        repack(&paths[2], &sparse, &RepackOptions { frame_type: Some(FrameType::Sparse), ..RepackOptions::default() }).unwrap();
        let arrays: Vec<_> = [&paths[0], &paths[1], &sparse, &paths[3]].iter().map(|path| Array::open(path).unwrap()).collect();
        let options = ConcatOptions { overwrite: true, ..ConcatOptions::default() };
        concat(&arrays, axis, &out, &options).unwrap();
        assert_eq!(whole::<i32>(&out), joined(&parts.iter().collect::<Vec<_>>(), axis));
        let unit = Array::open(&out).unwrap().attributes().unwrap().get::<String>("unit").unwrap();
        assert_eq!(unit.as_deref(), Some("m"));
        let mut old: Vec<_> = paths.iter().flat_map(|path| chunks(path)).collect();
        let mut new = chunks(&out);
        old.sort();
        new.sort();
        assert!(old == new, "the chunks are those of the parts");
    }
}

#[test]
fn chunks_that_do_not_align_are_refused_or_compressed_again() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out.b2nd");
    let (one, two) = (values(6, 7, 0), values(5, 7, 90_000));
    let arrays = [file(directory.path(), "one.b2nd", &one), file(directory.path(), "two.b2nd", &two)];
    let arrays = arrays.map(|path| Array::open(path).unwrap());
    let error = concat(&arrays, 0, &out, &ConcatOptions::default()).unwrap_err();
    assert!(matches!(error.kind(), Error::Misaligned { .. }));
    let expected = "two.b2nd: it would start at element 6 of axis 0, which is inside a chunk of length 4: the arrays can be \
                    joined only by compressing their chunks again";
    assert!(error.to_string().ends_with(expected), "{error}");
    assert!(!out.exists());
    concat(&arrays, 0, &out, &RECOMPRESS).unwrap();
    assert_eq!(whole::<i32>(&out), joined(&[&one, &two], 0));

    let other = directory.path().join("other.b2nd");
    let wide = values(6, 9, 500);
    write(&other, &wide, &Options { chunkshape: Some(vec![3, 4]), blockshape: Some(vec![3, 2]), ..Options::default() }).unwrap();
    let arrays = [arrays.into_iter().next().unwrap(), Array::open(&other).unwrap()];
    let error = concat(&arrays, 1, &out, &ConcatOptions { overwrite: true, ..ConcatOptions::default() }).unwrap_err();
    assert!(error.to_string().contains("it has chunks of [3, 4] and blocks of [3, 2], but the first array has chunks of [4, 5]"));
    concat(&arrays, 1, &out, &RECOMPRESS).unwrap();
    assert_eq!(whole::<i32>(&out), joined(&[&one, &wide], 1));
    concat(&arrays[..1], 1, &out, &RECOMPRESS).unwrap();
    assert_eq!(whole::<i32>(&out), one.into_dyn());
}

#[test]
fn arrays_that_do_not_fit_together_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out.b2nd");
    let first = file(directory.path(), "first.b2nd", &values(4, 7, 0));
    let longer = file(directory.path(), "longer.b2nd", &values(4, 8, 0));
    let floats = file(directory.path(), "floats.b2nd", &Array2::<f32>::zeros((4, 7)));
    let line = directory.path().join("line.b2nd");
    write(&line, &array![1, 2, 3], &Options::default()).unwrap();
    let refused = |parts: &[&PathBuf], axis| {
        let parts: Vec<_> = parts.iter().map(|path| Array::open(path).unwrap()).collect();
        let error = concat(&parts, axis, &out, &RECOMPRESS).unwrap_err().to_string();
        assert!(!out.exists());
        error.rsplit_once(".b2nd: ").map_or(error.clone(), |(_, why)| why.to_owned())
    };
    assert_eq!(refused(&[&first, &longer], 0), "expected the shape [4, 7] except along axis 0, found [4, 8]");
    assert_eq!(refused(&[&first, &line], 0), "expected the shape [4, 7] except along axis 0, found [3]");
    assert_eq!(refused(&[&first, &floats], 0), "the elements are float32, little-endian (<f4), not int32, little-endian (<i4)");
    assert_eq!(refused(&[&first, &longer], 2), "an array of 2 dimensions has no axis 2");
    assert_eq!(refused(&[], 0), "expected one array or more to join, found none");
}

/// This crate does not compress chunks of arrays with the filter delta, but copies such chunks.
#[test]
fn chunks_that_cannot_be_compressed_again_are_copied() {
    let directory = tempfile::tempdir().unwrap();
    let (path, out) = (directory.path().join("delta.b2nd"), directory.path().join("out.b2nd"));
    let header = Header::for_array(&B2ndMeta::of::<u8>(Geometry::new(&[64], &[64], &[32]).unwrap())).unwrap();
    let header = header.with_codec(CodecId::BloscLz).unwrap().with_filters(&[(Filter::Delta, 0)]).unwrap();
    let mut writer = Writer::create(&path, header).unwrap();
    let data: Vec<u8> = (0..64).collect();
    writer.append_elements(&data).unwrap();
    writer.finish().unwrap();
    let arrays = [&path, &path].map(|path| Array::open(path).unwrap());
    concat(&arrays, 0, &out, &ConcatOptions::default()).unwrap();
    let joined = Array::open(&out).unwrap();
    assert_eq!(joined.read_bytes(&joined.whole()).unwrap(), data.repeat(2));
}
