//! Finds frames and stores below a path.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use b2nd_view::text::printable;
use b2nd_view::{Source, store};

use crate::local::{Directory, LocalFile};
use crate::target::{Target, is_store_directory};

/// The file that makes a directory a sparse frame.
pub(crate) const SPARSE_FRAME: &str = "chunks.b2frame";

/// What is found below a path, in the order of names: files that start as a frame does, archives `*.b2z`, and the directories
/// of sparse frames and stores, which are not looked into. A path that is no directory comes itself, whatever is in it. Links
/// to directories are not followed below the path.
///
/// What cannot be read comes with its error.
pub(crate) fn frames(root: &Path) -> impl Iterator<Item = (PathBuf, io::Result<Target>)> + use<> {
    let mut waiting = vec![(root.to_owned(), None)];
    std::iter::from_fn(move || {
        loop {
            let (path, kind) = waiting.pop()?;
            match look(&path, kind, &mut waiting) {
                Ok(None) => {}
                Ok(Some(target)) => return Some((path, Ok(target))),
                Err(error) => return Some((path, Err(error))),
            }
        }
    })
}

/// A path, and what its directory says it is; the root has none.
type Waiting = (PathBuf, Option<fs::FileType>);

/// What a path is, if it is something. If it is a directory of nothing special, what is in it has to wait.
fn look(path: &Path, kind: Option<fs::FileType>, waiting: &mut Vec<Waiting>) -> io::Result<Option<Target>> {
    let is_directory = kind.map_or_else(|| path.is_dir(), |kind| kind.is_dir());
    if !is_directory {
        return match kind {
            None => LocalFile::open(path).map(|file| Some(Target::File(Box::new(file)))),
            Some(kind) => file(path, kind),
        };
    }
    if path.join(SPARSE_FRAME).is_file() {
        return LocalFile::open(path).map(|file| Some(Target::File(Box::new(file))));
    }
    if is_store_directory(path) {
        return Ok(Some(Target::Directory(Directory(path.to_owned()))));
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

/// A file that begins as a frame does; so do the betas' frames, which then are refused by name. Or an archive.
fn file(path: &Path, kind: fs::FileType) -> io::Result<Option<Target>> {
    // A link to a directory, or something that may never end.
    if !(kind.is_file() || kind.is_symlink() && fs::metadata(path)?.is_file()) {
        return Ok(None);
    }
    let file = LocalFile::regular(path.to_owned())?;
    let first = file.read(0..10)?;
    let is_archive = path.extension().is_some_and(|end| end == "b2z") && store::is_zip(&first);
    let is_it = store::is_frame(&first) || is_archive;
    drop(first);
    Ok(is_it.then(|| Target::File(Box::new(file))))
}

/// An error with the path that it is about. The library's errors about files have it already.
pub(crate) fn named(path: &Path, error: impl std::fmt::Display) -> String {
    let (place, error) = (format!("{}: ", path.display()), error.to_string());
    printable(&if error.starts_with(&place) { error } else { place + &error })
}
