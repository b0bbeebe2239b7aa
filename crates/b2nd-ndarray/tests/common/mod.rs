//! Pieces that several of these programs need: numbers, arrays in files, and this program again as a process that may be killed.
#![allow(dead_code, reason = "each program takes some of it")]

use std::path::Path;
use std::process::{Command, Stdio};

use b2nd_frame::{File, Writer};
use b2nd_ndarray::{Array, Element};
use ndarray::ArrayD;

/// Numbers that are equal in each run.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn below(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below.max(1)
    }
}

/// All values of an array in a file.
pub(crate) fn whole<T: Element>(path: &Path) -> ArrayD<T> {
    let array = Array::open(path).unwrap();
    array.read(&array.whole()).unwrap()
}

/// Copies a frame from its file into a directory.
pub(crate) fn sparse(file: &Path, directory: &Path) {
    let frame = File::open(file).unwrap();
    let mut writer = Writer::create_sparse(directory, frame.header().clone()).unwrap();
    for number in 0..frame.offsets().unwrap().len() {
        writer.append(&frame.chunk(number).unwrap()).unwrap();
    }
    writer.finish().unwrap();
}

/// The variable that names a file to a [`child`].
pub(crate) const PATH: &str = "B2ND_PATH";

/// This program again, for one of its tests that act for others.
pub(crate) fn child(shell: &str, test: &str, path: &Path) -> Command {
    let mut command = Command::new("sh");
    let program = std::env::current_exe().unwrap();
    command.args(["-c", &format!("{shell} exec \"$0\" --exact {test} --nocapture --include-ignored")]).arg(program);
    command.env(PATH, path).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Limits the length of files that this process writes; `None` removes the limit.
#[cfg(unix)]
pub(crate) fn limit_files(bytes: Option<u64>) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = Rlimit { current: bytes, maximum: getrlimit(Resource::Fsize).maximum };
    setrlimit(Resource::Fsize, limit).unwrap();
}
