//! What the tests of the tool share: a directory of their own, and the tool run in it.
#![allow(dead_code, clippy::unwrap_used)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data");

/// What a command printed, and its exit status.
pub(crate) type Printed = (String, String, i32);

/// A directory that is gone after its test.
pub(crate) struct Directory(pub(crate) PathBuf);

impl Directory {
    pub(crate) fn new(name: &str) -> Directory {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        Directory(path)
    }

    /// Copies a file of tests/data into it.
    pub(crate) fn take(&self, file: &str, name: &str) {
        fs::copy(Path::new(DATA).join(file), self.0.join(name)).unwrap();
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), bytes).unwrap();
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_b2nd"));
        command.args(args).current_dir(&self.0).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Printed {
        let output = self.command(args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr), output.status.code().unwrap())
    }

    /// The output of a command that does all that it is asked for.
    #[track_caller]
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let (out, err, status) = self.run(args);
        assert_eq!((err.as_str(), status), ("", 0), "{args:?}");
        out
    }

    /// The one line that a command says that does nothing, without the end.
    #[track_caller]
    pub(crate) fn refused(&self, args: &[&str]) -> String {
        let (out, err, status) = self.run(args);
        assert_eq!((out.as_str(), status, err.lines().count()), ("", 1, 1), "{args:?}: {err}");
        err.trim_end().to_owned()
    }

    /// Bytes in, bytes out.
    #[track_caller]
    pub(crate) fn pipe(&self, args: &[&str], input: &[u8]) -> Vec<u8> {
        let mut child = self.command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((String::from_utf8(output.stderr).unwrap(), output.status.code()), (String::new(), Some(0)), "{args:?}");
        output.stdout
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A numpy file of these values.
pub(crate) fn npy(descr: &str, shape: &str, values: &[i32]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}").into_bytes();
    header.resize(117, b' ');
    header.push(b'\n');
    let bytes = values.iter().flat_map(|value| value.to_le_bytes());
    b"\x93NUMPY\x01\x00\x76\x00".iter().copied().chain(header).chain(bytes).collect()
}
