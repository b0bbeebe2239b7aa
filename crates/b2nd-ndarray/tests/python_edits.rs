//! Arrays that this crate edits in place have the same values in python-blosc2 as in NumPy, and selections have NumPy's values. This
//! crate then reads what python-blosc2 changed. B2ND_PYTHON names the interpreter; see `python/edits.py`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::CodecId;
use b2nd_ndarray::{Array, ArrayEditor, Options, Select};
use common::{Draw, sparse};

mod common;

impl Draw {
    /// Elements of `itemsize` bytes that are valid numbers of any type and can be compressed a little.
    fn bytes(&mut self, items: i64, itemsize: usize) -> Vec<u8> {
        let kind = self.below(3);
        (0..items as usize * itemsize).map(|_| if kind == 0 { 0 } else { self.below(60) as u8 }).collect()
    }

    fn slice(&mut self, shape: &[i64]) -> Vec<Range<i64>> {
        let range = |&length: &i64| {
            let start = self.below(length as usize + 1) as i64;
            start..start + self.below((length - start) as usize + 1) as i64
        };
        shape.iter().map(range).collect()
    }

    fn select(&mut self, length: i64) -> Select {
        match self.below(4) {
            0 => Select::All,
            1 => Select::Step(0..length, 1 + self.below(5) as i64),
            2 => (0..length).map(|_| self.below(2) == 0).collect::<Vec<_>>().into(),
            _ if length == 0 => Select::All,
            _ => (0..self.below(9)).map(|_| self.below(2 * length as usize) as i64 - length).collect::<Vec<_>>().into(),
        }
    }
}

fn items(slice: &[Range<i64>]) -> i64 {
    slice.iter().map(|range| range.end - range.start).product()
}

/// Writes a random array to a file or directory and edits it a few times. Returns the edits as JSON.
fn edited(draw: &mut Draw, directory: &Path, number: usize) -> String {
    let (dtype, itemsize) = [("<i4", 4), ("<f8", 8), (">i2", 2), ("|u1", 1), ("|S3", 3)][draw.below(5)];
    let ndim = 1 + draw.below(3);
    let mut shape: Vec<_> = (0..ndim).map(|_| 1 + draw.below([300, 40, 13][ndim - 1]) as i64).collect();
    let chunks: Vec<_> = shape.iter().map(|&length| 1 + draw.below(length as usize + 2) as i32).collect();
    let blocks: Vec<_> = chunks.iter().map(|&length| 1 + draw.below(length as usize) as i32).collect();
    let meta = B2ndMeta::new(Geometry::new(&shape, &chunks, &blocks).unwrap(), dtype);
    let codec = [CodecId::Lz4, CodecId::Zstd, CodecId::BloscLz][draw.below(3)];
    let options = Options { codec, level: [0, 5][draw.below(2)], ..Options::default() };
    let raw = |name: String, bytes: &[u8]| std::fs::write(directory.join(name), bytes).unwrap();

    let base = draw.bytes(shape.iter().product(), itemsize);
    raw(format!("{number}.base"), &base);
    let mut path = directory.join(format!("{number}.b2nd"));
    b2nd_ndarray::write_bytes(&path, &meta, &base, &options).unwrap();
    if number % 5 == 0 {
        let file = std::mem::replace(&mut path, directory.join(format!("{number}.dir.b2nd")));
        sparse(&file, &path);
    }
    let mut line = format!("{{\"file\": {:?}, \"number\": {number}, \"dtype\": {dtype:?}, ", path.file_name().unwrap());
    write!(line, "\"shape\": {shape:?}, \"steps\": [").unwrap();
    let mut editor = ArrayEditor::open(&path).unwrap();
    for step in 0..6 {
        let comma = if step == 0 { "" } else { ", " };
        match draw.below(3) {
            0 => {
                shape.iter_mut().for_each(|length| *length = (*length + draw.below(12) as i64 - 4).max(1));
                let value = draw.bytes(1, itemsize);
                editor.resize_bytes(&shape, &value).unwrap();
                write!(line, "{comma}{{\"resize\": {shape:?}, \"value\": {value:?}}}").unwrap();
            }
            1 => {
                let selection: Vec<_> = shape.iter().map(|&length| draw.select(length)).collect();
                raw(format!("{number}.{step}"), &editor.select_bytes(&selection).unwrap());
                let json = selection.iter().map(|select| match select {
                    Select::All => "[\"all\"]".to_owned(),
                    Select::Step(range, step) => format!("[\"step\", {}, {}, {step}]", range.start, range.end),
                    Select::Indices(indices) => format!("[\"indices\", {indices:?}]"),
                    Select::Mask(mask) => format!("[\"mask\", {mask:?}]"),
                    other => panic!("{other:?}"),
                });
                write!(line, "{comma}{{\"select\": [{}]}}", json.collect::<Vec<_>>().join(", ")).unwrap();
            }
            _ => {
                let slice = draw.slice(&shape);
                let bytes = draw.bytes(items(&slice), itemsize);
                raw(format!("{number}.{step}"), &bytes);
                editor.write_slice_bytes(&slice, &bytes).unwrap();
                let ranges: Vec<_> = slice.iter().map(|range| [range.start, range.end]).collect();
                write!(line, "{comma}{{\"write\": {ranges:?}}}").unwrap();
            }
        }
    }
    line + "]}\n"
}

#[test]
fn arrays_that_are_edited_in_turns_have_numpys_values() {
    let Some(python) = std::env::var_os("B2ND_PYTHON") else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut draw = Draw(20_261_122);
    let lines: String = (0..40).map(|number| edited(&mut draw, directory.path(), number)).collect();
    std::fs::write(directory.path().join("edits.jsonl"), &lines).unwrap();
    let done = Command::new(python).args(["-B", "python/edits.py"]).arg(directory.path()).status().unwrap();
    assert!(done.success());

    // These arrays were edited by python-blosc2.
    for line in std::fs::read_to_string(directory.path().join("after.tsv")).unwrap().lines() {
        let [file, number] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let path: PathBuf = directory.path().join(file);
        let array = Array::open(&path).unwrap();
        let expected = std::fs::read(directory.path().join(format!("{number}.after"))).unwrap();
        assert_eq!(array.read_bytes(&array.whole()).unwrap(), expected, "{line}");
        // This crate edits them once more.
        let value = vec![b'1'; array.itemsize()];
        let shape: Vec<_> = array.grid().shape().iter().map(|length| length + 1).collect();
        let mut editor = ArrayEditor::open(&path).unwrap();
        editor.resize_bytes(&shape, &value).unwrap();
        let last: Vec<_> = shape.iter().map(|length| length - 1..*length).collect();
        assert_eq!(editor.read_bytes(&last).unwrap(), value);
        assert_eq!(editor.read_bytes(&array.whole()).unwrap(), expected, "{line}");
    }
}
