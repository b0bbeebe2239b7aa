//! A block of Arrow IPC: an error, or an array that can be printed.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|block: &[u8]| {
    if let Ok(array) = b2nd_arrow::ipc_column(block, None) {
        let _ = format!("{array:?}");
    }
});
