//! C-Blosc2 or python-blosc2 in a separate process.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What a worker does with a frame.
pub(crate) enum Answer {
    /// It reads the frame without an error. Some workers return a digest.
    Read(Option<String>),
    Refused(String),
    /// Its process ends, for example by a sanitizer or a signal, as this text says.
    Crashed(String),
    /// It takes too much processor time, or does not answer in time.
    Hung,
}

pub(crate) struct Worker {
    program: Vec<String>,
    running: Option<Running>,
}

struct Running {
    child: Child,
    lines: Receiver<String>,
    said: JoinHandle<String>,
}

/// The time after which a worker that has not answered is killed.
const PATIENCE: Duration = Duration::from_secs(900);

/// The signal that ends a worker whose frame takes more processor time than worker.c allows.
const SIGXCPU: i32 = 24;

impl Worker {
    /// Creates a worker from a command with arguments. It is started when it is needed.
    pub(crate) fn new(command: &str) -> Worker {
        Worker { program: command.split_whitespace().map(str::to_owned).collect(), running: None }
    }

    pub(crate) fn ask(&mut self, file: &Path) -> io::Result<Answer> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => start(&self.program)?,
        };
        if let Some(stdin) = &mut running.child.stdin {
            // If the worker has ended, its output is read below.
            let _ = writeln!(stdin, "{}", file.display()).and_then(|()| stdin.flush());
        }
        match running.lines.recv_timeout(PATIENCE) {
            Ok(line) => {
                self.running = Some(running);
                Ok(match line.split_once(' ') {
                    Some(("ok", "-")) => Answer::Read(None),
                    Some(("ok", digest)) => Answer::Read(Some(digest.to_owned())),
                    // A worker that forks a process for each frame reports crashes of that process.
                    Some(("crashed", said)) => Answer::Crashed(said.to_owned()),
                    Some(("hung", _)) => Answer::Hung,
                    _ => Answer::Refused(line.strip_prefix("no ").unwrap_or(&line).to_owned()),
                })
            }
            Err(RecvTimeoutError::Timeout) => {
                running.child.kill()?;
                running.child.wait()?;
                Ok(Answer::Hung)
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = running.child.wait()?;
                if status.signal() == Some(SIGXCPU) {
                    return Ok(Answer::Hung);
                }
                let said = running.said.join().unwrap_or_default();
                Ok(Answer::Crashed(format!("{status}\n{said}")))
            }
        }
    }
}

fn start(program: &[String]) -> io::Result<Running> {
    let (first, arguments) = program.split_first().ok_or_else(|| io::Error::other("the command of the worker is empty"))?;
    let options = "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=2048";
    let mut child = Command::new(first)
        .args(arguments)
        .env("ASAN_OPTIONS", options)
        .env("UBSAN_OPTIONS", "print_stacktrace=1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (sender, lines) = mpsc::channel();
    let out = child.stdout.take();
    thread::spawn(move || {
        for line in out.into_iter().flat_map(|out| BufReader::new(out).lines().map_while(Result::ok)) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let stderr = child.stderr.take();
    let said = thread::spawn(move || {
        let mut said = Vec::new();
        if let Some(stderr) = stderr {
            let _ = stderr.take(1 << 20).read_to_end(&mut said);
        }
        String::from_utf8_lossy(&said).into_owned()
    });
    Ok(Running { child, lines, said })
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(mut running) = self.running.take() {
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}
