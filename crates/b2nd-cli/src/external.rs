//! `b2nd NAME` runs the program `b2nd-NAME` found on PATH, as `cargo NAME` and `git NAME` do.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::output;

/// Runs the program that the first argument names, or prints an error if no such program exists. Does nothing and returns `None` if the
/// first argument is a subcommand, an option or a path.
pub(crate) fn run(words: &[OsString], names: &[String]) -> Option<ExitCode> {
    let (name, arguments) = words.split_first()?;
    let is_word =
        name.to_str().is_some_and(|name| !name.is_empty() && !name.starts_with('-') && !name.contains(['/', '\\', '.', ':']));
    let is_known = name == "help" || names.iter().any(|known| known.as_str() == name);
    if !is_word || is_known || Path::new(name).exists() {
        return None;
    }
    let mut file_name = OsString::from("b2nd-");
    file_name.push(name);
    let Ok(program) = which::which(&file_name) else {
        let hint =
            nearest(&name.to_string_lossy(), names).map_or_else(String::new, |name| format!("; did you mean `b2nd {name}`?"));
        anstream::eprintln!("b2nd: {name:?} is neither a file nor a subcommand, and no program {:?} is on PATH{hint}", file_name);
        return Some(ExitCode::FAILURE);
    };
    let status = become_or_run(Command::new(&program).args(arguments));
    Some(status.unwrap_or_else(|error| {
        anstream::eprintln!("b2nd: {}", output::named(&program, error));
        ExitCode::FAILURE
    }))
}

/// Returns the subcommand that a misspelled word probably means.
fn nearest<'n>(word: &str, names: &'n [String]) -> Option<&'n str> {
    let distances = names.iter().map(|name| (strsim::osa_distance(word, name), name.as_str()));
    distances.min().filter(|(distance, _)| *distance <= 2 && *distance < word.len()).map(|(_, name)| name)
}

/// Replaces this process by the program, which then receives signals and sets the exit status.
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
