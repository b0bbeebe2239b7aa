//! [`Process`]: a child process with limits.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::limits;

/// How a process ended: with an exit code (and its standard output and standard error), by a signal (and its standard error), or not in
/// time.
pub(super) enum Ended {
    Exit(i32, Vec<u8>, Vec<u8>),
    Signal(i32, Vec<u8>),
    Late,
}

/// A running child process, whose standard output is read line by line.
pub(super) struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    said: Option<JoinHandle<Vec<u8>>>,
}

impl Process {
    pub(super) fn start(command: &[String], memory: u64) -> io::Result<Process> {
        let mut child =
            limits::command(command, memory).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (sender, lines) = mpsc::channel();
        if let Some(out) = child.stdout.take() {
            thread::spawn(move || {
                let mut out = BufReader::new(out.take(limits::OUTPUT));
                loop {
                    let mut line = Vec::new();
                    match out.read_until(b'\n', &mut line) {
                        Ok(1..) if sender.send(line).is_ok() => {}
                        _ => break,
                    }
                }
            });
        }
        let said = child.stderr.take().map(|stderr| {
            thread::spawn(move || {
                let mut said = Vec::new();
                let _ = stderr.take(limits::OUTPUT).read_to_end(&mut said);
                said
            })
        });
        Ok(Process { stdin: child.stdin.take(), child, lines, said })
    }

    /// Writes to the child. Errors are ignored: if the child has ended, its exit status is reported later.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
        }
    }

    /// Returns the next line without its line ending, or `None` if the time limit is reached or there are no more lines.
    pub(super) fn line(&mut self, time: Duration) -> io::Result<Option<String>> {
        match self.lines.recv_timeout(time) {
            Ok(line) => Ok(Some(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned())),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                // A child that has closed its output should end soon.
                self.wait(Duration::from_secs(5))?;
                Ok(None)
            }
        }
    }

    fn wait(&mut self, time: Duration) -> io::Result<Option<ExitStatus>> {
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            if start.elapsed() >= time {
                return Ok(None);
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }

    /// Waits for the child to end, and kills it if it takes too long.
    pub(super) fn finish(mut self, time: Duration) -> io::Result<Ended> {
        drop(self.stdin.take());
        let status = self.wait(time)?;
        if status.is_none() {
            self.child.kill()?;
            self.child.wait()?;
        }
        let out: Vec<u8> = self.lines.iter().flatten().collect();
        let said = self.said.take().and_then(|said| said.join().ok()).unwrap_or_default();
        Ok(match status {
            None => Ended::Late,
            Some(status) => match (status.code(), signal(status)) {
                (Some(code), _) => Ended::Exit(code, out, said),
                (None, signal) => Ended::Signal(signal, said),
            },
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> i32 {
    std::os::unix::process::ExitStatusExt::signal(&status).unwrap_or(0)
}

#[cfg(not(unix))]
fn signal(_status: ExitStatus) -> i32 {
    0
}
