//! [`Held`]: records which thread of this process took each lock, so that no thread waits for its own lock.

use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

static HELD: Mutex<Vec<(ThreadId, PathBuf)>> = Mutex::new(Vec::new());

/// A record that a thread took a lock on a file. Dropping a `Held`, in any thread, removes the record.
#[derive(Debug)]
pub(super) struct Held(ThreadId, PathBuf);

impl Held {
    /// Records that this thread took a lock on a file. `path` must not contain symbolic links.
    pub(super) fn new(path: &Path) -> Held {
        let held = Held(thread::current().id(), path.to_owned());
        all().push((held.0, held.1.clone()));
        held
    }

    /// Returns true if this thread took a lock on this file that is still held.
    pub(super) fn by_this_thread(path: &Path) -> bool {
        let this = thread::current().id();
        all().iter().any(|(thread, held)| *thread == this && held == path)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut all = all();
        if let Some(at) = all.iter().position(|(thread, path)| *thread == self.0 && *path == self.1) {
            all.swap_remove(at);
        }
    }
}

fn all() -> MutexGuard<'static, Vec<(ThreadId, PathBuf)>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}
