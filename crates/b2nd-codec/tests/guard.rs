//! Panics in codecs of other crates become errors, and `quiet_panics` suppresses their messages.
#![cfg(any(feature = "zstd", feature = "plugins"))]

use std::panic::{catch_unwind, set_hook, take_hook};
use std::sync::atomic::{AtomicU32, Ordering};

use b2nd_codec::{catch_panics, guarded, quiet_panics};

#[test]
fn a_panic_of_the_codec_is_an_error_and_prints_nothing() {
    static PRINTED: AtomicU32 = AtomicU32::new(0);
    let before = take_hook();
    set_hook(Box::new(|_| {
        PRINTED.fetch_add(1, Ordering::Relaxed);
    }));
    quiet_panics();
    let error = guarded::<()>("zstd-pure-rs", || panic!("in the codec")).unwrap_err();
    assert_eq!((error.to_string().as_str(), PRINTED.load(Ordering::Relaxed)), ("zstd-pure-rs panicked", 0));
    let in_thread = || std::thread::spawn(|| panic!("in its thread")).join().unwrap_err();
    let error = catch_panics::<()>("zarrs", || std::panic::resume_unwind(in_thread())).unwrap_err();
    assert_eq!((error.to_string().as_str(), PRINTED.load(Ordering::Relaxed)), ("zarrs panicked: in its thread", 0));
    let _ = catch_unwind(|| panic!("elsewhere"));
    assert_eq!(PRINTED.load(Ordering::Relaxed), 1);
    set_hook(before);
}
