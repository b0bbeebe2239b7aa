//! [`Frame::from_slice`]: a contiguous frame in memory.

use alloc::borrow::Cow;
use core::fmt;
use core::ops::Range;

use b2nd_codec::ChunkHeader;

use super::chunk::{Chunk, Offset, Offsets};
use super::header::{FrameType, Header};
use super::open::{Frame, Tail, cut_off, read_offsets};
use super::source::slice;
use super::trailer::Trailer;
use crate::error::{Error, Result};

/// A whole contiguous frame in borrowed memory: a file that was read or mapped, an HDF5 chunk, an ASDF block or a zip member.
///
/// ```
/// let file = std::fs::read("tests/data/example.b2nd")?;
/// let frame = b2nd::frame::Frame::from_slice(&file)?;
/// for number in 0..frame.offsets().len() {
///     let chunk = frame.chunk(number)?;
///     println!("chunk {number}: {} bytes, {} compressed", chunk.header().nbytes(), chunk.header().cbytes());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl<'a> Frame<&'a [u8]> {
    /// Decodes header, index and trailer of the frame at the front of `frame`, and ignores what follows it.
    ///
    /// # Errors
    ///
    /// Those of [`Header::from_slice`], [`Trailer::from_slice`] and [`Offsets::from_tail`]. Also, `frame` is shorter than its frame_len,
    /// or the frame is sparse, so that its chunks are elsewhere.
    pub fn from_slice(frame: &'a [u8]) -> Result<Frame<&'a [u8]>> {
        let header = Header::from_slice(frame)?;
        if header.frame_type() == FrameType::Sparse {
            return Err(Error::custom("a sparse frame does not hold its chunks: it is read from its directory"));
        }
        let Some(source) = usize::try_from(header.frame_len()).ok().and_then(|length| frame.get(..length)) else {
            return Err(cut_off(frame.len() as u64, header.frame_len() - frame.len() as u64));
        };
        let read = |range| Ok(Cow::Borrowed(slice(source, range)));
        let tail = Tail::read(&header, read)?;
        let offsets = read_offsets(&header, read)?;
        Ok(Frame { source, offset: 0, header, tail, offsets })
    }

    /// The frame's header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The frame's trailer.
    pub fn trailer(&self) -> &Trailer {
        &self.tail.trailer
    }

    /// The trailer's range of bytes, counted from the start of the frame.
    pub fn trailer_range(&self) -> Range<u64> {
        self.tail.start..self.tail.start.saturating_add(self.trailer().trailer_len() as u64)
    }

    /// The places of the chunks.
    pub fn offsets(&self) -> &Offsets {
        &self.offsets
    }

    /// The chunk with this number. A chunk that is special in the index gets the header that C-Blosc2 would give it.
    ///
    /// # Errors
    ///
    /// There is no such chunk, or its header disagrees with the index or the frame's header.
    pub fn chunk(&self, number: u64) -> Result<Chunk<'a>> {
        if let Offset::Special(special) = self.offsets.expect(number)? {
            return self.header.special_chunk(special, number);
        }
        let place = self.offsets.range(number).unwrap_or_default();
        self.header.checked_chunk(number, place.start, Chunk::from_slice(slice(self.source, place.clone())))
    }

    /// The header of the chunk with this number.
    ///
    /// # Errors
    ///
    /// Those of [`chunk`](Frame::chunk).
    pub fn chunk_header(&self, number: u64) -> Result<ChunkHeader> {
        Ok(*self.chunk(number)?.header())
    }
}

impl Clone for Frame<&[u8]> {
    fn clone(&self) -> Self {
        let Frame { source, offset, header, tail, offsets } = self;
        Frame { source, offset: *offset, header: header.clone(), tail: tail.clone(), offsets: offsets.clone() }
    }
}

impl fmt::Debug for Frame<&[u8]> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Frame { source, header, offsets, .. } = self;
        let vlmetalayers = self.trailer().vlmetalayers();
        write!(f, "Frame({} bytes, {offsets:?}, {:?}, {vlmetalayers:?})", source.len(), header.metalayers())
    }
}
