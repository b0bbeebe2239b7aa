//! Shows what is in Blosc2 frames.
//!
//! ```text
//! b2nd tests/data/example.b2nd
//! b2nd info --chunks --slice "0:6, -1" tests/data/example.b2nd
//! b2nd info --svg tests/data/example.b2nd > example.svg
//! b2nd info -r --json DIRECTORY | jq .array.shape
//! ```
//!
//! `walk` finds the frames, and each way of showing one is a module with a function from a [`File`] to text:
//! `summary`, `json`, `hex` and `svg`. What they show is found by `array`, `grid`, `vlmetalayers` and `chunks`.

#[path = "../common/array.rs"]
mod array;
mod chunks;
pub(crate) mod grid;
pub(crate) mod hex;
mod json;
mod marker;
pub(crate) mod msgpack;
mod summary;
pub(crate) mod svg;
pub(crate) mod text;
mod vlmetalayers;
#[path = "../common/walk.rs"]
mod walk;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use b2nd::frame::File;
use clap::Parser;

/// Shows what is in Blosc2 frames: header and trailer, metalayers, the array and where its chunks are.
#[derive(Parser)]
#[command(name = "b2nd info")]
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

    /// Print each byte of header and trailer, and what it means.
    #[arg(long, conflicts_with_all = ["json", "chunks", "slice"])]
    hex: bool,

    /// Draw the array's chunks and blocks beside the bytes of the header, as an SVG document.
    #[arg(long, conflicts_with_all = ["json", "hex", "chunks", "slice"])]
    svg: bool,

    /// List the chunks, which takes a look at each of them.
    #[arg(long)]
    chunks: bool,

    /// List the chunks that a part of the array touches, and how many of their blocks: 0:10,5,: as in Python.
    #[arg(long, value_name = "SLICE", allow_hyphen_values = true)]
    slice: Option<grid::Slice>,

    /// The byte at which the frame starts in its file, in decimal or as 0x….
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true, value_parser = text::parse_offset)]
    offset: u64,

    #[command(flatten)]
    color: colorchoice_clap::Color,
}

pub(crate) fn main(args: &Args) -> ExitCode {
    args.color.write_global();
    let shown = run(args, &mut anstream::stdout(), &mut anstream::stderr());
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
            let _ = writeln!(err, "b2nd: cannot write: {error}");
            1
        }
    }
}

/// Shows every frame it can, and says whether that was all of them. The error is one of writing.
pub(crate) fn run(args: &Args, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<bool> {
    let (mut shown, mut refused) = (0, 0_u64);
    let mut show = |path: PathBuf, found: b2nd::Result<()>| match found.and_then(|()| view(args, &path)) {
        Ok(View { text, complete }) => {
            let gap = if shown == 0 || args.json { "" } else { "\n" };
            shown += 1;
            refused += u64::from(!complete);
            writeln!(out, "{gap}{text}")?;
            out.flush()
        }
        Err(error) => {
            refused += 1;
            let hint = if is_plain_directory(&path) { " (no sparse frame: -r looks below)" } else { "" };
            writeln!(err, "{}{hint}", walk::named(&path, error))
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
pub(crate) struct View {
    text: String,
    /// Whether that is all there is to show: `text` says what could not be read.
    complete: bool,
}

impl View {
    fn new(text: String) -> View {
        View { text, complete: true }
    }
}

fn view(args: &Args, path: &Path) -> b2nd::Result<View> {
    let file = File::open_at(path, args.offset)?;
    if args.json {
        json::line(args, path, &file)
    } else if args.hex {
        hex::dump(path, &file)
    } else if args.svg {
        svg::draw(path, &file)
    } else {
        Ok(summary::page(args, path, &file))
    }
}

fn is_plain_directory(path: &Path) -> bool {
    path.is_dir() && !path.join(walk::SPARSE_FRAME).exists()
}
