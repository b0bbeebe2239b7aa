//! Removes unfinished new files and directories when a signal such as SIGINT ends the program.

/// SIGXFSZ, which the system sends if a write exceeds the limit on the length of files. If the signal is handled, the write returns an
/// error.
#[cfg(unix)]
const FILE_TOO_LONG: i32 = rustix::process::Signal::XFSZ.as_raw();

/// Makes SIGHUP, SIGINT and SIGTERM remove the files and directories that `b2nd_frame` has not finished before they end the program. The
/// temporary directories of `Piped` remain.
#[cfg(unix)]
pub(crate) fn clean_up() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    static ONCE: std::sync::Once = std::sync::Once::new();

    // If the handler cannot be installed, signals end the program without removing anything.
    ONCE.call_once(|| {
        let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGTERM, FILE_TOO_LONG]) else { return };
        std::thread::spawn(move || {
            for signal in signals.forever().filter(|&signal| signal != FILE_TOO_LONG) {
                let _held = b2nd_frame::remove_temporary_files();
                let _ = emulate_default_handler(signal);
            }
        });
    });
}

#[cfg(not(unix))]
pub(crate) fn clean_up() {}
