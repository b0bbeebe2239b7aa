//! Helpers of several test programs: pseudorandom numbers, arrays in files, and running the test program as a child process.
#![allow(dead_code, reason = "each program uses some of it")]

use std::path::Path;
use std::process::{Command, Stdio};

use b2nd_frame::{File, Writer};
use b2nd_ndarray::{Array, Element};
use ndarray::ArrayD;

/// Pseudorandom numbers, the same on every run.
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

/// Copies the header and the chunks of the frame in a file to a directory, as a sparse frame.
pub(crate) fn sparse(file: &Path, directory: &Path) {
    let frame = File::open(file).unwrap();
    let mut writer = Writer::create_sparse(directory, frame.header().clone()).unwrap();
    for number in 0..frame.offsets().unwrap().len() {
        writer.append(&frame.chunk(number).unwrap()).unwrap();
    }
    writer.finish().unwrap();
}

/// The environment variable with the path for a [`child`].
pub(crate) const PATH: &str = "B2ND_PATH";

/// A command that runs one ignored test of this program in a child process.
pub(crate) fn child(shell: &str, test: &str, path: &Path) -> Command {
    let mut command = Command::new("sh");
    let program = std::env::current_exe().unwrap();
    command.args(["-c", &format!("{shell} exec \"$0\" --exact {test} --nocapture --include-ignored")]).arg(program);
    command.env(PATH, path).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Limits the size of files that this process writes; `None` removes the limit.
#[cfg(unix)]
pub(crate) fn limit_files(bytes: Option<u64>) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = Rlimit { current: bytes, maximum: getrlimit(Resource::Fsize).maximum };
    setrlimit(Resource::Fsize, limit).unwrap();
}
