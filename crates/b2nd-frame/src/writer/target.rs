//! [`Target`]: the destinations of a [`Writer`].

use alloc::vec::Vec;

use super::Writer;
use crate::error::{Error, Result};
use crate::header::{FrameType, Header};

/// The destination of a [`Writer`], such as [`Memory`], [`OneFile`](crate::OneFile) or [`Directory`](crate::Directory). Other crates
/// cannot implement this trait.
pub trait Target: sealed::Target {}

impl<T: sealed::Target> Target for T {}

pub(crate) mod sealed {
    use crate::error::Result;
    use crate::header::FrameType;

    pub trait Target {
        /// The value that `Writer::finish` returns: the bytes of a frame in memory or of an outline, or `()` for a frame on disk.
        type Output;
        const FRAME_TYPE: FrameType;

        /// Writes a part of the next chunk to the position `offset` bytes after the start of the chunk. In a contiguous frame, the chunk
        /// starts `position` bytes after the header.
        fn put_part(&mut self, position: u64, offset: usize, part: &[u8]) -> Result<()>;

        /// Completes the chunk with this index. All of its `length` bytes must have been written by [`put_part`](Target::put_part).
        /// Returns the chunk's entry in the index: `position`, which counts from the end of the header, in a contiguous frame, or the
        /// number of the chunk's file in a sparse frame.
        fn end_parts(&mut self, number: u64, position: u64, length: usize) -> Result<u64>;

        /// Completes the frame with its header and with `tail`: the index and the trailer.
        fn finish(self, header: &[u8], tail: &[u8]) -> Result<Self::Output>;
    }
}

/// A frame in memory. [`Writer::finish`] returns its bytes.
#[derive(Default, Debug)]
pub struct Memory {
    chunks: Vec<u8>,
    /// The position in `chunks` at which the last appended chunk ends. Parts of the next chunk may follow.
    end: usize,
}

impl sealed::Target for Memory {
    type Output = Vec<u8>;
    const FRAME_TYPE: FrameType = FrameType::Contiguous;

    fn put_part(&mut self, position: u64, offset: usize, part: &[u8]) -> Result<()> {
        let at = usize::try_from(position).ok().and_then(|position| position.checked_add(offset));
        put_at(&mut self.chunks, at.unwrap_or(usize::MAX), part)
    }

    fn end_parts(&mut self, _number: u64, position: u64, length: usize) -> Result<u64> {
        self.end = usize::try_from(position).unwrap_or(usize::MAX).saturating_add(length);
        Ok(position)
    }

    fn finish(self, header: &[u8], tail: &[u8]) -> Result<Vec<u8>> {
        Ok([header, self.chunks.get(..self.end).unwrap_or(&self.chunks), tail].concat())
    }
}

impl Writer<Memory> {
    /// Creates a writer of a frame in memory.
    #[must_use]
    pub fn new(header: Header) -> Self {
        Writer::to(header, Memory::default())
    }
}

/// Writes bytes at a position in a buffer, and extends the buffer if necessary.
pub(crate) fn put_at(buffer: &mut Vec<u8>, at: usize, bytes: &[u8]) -> Result<()> {
    at.checked_add(bytes.len()).ok_or_else(|| Error::custom("the chunk does not fit in memory"))?;
    buffer.resize(at.max(buffer.len()), 0);
    let (over, after) = bytes.split_at(bytes.len().min(buffer.len() - at));
    buffer[at..at + over.len()].copy_from_slice(over);
    buffer.extend_from_slice(after);
    Ok(())
}
