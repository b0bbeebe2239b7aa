//! Replaces the storage of a thread, for tests of failed writes. This module exists only in builds with debug assertions.

use alloc::sync::Arc;
use core::cell::RefCell;

use super::Storage;

std::thread_local! {
    static REPLACED: RefCell<Option<Arc<dyn Storage>>> = const { RefCell::new(None) };
}

/// Returns the storage that replaces the disk in this thread, if a test has set one.
pub(super) fn replaced() -> Option<Arc<dyn Storage>> {
    REPLACED.try_with(|replaced| replaced.borrow().clone()).ok().flatten()
}

/// A guard that restores the previous storage of the thread when it is dropped.
#[must_use]
#[derive(Debug)]
pub struct Replaced(Option<Arc<dyn Storage>>);

/// Replaces the storage to which this thread writes files, until the returned guard is dropped.
pub fn replace_storage(storage: Arc<dyn Storage>) -> Replaced {
    Replaced(REPLACED.replace(Some(storage)))
}

impl Drop for Replaced {
    fn drop(&mut self) {
        REPLACED.set(self.0.take());
    }
}
