//! Arrays in files grow along their first axis. After a crash at any moment, they have the rows that were flushed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use b2nd_ndarray::{Appender, Array, Options};
use common::whole;
use ndarray::{Array2, Array3, Axis, Slice, concatenate};

mod common;

fn rows(start: usize, count: usize) -> Array2<i32> {
    Array2::from_shape_fn((count, 7), |(row, column)| ((start + row) * 100 + column) as i32)
}

fn options() -> Options {
    Options { chunkshape: Some(vec![4, 5]), blockshape: Some(vec![3, 2]), ..Options::default() }
}

#[test]
fn rows_come_back_however_they_are_portioned() {
    let directory = tempfile::tempdir().unwrap();
    for portions in [&[1, 1, 1, 1, 1][..], &[3, 6], &[4, 4], &[0, 9, 0], &[17], &[2, 13, 5]] {
        for reopened in [false, true] {
            let path = directory.path().join("log.b2nd");
            let mut log = Appender::create::<i32>(&path, &[7], &Options { overwrite: true, ..options() }).unwrap();
            assert_eq!(whole::<i32>(&path).shape(), [0, 7]);
            let mut count = 0;
            for &portion in portions {
                log.append(&rows(count, portion)).unwrap();
                count += portion;
                log.flush().unwrap();
                assert_eq!(log.rows(), count as i64);
                assert_eq!(whole::<i32>(&path), rows(0, count).into_dyn(), "{portions:?}");
                if reopened {
                    drop(log);
                    log = Appender::open(&path).unwrap();
                }
            }
        }
    }
}

#[test]
fn an_array_of_any_layout_grows_one_that_was_written_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    let first = Array3::from_shape_fn((5, 6, 4), |(x, y, z)| (x * 100 + y * 10 + z) as f64);
    let more = first.mapv(|value| -value);
    let options = Options { attributes: vec![("unit".into(), vec![0xa1, b'm'])], ..Options::default() };
    b2nd_ndarray::write(&path, &first, &options).unwrap();
    let mut log = Appender::open(&path).unwrap();
    log.append(&more.slice_axis(Axis(0), Slice::new(0, None, -2))).unwrap();
    log.append(&more.as_standard_layout().reversed_axes().as_standard_layout().reversed_axes()).unwrap();
    log.flush().unwrap();
    let expected = concatenate![Axis(0), first, more.slice_axis(Axis(0), Slice::new(0, None, -2)), more];
    assert_eq!(whole::<f64>(&path), expected.into_dyn());
    let trailer = b2nd_frame::File::open(&path).unwrap().trailer().unwrap().clone();
    assert_eq!(trailer.vlmetalayers().value("unit").unwrap().unwrap(), &[0xa1, b'm'][..]);
}

#[test]
fn big_endian_files_grow_in_their_own_order() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("big.b2nd");
    let geometry = Options::default().geometry(&[2, 7], 4).unwrap();
    let bytes: Vec<u8> = rows(0, 2).iter().flat_map(|value| value.to_be_bytes()).collect();
    b2nd_ndarray::write_bytes(&path, &b2nd::B2ndMeta::new(geometry, ">i4"), &bytes, &Options::default()).unwrap();
    let mut log = Appender::open(&path).unwrap();
    log.append(&rows(2, 3)).unwrap();
    log.flush().unwrap();
    assert_eq!(whole::<i32>(&path), rows(0, 5).into_dyn());
}

/// A flush first writes after the frame, and then updates the header, whose change is inside one sector. So a crash leaves
/// either the old header, followed by any part of the new bytes, or the new header with all of them.
#[test]
fn a_crash_leaves_what_was_flushed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log.b2nd");
    let mut log = Appender::create::<i32>(&path, &[7], &options()).unwrap();
    log.append(&rows(0, 6)).unwrap();
    log.flush().unwrap();
    let before = std::fs::read(&path).unwrap();
    log.append(&rows(6, 5)).unwrap();
    log.flush().unwrap();
    let after = std::fs::read(&path).unwrap();
    assert_eq!(whole::<i32>(&path), rows(0, 11).into_dyn());
    let header_len = Array::open(&path).unwrap().header().header_len();
    assert!(header_len < 512 && before[header_len..] == after[header_len..before.len()], "nothing else changes in its place");

    let crashed = directory.path().join("crashed.b2nd");
    for length in before.len()..=after.len() {
        std::fs::write(&crashed, [&before[..], &after[before.len()..length]].concat()).unwrap();
        assert_eq!(whole::<i32>(&crashed), rows(0, 6).into_dyn(), "{length}");
    }
    // The next session continues after the flushed rows.
    let mut log = Appender::open(&crashed).unwrap();
    log.append(&rows(6, 2)).unwrap();
    log.flush().unwrap();
    assert_eq!(whole::<i32>(&crashed), rows(0, 8).into_dyn());
}

