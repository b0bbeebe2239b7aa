//! Locks against concurrent edits of a frame: this crate's lock on the frame's file, and C-Blosc2's lock on a file next to it.

use alloc::boxed::Box;
use alloc::vec::Vec;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::SPARSE_FRAME;
use super::held::Held;
use super::storage::{Handle, storage};
use super::unfinished::{keep_chunks, unfinished};
use crate::error::{Error, ErrorKind, Result};

/// Options for taking a lock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask {
    /// Whether the lock is exclusive. An exclusive lock blocks all other locks, and a shared lock blocks only exclusive locks.
    pub(super) exclusive: bool,
    /// Whether to wait while another lock blocks this lock, instead of failing with [`Locked`](ErrorKind::Locked).
    pub(super) wait: bool,
}

/// The position, in bytes, of the change counter in C-Blosc2's lock files.
const COUNTER_AT: u64 = 8;

/// The maximum length, in bytes, of C-Blosc2's lock files.
const SIDECAR_LEN: u64 = COUNTER_AT + 8;

/// The pause before the next attempt to open a file that is in use. Only Windows needs this pause.
const PAUSE: Duration = Duration::from_millis(5);

/// Opens a file for editing with an exclusive lock.
pub(super) fn open(path: &Path, wait: bool) -> Result<Box<dyn Handle>> {
    locked(path, Ask { exclusive: true, wait }, || storage().open(path), |handle| handle.file())
}

/// An exclusive lock on a file. The holder of the lock may change or replace the file.
#[derive(Debug)]
pub(super) struct Claim {
    path: PathBuf,
    pub(super) handle: Box<dyn Handle>,
    sidecars: Sidecars,
}

