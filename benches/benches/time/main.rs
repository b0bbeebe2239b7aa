//! Measures the time of each operation and its contenders in turns, and prints tables of times and ratios.
//!
//! `--write` writes the tables to `README.md`; `--smoke` runs everything a few times to check that it works.

use std::fs;
use std::path::Path;
use std::process::Command;

use b2nd_benches::{c, files, in_memory};

mod outside;
mod sample;
mod tables;

use sample::Samples;

/// The lines around the tables in README.md.
const MARKERS: [&str; 2] = ["<!-- tables -->\n", "<!-- end of tables -->\n"];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == outside::OPEN_FILES) {
        return outside::open_files(&arguments[at + 1..]);
    }
    let flag = |name: &str| arguments.iter().any(|argument| argument == name);
    let (rounds, count) = if flag("--smoke") { (3, 20) } else { (1001, 2000) };

    let mut samples = Samples::default();
    let mut operations = in_memory();
    for group in operations.chunk_by_mut(|one, next| one.is_beside(next)) {
        samples.measure(group, rounds, 50_000.0);
    }
    let directory = tempfile::tempdir().unwrap();
    files::write(directory.path(), count);
    samples.measure(&mut files::open(directory.path(), count), rounds.div_ceil(4), 1_000_000.0);

    let mut text = machine();
    text += &tables::times(&samples);
    text += &tables::files(&samples, &outside::others(directory.path(), count));
    text += &tables::linear(&samples);
    text += &tables::targets(&samples);
    print!("{text}");
    if flag("--write") {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
        let readme = fs::read_to_string(&path).unwrap();
        let [start, end] = MARKERS.map(|marker| readme.find(marker).expect("README.md has both markers"));
        fs::write(&path, format!("{}{text}\n{}", &readme[..start + MARKERS[0].len()], &readme[end..])).unwrap();
    }
}

/// Returns a line with the date, the machine, the compiler and the version of C-Blosc2.
fn machine() -> String {
    let said_by = |command: &str, argument: &str| {
        let output = Command::new(command).arg(argument).output();
        output.map_or_else(|_| "?".to_owned(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ")).map_or("?", |(_, model)| model);
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let (date, rustc) = (said_by("date", "-I"), said_by("rustc", "--version"));
    format!("{date}: {model}, {cores} cores; {rustc}; C-Blosc2 {}\n", c::version())
}