#[test]
fn an_existing_file_is_not_replaced_unless_the_options_say_so() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log.b2nd");
    std::fs::write(&path, "something").unwrap();
    let refusal = format!("{}: it already exists", path.display());
    let options = options();
    let meta = b2nd::B2ndMeta::new(options.geometry(&[6, 7], 4).unwrap(), "<i4");
    let bytes: Vec<u8> = rows(0, 6).iter().flat_map(|value| value.to_le_bytes()).collect();
    type Way<'a> = &'a dyn Fn(&Options) -> b2nd_ndarray::Result<()>;
    let ways: [Way<'_>; 4] = [
        &|options| b2nd_ndarray::write(&path, &rows(0, 6), options),
        &|options| b2nd_ndarray::write_bytes(&path, &meta, &bytes, options),
        &|options| b2nd_ndarray::write_from(&path, &meta, bytes.as_slice(), options),
        &|options| {
            let mut log = Appender::create::<i32>(&path, &[7], options)?;
            log.append(&rows(0, 6))?;
            log.flush()
        },
    ];
    for way in ways {
        assert_eq!(way(&options).unwrap_err().to_string(), refusal);
        assert_eq!(std::fs::read(&path).unwrap(), b"something");
        way(&Options { overwrite: true, ..options.clone() }).unwrap();
        assert_eq!(whole::<i32>(&path), rows(0, 6).into_dyn());
        std::fs::write(&path, "something").unwrap();
    }
}

#[test]
fn rows_are_flushed_when_the_appender_is_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log.b2nd");
    let mut log = Appender::create::<i32>(&path, &[7], &options()).unwrap();
    log.append(&rows(0, 30)).unwrap();
    assert_eq!(whole::<i32>(&path).shape(), [0, 7], "what is not flushed is not there");
    drop(log);
    assert_eq!(whole::<i32>(&path), rows(0, 30).into_dyn());
}

#[test]
fn rows_whose_flush_failed_are_not_flushed_when_the_appender_is_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let (path, away) = (directory.path().join("log.b2nd"), directory.path().join("away.b2nd"));
    let failed = || {
        let mut log = Appender::create::<i32>(&path, &[7], &Options { overwrite: true, ..options() }).unwrap();
        log.append(&rows(0, 30)).unwrap();
        // An edit fails if the path no longer names the file.
        std::fs::rename(&path, &away).unwrap();
        log.flush().unwrap_err();
        std::fs::rename(&away, &path).unwrap();
        log
    };
    drop(failed());
    assert_eq!(whole::<i32>(&path).shape(), [0, 7]);
    let mut log = failed();
    log.flush().unwrap();
    drop(log);
    assert_eq!(whole::<i32>(&path), rows(0, 30).into_dyn());
}

#[test]
fn rows_that_do_not_fit_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log.b2nd");
    let mut log = Appender::create::<i32>(&path, &[7], &options()).unwrap();
    let sentence = |result: b2nd_ndarray::Result<()>| result.unwrap_err().kind().to_string();
    let expected = "expected rows of the shape [7], found an array of the shape [2, 6]";
    assert_eq!(sentence(log.append(&Array2::<i32>::zeros((2, 6)))), expected);
    assert_eq!(sentence(log.append(&Array2::<f32>::zeros((2, 7)))), "the elements are int32, little-endian, not float32");
    assert_eq!(sentence(log.append_bytes(&[0; 27])), "expected 28 bytes, found 27");
    let scalar = directory.path().join("scalar.b2nd");
    b2nd_ndarray::write(&scalar, &ndarray::arr0(1.0), &Options::default()).unwrap();
    let error = Appender::open(&scalar).unwrap_err().to_string();
    assert!(error.ends_with("scalar.b2nd: an array without dimensions has no rows"), "{error}");
    let padded = directory.path().join("padded.b2nd");
    let metalayers = vec![("before".into(), vec![0; 600])];
    b2nd_ndarray::write(&padded, &rows(0, 3), &Options { metalayers, ..options() }).unwrap();
    // The metalayer of the array is the first one, so long metalayers after it do not matter.
    Appender::open(&padded).unwrap();
}
