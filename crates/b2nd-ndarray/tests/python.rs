//! Files that this crate writes have the same values in python-blosc2. `python/check.py` opens them in the interpreter that
//! B2ND_PYTHON names, and compares them with what NumPy computes from a line of text for each file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{CodecId, Filter, SplitMode};
use b2nd_ndarray::{Element, Options};
use ndarray::{ArrayD, IxDyn};
use num_complex::Complex;

const CODECS: [CodecId; 5] = [CodecId::BloscLz, CodecId::Lz4, CodecId::Lz4Hc, CodecId::Zlib, CodecId::Zstd];

/// A directory of files, and a line of text for each file.
struct Cases<'a> {
    directory: &'a Path,
    lines: String,
}

impl Cases<'_> {
    /// Writes an array whose elements are made from numbers that `python/check.py` can compute.
    fn write<T: Element>(&mut self, dtype: &str, shape: &[usize], options: &Options, value: impl Fn(u32) -> T) {
        let mut count = 0_u32;
        let array = ArrayD::from_shape_simple_fn(IxDyn(shape), || {
            count += 1;
            value(number(count))
        });
        let path = self.line(dtype, shape, options);
        b2nd_ndarray::write(path, &array, options).unwrap();
    }

    fn write_bytes(&mut self, dtype: &str, shape: &[usize], options: &Options, value: impl Fn(u32) -> Vec<u8>) {
        let lengths: Vec<_> = shape.iter().map(|&length| length as i64).collect();
        let (chunks, blocks) = (options.chunkshape.as_deref().unwrap(), options.blockshape.as_deref().unwrap());
        let meta = B2ndMeta::new(Geometry::new(&lengths, chunks, blocks).unwrap(), dtype);
        let bytes: Vec<_> = (1..=shape.iter().product::<usize>() as u32).flat_map(|count| value(number(count))).collect();
        let path = self.line(dtype, shape, options);
        b2nd_ndarray::write_bytes(path, &meta, &bytes, options).unwrap();
    }

    fn line(&mut self, dtype: &str, shape: &[usize], options: &Options) -> std::path::PathBuf {
        let file = format!("{}.b2nd", self.lines.lines().count());
        let filters: Vec<_> = options.filters.iter().map(|(filter, _)| filter.code()).collect();
        let (chunks, blocks) = (&options.chunkshape, &options.blockshape);
        let (codec, level) = (options.codec.code(), options.level);
        let numbers =
            format!("{shape:?}\t{chunks:?}\t{blocks:?}\t{codec}\t{level}\t{filters:?}").replace("Some(", "").replace(')', "");
        writeln!(self.lines, "{file}\t{dtype}\t{numbers}").unwrap();
        self.directory.join(file)
    }
}

fn number(count: u32) -> u32 {
    count.wrapping_mul(0x9e37_79b1) >> 7
}

fn options(chunkshape: &[i32], blockshape: &[i32]) -> Options {
    Options { chunkshape: Some(chunkshape.to_vec()), blockshape: Some(blockshape.to_vec()), ..Options::default() }
}

