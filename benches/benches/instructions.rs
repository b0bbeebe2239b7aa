//! Instructions an operation, counted by valgrind: they do not move with the machine's noise.
//!
//! `--check` fails where one of ours takes 10% more than `instructions.txt` says, `--update` writes that file.

use std::collections::HashMap;
use std::env;
use std::fmt::Write;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use b2nd_benches::in_memory;

/// Runs each operation for `n` rounds and for twice as many. Starting and ending costs the same in both.
const ROUNDS: u64 = 50;

/// The factor by which an operation may take more.
const ALLOWED: f64 = 1.10;

/// The most that an operation may take, whatever the file says: as many as C-Blosc2 to write, twice as many to read.
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
        println!("\nNothing is judged: these are counts of {rustc}, the file holds those of another.");
    } else if flag("--check") && failed > 0 {
        println!("\n{failed} of ours grew by more than 10%. If that is right: cargo bench --bench instructions -- --update");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The compiler that is on the path, which `cargo bench` used.
fn rustc() -> String {
    let output = Command::new("rustc").arg("--version").output().expect("rustc");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The operation under valgrind.
fn run_counted() {
    for mut operation in in_memory() {
        // What is done once, such as the lookup of a function in a shared library, is done before.
        (operation.run)(2);
        for rounds in [ROUNDS, 2 * ROUNDS] {
            counted_by_valgrind(&mut operation.run, rounds as usize);
        }
    }
}

/// Valgrind counts only inside this function, and writes a file at the end of each call.
#[inline(never)]
fn counted_by_valgrind(run: &mut dyn FnMut(usize), rounds: usize) {
    run(rounds);
    // The call must not become a jump, which valgrind could not see the end of.
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

/// Prints the counts, and gives how many of ours have grown too much.
fn report(counts: &[(String, u64)], before: &HashMap<String, u64>) -> usize {
    let mut failed = 0;
    println!("{:<44} {:>7} {:>7}", "instructions", "now", "before");
    for (name, now) in counts {
        // What the file does not have has grown from nothing.
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
