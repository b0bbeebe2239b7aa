//! Standard input and output for commands that turn one file into another.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::error::{Error, Result};

/// The source and target files of a command. A temporary file takes the place of standard input or standard output.
pub(crate) struct Piped {
    pub(crate) source: PathBuf,
    pub(crate) target: Option<PathBuf>,
    directory: Option<TempDir>,
    is_printed: bool,
}

/// Returns true if the path is `-`, which means standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

impl Piped {
    /// Prepares the files. If the source is standard input, the input is first copied to a temporary file. The result then goes to standard
    /// output, unless another target is given.
    pub(crate) fn new(source: &Path, target: Option<&Path>) -> Result<Piped> {
        let is_printed = target.map_or(is_standard(source), is_standard);
        let (mut source, mut target) = (source.to_owned(), target.map(Path::to_owned));
        let directory = if is_standard(&source) || is_printed { Some(tempfile::tempdir()?) } else { None };
        if let Some(directory) = &directory {
            if is_standard(&source) {
                source = directory.path().join("input");
                io::copy(&mut io::stdin().lock(), &mut File::create_new(&source)?)?;
            }
            if is_printed {
                target = Some(directory.path().join("output"));
            }
        }
        Ok(Piped { source, target, directory, is_printed })
    }

    /// Returns true if the result goes to standard output.
    pub(crate) fn is_printed(&self) -> bool {
        self.is_printed
    }

    /// Writes the result to standard output, if this is the target. The result is the new file, or the source if nothing had to be changed.
    pub(crate) fn print(&self) -> Result<()> {
        let Some(target) = self.target.as_ref().filter(|_| self.is_printed) else { return Ok(()) };
        let made = if fs::exists(target)? { target } else { &self.source };
        if made.is_dir() {
            return Err(Error::new("a sparse frame is a directory, so it cannot be written to standard output: name a target"));
        }
        let mut made = File::open(made)?;
        io::copy(&mut made, &mut io::stdout().lock()).map_err(Error::Write)?;
        Ok(())
    }

    /// Replaces the names of temporary files in a message by `-`.
    pub(crate) fn named(&self, sentence: &str) -> String {
        let Some(directory) = &self.directory else { return sentence.to_owned() };
        let of = |name: &str| directory.path().join(name).display().to_string();
        sentence.replace(&of("input"), "-").replace(&of("output"), "-")
    }
}
