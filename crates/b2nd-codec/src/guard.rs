//! Converts panics of codecs in other crates to errors.

use std::boxed::Box;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};

use crate::error::{Error, Result};

std::thread_local! {
    /// Whether this thread is running a codec of another crate.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Calls a codec of another crate, and returns an error if it panics, which can happen for damaged files.
pub(crate) fn guarded<T>(name: &str, work: impl FnOnce() -> T) -> Result<T> {
    GUARDED.set(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(false);
    done.map_err(|_| Error::custom(format_args!("{name} panicked")))
}

/// Suppresses the messages of panics in codecs of other crates, since these panics are returned as errors. Other panics print their
/// messages as before.
///
/// This sets the panic hook of the process. Call it once, at the start of a program.
pub fn quiet_panics() {
    let others = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !GUARDED.get() {
            others(panic);
        }
    }));
}
