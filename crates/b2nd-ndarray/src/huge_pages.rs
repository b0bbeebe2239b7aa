//! Huge pages for large results.
#![allow(unsafe_code)]

/// The minimum length of a buffer, in bytes, for which huge pages are requested. NumPy uses the same minimum.
#[cfg(target_os = "linux")]
const LARGE: usize = 4 << 20;

/// The usual size of a huge page in bytes.
#[cfg(target_os = "linux")]
const PAGE: usize = 2 << 20;

/// Asks Linux to use huge pages for memory that will be filled, since allocating small pages can take a large part of the time of a read.
pub(crate) fn advise(memory: &mut [u8]) {
    #[cfg(target_os = "linux")]
    if memory.len() >= LARGE {
        let start = memory.as_ptr().align_offset(PAGE);
        if let Some(pages) = memory.get_mut(start..) {
            let length = pages.len() / PAGE * PAGE;
            // SAFETY: the pages lie inside memory that is borrowed mutably here, and the advice does not change their content.
            // If the kernel has no huge pages, the call fails and has no effect.
            let _ = unsafe { rustix::mm::madvise(pages.as_mut_ptr().cast(), length, rustix::mm::Advice::LinuxHugepage) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}
