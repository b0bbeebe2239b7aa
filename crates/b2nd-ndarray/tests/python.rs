//! Files that this crate writes have the same values in python-blosc2, whose interpreter B2ND_PYTHON names: `python/check.py` opens each
//! and compares it with what NumPy makes of the line that is written here.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use b2nd::frame::{Codec, Filter, SplitMode};
use b2nd::{B2ndMeta, Geometry};
use b2nd_ndarray::{Options, Value};
use ndarray::{ArrayD, IxDyn};
use num_complex::Complex;

/// The files of a directory, and a line on each.
struct Cases<'a> {
    directory: &'a Path,
    lines: String,
}

impl Cases<'_> {
    /// Writes an array whose elements are made of numbers that `python/check.py` makes too.
    fn write<T: Value>(&mut self, dtype: &str, shape: &[usize], options: &Options, value: impl Fn(u32) -> T) {
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

    let shapes: [(&[usize], &[i32], &[i32]); 12] = [
        (&[], &[], &[]),
        (&[1], &[1], &[1]),
        (&[1000], &[300], &[70]),
        (&[13, 17], &[20, 20], &[30, 7]),
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

    let shuffle = (Filter::Shuffle, 0);
    let pipelines = [vec![], vec![shuffle], vec![(Filter::BitShuffle, 0)], vec![shuffle, (Filter::Other(35), 2)]];
    for codec in [Codec::BloscLz, Codec::Lz4, Codec::Lz4Hc, Codec::Zlib, Codec::Zstd] {
        for filters in &pipelines {
            for (level, split_mode) in
                [(0, SplitMode::Auto), (1, SplitMode::Always), (5, SplitMode::Never), (9, SplitMode::ForwardCompat)]
            {
                let cut = Options { codec, level, filters: filters.clone(), split_mode, ..options(&[25, 33], &[10, 9]) };
                cases.write("<u2", &[60, 50], &cut, |n| n as u16);
            }
        }
    }

    std::fs::write(directory.path().join("cases.tsv"), &cases.lines).unwrap();
    let done = Command::new(python).args(["-B", "python/check.py"]).arg(directory.path()).status().unwrap();
    assert!(done.success());
}
