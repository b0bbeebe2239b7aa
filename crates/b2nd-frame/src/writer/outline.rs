//! [`Outline`]: the header, index and trailer of a sparse frame whose chunks a [`Source`](crate::Source) creates.

use alloc::vec::Vec;

use super::target::sealed::Target;
use super::{FrameType, Header, Writer};
use crate::error::Result;

/// The content of the file `chunks.b2frame` of a sparse frame: header, index and trailer, without the chunks. With an outline, a source can
/// present data of another format as a frame: [`Source::read`](crate::Source::read) returns the bytes of the outline, and
/// [`Source::chunk_file`](crate::Source::chunk_file) creates each chunk when the chunk is read.
pub struct Outline(());

impl Target for Outline {
    type Output = Vec<u8>;
    const FRAME_TYPE: FrameType = FrameType::Sparse;

    fn put_part(&mut self, _position: u64, _offset: usize, _part: &[u8]) -> Result<()> {
        Ok(())
    }

    fn end_parts(&mut self, number: u64, _position: u64, _length: usize) -> Result<u64> {
        Ok(number)
    }

    fn finish(self, header: &[u8], tail: &[u8]) -> Result<Vec<u8>> {
        Ok([header, tail].concat())
    }
}

impl Writer<Outline> {
    /// Starts the outline of a sparse frame. [`finish`](Writer::finish) returns its bytes.
    ///
    /// ```
    /// use b2nd_frame::{Frame, Header, Sizes, Writer};
    ///
    /// let mut writer = Writer::outline(Header::new(Sizes { typesize: 1, chunksize: 100, blocksize: 100 })?);
    /// writer.append_elsewhere(100, 40)?;
    /// let frame = Frame::open(writer.finish()?)?;
    /// assert_eq!((frame.header().nbytes(), frame.header().cbytes(), frame.offsets()?.len()), (100, 40, 1));
    /// # Ok::<(), b2nd_frame::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn outline(header: Header) -> Writer<Outline> {
        Writer::to(header, Outline(()))
    }

    /// Appends a chunk that the outline does not contain. `nbytes` is the length of the chunk's uncompressed data, and
    /// `cbytes` is the length of the chunk as stored.
    ///
    /// # Errors
    ///
    /// Fails if a chunk of this length cannot be appended: see [`append`](Writer::append).
    #[doc(hidden)]
    pub fn append_elsewhere(&mut self, nbytes: usize, cbytes: u64) -> Result<()> {
        self.check_next(nbytes)?;
        self.end_parts(usize::try_from(cbytes).unwrap_or(usize::MAX), nbytes)
    }
}
