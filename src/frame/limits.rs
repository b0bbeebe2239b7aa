//! Limits on what is read of a frame at once.

use crate::error::{Error, Result};

/// The number of bytes that are read first, and last: 99.8% of the headers seen fit.
pub const FIRST_READ: u64 = 4096;

/// The longest range up to the next chunk that is read in one request, without reading the chunk's header first.
pub(super) const READ_AT_ONCE: u64 = 1 << 20;

/// The most bytes of a header, an index or a trailer that are read. A file may claim 2 GiB and be a hole.
pub const LONGEST: u64 = 1 << 28;

/// Checks the length of a part of a frame: its header, index or trailer.
pub(super) fn check_length(part: &str, length: u64) -> Result<()> {
    if length > LONGEST {
        return Err(Error::custom(format_args!("the {part} has {length} bytes, and more than {LONGEST} are not read")));
    }
    Ok(())
}
