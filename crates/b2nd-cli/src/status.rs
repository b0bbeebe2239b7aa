//! The exit statuses of the tool. 0 is success; 2 comes from clap, where the arguments are wrong.

use std::io::{self, Write};
use std::process::ExitCode;

use crate::error::Error;
use crate::output::Output;

/// Something failed, was found by `check`, or differs in `diff`.
pub(crate) const FAILED: u8 = 1;

/// Something that `check` or `diff` is to read cannot be read, or `export` left columns out.
pub(crate) const UNREADABLE: u8 = 3;

/// This program reads all of it, and a reader that `check` was asked about is known to crash on it or to refuse it.
pub(crate) const UNSAFE: u8 = 4;

impl Output {
    /// Runs a command that says whether all went well: 0 if it did, else [`FAILED`].
    pub(crate) fn run(self, command: impl FnOnce(&mut Output) -> io::Result<bool>) -> ExitCode {
        self.run_to_status(|output| command(output).map(|done| if done { 0 } else { FAILED }))
    }

    /// Runs a command that gives the exit status.
    pub(crate) fn run_to_status(mut self, command: impl FnOnce(&mut Output) -> io::Result<u8>) -> ExitCode {
        let done = command(&mut self).and_then(|status| self.out.flush().map(|()| status));
        match done {
            Ok(status) => status.into(),
            // Whoever read the output has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                // The buffer would be written again when it is dropped.
                std::process::exit(0)
            }
            Err(error) => {
                // Where this cannot be written either, the status says it.
                let _ = writeln!(self.err, "b2nd: {}", Error::Write(error));
                std::process::exit(FAILED.into())
            }
        }
    }
}
