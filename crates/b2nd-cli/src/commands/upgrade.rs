//! Upgrades Caterva arrays and early b2nd arrays to the layout that C-Blosc2 has written since its release 2.7.0.
//!
//! ```text
//! b2nd upgrade --dtype "<f8" old.caterva new.b2nd
//! b2nd upgrade --dry-run DIRECTORY
//! ```
//!
//! Only the array metalayer changes; chunks are copied unchanged. The module `plan` determines the new metalayer.

mod plan;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use b2nd::ArrayMeta;
use b2nd::dtype::DType;
use b2nd_frame::{File, rewrite_to};
use b2nd_store::{SPARSE_FRAME, Store, Target, walk};
use b2nd_view::Array;
use b2nd_view::text::printable;

use crate::error::{Error, Result};
use crate::output::{self, Output};
use crate::piped::{Piped, is_standard};
use crate::staged::{must_be_local, must_not_exist};
use crate::values::parse_dtype;

/// Upgrades Caterva arrays and early b2nd arrays to the current layout of b2nd.
///
/// Frames with the current layout, and frames without an array, are not changed, and not copied to a target file. Files are only
/// overwritten with --in-place.
#[derive(clap::Args, Clone)]
pub(crate) struct Args {
    /// A frame, the directory of a sparse frame, a directory that is searched for frames, or `-` for standard input.
    source: PathBuf,

    /// The new frame, the directory for new frames, or `-` for standard output. Existing files are never replaced. Required
    /// unless --in-place or --dry-run is given.
    #[arg(required_unless_present_any = ["in_place", "dry_run"])]
    target: Option<PathBuf>,

    /// Replace each old frame once the new one is complete.
    #[arg(long, conflicts_with = "target")]
    in_place: bool,

    /// Only print what would be done.
    #[arg(long)]
    dry_run: bool,

    /// The dtype of the elements, for files without one: '<f8', "[('x', '<i4'), ('y', '<f4')]".
    #[arg(long, value_parser = parse_dtype)]
    dtype: Option<DType>,
}

// Each result of upgrading a frame is an index into the array that counts the results.
/// The result for a frame that was upgraded, or that would be without `--dry-run`.
const UPGRADED: usize = 0;
/// The result for a frame that already has the current layout.
const RELEASED: usize = 1;
/// The result for a frame that has no array.
const NO_ARRAY: usize = 2;
/// The result for a frame that could not be upgraded.
const FAILED: usize = 3;

impl Args {
    /// Upgrades frames. Returns false if a frame could not be upgraded. Fails if output cannot be written.
    pub(crate) fn run(&self, output: &mut Output) -> io::Result<bool> {
        crate::signals::clean_up();
        if !is_standard(&self.source) && !self.target.as_deref().is_some_and(is_standard) {
            return self.run_on_files(&mut *output.out, &mut *output.err);
        }
        let done = self.piped(output);
        Ok(output.settle(&self.source, done)? == Some(true))
    }

    /// Upgrades one frame from standard input or to standard output. If the new frame is written to standard output, all messages are
    /// written to standard error.
    fn piped(&self, output: &mut Output) -> Result<bool> {
        if self.in_place {
            return Err(Error::new("standard input cannot be upgraded with --in-place: give a TARGET instead"));
        }
        let files = Piped::new(&self.source, self.target.as_deref())?;
        if is_tree(&files.source) {
            return Err(Error::new("it is a directory, but not a sparse frame: standard output takes only one frame"));
        }
        let on_files = Args { source: files.source.clone(), target: files.target.clone(), ..self.clone() };
        let (mut said, mut refused) = (Vec::new(), Vec::new());
        let done = on_files.run_on_files(&mut said, &mut refused).map_err(Error::Write)?;
        let Output { out, err } = output;
        let named = |text: &[u8]| files.named(&String::from_utf8_lossy(text));
        let report = if files.is_printed() { &mut *err } else { out };
        report.write_all(named(&said).as_bytes()).map_err(Error::Write)?;
        err.write_all(named(&refused).as_bytes()).map_err(Error::Write)?;
        if done && !self.dry_run {
            files.print()?;
        }
        Ok(done)
    }