#[test]
fn files_have_the_same_values_in_python() {
    let Some(python) = std::env::var_os("B2ND_PYTHON") else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut cases = Cases { directory: directory.path(), lines: String::new() };

    let cut = options(&[4, 5], &[3, 2]);
    cases.write("|b1", &[7, 11], &cut, |n| n % 3 == 0);
    cases.write("|i1", &[7, 11], &cut, |n| n as i8);
    cases.write("<i2", &[7, 11], &cut, |n| n as i16);
    cases.write("<i4", &[7, 11], &cut, |n| n as i32);
    cases.write("<i8", &[7, 11], &cut, i64::from);
    cases.write("|u1", &[7, 11], &cut, |n| n as u8);
    cases.write("<u2", &[7, 11], &cut, |n| n as u16);
    cases.write("<u4", &[7, 11], &cut, |n| n);
    cases.write("<u8", &[7, 11], &cut, u64::from);
    cases.write("<f4", &[7, 11], &cut, |n| n as f32 / 3.0);
    cases.write("<f8", &[7, 11], &cut, |n| f64::from(n) / 3.0);
    cases.write("<c8", &[7, 11], &cut, |n| Complex::new(n as f32, -1.5));
    cases.write("<c16", &[7, 11], &cut, |n| Complex::new(f64::from(n), -1.5));
    cases.write_bytes(">i4", &[7, 11], &cut, |n| n.to_be_bytes().to_vec());
    cases.write_bytes("[('a', '<i4'), ('b', 'u1')]", &[7, 11], &cut, |n| [&n.to_le_bytes()[..], &[n as u8]].concat());
    cases.write_bytes("|S300", &[7, 11], &cut, |n| vec![b'a' + (n % 26) as u8; 300]);

    // The parameter of the shuffle is not the size of an element.
    let characters = Options { filters: vec![(Filter::Shuffle, 4)], ..cut.clone() };
    cases.write_bytes("|S300", &[7, 11], &characters, |n| vec![b'a' + (n % 26) as u8; 300]);
    cases.write_bytes("<u8", &[7, 11], &characters, |n| u64::from(n).to_le_bytes().to_vec());

    let shapes: [(&[usize], &[i32], &[i32]); 12] = [
        (&[], &[], &[]),
        (&[1], &[1], &[1]),
        (&[1000], &[300], &[70]),
        (&[13, 17], &[20, 20], &[20, 7]),
        (&[13, 17], &[13, 17], &[13, 17]),
        (&[5, 6, 7], &[2, 4, 7], &[2, 3, 4]),
        (&[3, 4, 5, 6], &[2, 2, 5, 4], &[1, 2, 3, 4]),
        (&[3, 2, 4, 3, 5], &[2, 2, 3, 2, 4], &[2, 1, 2, 2, 3]),
        (&[0], &[0], &[0]),
        (&[4, 0, 3], &[4, 0, 3], &[4, 0, 3]),
        (&[0, 5], &[1, 5], &[1, 5]),
        (&[100, 200], &[64, 64], &[16, 64]),
    ];
    for (shape, chunkshape, blockshape) in shapes {
        cases.write("<i4", shape, &options(chunkshape, blockshape), |n| n as i32);
        cases.write("<f8", shape, &options(chunkshape, blockshape), |n| f64::from(n) / 3.0);
    }
    cases.write("<f8", &[300, 700], &Options::default(), |n| f64::from(n) / 3.0);
    cases.write("<f2", &[7, 11], &cut, |n| half::f16::from_f32((n % 2048) as f32));

    let shuffle = (Filter::Shuffle, 0);
    let pipelines = [vec![], vec![shuffle], vec![(Filter::BitShuffle, 0)], vec![shuffle, (Filter::Other(35), 2)]];
    for codec in CODECS {
        for filters in &pipelines {
            for (level, split_mode) in
                [(0, SplitMode::Auto), (1, SplitMode::Always), (5, SplitMode::Never), (9, SplitMode::ForwardCompat)]
            {
                let cut = Options { codec, level, filters: filters.clone(), split_mode, ..options(&[25, 33], &[10, 9]) };
                cases.write("<u2", &[60, 50], &cut, |n| n as u16);
            }
        }
    }

    at_random(&mut cases, &pipelines);

    std::fs::write(directory.path().join("cases.tsv"), &cases.lines).unwrap();
    let done = Command::new(python).args(["-B", "python/check.py"]).arg(directory.path()).status().unwrap();
    assert!(done.success());
}

