//! [`Frame`]: a contiguous frame in memory.

use core::fmt;

use super::chunk::{Chunk, Offset, Offsets};
use super::header::{FrameType, Header};
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
#[derive(Clone)]
pub struct Frame<'a> {
    /// The frame alone, without what follows it.
    bytes: &'a [u8],
    header: Header,
    trailer: Trailer,
    offsets: Offsets,
}

impl fmt::Debug for Frame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Frame { bytes, header, trailer, offsets } = self;
        write!(f, "Frame({} bytes, {offsets:?}, {:?}, {:?})", bytes.len(), header.metalayers(), trailer.vlmetalayers())
    }
}

impl<'a> Frame<'a> {
    /// Decodes header, index and trailer of the frame at the front of `frame`, and ignores what follows it.
    ///
    /// # Errors
    ///
    /// Those of [`Header::from_slice`], [`Trailer::from_slice`] and [`Offsets::from_tail`]. Also, `frame` is shorter than its frame_len,
    /// or the frame is sparse, so that its chunks are elsewhere.
    pub fn from_slice(frame: &'a [u8]) -> Result<Frame<'a>> {
        let header = Header::from_slice(frame)?;
        if header.frame_type() == FrameType::Sparse {
            return Err(Error::custom("a sparse frame does not hold its chunks: it is read from its directory"));
        }
        let Some(bytes) = usize::try_from(header.frame_len()).ok().and_then(|length| frame.get(..length)) else {
            let needed = usize::try_from(header.frame_len() - frame.len() as u64).unwrap_or(usize::MAX);
            return Err(Error::end(needed, frame.len()).field("the frame"));
        };
        let start = header.header_len();
        let tail = bytes.get(start..).unwrap_or_default();
        let trailer = Trailer::after(&header, tail).map_err(|error| error.shifted(start))?;
        let index_start = usize::try_from(header.tail_range().start).unwrap_or(usize::MAX);
        let offsets = Offsets::from_tail(&header, bytes.get(index_start..).unwrap_or_default())
            .map_err(|error| error.complete("the place of the index"))?;
        Ok(Frame { bytes, header, trailer, offsets })
    }

    /// The frame's header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The frame's trailer.
    pub fn trailer(&self) -> &Trailer {
        &self.trailer
    }

    /// Where the chunks are.
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
        let [start, end] = [place.start, place.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        self.header.checked_chunk(number, start, Chunk::from_slice(self.bytes.get(start..end).unwrap_or_default()))
    }
}
