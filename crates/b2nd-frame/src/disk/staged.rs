//! [`Staged`]: a file or directory that gets its final name only when it is complete.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::lock::{self, Claim};
use super::storage::{Handle, storage};
use super::unfinished::{begin, keep_chunks, unfinished};
use crate::error::Result;

/// The maximum number of bytes of the final name that the temporary name includes. Most systems allow names of up to 255 bytes.
const REPEATED: usize = 200;

/// The endings of the names of frames. A temporary name, such as `.NAME.0.tmp`, contains the final name or its start, followed by the first
/// of these endings if that part ends with neither of them. By these endings, this crate recognizes its temporary files.
const FRAME_ENDINGS: [&str; 2] = [".b2nd", ".b2frame"];

/// A file or directory with a temporary name, next to the path that it gets when it is finished. If a `Staged` is dropped before it is
/// finished, the file or directory is removed.
///
/// If the system can lock the file or directory, it is locked until it is finished. On such a system, a temporary file without a lock is
/// removed, since a killed process may have left it.
#[derive(Debug)]
pub(super) struct Staged {
    temporary: PathBuf,
    /// The path that the caller gave. `target` is the same path, with symbolic links resolved if the file exists.
    given: PathBuf,
    target: PathBuf,
    /// Whether a file existed at `target` when the temporary file was created, and may be replaced.
    replaces: bool,
    /// Whether the file or directory exists under its temporary name.
    exists: bool,
    /// The open directory that holds the lock. `None` for a file, since the handle of the file holds its lock, and on systems that cannot
    /// lock directories.
    lock: Option<fs::File>,
}

impl Staged {
    /// Creates a temporary file, which is renamed to `given` when it is finished. If `given` is a symbolic link, the temporary file
    /// replaces the file that the link names, and is next to that file. It has the attributes of the file that it replaces.
    pub(super) fn file(given: &Path) -> io::Result<(Self, Box<dyn Handle>)> {
        let (staged, file) = Staged::new(given, replaceable(given)?, Staged::create_locked)?;
        staged.keep_attributes(&staged.target)?;
        Ok((staged, file))
    }

    /// Creates a temporary file, which is renamed to `target` when it is finished. Fails if `target` exists. [`finish`](Staged::finish)
    /// fails if another process creates `target` first.
    pub(super) fn new_file(target: &Path) -> io::Result<(Self, Box<dyn Handle>)> {
        must_not_exist(target)?;
        let (mut staged, file) = Staged::file(target)?;
        staged.replaces = false;
        Ok((staged, file))
    }

    /// Creates a temporary directory, which is renamed to `target` when it is finished. Fails if `target` exists.
    pub(super) fn directory(target: &Path) -> io::Result<Self> {
        must_not_exist(target)?;
        let (mut staged, lock) = Staged::new(target, target.to_path_buf(), |staged| {
            staged.begin(|temporary| storage().create_dir(temporary))?;
            if cfg!(unix) { Ok(lock::directory(&staged.temporary)?.map(Some)) } else { Ok(Some(None)) }
        })?;
        staged.lock = lock;
        Ok(staged)
    }

    fn create_locked(&mut self) -> io::Result<Option<Box<dyn Handle>>> {
        let handle = self.begin(|temporary| storage().create(temporary))?;
        Ok(lock::lock_new(handle.file(), &self.temporary)?.then_some(handle))
    }

