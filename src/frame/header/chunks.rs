//! What the header alone tells about chunks, before the index is read.

use core::ops::Range;

use super::{FrameType, Header};
use crate::error::{Error, Result};
use crate::frame::chunk::{Chunk, Special};
use crate::frame::metalayers::mismatch;

impl Header {
    /// The range of bytes that holds index and trailer, counted from the start of the frame: one read or range request. In a sparse
    /// frame they are in `chunks.b2frame`. See [`Offsets::from_tail`](crate::frame::Offsets::from_tail) and
    /// [`Trailer::from_tail`](crate::frame::Trailer::from_tail).
    pub fn tail_range(&self) -> Range<u64> {
        let header_len = self.header_len() as u64;
        // A resize to 0 leaves a stale cbytes.
        let chunks = match self.frame_type() {
            FrameType::Contiguous if self.nbytes != 0 => u64::try_from(self.cbytes).unwrap_or(0),
            _ => 0,
        };
        header_len.saturating_add(chunks).min(self.frame_len)..self.frame_len
    }

    /// The number of chunks. `None` if chunks vary in length, since only the index then has it.
    pub fn nchunks(&self) -> Option<u64> {
        let nbytes = u64::try_from(self.nbytes).ok()?;
        match u64::try_from(self.chunksize) {
            _ if nbytes == 0 => Some(0),
            Ok(0) | Err(_) => None,
            Ok(chunksize) => Some(nbytes.div_ceil(chunksize)),
        }
    }

    /// The length in bytes of the data of the chunk with this number. `None` if chunks vary in length.
    fn chunk_nbytes(&self, number: u64) -> Option<usize> {
        let chunksize = u64::try_from(self.chunksize).ok()?;
        let before = chunksize.checked_mul(number)?;
        let left = u64::try_from(self.nbytes).ok()?.checked_sub(before)?;
        usize::try_from(left.min(chunksize)).ok().filter(|_| !self.has_variable_chunks() && chunksize != 0)
    }

    /// The chunk with this number, which is special in the index and so takes no bytes.
    pub(in crate::frame) fn special_chunk(&self, special: Special, number: u64) -> Result<Chunk<'static>> {
        let nbytes = self.chunk_nbytes(number).ok_or_else(|| {
            Error::custom(format_args!("chunk {number} is special, and nothing says how long: chunks vary in length"))
        })?;
        let typesize = usize::try_from(self.typesize).unwrap_or(0);
        let blocksize = usize::try_from(self.blocksize).unwrap_or(0);
        Chunk::special_in_blocks(special, nbytes, typesize, blocksize).map_err(|error| error.in_chunk(number))
    }

    /// Checks that the header of a chunk that was read at byte `start` agrees with the frame's header.
    pub(in crate::frame) fn checked_chunk<'a>(&self, number: u64, start: usize, chunk: Result<Chunk<'a>>) -> Result<Chunk<'a>> {
        let chunk = match chunk {
            // Its place ends where the next chunk starts.
            Err(error) if error.is_eof() => {
                let missing = error.needed().unwrap_or(0);
                return Err(Error::custom(format_args!(
                    "chunk {number} at byte {start} reaches over the end of its place by {missing}"
                )));
            }
            chunk => chunk.map_err(|error| error.shifted(start).in_chunk(number))?,
        };
        let found = chunk.header().nbytes();
        match self.chunk_nbytes(number) {
            Some(expected) if expected != found => {
                Err(mismatch("nbytes", expected, found, start.saturating_add(4)).in_chunk(number))
            }
            _ => Ok(chunk),
        }
    }
}
