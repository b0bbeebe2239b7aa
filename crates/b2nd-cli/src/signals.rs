//! Signals that end a command that writes: its temporary files are taken away first.

/// From now on a signal ends the program at once, whatever it waits for, and leaves no temporary files.
#[cfg(unix)]
pub(crate) fn clean_up() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    static ONCE: std::sync::Once = std::sync::Once::new();

    // A signal that cannot be caught ends the program as it always did.
    ONCE.call_once(|| {
        let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGTERM]) else { return };
        std::thread::spawn(move || {
            for signal in signals.forever() {
                b2nd::frame::remove_temporary_files();
                let _ = emulate_default_handler(signal);
            }
        });
    });
}

#[cfg(not(unix))]
pub(crate) fn clean_up() {}
