//! Finds frames and stores below a path.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use b2nd_frame::{Error, Result, Source};

use crate::file::{Directory, LocalFile, SPARSE_FRAME, is_store_directory};
use crate::folder::{is_frame, is_zip};
use crate::foreign::{self, has_ending};
use crate::location::Target;

/// A path that may be a frame or contain frames. It has not been opened yet.
pub struct Candidate {
    /// The path.
    pub path: PathBuf,
    what: Result<What>,
}

/// The kind of a candidate: a file, or a directory of a known kind.
enum What {
    /// The path at which the search started, if it is not a directory.
    Root,
    File(fs::FileType),
    SparseFrame,
    Store,
}

impl Candidate {
    /// Opens the path if it is a frame, an archive `*.b2z`, a sparse frame, a store, or an HDF5 file that this process opens as a store
    /// ([`open_hdf5_with`](foreign::open_hdf5_with)). Returns `None` if it is something else. Frames and HDF5 files are recognized by their
    /// first bytes. Frames of C-Blosc2's betas are also recognized, but they are rejected when their header is read. The path at which the
    /// search started is opened even if it is a file of another kind.
    ///
    /// # Errors
    ///
    /// Fails if the path cannot be read. Except at the start of the search, also fails for a symbolic link that has a name like that of a
    /// Blosc2 file, or of an HDF5 file if this process opens them as stores.
    pub fn open(&self) -> Option<Result<Target>> {
        let path = self.path.as_path();
        let file = |file| Some(Target::File(Arc::new(file)));
        let opened = match &self.what {
            Err(error) => Err(Error::custom(error)),
            Ok(What::Root | What::SparseFrame) => LocalFile::open(path).map(file),
            Ok(What::Store) => Ok(Some(Target::Directory(Directory(path.to_owned())))),
            Ok(What::File(kind)) => frame_or_archive(path, *kind).map(|found| found.and_then(file)),
        };
        opened.transpose()
    }

    /// Returns true if the path is a file whose name has one of the endings of Blosc2 files, or of HDF5 files if this process opens them as
    /// stores. The content of the file is not checked, except that of files named `*.nc` and `*.hdf`, of which only some are HDF5 files.
    /// For links, and for the path at which the search started, returns false.
    pub fn is_named_so(&self) -> bool {
        let Ok(What::File(kind)) = &self.what else { return false };
        let is_it = || !has_ending(&self.path, &["nc", "hdf"]) || matches!(frame_or_archive(&self.path, *kind), Ok(Some(_)));
        kind.is_file() && is_named_so(&self.path) && is_it()
    }

    /// Returns true if the path may contain many frames.
    pub fn may_be_store(&self) -> bool {
        let is_named_store = has_ending(&self.path, &["b2z", "b2e"]) || foreign::is_named_hdf5(&self.path);
        matches!(self.what, Ok(What::Store | What::Root)) || is_named_store
    }
}

/// Iterates over the candidates below a path, in the order of their names. Candidates are files, links, and the directories of sparse
/// frames and stores. Files inside these directories are not candidates. If the path itself is not a directory, it is the only candidate.
/// Links below the path are not followed, and opening one can return an error: see [`Candidate::open`].
///
/// A path that cannot be read is also a candidate: opening it returns the error.
pub fn candidates(root: &Path) -> impl Iterator<Item = Candidate> + Send + use<> {
    candidates_in(root, true)
}

/// Iterates over the [`candidates`] below a path, without those in its subdirectories unless `is_deep` is true.
pub fn candidates_in(root: &Path, is_deep: bool) -> impl Iterator<Item = Candidate> + Send + use<> {
    let mut waiting = vec![(root.to_owned(), None)];
    std::iter::from_fn(move || {
        loop {
            let (path, kind) = waiting.pop()?;
            if let Some(what) = look(&path, kind, is_deep, &mut waiting).transpose() {
                return Some(Candidate { path, what });
            }
        }
    })
}

/// Opens the [`candidates`], and iterates over those for which [`Candidate::open`] does not return `None`.
pub fn frames(root: &Path) -> impl Iterator<Item = (PathBuf, Result<Target>)> + use<> {
    candidates(root).filter_map(|candidate| candidate.open().map(|target| (candidate.path, target)))
}

/// A path, and its file type as the directory entry gives it, or `None` for the root.
type Waiting = (PathBuf, Option<fs::FileType>);

/// Determines the kind of a candidate. For an ordinary directory, returns `None`, and adds its entries to `waiting` if it is the root or
/// `is_deep` is true.
fn look(path: &Path, kind: Option<fs::FileType>, is_deep: bool, waiting: &mut Vec<Waiting>) -> Result<Option<What>> {
    let is_directory = kind.map_or_else(|| path.is_dir(), |kind| kind.is_dir());
    if !is_directory {
        return Ok(Some(kind.map_or(What::Root, What::File)));
    }
    if path.join(SPARSE_FRAME).symlink_metadata().is_ok_and(|found| found.is_file()) {
        return Ok(Some(What::SparseFrame));
    }
    if is_store_directory(path) {
        return Ok(Some(What::Store));
    }
    if kind.is_some() && !is_deep {
        return Ok(None);
    }
    let mut inside = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        inside.push((entry.path(), Some(entry.file_type()?)));
    }
    inside.sort_unstable_by(|(one, _), (other, _)| other.cmp(one));
    waiting.extend(inside);
    Ok(None)
}

fn is_named_so(path: &Path) -> bool {
    has_ending(path, &["b2nd", "b2frame", "b2f", "b2b", "b2z", "b2e", "b2d", "caterva"])
        || foreign::is_named_hdf5(path) && foreign::opener(foreign::HDF5).is_some()
}

fn frame_or_archive(path: &Path, kind: fs::FileType) -> Result<Option<LocalFile>> {
    // A link can point to any file. If it has the name of a frame or store, an error reports that it is left out.
    if kind.is_symlink() && is_named_so(path) {
        return Err(Error::custom("it is a symbolic link, which is not followed: give the path that it points to"));
    }
    // Skips devices, pipes and other links.
    if !kind.is_file() {
        return Ok(None);
    }
    let file = LocalFile::regular(path)?;
    let first = file.read(0..foreign::FIRST_BYTES)?.into_owned();
    let is_archive = path.extension().is_some_and(|end| end == "b2z") && is_zip(&first);
    let is_it = is_frame(&first) || is_archive || foreign::opener(&first).is_some();
    Ok(is_it.then_some(file))
}
