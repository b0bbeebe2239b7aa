//! Signals that end long work: what it has begun is taken away first.

use std::io::{self, Read, Write};

#[cfg(unix)]
mod signals {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, OnceLock};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    static CAUGHT: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

    /// From now on a signal is only noted; the second of a kind ends the program at once.
    pub(super) fn catch() {
        CAUGHT.get_or_init(|| {
            let caught = Arc::new(AtomicUsize::new(0));
            for signal in [SIGHUP, SIGINT, SIGTERM] {
                let is_second = Arc::new(std::sync::atomic::AtomicBool::new(false));
                // Where a signal cannot be caught it ends the program as it always did.
                let _ = signal_hook::flag::register_conditional_default(signal, is_second.clone());
                let _ = signal_hook::flag::register(signal, is_second);
                let _ = signal_hook::flag::register_usize(signal, caught.clone(), usize::try_from(signal).unwrap_or(1));
            }
            caught
        });
    }

    pub(super) fn caught() -> Option<i32> {
        let signal = CAUGHT.get().map_or(0, |caught| caught.load(Ordering::Relaxed));
        i32::try_from(signal).ok().filter(|&signal| signal != 0)
    }

    /// Ends the program as the signal would have.
    pub(super) fn end(signal: i32) {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
}

/// Runs work that leaves nothing behind when a signal stops it: it reads or writes through [`Stoppable`], which then fails.
pub(crate) fn stoppable<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(unix)]
    signals::catch();
    let done = work();
    #[cfg(unix)]
    if let Some(signal) = signals::caught() {
        signals::end(signal);
    }
    done
}

/// A reader or writer that fails after a signal.
pub(crate) struct Stoppable<T>(pub(crate) T);

fn go_on() -> io::Result<()> {
    #[cfg(unix)]
    if signals::caught().is_some() {
        return Err(io::Error::other("it was stopped"));
    }
    Ok(())
}

impl<R: Read> Read for Stoppable<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        go_on()?;
        self.0.read(buffer)
    }
}

impl<W: Write> Write for Stoppable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        go_on()?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
