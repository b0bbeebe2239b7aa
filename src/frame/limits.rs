//! Limits on the number of bytes that are read from a frame in one request.

use crate::error::{Error, Result};

/// The number of bytes that are read at the start of a frame for the header, and at its end for the trailer. 99.8% of the headers of known
/// files are not longer.
pub const FIRST_READ: u64 = 4096;

/// The longest range up to the next chunk that is read in one request, without reading the chunk's header first.
pub(super) const READ_AT_ONCE: u64 = 1 << 20;

/// The maximum length of a header, an index or a trailer that is read. A small sparse file could claim 2 GiB.
pub const LONGEST: u64 = 1 << 28;

/// Checks that a header, index or trailer is not longer than [`LONGEST`]. `part` names it in the error.
pub(super) fn check_length(part: &str, length: u64) -> Result<()> {
    if length > LONGEST {
        return Err(Error::custom(format_args!("the {part} has {length} bytes; the limit is {LONGEST}")));
    }
    Ok(())
}
