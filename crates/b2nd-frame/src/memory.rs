//! [`Frame::from_slice`]: a contiguous frame in memory.

use crate::error::{Error, Result};
use crate::header::{FrameType, Header};
use crate::open::{Frame, cut_off};
use crate::source::Buffer;

impl<'a> Frame<Buffer<&'a [u8]>> {
    /// Decodes the header, index and trailer of the frame at the start of `frame`, and ignores any bytes after it. The bytes may come from
    /// a file that was read or mapped, an HDF5 chunk, an ASDF block or a member of a zip archive.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Header::from_slice`], [`trailer`](Frame::trailer) and [`offsets`](Frame::offsets). Also fails if `frame` is
    /// shorter than the length in its header, or if the frame is sparse, since its chunks are in other files.
    ///
    /// ```
    /// let file = std::fs::read("../../tests/data/example.b2nd")?;
    /// let frame = b2nd_frame::Frame::from_slice(&file)?;
    /// for number in 0..frame.offsets()?.len() {
    ///     let chunk = frame.chunk(number)?;
    ///     println!("chunk {number}: {} bytes, {} compressed", chunk.header().nbytes(), chunk.header().cbytes());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_slice(frame: &'a [u8]) -> Result<Self> {
        let header = Header::from_slice(frame)?;
        if header.frame_type() == FrameType::Sparse {
            return Err(Error::custom("the chunks of a sparse frame are separate files: open the directory of the frame"));
        }
        let Some(source) = usize::try_from(header.frame_len()).ok().and_then(|length| frame.get(..length)) else {
            return Err(cut_off(frame.len() as u64, header.frame_len() - frame.len() as u64));
        };
        let frame = Frame::new(Buffer(source), 0, header);
        frame.trailer()?;
        frame.offsets()?;
        Ok(frame)
    }
}
