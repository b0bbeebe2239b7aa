//! A function for buffers that are reused.

use alloc::vec::Vec;

use crate::error::{Error, Result};

/// Returns the first `length` bytes of a buffer, and extends the buffer if it is shorter. The bytes may have old content.
pub(crate) fn front(buffer: &mut Vec<u8>, length: usize) -> Result<&mut [u8]> {
    if buffer.len() < length {
        buffer.try_reserve_exact(length - buffer.len()).map_err(|_| Error::out_of_memory(length))?;
        buffer.resize(length, 0);
    }
    Ok(buffer.get_mut(..length).unwrap_or_default())
}
