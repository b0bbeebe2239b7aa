//! Methods of [`Header`] about chunks and the index.

use core::ops::Range;

use b2nd_codec::{ChunkHeader, Special};

use super::{FrameType, Header, HeaderField};
use crate::chunk::{Chunk, Offsets};
use crate::error::{Error, Result};
use crate::trailer;

impl Header {
    /// Returns the range of bytes that holds the index and the trailer, counted from the start of the frame (of `chunks.b2frame`, if the
    /// frame is sparse). [`Offsets::from_tail`](crate::Offsets::from_tail) and
    /// [`Trailer::from_tail`](crate::Trailer::from_tail) decode these bytes.
    pub fn tail_range(&self) -> Range<u64> {
        let header_len = self.header_len() as u64;
        // Ignore cbytes if nbytes is 0: after a resize to 0 elements, cbytes can still have its old value.
        let chunks = match self.frame_type() {
            FrameType::Contiguous if self.nbytes != 0 => u64::try_from(self.cbytes).unwrap_or(0),
            _ => 0,
        };
        header_len.saturating_add(chunks).min(self.frame_len)..self.frame_len
    }

    /// Returns the number of chunks, which is 0 if the frame has no data. Returns `None` if the frame has data but its chunksize is 0,
    /// since chunks vary in length. In that case, only the index gives the number of chunks.
    pub fn nchunks(&self) -> Option<u64> {
        let nbytes = u64::try_from(self.nbytes).ok()?;
        match u64::try_from(self.chunksize) {
            _ if nbytes == 0 => Some(0),
            Ok(0) | Err(_) => None,
            Ok(chunksize) => Some(nbytes.div_ceil(chunksize)),
        }
    }

    /// Returns the uncompressed length in bytes of the chunk with this index, or `None` if chunks vary in length or the frame's data ends
    /// before the start of this chunk.
    fn chunk_nbytes(&self, number: u64) -> Option<usize> {
        let chunksize = u64::try_from(self.chunksize).ok()?;
        let before = chunksize.checked_mul(number)?;
        let left = u64::try_from(self.nbytes).ok()?.checked_sub(before)?;
        usize::try_from(left.min(chunksize)).ok().filter(|_| !self.has_variable_chunks() && chunksize != 0)
    }

    /// Creates the chunk with this index from its special value in the index.
    pub(crate) fn special_chunk(&self, special: Special, number: u64) -> Result<Chunk<'static>> {
        let nbytes = self.chunk_nbytes(number).ok_or_else(|| {
            Error::custom(format_args!("chunk {number} is special in the index, and the header does not determine its length"))
        })?;
        let typesize = usize::try_from(self.typesize).unwrap_or(0);
        let blocksize = usize::try_from(self.blocksize).unwrap_or(0);
        Chunk::special_in_blocks(special, nbytes, typesize, blocksize).map_err(|error| error.in_chunk(number))
    }

    /// Checks that the chunk has the uncompressed length that the frame's header gives. `start` is the position of the chunk, for the
    /// error.
    pub(crate) fn check_chunk(&self, number: u64, start: u64, chunk: &ChunkHeader) -> Result<()> {
        let at = usize::try_from(start).unwrap_or(usize::MAX);
        match self.chunk_nbytes(number) {
            Some(expected) if expected != chunk.nbytes() => {
                Err(Error::mismatch("nbytes", expected, chunk.nbytes(), at.saturating_add(4)).in_chunk(number))
            }
            _ => Ok(()),
        }
    }
}

/// Returns the error for a chunk that needs at least `missing` more bytes than there are up to the next chunk or the end.
pub(crate) fn over_its_place(number: u64, start: u64, missing: u64) -> Error {
    let s = if missing == 1 { "" } else { "s" };
    Error::custom(format_args!("chunk {number} at byte {start} has too few bytes: it needs at least {missing} more byte{s}"))
}

impl Offsets {
    /// Decodes the index at the start of `tail`, which holds the bytes of [`Header::tail_range`], or at least the bytes of the index chunk.
    /// Bytes after the index chunk are ignored.
    ///
    /// # Errors
    ///
    /// Fails if `tail` ends within the index chunk. [`is_eof`](Error::is_eof) then returns true, and [`needed`](Error::needed) returns the
    /// number of missing bytes: up to the end of the chunk, or, if `tail` ends within the chunk's header, at most up to the end of this
    /// header. Also fails if the header's cbytes does not fit the frame, the number of chunks differs from the number in the header, a
    /// chunk starts at or after the end of the chunks, two chunks have the same offset, a special value is not valid, or the index chunk is
    /// damaged, overlaps the trailer, or is compressed with a codec other than BloscLZ or a filter other than shuffle.
    ///
    /// ```
    /// use b2nd_frame::{Header, Offsets, Trailer};
    ///
    /// // A remote reader needs one request for the header, one for the tail, and one for each chunk.
    /// let file = std::fs::read("../../tests/data/example.b2nd")?;
    /// let header = Header::from_slice(&file[..4096])?;
    /// let tail = header.tail_range();
    /// let tail = &file[tail.start as usize..tail.end as usize];
    /// let offsets = Offsets::from_tail(&header, tail)?;
    /// assert_eq!(offsets.len(), 8);
    /// assert_eq!(offsets.range(0), Some(320..1827));
    /// assert_eq!(Trailer::from_tail(tail)?.vlmetalayers().len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_tail(header: &Header, tail: &[u8]) -> Result<Offsets> {
        let is_contiguous = header.frame_type() == FrameType::Contiguous;
        let cbytes = u64::try_from(header.cbytes()).ok();
        let end = if is_contiguous { cbytes.unwrap_or(0) } else { u64::MAX };
        let chunks_start = is_contiguous.then_some(header.header_len() as u64);
        if header.nbytes() == 0 {
            return Ok(Offsets::empty(chunks_start, end));
        }
        let room = header.frame_len().saturating_sub(header.header_len() as u64);
        if is_contiguous && cbytes.is_none_or(|cbytes| cbytes > room) {
            return Err(Error::mismatch("cbytes", format_args!("0 to {room}"), header.cbytes(), HeaderField::CBYTES.marker()));
        }
        let place = header.tail_range();
        let start = usize::try_from(place.start).unwrap_or(usize::MAX);
        let limit = (place.end - place.start).saturating_sub(trailer::SHORTEST as u64);
        Offsets::read(tail, limit, header.nchunks(), chunks_start, end).map_err(|error| error.shifted(start))
    }
}
