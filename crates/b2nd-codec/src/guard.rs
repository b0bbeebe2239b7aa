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

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use std::boxed::Box;
    use std::panic::{catch_unwind, set_hook, take_hook};
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn a_panic_of_the_codec_is_an_error_and_prints_nothing() {
        static PRINTED: AtomicU32 = AtomicU32::new(0);
        let before = take_hook();
        set_hook(Box::new(|_| {
            PRINTED.fetch_add(1, Ordering::Relaxed);
        }));
        super::quiet_panics();
        let error = super::guarded::<()>("zstd-pure-rs", || panic!("in the codec")).unwrap_err();
        assert_eq!((error.to_string().as_str(), PRINTED.load(Ordering::Relaxed)), ("zstd-pure-rs panicked", 0));
        let _ = catch_unwind(|| panic!("elsewhere"));
        assert_eq!(PRINTED.load(Ordering::Relaxed), 1);
        set_hook(before);
    }
}