    /// Calls `create` with one temporary name after another in `staged.temporary`, until it finds a name that is not in use.
    fn new<T>(given: &Path, target: PathBuf, create: impl Fn(&mut Staged) -> io::Result<Option<T>>) -> io::Result<(Self, T)> {
        clean_directory(&target);
        let replaces = fs::symlink_metadata(&target).is_ok();
        let mut number = 0;
        loop {
            let temporary = temporary(&target, number)?;
            let (given, target) = (given.to_path_buf(), target.clone());
            let mut staged = Staged { temporary, given, target, replaces, exists: false, lock: None };
            match create(&mut staged) {
                Ok(Some(created)) => return Ok((staged, created)),
                // Before this process locked the file, another process removed it, as if it had been left by a killed process. Create the
                // file again.
                Ok(None) => staged.end(),
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < u32::MAX => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn begin<T>(&mut self, create: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
        let created = begin(&self.temporary, create)?;
        self.exists = true;
        Ok(created)
    }

    fn end(&mut self) {
        self.exists = false;
        unfinished().retain(|path| *path != self.temporary);
    }

    /// Returns the temporary path.
    pub(super) fn path(&self) -> &Path {
        &self.temporary
    }

    /// Returns the final path.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// Copies the attributes of the file `of`, if it exists, to the temporary file. Call this before content is written, so that content
    /// which was private in the old file is never readable in the new file.
    pub(super) fn keep_attributes(&self, of: &Path) -> io::Result<()> {
        if of.exists() { storage().copy_attributes(of, &self.temporary) } else { Ok(()) }
    }

    /// Copies the attributes of `source`, the file or directory that is copied, to the temporary file or directory. If an existing file is
    /// replaced, the new file keeps the attributes of that file instead.
    pub(super) fn copy_attributes(&self, source: &Path) -> io::Result<()> {
        if self.replaces { Ok(()) } else { self.keep_attributes(source) }
    }

    /// Renames the file to its final name and syncs the directory. If the file replaces an existing file, first waits while an editor or a
    /// reader has locked the existing file. If no file is to be replaced, fails if another process has created a file with the final name.
    /// The caller must have synced the content.
    pub(super) fn finish(mut self) -> Result<()> {
        if self.replaces && self.target.is_file() {
            let mut claim = Claim::new(&self.given, &self.target, true)?;
            return self.replace(&mut claim);
        }
        self.replaces = false;
        self.rename()
    }

    /// Renames the file over the file that it replaces. The caller has locked the replaced file.
    pub(super) fn replace(self, claim: &mut Claim) -> Result<()> {
        claim.renew()?;
        self.rename()
    }

    /// Renames this file to its final name and syncs the directory, without waiting for an editor. [`remove_temporary_files`] runs before
    /// the renaming or after it, but not at the same time.
    pub(super) fn rename(mut self) -> Result<()> {
        // The file descriptor with which the directory is synced is reserved before the renaming, which cannot be undone.
        let reserved = if cfg!(unix) { Some(fs::File::open(directory(&self.target))?) } else { None };
        let mut unfinished = unfinished();
        if !unfinished.contains(&self.temporary) {
            let why = "nothing was written: the temporary files of this process have been removed";
            return Err(io::Error::new(ErrorKind::Interrupted, why).into());
        }
        // Even after an error, the new index may have its final name, and then needs its chunk files.
        keep_chunks(&mut unfinished, &self.target);
        if self.replaces {
            storage().rename(&self.temporary, &self.target)?;
        } else {
            storage().rename_new(&self.temporary, &self.target).map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => exists_already(),
                _ => error,
            })?;
        }
        self.exists = false;
        unfinished.retain(|path| *path != self.temporary);
        drop((unfinished, reserved));
        Ok(sync_parent(&self.target)?)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if self.exists {
            // Ignore errors, since `drop` cannot return them.
            let _ = storage().remove(&self.temporary);
            self.end();
        }
    }
}

fn must_not_exist(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok() { Err(exists_already()) } else { Ok(()) }
}

fn exists_already() -> io::Error {
    io::Error::new(ErrorKind::AlreadyExists, "it already exists")
}

/// Returns the path of the file that `path` names, with symbolic links resolved. If the file exists, it must be a regular file and not
/// read-only.
pub(super) fn replaceable(path: &Path) -> io::Result<PathBuf> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(path.to_path_buf()),
        found => found?,
    };
    let real = match fs::canonicalize(path) {
        Err(error) if error.kind() == ErrorKind::NotFound && found.is_symlink() => {
            return Err(io::Error::new(ErrorKind::NotFound, "it is a symbolic link to a file that does not exist"));
        }
        real => real?,
    };
    let found = fs::metadata(&real)?;
    if !found.is_file() {
        let kind = if found.is_dir() { "a directory" } else { "a pipe, a device or a socket" };
        return Err(io::Error::new(ErrorKind::InvalidInput, format!("it is {kind}, not a regular file: give another path")));
    }
    if found.permissions().readonly() {
        return Err(io::Error::new(ErrorKind::PermissionDenied, "it is read-only: make it writable first"));
    }
    Ok(real)
}

/// Removes the temporary files of `target` that killed processes left, up to the first number without a file.
pub(super) fn clean(target: &Path) -> io::Result<()> {
    let mut number = 0;
    loop {
        let temporary = temporary(target, number)?;
        if fs::symlink_metadata(&temporary).is_err() {
            return Ok(());
        }
        remove_unused(&temporary);
        number += 1;
    }
}

/// Removes all temporary files that killed processes left in the directory of `target`. Files that another process has locked are kept. On
/// a file system without locks, all files are kept.
fn clean_directory(target: &Path) {
    let Ok(entries) = fs::read_dir(directory(target)) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_str().is_some_and(is_temporary) {
            remove_unused(&entry.path());
        }
    }
}

/// Returns true for names like `.NAME.0.tmp` in which NAME ends like the name of a frame. Without that ending, the file may belong to
/// another program.
fn is_temporary(name: &str) -> bool {
    let parts = || name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.');
    parts().is_some_and(|(name, number)| number.parse::<u32>().is_ok() && is_named_as_frame(name))
}

fn is_named_as_frame(name: &str) -> bool {
    FRAME_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

fn temporary(target: &Path, number: u32) -> io::Result<PathBuf> {
    let name = target.file_name().ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "the path has no file name"))?;
    let name = name.to_string_lossy();
    let repeated: String =
        name.char_indices().take_while(|(at, char)| at + char.len_utf8() <= REPEATED).map(|(_, char)| char).collect();
    let ending = if is_named_as_frame(&repeated) { "" } else { FRAME_ENDINGS[0] };
    Ok(target.with_file_name(format!(".{repeated}{ending}.{number}.tmp")))
}

/// Removes a temporary file or directory if no process has it locked.
fn remove_unused(temporary: &Path) {
    if matches!(lock::unused(temporary), Ok(Some(_locked))) {
        // Ignore errors: a file that cannot be removed is kept.
        let _ = storage().remove(temporary);
    }
}

/// Syncs the directory of a file, so that the file's name survives a crash.
pub(super) fn sync_parent(path: &Path) -> io::Result<()> {
    storage().sync_dir(directory(path))
}

pub(super) fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
