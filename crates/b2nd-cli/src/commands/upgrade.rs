//! Upgrades Caterva arrays and early b2nd arrays to the layout that C-Blosc2 has written since its release 2.7.0.
//!
//! ```text
//! b2nd upgrade --dtype "<f8" old.caterva new.b2nd
//! b2nd upgrade --dry-run DIRECTORY
//! ```
//!
//! Only the array metalayer changes; chunks are copied unchanged. The module `plan` determines what to change in a frame, and `work` makes
//! the changes.

mod dtype;
#[cfg(test)]
mod early_frame;
mod plan;
#[cfg(test)]
mod tests;
mod work;

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use b2nd::frame::File;
use indicatif::ProgressBar;

use b2nd_view::text::printable;

use b2nd_store::{SPARSE_FRAME, walk};

use crate::piped::Piped;
use crate::{output, progress};
use plan::Plan;

/// Upgrades Caterva arrays and early b2nd arrays to the current layout of b2nd.
///
/// Frames with the current layout, and frames without an array, are not changed. Files are only overwritten with --in-place.
#[derive(clap::Args, Clone)]
pub(crate) struct Args {
    /// A frame, the directory of a sparse frame, a directory that is searched for frames, or `-` for standard input.
    source: PathBuf,

    /// The new frame, the directory for new frames, or `-` for standard output. Existing files are never replaced. Required
    /// without --in-place and --dry-run.
    #[arg(required_unless_present_any = ["in_place", "dry_run"])]
    target: Option<PathBuf>,

    /// Replace each old frame after the new one is complete and was compared with it.
    #[arg(long, conflicts_with = "target")]
    in_place: bool,

    /// Only print what would be done.
    #[arg(long)]
    dry_run: bool,

    /// The dtype of the elements, for files without one: '<f8', "[('x', '<i4'), ('y', '<f4')]".
    #[arg(long)]
    dtype: Option<String>,
}

/// The number of frames with each result.
#[derive(Default)]
struct Counts {
    upgraded: u64,
    released: u64,
    no_array: u64,
    refused: u64,
}

