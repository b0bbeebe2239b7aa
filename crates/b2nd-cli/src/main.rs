//! The tool `b2nd`: what is in Blosc2 files.

mod inspect;
mod upgrade;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// What is in Blosc2 files, for people and for programs.
#[derive(Parser)]
#[command(name = "b2nd", version, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    info: inspect::Args,
}

#[derive(Subcommand)]
enum Command {
    /// Shows what is in frames; what `b2nd PATH...` does too.
    Info(inspect::Args),
    /// Brings Caterva and early b2nd files to the released layout.
    Upgrade(upgrade::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.command {
        None => inspect::main(&cli.info),
        Some(Command::Info(args)) => inspect::main(&args),
        Some(Command::Upgrade(args)) => upgrade::main(&args),
    }
}
