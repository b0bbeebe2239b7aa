//! The tool `b2nd`: what is in Blosc2 files.

mod check;
mod info;
mod local;
mod output;
mod remote;
mod show;
mod target;
mod tree;
mod upgrade;
mod visit;
mod walk;

use std::process::ExitCode;

use b2nd_view::slice::Slice;
use clap::{Parser, Subcommand};

use check::Check;
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
    /// Lists the chunks too, as `b2nd info --chunks` does.
    Chunks(Info),
    /// Lists the chunks and blocks that a part of an array touches: 0:10,5,: or ...,0 as in Python.
    Slice {
        #[arg(id = "part", value_name = "SLICE", allow_hyphen_values = true)]
        slice: Slice,
        #[command(flatten)]
        info: Info,
    },
    /// Says everything that is wrong with frames and stores, and who minds. Exits with 1 if there is something, with 3 if
    /// something cannot be read.
    Check(Check),
    /// Brings Caterva and early b2nd files to the released layout.
    Upgrade(upgrade::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    cli.color.write_global();
    let output = Output::standard();
    match cli.command {
        None => output.run(|output| cli.info.run(output)),
        Some(Command::Info(info)) => output.run(|output| info.run(output)),
        Some(Command::Chunks(info)) => output.run(|output| info.with_chunks().run(output)),
        Some(Command::Slice { slice, info }) => output.run(|output| info.with_slice(slice).run(output)),
        Some(Command::Check(check)) => output.run_to_status(|output| check.run(output)),
        Some(Command::Hex(show)) => output.run(|output| show.hex(output)),
        Some(Command::Draw(show)) => output.run(|output| show.draw(output)),
        Some(Command::Upgrade(args)) => upgrade::main(&args),
    }
}
