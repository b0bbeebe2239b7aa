//! `b2nd NAME`: a program `b2nd-NAME` on PATH, as cargo and git have them.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::output;

/// Runs the program that the first word names, if that is no subcommand and no file. Where there is no such program, it says so.
pub(crate) fn run(words: &[OsString], names: &[String]) -> Option<ExitCode> {
    let (name, arguments) = words.split_first()?;
    let is_word =
        name.to_str().is_some_and(|name| !name.is_empty() && !name.starts_with('-') && !name.contains(['/', '\\', '.', ':']));
    let is_known = name == "help" || names.iter().any(|known| known.as_str() == name);
    if !is_word || is_known || Path::new(name).exists() {
        return None;
    }
    let Some(program) = find(name) else {
        let hint =
            nearest(&name.to_string_lossy(), names).map_or_else(String::new, |name| format!("; did you mean `b2nd {name}`?"));
        anstream::eprintln!("b2nd: {name:?} is no file and no subcommand, and no program {:?} is on PATH{hint}", file_name(name));
        return Some(ExitCode::FAILURE);
    };
    let status = become_or_run(Command::new(&program).args(arguments));
    Some(status.unwrap_or_else(|error| {
        anstream::eprintln!("b2nd: {}", output::named(&program, error));
        ExitCode::FAILURE
    }))
}

/// The subcommand that a word was probably meant to be.
fn nearest<'n>(word: &str, names: &'n [String]) -> Option<&'n str> {
    let distances = names.iter().map(|name| (distance(word, name), name.as_str()));
    distances.min().filter(|(distance, _)| *distance <= 2 && *distance < word.len()).map(|(_, name)| name)
}

/// The number of letters that have to be changed, put in, taken out, or exchanged with their neighbour.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows = vec![(0..=other.len()).collect::<Vec<_>>()];
    for i in 1..=one.len() {
        let mut row = vec![i];
        for j in 1..=other.len() {
            let changed = rows[i - 1][j - 1] + usize::from(one[i - 1] != other[j - 1]);
            let mut least = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

/// Runs the program in place of this one, so that signals and the exit status are its own: after Ctrl-C it may have work to finish.
#[cfg(unix)]
fn become_or_run(command: &mut Command) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

#[cfg(not(unix))]
fn become_or_run(command: &mut Command) -> io::Result<ExitCode> {
    let code = command.status()?.code();
    Ok(code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

fn file_name(name: &OsStr) -> OsString {
    let mut program = OsString::from("b2nd-");
    program.push(name);
    program.push(env::consts::EXE_SUFFIX);
    program
}

fn find(name: &OsStr) -> Option<PathBuf> {
    let program = file_name(name);
    env::split_paths(&env::var_os("PATH")?).map(|directory| directory.join(&program)).find(|path| is_program(path))
}

/// A file that may be run; a shell looks further on PATH for one as well.
fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    let may_be_run = |metadata: &fs::Metadata| std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_be_run = |_: &fs::Metadata| true;
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && may_be_run(&metadata))
}
