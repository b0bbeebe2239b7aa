//! Counts the instructions of each operation with Valgrind. Unlike times, they do not depend on the load of the machine.
//!
//! `--check` fails if an operation of this project takes over 10% more than in `instructions.txt`, which is compared only if the same
//! compiler wrote it; `--update` writes that file.

use std::collections::HashMap;
use std::env;
use std::fmt::Write;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use b2nd_benches::in_memory;

/// Each operation runs for this number of rounds and for twice as many. The difference does not include the overhead of a run.
const ROUNDS: u64 = 50;

/// The factor by which the count of an operation may grow.
const ALLOWED: f64 = 1.10;

/// Upper limits that do not depend on the file: about as many instructions as C-Blosc2 for writing, and twice as many for reading.
const LIMITS: [(&str, u64); 2] = [("encode/3/b2nd::to_slice", 458), ("decode/3/b2nd::B2ndMeta<&str>", 924)];

fn main() -> ExitCode {
    let flag = |name: &str| env::args().any(|argument| argument == name);
    if flag("--counted") {
        run_counted();
        return ExitCode::SUCCESS;
    }
    if Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("instruction counts are skipped: they need valgrind");
        return ExitCode::SUCCESS;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.txt");
    let rustc = rustc();
    let counts = count();
    let text = fs::read_to_string(&path).unwrap_or_default();
    let failed = report(&counts, &parse(&text));
    if flag("--update") {
        let mut text = format!("{rustc}\n");
        for (name, count) in &counts {
            writeln!(text, "{name:<44} {count:>7}").unwrap();
        }
        fs::write(&path, text).unwrap();
    } else if text.lines().next() != Some(&rustc) {
        println!("\nThe counts are not compared: these are for {rustc}, and those in the file are for another compiler.");
    } else if flag("--check") && failed > 0 {
        println!(
            "\nOperations that grew by more than 10%: {failed}. To accept them: cargo bench --bench instructions -- --update"
        );
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Returns the version of the compiler on the path, which `cargo bench` used.
fn rustc() -> String {
    let output = Command::new("rustc").arg("--version").output().expect("rustc");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Runs the operations. This program is then run by Valgrind.
fn run_counted() {
    for mut operation in in_memory() {
        // Work that happens only once, such as looking up a function in a shared library, is done here.
        (operation.run)(2);
        for rounds in [ROUNDS, 2 * ROUNDS] {
            counted_by_valgrind(&mut operation.run, rounds as usize);
        }
    }
}

/// Runs an operation. Valgrind counts only inside this function, and writes a file after each call.
#[inline(never)]
fn counted_by_valgrind(run: &mut dyn FnMut(usize), rounds: usize) {
    run(rounds);
    // Prevents a tail call, whose end Valgrind would not notice.
    black_box(());
}

/// Runs this program again under valgrind.
fn count() -> Vec<(String, u64)> {
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new("valgrind")
        .args([
            "--tool=callgrind",
            "--toggle-collect=instructions::counted_by_valgrind",
            "--dump-after=instructions::counted_by_valgrind",
        ])
        .arg(format!("--callgrind-out-file={}/dump", directory.path().display()))
        .args([env::current_exe().unwrap().as_os_str(), "--counted".as_ref()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let total = |dump: usize| {
        let text = fs::read_to_string(directory.path().join(format!("dump.{dump}"))).unwrap();
        let total = text.lines().find_map(|line| line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")));
        total.and_then(|total| total.trim().parse::<u64>().ok()).expect("a dump with its total")
    };
    let names = in_memory().into_iter().map(|operation| operation.name()).enumerate();
    names.map(|(index, name)| (name, (total(2 * index + 2) - total(2 * index + 1)) / ROUNDS)).collect()
}

fn parse(text: &str) -> HashMap<String, u64> {
    let line = |line: &str| line.split_once(' ').map(|(name, count)| (name.to_owned(), count.trim().parse().expect("a count")));
    text.lines().skip(1).filter_map(line).collect()
}

/// Prints the counts. Returns the number of this project's operations that have grown too much.
fn report(counts: &[(String, u64)], before: &HashMap<String, u64>) -> usize {
    let mut failed = 0;
    println!("{:<44} {:>7} {:>7}", "instructions", "now", "before");
    for (name, now) in counts {
        // An operation of b2nd that is not in the file counts as grown.
        let before = before.get(name).unwrap_or(&0);
        let ours = name.split('/').nth(2).is_some_and(|contender| contender.starts_with("b2nd"));
        let change = *now as f64 / *before as f64;
        let grown = ours && change > ALLOWED;
        failed += usize::from(grown);
        let percent = if now == before { String::new() } else { format!("{:+.1}%", (change - 1.0) * 100.0) };
        println!("{name:<44} {now:>7} {before:>7} {percent}{}", if grown { "   GREW" } else { "" });
    }
    println!();
    for (name, limit) in LIMITS {
        for (_, now) in counts.iter().filter(|(counted, _)| counted == name) {
            println!("{name}: {now} instructions, at most {limit}: {}", if *now <= limit { "reached" } else { "not reached" });
        }
    }
    failed
}
