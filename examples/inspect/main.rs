//! Shows what is in Blosc2 frames.
//!
//! ```text
//! cargo run --example inspect -- tests/data/example.b2nd
//! cargo run --example inspect -- -r --json DIRECTORY | jq .array.shape
//! ```
//!
//! `walk` finds the frames, and each way of showing one is a module with a function from a [`File`] to text:
//! `summary`, `json` and `hex`. What a frame holds besides its header finds its place as a section of `summary`, a
//! member of `json`'s `Frame` and a table of names in `hex/names.rs`.

mod array;
pub(crate) mod hex;
mod json;
mod summary;
pub(crate) mod text;
mod walk;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use b2nd::frame::File;
use clap::Parser;

/// Shows what is in Blosc2 frames: their header, their metalayers and the array in them.
#[derive(Parser)]
#[command(name = "inspect")]
pub(crate) struct Args {
    /// A frame (.b2nd, .b2frame, .caterva, …), or the directory of a sparse frame.
    #[arg(required = true)]
    paths: Vec<PathBuf>,

    /// Look for frames in directories and all that is below them.
    #[arg(short, long, conflicts_with = "offset")]
    recursive: bool,

    /// Print a JSON object for each frame, on a line of its own.
    #[arg(long)]
    json: bool,

    /// Print each byte of the header, and what it means.
    #[arg(long, conflicts_with = "json")]
    hex: bool,

    /// The byte at which the frame starts in its file, in decimal or as 0x….
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true, value_parser = text::parse_offset)]
    offset: u64,

    #[command(flatten)]
    color: colorchoice_clap::Color,
}

fn main() -> ExitCode {
    let args = Args::parse();
    args.color.write_global();
    let shown = run(&args, &mut anstream::stdout(), &mut anstream::stderr());
    status(shown, &mut anstream::stderr()).into()
}

/// The exit status: 0 if everything was shown.
pub(crate) fn status(shown: io::Result<bool>, err: &mut dyn Write) -> u8 {
    match shown {
        Ok(true) => 0,
        Ok(false) => 1,
        // Whoever read the output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(error) => {
            // Where this cannot be written either, the status says it.
            let _ = writeln!(err, "inspect: cannot write: {error}");
            1
        }
    }
}

/// Shows every frame it can, and says whether that was all of them. The error is one of writing.
pub(crate) fn run(args: &Args, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<bool> {
    let (mut shown, mut refused) = (0, 0);
    let mut show = |path: PathBuf, found: b2nd::Result<()>| match found.and_then(|()| view(args, &path)) {
        Ok(view) => {
            let gap = if shown == 0 || args.json { "" } else { "\n" };
            shown += 1;
            writeln!(out, "{gap}{view}")?;
            out.flush()
        }
        Err(error) => {
            refused += 1;
            let hint = if is_plain_directory(&path) { " (-r looks below the directory)" } else { "" };
            writeln!(err, "{}: {error}{hint}", path.display())
        }
    };
    for path in &args.paths {
        if args.recursive {
            walk::frames(path).try_for_each(|(path, found)| show(path, found))?;
        } else {
            show(path.clone(), Ok(()))?;
        }
    }
    Ok(refused == 0)
}

/// One frame as text, without a newline at its end.
fn view(args: &Args, path: &Path) -> b2nd::Result<String> {
    let file = File::open_at(path, args.offset)?;
    if args.json {
        json::line(path, &file)
    } else if args.hex {
        hex::dump(path, &file)
    } else {
        Ok(summary::page(path, &file))
    }
}

fn is_plain_directory(path: &Path) -> bool {
    path.is_dir() && !path.join(walk::SPARSE_FRAME).exists()
}
