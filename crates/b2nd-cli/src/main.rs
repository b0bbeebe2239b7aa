//! The tool `b2nd`: what is in Blosc2 files.

mod info;
mod local;
mod output;
mod show;
mod target;
mod upgrade;
mod visit;
mod walk;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use info::Info;
use output::Output;
use show::Show;

/// What is in Blosc2 files, for people and for programs.
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
    /// Brings Caterva and early b2nd files to the released layout.
    Upgrade(upgrade::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    cli.color.write_global();
    let output = Output::standard();
    match cli.command {
        None => output.run(1, |output| cli.info.run(output)),
        Some(Command::Info(info)) => output.run(1, |output| info.run(output)),
        Some(Command::Hex(show)) => output.run(1, |output| show.hex(output)),
        Some(Command::Draw(show)) => output.run(1, |output| show.draw(output)),
        Some(Command::Upgrade(args)) => upgrade::main(&args),
    }
}