    fn run_on_files(&self, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<bool> {
        let is_tree = is_tree(&self.source);
        // All frames are found before the first new frame is written, because the target may be inside the searched directory.
        let frames: Vec<_> = if is_tree {
            // Archives, directories of stores and HDF5 files are skipped: python-blosc2 writes the arrays in its stores with the current
            // layout, and HDF5 files are only read.
            let is_store = |target: &Target| matches!(Store::of_folder("", target), Ok(Some(_)));
            let frames = walk::frames(&self.source).filter(|(_, found)| !found.as_ref().is_ok_and(is_store));
            frames.map(|(path, found)| (path, found.map(|_| ()))).collect()
        } else {
            vec![(self.source.clone(), Ok(()))]
        };
        let mut counts = [0_u64; 4];
        for (path, found) in frames {
            let done = found.map_err(Error::from).and_then(|()| self.upgrade(&path));
            let result = done.as_ref().map_or(FAILED, |(result, _)| *result);
            counts[result] += 1;
            match done {
                Ok((_, sentence)) if result == UPGRADED || !is_tree => {
                    writeln!(out, "{}", printable(&format!("{}: {sentence}", path.display())))?;
                }
                Ok(_) => {}
                Err(error) => writeln!(err, "{}", output::named(&path, error))?,
            }
        }
        let [upgraded, released, no_array, failed] = counts;
        if is_tree {
            let verb = if self.dry_run { "to upgrade" } else { "upgraded" };
            writeln!(
                out,
                "{upgraded} {verb}, {released} already in the current layout, {no_array} without an array, {failed} failed"
            )?;
        }
        Ok(failed == 0)
    }

    /// Upgrades one frame. Returns the result and a sentence that describes it.
    fn upgrade(&self, path: &Path) -> Result<(usize, String)> {
        must_be_local(path, "upgrade")?;
        crate::hdf5::must_not_be_hdf5(path)?;
        let file = File::open(path)?;
        let array = Array::find(file.header()).map_err(|error| Error::new(format_args!("the array cannot be read: {error}")))?;
        let Some(array) = array else { return Ok((NO_ARRAY, "no array, not changed".to_owned())) };
        if let ArrayMeta::B2nd(_) = array.meta {
            return Ok((RELEASED, "already in the current layout, not changed".to_owned()));
        }
        let meta = plan::upgraded(&array, file.header(), self.dtype.as_ref()).map_err(Error::new)?;
        let target = self.target.as_ref().map(|target| match path.strip_prefix(&self.source) {
            Ok(below) if !below.as_os_str().is_empty() => target.join(below),
            _ => target.clone(),
        });
        target.as_deref().map_or(Ok(()), must_not_exist)?;
        if !self.dry_run {
            let is_below = target.as_ref() != self.target.as_ref();
            if let Some(parent) = target.as_ref().and_then(|target| target.parent()).filter(|_| is_below) {
                fs::create_dir_all(parent)?;
            }
            rewrite_to(path, target.as_deref().unwrap_or(path), |metalayers| {
                metalayers.rename(array.name, "b2nd")?;
                metalayers.set(&meta)
            })?;
        }
        let verb = if self.dry_run { "would be upgraded" } else { "upgraded" };
        let place = match &target {
            Some(target) => format!(" to {}", target.display()),
            None if self.in_place => " in place".to_owned(),
            None => String::new(),
        };
        Ok((UPGRADED, format!("{verb}{place}: from {}, to b2nd with dtype {}", array.describe(), meta.dtype)))
    }
}

/// Returns true if a path is a directory to search, not a sparse frame.
fn is_tree(path: &Path) -> bool {
    path.is_dir() && !path.join(SPARSE_FRAME).is_file()
}
