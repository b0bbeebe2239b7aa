//! Files with arrays in a temporary directory, and functions that run the program on them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{Chunk, Header, Writer};
use serde_json::Value;

/// A frame with a one-dimensional float64 array of this length, in chunks of four elements.
pub(crate) fn frame(length: i64) -> Vec<u8> {
    let meta = B2ndMeta::of::<f64>(Geometry::new(&[length], &[4], &[2]).unwrap());
    let mut writer = Writer::new(Header::for_array(&meta).unwrap());
    for _ in 0..(length + 3) / 4 {
        writer.append(&Chunk::store(&[0; 32], 8).unwrap()).unwrap();
    }
    writer.finish().unwrap()
}

/// A `.b2z` with these members, which are not compressed.
pub(crate) fn archive(members: impl IntoIterator<Item = (String, Vec<u8>)>) -> Vec<u8> {
    let mut archive = rawzip::ZipArchiveWriter::new(Vec::new());
    for (name, content) in members {
        let (mut entry, config) = archive.new_file(&name).start().unwrap();
        let mut writer = config.wrap(&mut entry);
        writer.write_all(&content).unwrap();
        let (_, written) = writer.finish().unwrap();
        entry.finish(written).unwrap();
    }
    archive.finish().unwrap()
}

/// A command that runs the program with these arguments.
pub(crate) fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_b2nd-catalog"));
    command.args(arguments);
    command
}

#[track_caller]
pub(crate) fn run(arguments: &[&str]) -> Output {
    let output = program(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// The rows that a query on a catalogue returns.
#[track_caller]
pub(crate) fn ask(catalog: &Path, query: &str) -> Vec<Value> {
    rows(run(&["sql", query, "--catalog", catalog.to_str().unwrap(), "--format", "json"]))
}

pub(crate) fn rows(output: Output) -> Vec<Value> {
    String::from_utf8(output.stdout).unwrap().lines().map(|line| line.parse().unwrap()).collect()
}

/// A directory with this number of arrays: `a/0.b2nd` with one element, `a/1.b2nd` with two, … up to 100, then from one again.
pub(crate) fn directory(count: i64) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("a")).unwrap();
    for number in 0..count {
        std::fs::write(file(&directory, number), frame(number % 100 + 1)).unwrap();
    }
    directory
}

pub(crate) fn file(directory: &tempfile::TempDir, number: i64) -> PathBuf {
    directory.path().join(format!("a/{number}.b2nd"))
}
