//! `b2nd NAME`: a program `b2nd-NAME` on PATH, as cargo and git have them.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::output;

/// Runs the program that the first word names, if that is no subcommand and no file. Where there is neither such a program nor any of
/// the files, it says so.
pub(crate) fn run(words: &[OsString], is_known: impl Fn(&OsStr) -> bool) -> Option<ExitCode> {
    let (name, arguments) = words.split_first()?;
    let is_word =
        name.to_str().is_some_and(|name| !name.is_empty() && !name.starts_with('-') && !name.contains(['/', '\\', '.', ':']));
    if !is_word || is_known(name) || Path::new(name).exists() {
        return None;
    }
    let Some(program) = find(name) else {
        if words.iter().any(|word| Path::new(word).exists()) {
            return None;
        }
        anstream::eprintln!("b2nd: {name:?} is no file and no subcommand, and no program {:?} is on PATH", file_name(name));
        return Some(ExitCode::FAILURE);
    };
    let status = become_or_run(Command::new(&program).args(arguments));
    Some(status.unwrap_or_else(|error| {
        anstream::eprintln!("b2nd: {}", output::named(&program, error));
        ExitCode::FAILURE
    }))
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
