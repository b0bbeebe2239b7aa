//! The names of the files that contain the chunks of a sparse frame.

use alloc::format;
use alloc::string::String;

/// Returns the name of the file that contains a chunk of a sparse frame, such as `0000000A.chunk` for the number 10. Numbers come from
/// [`Offset::At`](super::Offset::At).
pub fn chunk_file_name(number: u64) -> String {
    format!("{number:08X}.chunk")
}

/// Returns the number of the chunk file with this name, or `None` if the name is not that of a chunk file.
#[cfg(feature = "std")]
pub(crate) fn chunk_number(name: &std::ffi::OsStr) -> Option<u64> {
    let number = u64::from_str_radix(name.to_str()?.strip_suffix(".chunk")?, 16).ok()?;
    (*name == *chunk_file_name(number)).then_some(number)
}
