//! `b2nd NAME` runs the program `b2nd-NAME` found on PATH, as `cargo NAME` and `git NAME` do.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode};

use clap::error::{ContextKind, ContextValue};

use crate::output;

/// Runs the program that the first argument names, or prints an error if no such program exists. Does nothing and returns `None` if the
/// first argument is a subcommand, an option or a path.
pub(crate) fn run(words: &[OsString], tool: &clap::Command) -> Option<ExitCode> {
    let (name, arguments) = words.split_first()?;
    let is_word =
        name.to_str().is_some_and(|name| !name.is_empty() && !name.starts_with('-') && !name.contains(['/', '\\', '.', ':']));
    let is_known = name == "help" || tool.find_subcommand(name).is_some();
    if !is_word || is_known || Path::new(name).exists() {
        return None;
    }
    let mut file_name = OsString::from("b2nd-");
    file_name.push(name);
    let Ok(program) = which::which(&file_name) else {
        let hint = nearest(name, tool).map_or_else(String::new, |name| format!("; did you mean `b2nd {name}`?"));
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
fn nearest(word: &OsString, tool: &clap::Command) -> Option<String> {
    // The tool itself would take the word as a path.
    let commands = clap::Command::new("b2nd").subcommands(tool.get_subcommands().cloned());
    let error = commands.try_get_matches_from([&OsString::from("b2nd"), word]).err()?;
    match error.get(ContextKind::SuggestedSubcommand)? {
        ContextValue::Strings(names) => names.last().cloned(),
        _ => None,
    }
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
