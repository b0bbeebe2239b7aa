//! Finds frames below a path.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The file that makes a directory a sparse frame.
pub(crate) const SPARSE_FRAME: &str = "chunks.b2frame";

/// The frames below a path, in the order of their names: files that start as a frame does, and directories of sparse
/// frames, which are not looked into. A path that is no directory comes itself, whatever is in it. Links to directories
/// are not followed below the path.
///
/// What cannot be read comes with its error.
pub(crate) fn frames(root: &Path) -> impl Iterator<Item = (PathBuf, b2nd::Result<()>)> {
    let mut waiting = vec![root.to_owned()];
    let mut at_root = true;
    std::iter::from_fn(move || {
        loop {
            let path = waiting.pop()?;
            let found = if std::mem::take(&mut at_root) { look_at_root(&path, &mut waiting) } else { look(&path, &mut waiting) };
            match found {
                Ok(false) => {}
                Ok(true) => return Some((path, Ok(()))),
                Err(error) => return Some((path, Err(error.into()))),
            }
        }
    })
}

fn look_at_root(path: &Path, waiting: &mut Vec<PathBuf>) -> io::Result<bool> {
    if path.is_dir() { look_into(path, waiting) } else { Ok(true) }
}

/// Whether a path is a frame. If it is a directory without one, what is in it has to wait.
fn look(path: &Path, waiting: &mut Vec<PathBuf>) -> io::Result<bool> {
    let kind = fs::symlink_metadata(path)?.file_type();
    if kind.is_dir() {
        look_into(path, waiting)
    } else if fs::metadata(path)?.is_file() {
        starts_as_frame(path)
    } else {
        // A link to a directory, or something that may never end.
        Ok(false)
    }
}

fn look_into(directory: &Path, waiting: &mut Vec<PathBuf>) -> io::Result<bool> {
    if directory.join(SPARSE_FRAME).is_file() {
        return Ok(true);
    }
    let mut inside = Vec::new();
    for entry in fs::read_dir(directory)? {
        inside.push(entry?.path());
    }
    inside.sort_unstable_by(|a, b| b.cmp(a));
    waiting.extend(inside);
    Ok(false)
}

/// Whether a file begins with a fixarray and the frame's magic. So do the betas' frames, which then are refused by name.
fn starts_as_frame(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    fs::File::open(path)?.take(10).read_to_end(&mut start)?;
    Ok(matches!(start.as_slice(), [0x90..=0x9f, 0xa8, b'b', b'2', b'f', b'r', b'a', b'm', b'e', 0]))
}

/// An error with the path that it is about. The system's errors have it already.
pub(crate) fn named(path: &Path, error: impl std::fmt::Display) -> String {
    let (place, error) = (format!("{}: ", path.display()), error.to_string());
    if error.starts_with(&place) { error } else { place + &error }
}
