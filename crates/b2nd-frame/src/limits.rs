//! Limits on the number of bytes that are read from a frame in one request.

use crate::error::{Error, Result};

/// The number of bytes that are read first from a frame's start, to get the header, and from its end, to get the trailer.
pub const FIRST_READ: u64 = 4096;

/// In a contiguous frame, a whole chunk is read in one request if at most this many bytes lie between its start and the start of the next
/// chunk. Otherwise, the chunk's header is read first, which gives the chunk's length.
pub(crate) const READ_AT_ONCE: u64 = 1 << 20;

/// The maximum length, in bytes, of a header, index or trailer that is read from a source. Without a limit, a reader might have to allocate
/// gigabytes for a file that has holes and takes little space on disk.
pub const LONGEST: u64 = 1 << 28;

/// Checks that a header, index or trailer is not longer than [`LONGEST`]. `part` is the name of this part in the error.
pub(crate) fn check_length(part: &str, length: u64) -> Result<()> {
    if length > LONGEST {
        return Err(Error::custom(format_args!("the {part} has {length} bytes; the limit is {LONGEST}")));
    }
    Ok(())
}
