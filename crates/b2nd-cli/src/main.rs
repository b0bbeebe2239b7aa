//! The tool `b2nd`: what is in Blosc2 files.

mod commands;
mod external;
mod format;
mod output;
mod paths;
mod progress;
mod values;

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use b2nd_view::slice::Slice;
use clap::{CommandFactory, Parser, Subcommand};

use commands::cat::Cat;
use commands::check::Check;
use commands::diff::Diff;
use commands::export::Export;
use commands::hex::Show;
use commands::import::Import;
use commands::info::Info;
use commands::meta::Meta;
use commands::rewrite::Rewrite;
use commands::upgrade;
use output::Output;

/// What is in Blosc2 files, for people and for programs.
///
/// A program b2nd-NAME on PATH is the subcommand NAME.
#[derive(Parser)]
#[command(name = "b2nd", version, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    info: Info,

    #[command(flatten)]
    color: colorchoice_clap::Color,
}

#[derive(Subcommand)]
enum Command {
    /// Shows what is in frames and stores; so does `b2nd PATH...`.
    Info(Info),
    /// Prints each byte of header and trailer, and what it means.
    Hex(Show),
    /// Draws an array's chunks and blocks beside the bytes of the header, as an SVG document.
    Draw(Show),
    /// Lists the chunks too, as `b2nd info --chunks` does.
    Chunks(Info),
    /// Lists the chunks and blocks that a part of an array touches: 0:10,5,: or ...,0 as in Python.
    Slice {
        /// The part: a range or an index for each dimension, as in Python.
        #[arg(id = "part", value_name = "SLICE", allow_hyphen_values = true)]
        slice: Slice,
        #[command(flatten)]
        info: Info,
    },
    /// Says everything that is wrong with frames and stores, and who minds. Exits with 1 if there is something, with 3 if
    /// something cannot be read.
    Check(Check),
    /// Says what two frames say differently, as `git diff` would.
    ///
    /// Exits with 1 if they differ, with 3 if one cannot be read.
    Diff(Diff),
    /// Reads and changes attributes.
    #[command(subcommand)]
    Meta(Meta),
    /// Copies a frame with other metalayers in its header: added, lengthened, removed.
    Rewrite(Rewrite),
    /// Brings Caterva and early b2nd files to the released layout.
    Upgrade(upgrade::Args),
    /// Prints the values of an array.
    Cat(Cat),
    /// Writes an array as a numpy file.
    Export(Export),
    /// Writes a numpy file as an array.
    Import(Import),
    /// Prints completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Prints this manual as a man page, or the page of a subcommand.
    Man {
        /// A subcommand, and the one below it: `meta set`.
        subcommand: Vec<String>,
    },
}

fn main() -> ExitCode {
    b2nd_ndarray::codec::quiet_panics();
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let is_known = |word: &OsStr| word == "help" || Cli::command().get_subcommands().any(|command| command.get_name() == word);
    if let Some(status) = external::run(&words, is_known) {
        return status;
    }
    let cli = Cli::parse();
    cli.color.write_global();
    match cli.command {
        None => cli.info.output().run(|output| cli.info.run(output)),
        Some(Command::Info(info)) => info.output().run(|output| info.run(output)),
        Some(Command::Chunks(info)) => chunks(info, None),
        Some(Command::Slice { slice, info }) => chunks(info, Some(slice)),
        Some(Command::Check(check)) => Output::styled().run_to_status(|output| check.run(output)),
        Some(Command::Hex(show)) => Output::styled().run(|output| show.hex(output)),
        Some(Command::Draw(show)) => Output::plain().run(|output| show.draw(output)),
        Some(Command::Diff(diff)) => Output::plain().run_to_status(|output| diff.run(output)),
        Some(Command::Meta(meta)) => Output::plain().run(|output| meta.run(output)),
        Some(Command::Rewrite(rewrite)) => Output::plain().run(|output| rewrite.run(output)),
        Some(Command::Upgrade(args)) => upgrade::main(&args),
        Some(Command::Cat(cat)) => Output::plain().run(|output| cat.run(output)),
        Some(Command::Export(export)) => Output::plain().run(|output| export.run(output)),
        Some(Command::Import(import)) => Output::plain().run(|output| import.run(output)),
        Some(Command::Completions { shell }) => Output::plain().run(|output| {
            clap_complete::generate(shell, &mut Cli::command(), "b2nd", &mut output.out);
            Ok(true)
        }),
        Some(Command::Man { subcommand }) => match page_of(&subcommand) {
            Some(page) => Output::plain().run(|output| clap_mangen::Man::new(page).render(&mut output.out).map(|()| true)),
            None => {
                let message = format!("no subcommand {:?}", subcommand.join(" "));
                Cli::command().error(clap::error::ErrorKind::InvalidSubcommand, message).exit()
            }
        },
    }
}

fn chunks(info: Info, slice: Option<Slice>) -> ExitCode {
    match info.with_chunks(slice) {
        Ok(info) => info.output().run(|output| info.run(output)),
        Err(message) => Cli::command().error(clap::error::ErrorKind::ArgumentConflict, message).exit(),
    }
}

/// The subcommand of this path; without words, the tool.
fn page_of(path: &[String]) -> Option<clap::Command> {
    let mut command = Cli::command();
    command.build();
    path.iter().try_fold(command, |command, word| command.find_subcommand(word).cloned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn no_two_arguments_of_a_command_have_one_name() {
        super::Cli::command().debug_assert();
    }
}