/// Upgrades frames. Returns false if a frame was refused. Fails if output cannot be written.
pub(crate) fn run(args: &Args, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<bool> {
    crate::signals::clean_up();
    let standard = Path::new("-");
    if args.source != standard && args.target.as_deref() != Some(standard) {
        return run_on_files(args, out, err);
    }
    match piped(args, out, err) {
        Err(crate::error::Error::Write(error)) => Err(error),
        Err(error) => writeln!(err, "{}", output::named(&args.source, error)).map(|()| false),
        Ok(done) => Ok(done),
    }
}

/// Upgrades one frame from standard input or to standard output. Messages are written to standard error.
fn piped(args: &Args, out: &mut dyn Write, err: &mut dyn Write) -> crate::error::Result<bool> {
    use crate::error::Error;
    if args.in_place {
        return Err(Error::new("--in-place needs a file: name a TARGET for standard input"));
    }
    let files = Piped::new(&args.source, args.target.as_deref())?;
    if files.source.is_dir() && !files.source.join(SPARSE_FRAME).is_file() {
        return Err(Error::new("it is a directory of frames, and standard output takes one frame"));
    }
    let on_files = Args { source: files.source.clone(), target: files.target.clone(), ..args.clone() };
    let (mut said, mut refused) = (Vec::new(), Vec::new());
    let done = run_on_files(&on_files, &mut said, &mut refused).map_err(Error::Write)?;
    let named = |text: &[u8]| files.named(&String::from_utf8_lossy(text));
    let said = named(&said);
    let written = if files.is_printed() { err.write_all(said.as_bytes()) } else { out.write_all(said.as_bytes()) };
    written.map_err(Error::Write)?;
    err.write_all(named(&refused).as_bytes()).map_err(Error::Write)?;
    if done && !args.dry_run {
        files.print()?;
    }
    Ok(done)
}

fn run_on_files(args: &Args, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<bool> {
    let is_tree = args.source.is_dir() && !args.source.join(SPARSE_FRAME).is_file();
    // All frames are found before the first new frame is written, because the target may be inside the searched directory.
    let frames: Vec<_> = if is_tree {
        walk::frames(&args.source).map(|(path, found)| (path, found.map(|_| ()))).collect()
    } else {
        vec![(args.source.clone(), Ok(()))]
    };
    let bar = progress::bytes(frames.iter().map(|(path, _)| data_len(path)).sum());
    let mut counts = Counts::default();
    for (path, found) in &frames {
        let before = bar.position();
        let done = match found {
            Ok(()) => upgrade(args, path, &bar),
            Err(error) => Err(error.to_string().into()),
        };
        bar.set_position(before + data_len(path));
        bar.suspend(|| match done {
            Ok(done) => {
                let (count, is_worth_a_line) = match done {
                    Done::Upgraded(_) => (&mut counts.upgraded, true),
                    Done::Released => (&mut counts.released, !is_tree),
                    Done::NoArray => (&mut counts.no_array, !is_tree),
                };
                *count += 1;
                if is_worth_a_line {
                    writeln!(out, "{}", printable(&format!("{}: {}", path.display(), done.describe())))
                } else {
                    Ok(())
                }
            }
            Err(error) => {
                counts.refused += 1;
                writeln!(err, "{}", output::named(path, error))
            }
        })?;
    }
    drop(bar);
    if is_tree {
        let Counts { upgraded, released, no_array, refused } = counts;
        let verb = if args.dry_run { "to upgrade" } else { "upgraded" };
        writeln!(
            out,
            "{upgraded} {verb}, {released} already in the current layout, {no_array} without an array, {refused} refused"
        )?;
    }
    Ok(counts.refused == 0)
}

enum Done {
    /// The frame was upgraded, or would be. Contains a sentence that describes the upgrade.
    Upgraded(String),
    Released,
    NoArray,
}

impl Done {
    fn describe(&self) -> &str {
        match self {
            Done::Upgraded(words) => words,
            Done::Released => "already in the current layout, not changed",
            Done::NoArray => "no array, not changed",
        }
    }
}

fn upgrade(args: &Args, path: &Path, bar: &ProgressBar) -> Result<Done, Box<dyn Error>> {
    let upgrade = match Plan::new(File::open(path)?.header(), args.dtype.as_deref())? {
        Plan::Released => return Ok(Done::Released),
        Plan::NoArray => return Ok(Done::NoArray),
        Plan::Upgrade(upgrade) => upgrade,
    };
    let target = args.target.as_ref().map(|target| match path.strip_prefix(&args.source) {
        Ok(below) if !below.as_os_str().is_empty() => target.join(below),
        _ => target.clone(),
    });
    if let Some(target) = &target {
        work::refuse_to_overwrite(target)?;
    }
    let is_below = target.as_ref() != args.target.as_ref();
    if !args.dry_run {
        if let Some(parent) = target.as_ref().and_then(|target| target.parent()).filter(|_| is_below) {
            fs::create_dir_all(parent)?;
        }
        work::run(path, &upgrade, target.as_deref(), &|bytes| bar.inc(bytes))?;
    }
    let verb = if args.dry_run { "would be upgraded" } else { "upgraded" };
    let place = match &target {
        Some(target) => format!(" to {}", target.display()),
        None if args.in_place => " in place".to_owned(),
        None => String::new(),
    };
    Ok(Done::Upgraded(format!("{verb}{place}: {} -> b2nd of {}", upgrade.layout, upgrade.meta.dtype)))
}

/// Returns the compressed length of a frame's data, which is in its header.
fn data_len(path: &Path) -> u64 {
    File::open(path).map_or(0, |file| u64::try_from(file.header().cbytes()).unwrap_or(0))
}
