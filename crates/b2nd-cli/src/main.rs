//! The tool `b2nd`, which shows, checks, converts and edits Blosc2 files.

// Without the feature `arrow`, some code for tables is unused.
#![cfg_attr(not(feature = "arrow"), allow(dead_code))]

mod archive;
mod commands;
mod compression;
mod data;
mod differences;
mod error;
mod external;
mod format;
mod hdf5;
mod output;
mod parts;
mod paths;
mod piped;
mod progress;
mod report;
mod screen;
#[cfg(feature = "page")]
mod server;
mod signals;
mod staged;
mod status;
mod tables;
mod tiles;
mod values;
mod worker;
mod zarr;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use commands::Command;
use commands::info::Info;
use output::Output;

/// Shows what is in Blosc2 files, for people and for programs.
///
/// A program b2nd-NAME on PATH is run as the subcommand NAME.
#[derive(Parser)]
#[command(name = "b2nd", version, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Examples:\n  b2nd field.b2nd\n  b2nd --json -r data/")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    info: Info,

    #[command(flatten)]
    color: colorchoice_clap::Color,
}

/// Puts slices such as `-2:` and `-1,0` in brackets, so that they are not taken for options. The value of an option stays as it is, and so
/// do the words of subcommands without slices.
fn in_brackets(words: Vec<OsString>, tool: &clap::Command) -> Vec<OsString> {
    let command = words.iter().find_map(|word| tool.find_subcommand(word)).unwrap_or(tool);
    if !command.get_arguments().any(|arg| arg.get_id() == "slice") {
        return words;
    }
    let options: Vec<_> =
        command.get_arguments().chain(tool.get_arguments()).filter(|arg| arg.get_action().takes_values()).collect();
    let takes_value = |word: &str| match word.strip_prefix("--") {
        Some(name) => options.iter().any(|arg| arg.get_long() == Some(name)),
        None => word.starts_with('-') && options.iter().any(|arg| arg.get_short().is_some_and(|short| word.ends_with(short))),
    };
    let is_slice = |word: &str| {
        word.starts_with('-') && word[1..].starts_with(|char: char| char.is_ascii_digit()) && word.contains([':', ','])
    };
    let mut is_value = false;
    let bracketed = words.into_iter().map(|word| {
        let new = word.to_str().filter(|word| !is_value && is_slice(word)).map(|word| format!("[{word}]").into());
        is_value = takes_value(&word.to_string_lossy());
        new.unwrap_or(word)
    });
    bracketed.collect()
}

fn main() -> ExitCode {
    b2nd_ndarray::codec::quiet_panics();
    hdf5::register();
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(status) = worker::serve(&words) {
        return status;
    }
    if let Some(status) = external::run(&words, &Cli::command()) {
        return status;
    }
    let cli = match Cli::try_parse_from(std::env::args_os().take(1).chain(in_brackets(words, &Cli::command()))) {
        Ok(cli) => cli,
        // Help and the version are printed to standard output. Writing can fail, for example if the disk is full.
        Err(help) if !help.use_stderr() => {
            return Output::styled().run(|output| write!(output.out, "{}", help.render().ansi()).map(|()| true));
        }
        Err(error) => error.exit(),
    };
    cli.color.write_global();
    cli.command.unwrap_or(Command::Info(cli.info)).run(Cli::command)
}
