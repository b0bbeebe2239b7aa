//! The exit statuses of the tool. 0 is success. clap exits with 2 if the arguments are wrong.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::error::{Error, Result};
use crate::output::Output;

/// A command failed, `check` had findings, `diff` found differences, or `salvage` found lost parts.
pub(crate) const FAILED: u8 = 1;

/// `check` could not read a file or add digests to it, `diff` could not read or compare one, or `export` left out columns.
pub(crate) const UNREADABLE: u8 = 3;

/// `check` could read everything, but a file is not safe for a reader that `--for` names. Without `--for`, `--strict` checks for C-Blosc2
/// and python-blosc2.
pub(crate) const UNSAFE: u8 = 4;

impl Output {
    /// Runs a command that returns true on success. The status is 0 or [`FAILED`].
    pub(crate) fn run(self, command: impl FnOnce(&mut Output) -> io::Result<bool>) -> ExitCode {
        self.run_to_status(|output| command(output).map(|done| if done { 0 } else { FAILED }))
    }

    /// Runs a command that returns the exit status, and prints its error. The error starts with the path, if there is one.
    pub(crate) fn run_on<'a>(
        self,
        path: impl Into<Option<&'a PathBuf>>,
        command: impl FnOnce(&mut Output) -> Result<u8>,
    ) -> ExitCode {
        self.run_to_status(|output| {
            let done = command(output);
            Ok(output.settle(path.into().map_or(Path::new(""), PathBuf::as_path), done)?.unwrap_or(FAILED))
        })
    }

    /// Runs a command that returns the exit status.
    pub(crate) fn run_to_status(mut self, command: impl FnOnce(&mut Output) -> io::Result<u8>) -> ExitCode {
        let done = command(&mut self).and_then(|status| self.out.flush().map(|()| status));
        match done {
            Ok(status) => status.into(),
            // This error means that the reader of the output closed the pipe.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                // The process ends here, because dropping the buffered output would try to write the output again.
                std::process::exit(0)
            }
            Err(error) => {
                // If standard error cannot be written either, only the exit status reports the error.
                let _ = writeln!(self.err, "b2nd: {}", Error::Write(error));
                std::process::exit(FAILED.into())
            }
        }
    }
}