/// 300 arrays with random shapes, chunks, blocks, types, codecs and filters.
fn at_random(cases: &mut Cases<'_>, pipelines: &[Vec<(Filter, u8)>]) {
    let mut state = 20_261_121_u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..300 {
        let ndim = 1 + draw(4);
        let longest = [3000, 70, 20, 9][ndim - 1];
        let shape: Vec<_> = (0..ndim).map(|_| 1 + draw(longest)).collect();
        let chunks: Vec<_> = shape.iter().map(|&length| 1 + draw(length) as i32).collect();
        let blocks: Vec<_> = chunks.iter().map(|&length| 1 + draw(length as usize) as i32).collect();
        let codec = CODECS[draw(CODECS.len())];
        let split_mode = [SplitMode::Auto, SplitMode::Always, SplitMode::Never, SplitMode::ForwardCompat][draw(4)];
        let filters = pipelines[draw(pipelines.len())].clone();
        let mut cut = Options { codec, level: draw(10) as u8, filters, split_mode, ..options(&chunks, &blocks) };
        // The parameter of bytedelta is the size of an element.
        let bytedelta = |cut: &mut Options, size: u8| {
            cut.filters.iter_mut().filter(|(filter, _)| *filter == Filter::Other(35)).for_each(|(_, meta)| *meta = size);
        };
        match draw(8) {
            0 => (bytedelta(&mut cut, 1), cases.write("|b1", &shape, &cut, |n| n % 3 == 0)).1,
            1 => (bytedelta(&mut cut, 1), cases.write("|u1", &shape, &cut, |n| n as u8)).1,
            2 => (bytedelta(&mut cut, 2), cases.write("<i2", &shape, &cut, |n| n as i16)).1,
            3 => (bytedelta(&mut cut, 4), cases.write("<i4", &shape, &cut, |n| n as i32)).1,
            4 => (bytedelta(&mut cut, 4), cases.write("<f4", &shape, &cut, |n| n as f32 / 3.0)).1,
            5 => (bytedelta(&mut cut, 8), cases.write("<f8", &shape, &cut, |n| f64::from(n) / 3.0)).1,
            6 => (bytedelta(&mut cut, 16), cases.write("<c16", &shape, &cut, |n| Complex::new(f64::from(n), -1.5))).1,
            _ => (bytedelta(&mut cut, 4), cases.write_bytes(">i4", &shape, &cut, |n| n.to_be_bytes().to_vec())).1,
        }
    }
}

/// Frames are written to HDF5 datasets as chunks, and hdf5plugin reads them. For the other direction, `values.rs` reads files
/// that python-blosc2 and hdf5plugin wrote with `python/theirs.py`.
#[test]
fn chunks_of_hdf5_are_read_by_hdf5plugin() {
    let Some(python) = std::env::var_os("B2ND_PYTHON") else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut lines = String::new();
    for (shape, chunks) in [([24, 30, 1], None), ([7, 9, 5], None), ([40, 50, 3], Some(([40, 50, 3], [16, 16, 3])))] {
        let cut = Options {
            chunkshape: Some(chunks.map_or(shape, |(chunk, _)| chunk).map(|length| length as i32).to_vec()),
            blockshape: chunks.map(|(_, block)| block.to_vec()),
            ..Options::default()
        };
        let mut tile = |dtype: &str, frame: Vec<u8>| {
            let file = format!("{}.frame", lines.lines().count());
            std::fs::write(directory.path().join(&file), frame).unwrap();
            writeln!(lines, "{file}\t{dtype}\t{shape:?}").unwrap();
        };
        let count = || (0..shape.iter().product::<usize>() as u16).collect::<Vec<_>>();
        let array = |values| ArrayD::from_shape_vec(IxDyn(&shape), values).unwrap();
        tile("<u2", b2nd_ndarray::to_frame(&array(count()), &cut).unwrap());
        tile("<f4", b2nd_ndarray::to_frame(&array(count()).mapv(f32::from), &cut).unwrap());
        tile(
            "<f8",
            b2nd_ndarray::to_frame(&array(count()).mapv(f64::from), &Options { codec: CodecId::Lz4, ..cut.clone() }).unwrap(),
        );
    }
    std::fs::write(directory.path().join("tiles.tsv"), &lines).unwrap();
    let done = Command::new(python).args(["-B", "python/hdf5.py"]).arg(directory.path()).status().unwrap();
    assert!(done.success());
}
