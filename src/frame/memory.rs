//! [`Frame`]: a contiguous frame in memory.

use core::cell::OnceCell;

use super::chunk::{Chunk, Decompress, Offset, Offsets};
use super::header::{FrameType, Header};
use super::trailer::Trailer;
use crate::error::{Error, Result};

/// A whole contiguous frame in memory, borrowed: a file read or mapped, the content of an HDF5 chunk, an ASDF block or a
/// zip member.
///
/// ```
/// let file = std::fs::read("tests/data/example.b2nd")?;
/// let frame = b2nd::frame::Frame::from_slice(&file)?;
/// for number in 0..frame.offsets(())?.len() {
///     let chunk = frame.chunk(number)?;
///     println!("chunk {number}: {} bytes, {} compressed", chunk.header().nbytes(), chunk.header().cbytes());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    /// The frame alone, without what follows it.
    bytes: &'a [u8],
    header: Header,
    trailer: Trailer,
    offsets: OnceCell<Offsets>,
}

impl<'a> Frame<'a> {
    /// Decodes header and trailer of the frame at the front of `frame`; what follows it is not looked at.
    ///
    /// # Errors
    ///
    /// Those of [`Header::from_slice`] and [`Trailer::from_slice`]; a frame_len that `frame` does not hold; a sparse frame,
    /// whose chunks are not in it.
    pub fn from_slice(frame: &'a [u8]) -> Result<Frame<'a>> {
        let header = Header::from_slice(frame)?;
        if header.frame_type() == FrameType::Sparse {
            return Err(Error::message("a sparse frame does not hold its chunks: it is read from its directory"));
        }
        let frame_len = usize::try_from(header.frame_len()).unwrap_or(usize::MAX);
        let Some(bytes) = frame.get(..frame_len) else {
            return Err(Error::end(frame_len - frame.len(), frame.len()).field("the frame"));
        };
        let start = header.header_len();
        let tail = bytes.get(start..).unwrap_or_default();
        let trailer = Trailer::from_tail(tail).map_err(|error| error.shifted(start))?;
        Ok(Frame { bytes, header, trailer, offsets: OnceCell::new() })
    }

    /// The frame's header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The frame's trailer.
    pub fn trailer(&self) -> &Trailer {
        &self.trailer
    }

    /// Where the chunks are. The index is decoded the first time; `decompress` is asked only where it is compressed.
    pub fn offsets(&self, decompress: impl Decompress) -> Result<&Offsets> {
        if let Some(offsets) = self.offsets.get() {
            return Ok(offsets);
        }
        let start = usize::try_from(self.header.tail_range().start).unwrap_or(usize::MAX);
        let offsets = Offsets::from_tail(&self.header, self.bytes.get(start..).unwrap_or_default(), decompress)?;
        Ok(self.offsets.get_or_init(|| offsets))
    }

    /// A chunk by its number. One that the index calls special gets the header that C-Blosc2 would give it.
    ///
    /// # Errors
    ///
    /// There is no such chunk; its header disagrees with its place; the index is compressed, and
    /// [`offsets`](Frame::offsets) has not been asked for with a decompressor.
    pub fn chunk(&self, number: usize) -> Result<Chunk<'a>> {
        let offsets = self.offsets(())?;
        match offsets.at(number)? {
            Offset::Special(special) => self.header.special_chunk(special, number),
            Offset::At(at) => {
                let place = |at| self.header.header_len().saturating_add(usize::try_from(at).unwrap_or(usize::MAX));
                let (start, end) = (place(at), place(offsets.limit(at)));
                self.header.checked_chunk(number, start, Chunk::from_slice(self.bytes.get(start..end).unwrap_or_default()))
            }
        }
    }
}
