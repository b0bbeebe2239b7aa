//! The subcommands. Each has a variant of `Command` and an arm in `Command::run`; most have a file of their own.

mod cat;
mod check;
mod concat;
mod diff;
mod export;
mod import;
pub(crate) mod info;
mod ls;
mod meta;
mod repack;
mod rewrite;
mod salvage;
mod show;
mod stats;
mod upgrade;
mod view;

use std::process::ExitCode;

use b2nd_view::{bytes, picture, text};
use clap::Subcommand;

use crate::output::{Output, fitted};
use crate::paths::Paths;
use crate::values::End;
use info::Info;

/// A subcommand with its arguments.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Shows what is in frames and stores; `b2nd PATH...` does the same.
    #[command(after_help = "Examples:\n  b2nd info field.b2nd\n  b2nd info --tree archive.b2z")]
    Info(Info),
    /// Lists frames and stores, a line each: name, kind, dtype, shape, size and ratio.
    #[command(after_help = "Examples:\n  b2nd ls data/\n  b2nd ls -r --tree data/")]
    Ls(ls::Ls),
    /// Prints the bytes of a frame's header and trailer with their meaning. In a .b2z, .b2d or .h5, it needs the key of a leaf.
    #[command(after_help = "Examples:\n  b2nd hex field.b2nd\n  b2nd hex archive.b2z::/group/x")]
    Hex(Paths),
    /// Draws an array's chunks, blocks and padding as SVG. In a .b2z, .b2d or .h5, it needs the key of a leaf.
    #[command(after_help = "Examples:\n  b2nd draw field.b2nd > field.svg\n  b2nd draw archive.b2z::/group/x > x.svg")]
    Draw(Paths),
    /// Checks frames and stores for errors.
    ///
    /// Exits with 1 if there are findings, such as errors, and with 3 if a file cannot be read or --digest fails. Chunks that were not
    /// decoded count only with --for or --strict. With --for or --strict, exits with 4 instead of 1 if every file is readable, but one is
    /// not safe for one of the readers. With --for but not --strict, other findings in readable files do not count.
    #[command(
        after_help = "Examples:\n  b2nd check --data -r data/\n  b2nd check --strict --max-memory 1G --max-time 60 upload.b2nd"
    )]
    Check(check::Check),
    /// Compares the metadata of two frames or stores, with --data also their values, and prints the differences.
    ///
    /// Exits with 1 if there are differences, with 3 if something cannot be read or compared.
    #[command(after_help = "Examples:\n  b2nd diff old.b2nd new.b2nd\n  b2nd diff --data old.b2z new.b2z")]
    Diff(diff::Diff),
    /// Reads and changes attributes.
    #[command(subcommand, after_help = "Examples:\n  b2nd meta list field.b2nd\n  b2nd meta set field.b2nd units --text m/s")]
    Meta(meta::Meta),
    /// Copies a frame and adds, replaces or removes metalayers in its header.
    #[command(
        after_help = "Examples:\n  b2nd rewrite field.b2nd new.b2nd --set 'station={\"id\": 17}'\n  b2nd rewrite field.b2nd --rm station"
    )]
    Rewrite(rewrite::Rewrite),
    /// Copies a frame or a store without the gaps that edits leave, or recompresses it.
    ///
    /// Copies chunks, metalayers and attributes without decoding them, unless an option changes the compression or the
    /// shapes. Prints the new length and the old one, unless the copy goes to standard output.
    #[command(
        after_help = "Examples:\n  b2nd repack field.b2nd\n  b2nd repack --codec zstd --level 9 field.b2nd small.b2nd\n  b2nd repack --sparse field.b2nd field.b2frame\n  b2nd repack archive.b2z archive.b2d"
    )]
    Repack(repack::Repack),
    /// Joins arrays along an axis, without decompressing the chunks if all of them align.
    #[command(
        after_help = "Examples:\n  b2nd concat jan.b2nd feb.b2nd year.b2nd\n  b2nd concat --axis 1 west.b2nd east.b2nd all.b2nd"
    )]
    Concat(concat::Concat),
    /// Copies the intact parts of a damaged frame and fills lost chunks.
    ///
    /// Lists the lost parts, and exits with 1 if there are any.
    #[command(after_help = "Examples:\n  b2nd salvage broken.b2nd new.b2nd\n  b2nd salvage --fill nan broken.b2nd new.b2nd")]
    Salvage(salvage::Salvage),
    /// Upgrades Caterva and early b2nd files to the current layout.
    #[command(after_help = "Examples:\n  b2nd upgrade --dtype '<f8' old.caterva new.b2nd\n  b2nd upgrade --dry-run data/")]
    Upgrade(upgrade::Args),
    /// Prints the values of an array, or the rows of a table.
    ///
    /// For an array, prints a line for each row of its last dimension, and an empty line between planes. If it has one dimension,
    /// prints a line for each element. On a terminal, wraps long rows, and prints several elements of one dimension on a line, unless
    /// they are structures. For a table, prints each row on one line, which is not cut to the width of the terminal.
    #[command(
        visible_alias = "slice",
        after_help = "Examples:\n  b2nd cat field.b2nd 0:10,5\n  b2nd cat --csv archive.b2z::/group/x"
    )]
    Cat(cat::Cat),
    /// Prints the first screen of an array's values or of a table's rows.
    ///
    /// Prints as many rows as fit the terminal, or 25 lines of 80 columns if the output is not a terminal. `…` takes the place of
    /// columns that do not fit. If an array has more than two dimensions, prints rows of its first plane.
    #[command(after_help = "Examples:\n  b2nd head field.b2nd\n  b2nd head table.b2z --columns a,b")]
    Head(cat::Excerpt),
    /// Prints the last values of an array, or the last rows of a table, like `b2nd head`.
    #[command(after_help = "Examples:\n  b2nd tail field.b2nd\n  b2nd tail -n 3 table.b2z")]
    Tail(cat::Excerpt),
    /// Writes an array as NumPy, raw bytes, Zarr, CSV, JSON, text, Arrow or Parquet; a table as Arrow, Parquet, CSV or JSON.
    #[command(after_help = "Examples:\n  b2nd export field.b2nd field.npy\n  b2nd export archive.b2z::/group/x - --format csv")]
    Export(export::Export),
    /// Converts NumPy, CSV, raw bytes, Zarr or HDF5 to a `.b2nd` file.
    #[command(
        after_help = "Examples:\n  b2nd import field.npy field.b2nd\n  b2nd import --chunks 100,100 - field.b2nd < field.npy"
    )]
    Import(import::Import),
    /// Computes statistics, such as count, min, max, mean and standard deviation.
    ///
    /// Statistics are computed for each field of a structure and each column of a table. Integers and booleans are summed
    /// exactly, floats with 64 bits. The result does not depend on the number of threads. The standard deviation is NumPy's (ddof=0).
    /// NaN, NaT and nulls are counted, but left out of the other statistics. Complex numbers have no min and max. Empty
    /// strings are counted as `zeros`. For columns of strings, the text output calls this count `empty`.
    #[command(after_help = "Examples:\n  b2nd stats field.b2nd\n  b2nd stats --json --slice 0:10 archive.b2z")]
    Stats(stats::Stats),
    /// Draws values as a heat map, plot, image or histogram, in the terminal or as a PNG.
    ///
    /// Two dimensions are drawn as a heat map, one dimension as a plot, uint8 with 3 or 4 channels as an image, and the columns
    /// of a table as histograms. If there are more dimensions, the last two that are longer than 1 are drawn, at the first index of the
    /// others. If the elements do not fit the picture or are in more than 1,024 chunks, only every n-th one is drawn, except in a
    /// histogram.
    #[command(after_help = "Examples:\n  b2nd show field.b2nd 0\n  b2nd show field.b2nd ...,::10 --png field.png")]
    Show(show::Show),
    /// Opens files in the browser, in a page that this program serves.
    #[command(after_help = "Examples:\n  b2nd view field.b2nd\n  b2nd view -r data/ --no-open")]
    View(view::View),
    /// Prints completions for a shell.
    #[command(after_help = "Examples:\n  b2nd completions bash > b2nd.bash\n  b2nd completions fish > b2nd.fish")]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Prints this manual as a man page, or the page of a subcommand.
    #[command(after_help = "Examples:\n  b2nd man | man -l -\n  b2nd man meta set | man -l -")]
    Man {
        /// A subcommand, or a subcommand of `meta`: `meta set`.
        subcommand: Vec<String>,
    },
}

