//! The tool `b2nd`: what is in Blosc2 files.

mod apart;
mod commands;
mod error;
mod external;
mod format;
#[cfg(not(feature = "arrow"))]
mod no_tables;
mod output;
mod paths;
mod piped;
mod progress;
mod staged;
mod stop;
#[cfg(feature = "arrow")]
mod tables;
mod tiles;
mod values;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use commands::cat::Cat;
use commands::check::Check;
use commands::chunks::Chunks;
use commands::diff::Diff;
use commands::draw::Draw;
use commands::export::Export;
use commands::hex::Hex;
use commands::import::Import;
use commands::info::Info;
use commands::meta::Meta;
use commands::rewrite::Rewrite;
use commands::salvage::Salvage;
use commands::show::Show;
use commands::slice::SliceOf;
use commands::stats::Stats;
use commands::upgrade;
use output::Output;

/// What is in Blosc2 files, for people and for programs.
///
/// A program b2nd-NAME on PATH is the subcommand NAME.
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

#[derive(Subcommand)]
enum Command {
    /// Shows what is in frames and stores; so does `b2nd PATH...`.
    #[command(after_help = "Examples:\n  b2nd info field.b2nd\n  b2nd info --tree archive.b2z")]
    Info(Info),
    /// Prints each byte of header and trailer, and what it means.
    #[command(after_help = "Examples:\n  b2nd hex field.b2nd\n  b2nd hex archive.b2z::/group/x")]
    Hex(Hex),
    /// Draws an array's chunks and blocks beside the bytes of the header, as an SVG document.
    #[command(after_help = "Examples:\n  b2nd draw field.b2nd > field.svg\n  b2nd draw archive.b2z::/group/x > x.svg")]
    Draw(Draw),
    /// Lists the chunks too, as `b2nd info --chunks` does.
    #[command(after_help = "Examples:\n  b2nd chunks field.b2nd\n  b2nd chunks --json field.b2nd")]
    Chunks(Chunks),
    /// Lists the chunks and blocks that a part of an array touches: 0:10,5,: or ...,0 as in Python.
    #[command(after_help = "Examples:\n  b2nd slice field.b2nd 0:10,5,:\n  b2nd slice --json field.b2nd ...,::2")]
    Slice(SliceOf),
    /// Says everything that is wrong with frames and stores, and who minds. Exits with 1 if there is something, with 3 if
    /// something cannot be read.
    #[command(
        after_help = "Examples:\n  b2nd check --data -r data/\n  b2nd check --strict --max-memory 1G --max-time 60 upload.b2nd"
    )]
    Check(Check),
    /// Says what two frames or stores say differently, as `git diff` would.
    ///
    /// Exits with 1 if they differ, with 3 if one cannot be read.
    #[command(after_help = "Examples:\n  b2nd diff old.b2nd new.b2nd\n  b2nd diff --data old.b2z new.b2z")]
    Diff(Diff),
    /// Reads and changes attributes.
    #[command(subcommand, after_help = "Examples:\n  b2nd meta list field.b2nd\n  b2nd meta set field.b2nd units --text m/s")]
    Meta(Meta),
    /// Copies a frame with other metalayers in its header: added, lengthened, removed.
    #[command(
        after_help = "Examples:\n  b2nd rewrite field.b2nd new.b2nd --set 'station={\"id\": 17}'\n  b2nd rewrite field.b2nd --rm station"
    )]
    Rewrite(Rewrite),
    /// Copies what is whole of a frame that is damaged or cut off, and fills what is lost.
    ///
    /// Exits with 1 if something is lost; it is listed.
    #[command(after_help = "Examples:\n  b2nd salvage broken.b2nd new.b2nd\n  b2nd salvage --fill nan broken.b2nd new.b2nd")]
    Salvage(Salvage),
    /// Brings Caterva and early b2nd files to the released layout.
    #[command(after_help = "Examples:\n  b2nd upgrade --dtype '<f8' old.caterva new.b2nd\n  b2nd upgrade --dry-run data/")]
    Upgrade(upgrade::Args),
    /// Prints the values of an array, or the rows of a table.
    #[command(after_help = "Examples:\n  b2nd cat field.b2nd 0:10,5\n  b2nd cat --csv archive.b2z::/group/x")]
    Cat(Cat),
    /// Prints the first values of an array, or the first rows of a table: what fits the terminal.
    #[command(after_help = "Examples:\n  b2nd head field.b2nd\n  b2nd head table.b2z --columns a,b")]
    Head(Cat),
    /// Writes an array as a file of numpy, CSV, JSON or text; a table as one of Arrow, Parquet, CSV or JSON.
    #[command(after_help = "Examples:\n  b2nd export field.b2nd field.npy\n  b2nd export archive.b2z::/group/x - --format csv")]
    Export(Export),
    /// Writes a numpy file as an array.
    #[command(
        after_help = "Examples:\n  b2nd import field.npy field.b2nd\n  b2nd import --chunks 100,100 - field.b2nd < field.npy"
    )]
    Import(Import),
    /// Counts values: how many, least, greatest, mean, standard deviation, NaN, zeros.
    #[command(after_help = "Examples:\n  b2nd stats field.b2nd\n  b2nd stats --json --slice 0:10 archive.b2z")]
    Stats(Stats),
    /// Draws values: a heat map, a plot, an image or a histogram, here or as a PNG file.
    #[command(after_help = "Examples:\n  b2nd show field.b2nd 0\n  b2nd show field.b2nd ...,::10 --png field.png")]
    Show(Show),
    /// Prints completions for a shell.
    #[command(after_help = "Examples:\n  b2nd completions bash > b2nd.bash\n  b2nd completions fish > b2nd.fish")]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Prints this manual as a man page, or the page of a subcommand.
    #[command(after_help = "Examples:\n  b2nd man | man -l -\n  b2nd man meta set | man -l -")]
    Man {
        /// A subcommand, and the one below it: `meta set`.
        subcommand: Vec<String>,
    },
}

