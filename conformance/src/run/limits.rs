//! [`Limits`]: their defaults, and a command with limited memory.

use std::process::Command;
use std::thread;
use std::time::Duration;

/// The limits of a run: the time for a request, the memory of a process, and the number of requests at the same time.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The time for a request. A process that takes longer is killed. With `--serve`, the first request to a process may take ten times as
    /// long.
    pub time: Duration,
    /// The address space of a process in bytes; 0 means no limit. It is limited with `ulimit` in a shell, and only on Unix.
    pub memory: u64,
    /// The maximum number of requests that run at the same time; 0 means 1.
    pub jobs: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        let jobs = thread::available_parallelism().map_or(2, usize::from);
        Limits { time: Duration::from_secs(10), memory: 4 << 30, jobs }
    }
}

/// The maximum number of bytes that are read from a process's standard output, and from its standard error.
pub(super) const OUTPUT: u64 = 64 << 20;

/// Returns a command with this limit on the address space.
#[cfg(unix)]
pub(super) fn command(command: &[String], memory: u64) -> Command {
    let mut limited = Command::new("sh");
    let limit = if memory == 0 { "unlimited".to_owned() } else { (memory >> 10).to_string() };
    limited.args(["-c", "ulimit -c 0; ulimit -v \"$0\" && exec \"$@\"", &limit]).args(command);
    limited
}

#[cfg(not(unix))]
pub(super) fn command(command: &[String], _memory: u64) -> Command {
    let mut limited = Command::new(command.first().map_or("", String::as_str));
    limited.args(command.iter().skip(1));
    limited
}
