//! Converts panics in other crates to errors.

use std::boxed::Box;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::string::String;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, Result};

std::thread_local! {
    /// Whether this thread is in a call of [`guarded`].
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// The number of calls of [`catch_panics`] that are running, in all threads.
static CATCHING: AtomicUsize = AtomicUsize::new(0);

/// Calls a codec of another crate, and returns an error if it panics, which can happen for damaged files.
///
/// # Errors
///
/// Fails if `work` panics.
pub fn guarded<T>(name: &str, work: impl FnOnce() -> T) -> Result<T> {
    GUARDED.set(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(false);
    done.map_err(|_| Error::custom(format_args!("{name} panicked")))
}

/// Calls a function of the crate `name`, which may start threads, and returns an error if it panics.
///
/// # Errors
///
/// Fails if `work` panics.
pub fn catch_panics<T>(name: &str, work: impl FnOnce() -> T) -> Result<T> {
    CATCHING.fetch_add(1, Ordering::Relaxed);
    let done = catch_unwind(AssertUnwindSafe(work));
    CATCHING.fetch_sub(1, Ordering::Relaxed);
    done.map_err(|panic| {
        let why = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Error::custom(format_args!("{name} panicked: {}", why.unwrap_or("no message")))
    })
}

/// Suppresses the messages of panics that this crate catches in code of other crates, since these panics are returned as errors. While
/// [`catch_panics`] runs, the messages of all threads are suppressed, since the called code may start threads. Other panics print their
/// messages as before.
///
/// This sets the panic hook of the process. Call it once, at the start of a program.
pub fn quiet_panics() {
    let others = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !GUARDED.get() && CATCHING.load(Ordering::Relaxed) == 0 {
            others(panic);
        }
    }));
}
