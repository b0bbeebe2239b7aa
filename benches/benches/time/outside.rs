//! Measures other processes that open files: strace counts their system calls, and python-blosc2 is measured for comparison.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use b2nd_benches::files;

/// With this argument, the program only opens files. A directory, a contender and a number follow.
pub const OPEN_FILES: &str = "--open-files";

/// The number of files that are opened under strace.
const WATCHED: usize = 100;

/// A program that prints the median of five passes in nanoseconds per file.
const PYTHON: &str = "
import blosc2, sys, time
directory, count = sys.argv[1], int(sys.argv[2])
passes = []
for _ in range(5):
    start = time.perf_counter_ns()
    for number in range(count):
        blosc2.open(f'{directory}/{number}.b2nd', mode='r')
    passes.append((time.perf_counter_ns() - start) / count)
print(sorted(passes)[2])
";

#[derive(Default)]
pub struct Others {
    /// The system calls per file of each contender.
    pub system_calls: Vec<(&'static str, f64)>,
    /// Nanoseconds per file.
    pub python: Option<f64>,
}

pub fn open_files(arguments: &[String]) {
    let [directory, contender, times, ..] = arguments else { panic!("{OPEN_FILES} DIRECTORY CONTENDER TIMES") };
    for mut operation in files::open(Path::new(directory), WATCHED) {
        if operation.contender == contender {
            (operation.run)(times.parse().unwrap());
        }
    }
}

pub fn others(directory: &Path, count: usize) -> Others {
    let small = tempfile::tempdir().unwrap();
    files::write(small.path(), WATCHED);
    let mut system_calls = Vec::new();
    for operation in files::open(small.path(), WATCHED) {
        let calls = |times: usize| {
            let log = small.path().join("log");
            let mut strace = Command::new("strace");
            strace.arg("-f").arg("-o").arg(&log).arg(env::current_exe().unwrap()).arg(OPEN_FILES);
            let status = strace.arg(small.path()).args([operation.contender, &times.to_string()]).status().ok()?;
            assert!(status.success());
            Some(fs::read_to_string(log).unwrap().lines().count() as f64)
        };
        // The difference does not include the system calls of starting and ending.
        if let (Some(once), Some(twice)) = (calls(WATCHED), calls(2 * WATCHED)) {
            system_calls.push((operation.contender, (twice - once) / WATCHED as f64));
        }
    }
    Others { system_calls, python: python(directory, count) }
}

/// Runs `B2ND_PYTHON`, or the Python in which `tests/interop/run` has installed blosc2.
fn python(directory: &Path, count: usize) -> Option<f64> {
    let installed = || {
        let home = env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
        let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or(home)?;
        fs::read_dir(cache.join("b2nd-interop")).ok()?.flatten().map(|entry| entry.path().join("bin/python")).max()
    };
    let python = env::var_os("B2ND_PYTHON").map(PathBuf::from).or_else(installed)?;
    let output = Command::new(python).args(["-c", PYTHON]).arg(directory).arg(count.to_string()).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
