//! Standard input and output in the place of files, for commands that turn one file into another.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::error::{Error, Result};

/// The files that a command works with. Those of standard input and output are in a directory that is gone after it.
pub(crate) struct Piped {
    pub(crate) source: PathBuf,
    pub(crate) target: Option<PathBuf>,
    directory: Option<TempDir>,
    is_printed: bool,
}

/// True for `-`, which stands for standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

impl Piped {
    /// Reads standard input to its end if the source is `-`, and its result is then printed unless there is another target.
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

    /// True if the result goes to standard output.
    pub(crate) fn is_printed(&self) -> bool {
        self.is_printed
    }

    /// Prints the result if it goes to standard output: the new file, or the source where it was left alone.
    pub(crate) fn print(&self) -> Result<()> {
        let Some(target) = self.target.as_ref().filter(|_| self.is_printed) else { return Ok(()) };
        let made = if fs::exists(target)? { target } else { &self.source };
        let mut made = File::open(made)?;
        io::copy(&mut made, &mut io::stdout().lock()).map_err(Error::Write)?;
        Ok(())
    }

    /// An error message in which temporary files are shown as `-`.
    pub(crate) fn named(&self, sentence: &str) -> String {
        let Some(directory) = &self.directory else { return sentence.to_owned() };
        let of = |name: &str| directory.path().join(name).display().to_string();
        sentence.replace(&of("input"), "-").replace(&of("output"), "-")
    }
}
