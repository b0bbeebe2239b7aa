//! A block of Arrow IPC: an error, or an array that can be printed, also as JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|block: &[u8]| {
    drop(b2nd_arrow::ipc_values(block, None));
    if let Ok(array) = b2nd_arrow::ipc_column(block, None) {
        let _ = format!("{array:?}");
    }
});