impl Claim {
    /// Locks the file `real`. `given` is the path that the caller gave, which may be a symbolic link to the file.
    pub(super) fn new(given: &Path, real: &Path, wait: bool) -> Result<Self> {
        let handle = open(real, wait)?;
        let sidecars = Sidecars::lock(given, real, Ask { exclusive: true, wait })?;
        Ok(Claim { path: real.to_path_buf(), handle, sidecars })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the path still names this file, and locks any lock files that C-Blosc2 has created since the last check. Call this
    /// directly before each change.
    pub(super) fn renew(&mut self) -> Result<()> {
        self.sidecars.renew()?;
        if is_at(self.handle.file(), &self.path)? { Ok(()) } else { Err(Error::new(ErrorKind::Changed)) }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Another process may use the numbers of these chunk files from now on.
        keep_chunks(&mut unfinished(), &self.path);
        unlock(self.handle.file());
    }
}

/// On Unix, removes the lock on a file, which would otherwise last until all clones of the open file are closed. Errors are ignored, since
/// the system removes the lock when the clones are closed.
pub(super) fn unlock(file: &fs::File) {
    let _ = system::unlock(file);
}

/// Opens a file for reading, and blocks editors until the file is closed.
pub(super) fn open_shared(path: &Path) -> Result<fs::File> {
    locked(path, Ask { exclusive: false, wait: true }, || system::open_shared(path), |file| file)
}

/// Opens and locks a file. If the file was replaced before the lock was taken, opens the new file instead.
fn locked<T>(path: &Path, ask: Ask, open: impl Fn() -> io::Result<T>, file: impl Fn(&T) -> &fs::File) -> Result<T> {
    loop {
        match open() {
            Ok(opened) => {
                lock_as_another(file(&opened), path, ask)?;
                if is_at(file(&opened), path)? {
                    return Ok(opened);
                }
            }
            Err(error) if system::is_taken(&error) => {
                check_wait(path, ask)?;
                std::thread::sleep(PAUSE);
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Locks a file. If another thread or process holds a lock, waits or fails, as `ask` says.
fn lock_as_another(file: &fs::File, path: &Path, ask: Ask) -> Result<()> {
    match lock(file, Ask { wait: false, ..ask }) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => check_wait(path, ask)?,
        done => return Ok(done?),
    }
    Ok(lock(file, ask)?)
}

/// Checks that a lock that is held may be waited for: `ask` says so, and this thread itself has not taken a lock on the file.
fn check_wait(path: &Path, ask: Ask) -> Result<()> {
    let by_this_thread = ask.wait && Held::by_this_thread(path);
    if ask.wait && !by_this_thread { Ok(()) } else { Err(Error::new(ErrorKind::Locked { by_this_thread })) }
}

/// Locks a file or directory that was just created. Returns `false` if another process has removed it.
pub(super) fn lock_new(file: &fs::File, path: &Path) -> io::Result<bool> {
    lock(file, Ask { exclusive: true, wait: true })?;
    is_at(file, path)
}

/// Locks a file or directory that no process uses any longer, without waiting. Fails if the path does not exist or is locked already, or
/// if the file system has no locks. Returns `None` if another process has replaced the file, or if files of this kind cannot be locked.
pub(super) fn unused(path: &Path) -> io::Result<Option<fs::File>> {
    let found = fs::symlink_metadata(path)?;
    let file = match found.is_dir() {
        // On Windows, `File::open` cannot open directories.
        true if !cfg!(unix) => return Ok(None),
        true => fs::File::open(path)?,
        false if !found.is_file() => return Ok(None),
        false => storage().open(path)?.file().try_clone()?,
    };
    system::lock(&file, Ask { exclusive: true, wait: false })?;
    Ok(is_at(&file, path)?.then_some(file))
}

/// Locks a directory that was just created. Returns `None` if another process has removed the directory.
pub(super) fn directory(path: &Path) -> io::Result<Option<fs::File>> {
    let file = match fs::File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    Ok(lock_new(&file, path)?.then_some(file))
}

/// Locks a file. On a file system without locks, this does nothing.
fn lock(file: &fs::File, ask: Ask) -> io::Result<()> {
    if_supported(system::lock(file, ask))
}

/// Ignores the error of a file system without locks.
fn if_supported(locked: io::Result<()>) -> io::Result<()> {
    match locked {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        done => done,
    }
}

/// Returns true if the path still names this file, and not a file that has replaced it. On systems other than Unix, these two cannot be
/// distinguished, and this returns true for both.
pub(super) fn is_at(file: &fs::File, path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(there) => Ok(system::same(&file.metadata()?, &there)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The lock of C-Blosc2 on a frame, which is a lock on a file next to the frame's file. If the path of the frame's file is a symbolic link,
/// there are two lock files, since C-Blosc2 puts its lock file next to the link.
///
/// The lock is taken if the lock file exists. If the environment variable `BLOSC_LOCKING` is set, a missing lock file is created.
#[derive(Debug)]
pub(super) struct Sidecars {
    files: Vec<(PathBuf, Option<fs::File>)>,
    ask: Ask,
    /// Records that this thread has locked the frame's file.
    _held: Held,
}

impl Sidecars {
    pub(super) fn lock(given: &Path, real: &Path, ask: Ask) -> Result<Self> {
        let mut files = alloc::vec![(beside(given), None)];
        if fs::symlink_metadata(given).is_ok_and(|given| given.is_symlink()) {
            files.push((beside(real), None));
        }
        let mut sidecars = Sidecars { files, ask, _held: Held::new(real) };
        sidecars.renew()?;
        Ok(sidecars)
    }

    /// Locks any lock files that were created or replaced since the last call.
    fn renew(&mut self) -> Result<()> {
        for (path, file) in &mut self.files {
            if let Some(held) = file {
                if is_at(held, path)? {
                    continue;
                }
            }
            *file = take(path, self.ask).map_err(|error| match error.kind() {
                io::ErrorKind::WouldBlock => Error::new(ErrorKind::Locked { by_this_thread: false }),
                kind => io::Error::new(kind, alloc::format!("{}: {error}", path.display())).into(),
            })?;
        }
        Ok(())
    }
}

/// Opens and locks a lock file of C-Blosc2. If the file does not exist, creates it if `BLOSC_LOCKING` is set, and otherwise returns `None`.
/// For an exclusive lock, also increments the counter of changes in the file.
fn take(path: &Path, ask: Ask) -> io::Result<Option<fs::File>> {
    loop {
        let mut options = OpenOptions::new();
        options.read(true).write(ask.exclusive || asked_for()).create(asked_for());
        // Refuse symbolic links, which may lead to any file, and do not wait for the writer of a pipe.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, system::OWN_FILE);
        let mut file = match options.open(path) {
            Ok(file) => file,
            Err(_) if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) => {
                return Err(no_sidecar("it is a symbolic link"));
            }
            // No lock file exists, perhaps because its name is too long for the system.
            Err(_) if !asked_for() && fs::symlink_metadata(path).is_err() => return Ok(None),
            Err(error) => return Err(error),
        };
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(no_sidecar(if found.is_dir() { "it is a directory" } else { "it is a pipe, a device or a socket" }));
        }
        if found.len() > SIDECAR_LEN {
            return Err(no_sidecar(&alloc::format!("it has {} bytes, and a lock file has at most {SIDECAR_LEN}", found.len())));
        }
        if_supported(system::lock_sidecar(&file, ask))?;
        if !is_at(&file, path)? {
            continue;
        }
        if ask.exclusive {
            let mut counter = Vec::new();
            file.seek(SeekFrom::Start(COUNTER_AT))?;
            (&mut file).take(8).read_to_end(&mut counter)?;
            let counter = <[u8; 8]>::try_from(counter.as_slice()).map_or(0, u64::from_ne_bytes);
            file.seek(SeekFrom::Start(COUNTER_AT))?;
            file.write_all(&counter.wrapping_add(1).to_ne_bytes())?;
        }
        return Ok(Some(file));
    }
}

fn no_sidecar(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, alloc::format!("this is where C-Blosc2 has its lock file, but {why}: rename it"))
}

fn asked_for() -> bool {
    std::env::var_os("BLOSC_LOCKING").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Returns the path of C-Blosc2's lock file for a frame.
fn beside(frame: &Path) -> PathBuf {
    if frame.file_name().is_some_and(|name| name == SPARSE_FRAME) {
        return frame.with_file_name(".b2lock");
    }
    let mut path = OsString::from(frame);
    path.push(".b2lock");
    path.into()
}

/// Locks files with `flock` on Unix. On systems other than Unix and Windows, files are not locked.
#[cfg(not(windows))]
mod system {
    use std::fs;
    use std::io;
    use std::path::Path;

    #[cfg(unix)]
    use rustix::fs::{FlockOperation, OFlags, flock};

    use super::Ask;

    /// The flags for opening a lock file: refuse symbolic links, and do not wait for the writer of a pipe.
    #[cfg(unix)]
    pub(super) const OWN_FILE: i32 = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).bits() as i32;

    #[cfg(not(unix))]
    pub(super) fn lock(_: &fs::File, _: Ask) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    #[cfg(unix)]
    pub(super) fn lock(file: &fs::File, ask: Ask) -> io::Result<()> {
        let operation = match (ask.exclusive, ask.wait) {
            (true, true) => FlockOperation::LockExclusive,
            (true, false) => FlockOperation::NonBlockingLockExclusive,
            (false, true) => FlockOperation::LockShared,
            (false, false) => FlockOperation::NonBlockingLockShared,
        };
        rustix::io::retry_on_intr(|| flock(file, operation)).map_err(of_system)
    }

    /// Converts an error of `flock`. Some network file systems without locks return `ENOLCK`. The same code can mean that the system's
    /// table of locks is full. These two cases cannot be distinguished.
    #[cfg(unix)]
    pub(super) fn of_system(error: rustix::io::Errno) -> io::Error {
        if error == rustix::io::Errno::NOLCK { io::ErrorKind::Unsupported.into() } else { error.into() }
    }

    pub(super) fn unlock(file: &fs::File) -> io::Result<()> {
        #[cfg(unix)]
        flock(file, FlockOperation::Unlock)?;
        #[cfg(not(unix))]
        let _ = file;
        Ok(())
    }

    pub(super) use lock as lock_sidecar;

    pub(super) fn open_shared(path: &Path) -> io::Result<fs::File> {
        super::super::storage::open_to_read(path)
    }

    pub(super) fn is_taken(_: &io::Error) -> bool {
        false
    }

    #[cfg(unix)]
    pub(super) fn same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
        use std::os::unix::fs::MetadataExt;

        (one.dev(), one.ino()) == (other.dev(), other.ino())
    }

    #[cfg(not(unix))]
    pub(super) fn same(_: &fs::Metadata, _: &fs::Metadata) -> bool {
        true
    }
}

/// On Windows, a lock would also prevent other processes from reading. Instead, files are opened in such a way that other processes cannot
/// open them for writing.
#[cfg(windows)]
mod system {
    use std::fs::{self, OpenOptions};
    use std::io;
    use std::os::windows::fs::OpenOptionsExt;
    use std::path::Path;

    use super::super::storage::SHARED_TO_READ;
    use super::Ask;

    const ERROR_SHARING_VIOLATION: i32 = 32;

    pub(super) fn lock(_: &fs::File, _: Ask) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn unlock(_: &fs::File) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn lock_sidecar(file: &fs::File, ask: Ask) -> io::Result<()> {
        use fs4::FileExt;
        match (ask.exclusive, ask.wait) {
            (true, true) => FileExt::lock(file),
            (true, false) => Ok(FileExt::try_lock(file)?),
            (false, true) => FileExt::lock_shared(file),
            (false, false) => Ok(FileExt::try_lock_shared(file)?),
        }
    }

    pub(super) fn open_shared(path: &Path) -> io::Result<fs::File> {
        OpenOptions::new().read(true).share_mode(SHARED_TO_READ).open(path)
    }

    pub(super) fn is_taken(error: &io::Error) -> bool {
        error.raw_os_error() == Some(ERROR_SHARING_VIOLATION)
    }

    /// Always returns true: while a file is open with `SHARED_TO_READ`, no editor can open it, so no editor replaces it.
    pub(super) fn same(_: &fs::Metadata, _: &fs::Metadata) -> bool {
        true
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Files on such a file system are edited without a lock: see `lock`.
    #[test]
    fn a_file_system_without_locks_is_one_that_does_not_support_them() {
        assert_eq!(system::of_system(rustix::io::Errno::NOLCK).kind(), io::ErrorKind::Unsupported);
        assert_eq!(system::of_system(rustix::io::Errno::WOULDBLOCK).kind(), io::ErrorKind::WouldBlock);
    }
}