fn main() -> ExitCode {
    b2nd_ndarray::codec::quiet_panics();
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(status) = apart::serve(&words) {
        return status;
    }
    let names: Vec<String> = Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect();
    if let Some(status) = external::run(&words, &names) {
        return status;
    }
    let cli = Cli::parse();
    cli.color.write_global();
    match cli.command {
        None => info(Ok(cli.info)),
        Some(Command::Info(command)) => info(Ok(command)),
        Some(Command::Chunks(chunks)) => info(chunks.info()),
        Some(Command::Slice(slice)) => info(slice.info()),
        // What was not printed counts as well.
        Some(Command::Check(check)) => Output::styled().until_done().run_to_status(|output| check.run(output)),
        Some(Command::Hex(hex)) => Output::styled().run(|output| hex.run(output)),
        Some(Command::Draw(draw)) => Output::plain().run(|output| draw.run(output)),
        Some(Command::Diff(diff)) => Output::plain().until_done().run_to_status(|output| diff.run(output)),
        Some(Command::Meta(meta)) => Output::plain().run(|output| meta.run(output)),
        Some(Command::Salvage(salvage)) => Output::plain().until_done().run(|output| salvage.run(output)),
        Some(Command::Rewrite(rewrite)) => Output::plain().run(|output| rewrite.run(output)),
        // It is not left half done.
        Some(Command::Upgrade(args)) => {
            Output::plain().until_done().run(|Output { out, err }| upgrade::run(&args, &mut **out, &mut **err))
        }
        Some(Command::Cat(cat)) => Output::plain().run(|output| cat.run(output, false)),
        Some(Command::Head(cat)) => Output::plain().run(|output| cat.run(output, true)),
        Some(Command::Show(show)) => Output::styled().run(|output| show.run(output)),
        Some(Command::Stats(stats)) => stats.output().run(|output| stats.run(output)),
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

fn info(info: Result<Info, &'static str>) -> ExitCode {
    match info {
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
