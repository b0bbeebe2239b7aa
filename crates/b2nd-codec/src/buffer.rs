//! Buffers that are used again.

use alloc::vec::Vec;

use crate::error::{Error, Result};

/// Returns the front of a buffer, which grows to this length. Bytes that are already there are not cleared, since they are overwritten.
pub(crate) fn front(buffer: &mut Vec<u8>, length: usize) -> Result<&mut [u8]> {
    if buffer.len() < length {
        buffer.try_reserve_exact(length - buffer.len()).map_err(|_| Error::out_of_memory(length))?;
        buffer.resize(length, 0);
    }
    Ok(buffer.get_mut(..length).unwrap_or_default())
}