impl Command {
    /// Runs the subcommand. `tool` returns the definition of the whole command line, for error messages, completions and manual pages.
    pub(crate) fn run(self, tool: fn() -> clap::Command) -> ExitCode {
        match self {
            Command::Info(mut info) => match info.directories().map(ls::Ls::of) {
                Some(ls) => Output::plain().run(|output| ls.run(output)),
                None => Output::json_or_styled(info.json).run(|output| info.run(output)),
            },
            Command::Ls(ls) => Output::plain().run(|output| ls.run(output)),
            // Even if the reader of the output closes the pipe, all files are checked, because each can change the exit status.
            Command::Check(mut check) => Output::styled().until_done().run_to_status(|output| check.run(output)),
            Command::Hex(paths) => Output::styled().run(|output| {
                paths.each_view(output, |frame, name| {
                    let view = bytes::dump(frame, name)?;
                    Ok(text::View { text: fitted(&view.text).into_owned(), ..view })
                })
            }),
            Command::Draw(paths) => {
                Output::plain().run(|output| paths.each_view(output, |frame, name| Ok(picture::draw(frame, name))))
            }
            Command::Diff(diff) => Output::plain().until_done().run_to_status(|output| diff.run(output)),
            Command::Meta(meta) => Output::plain().run(|output| meta.run(output)),
            Command::Salvage(salvage) => Output::plain().until_done().run_on(&salvage.broken, |output| salvage.run(output)),
            Command::Rewrite(rewrite) => Output::plain().run_on(&rewrite.source, |_| rewrite.run()),
            Command::Repack(repack) => Output::plain().run_on(&repack.source, |output| repack.run(output)),
            // There are several paths, so none of them is put before an error.
            Command::Concat(concat) => Output::plain().run_on(None, |_| concat.run()),
            // All files are upgraded, even if the reader of the output closes the pipe.
            Command::Upgrade(args) => Output::plain().until_done().run(|output| args.run(output)),
            Command::Cat(cat) => Output::plain().run_on(&cat.file, |output| cat.print(None, &mut output.out)),
            Command::Head(mut head) => {
                Output::plain().run_on(&head.cat.file.clone(), |output| head.run(End::First, &mut output.out))
            }
            Command::Tail(mut tail) => {
                Output::plain().run_on(&tail.cat.file.clone(), |output| tail.run(End::Last, &mut output.out))
            }
            Command::Show(show) => Output::styled().run_on(&show.file, |output| show.run(&mut output.out)),
            Command::View(view) => Output::plain().run_on(None, |output| view.run(output)),
            Command::Stats(mut stats) => Output::json_or_styled(stats.json).run(|output| stats.run(output)),
            Command::Export(export) => Output::plain().run_on(&export.file, |_| export.run()),
            Command::Import(import) => Output::plain().run_on(&import.file, |output| import.run(output)),
            Command::Completions { shell } => Output::plain().run(|output| {
                clap_complete::generate(shell, &mut tool(), "b2nd", &mut output.out);
                Ok(true)
            }),
            Command::Man { subcommand } => match page_of(tool(), &subcommand) {
                Some(page) => Output::plain().run(|output| clap_mangen::Man::new(page).render(&mut output.out).map(|()| true)),
                None => {
                    let message = format!("no subcommand {:?}", subcommand.join(" "));
                    tool().error(clap::error::ErrorKind::InvalidSubcommand, message).exit()
                }
            },
        }
    }
}

/// Returns the subcommand that `path` names, such as `meta set`, or the tool itself if `path` is empty. Returns `None` if the subcommand
/// does not exist.
fn page_of(mut command: clap::Command, path: &[String]) -> Option<clap::Command> {
    command.build();
    path.iter().try_fold(command, |command, word| command.find_subcommand(word).cloned())
}
