//! `b2nd NAME`: a program `b2nd-NAME` on PATH, as cargo and git have them.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::walk;

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
    Some(match Command::new(&program).args(arguments).status() {
        Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from),
        Err(error) => {
            anstream::eprintln!("b2nd: {}", walk::named(&program, error));
            ExitCode::FAILURE
        }
    })
}

fn file_name(name: &OsStr) -> OsString {
    let mut program = OsString::from("b2nd-");
    program.push(name);
    program.push(env::consts::EXE_SUFFIX);
    program
}

fn find(name: &OsStr) -> Option<PathBuf> {
    let program = file_name(name);
    env::split_paths(&env::var_os("PATH")?).map(|directory| directory.join(&program)).find(|path| path.is_file())
}
