//! [`Frame`]: a frame in any [`Source`].

use alloc::borrow::Cow;
use alloc::sync::Arc;
use core::fmt;
use core::ops::Range;

use b2nd_codec::{ChunkHeader, Special};

use crate::cell::Once;
use crate::chunk::{Chunk, Offset, Offsets};
use crate::error::{Error, Result};
use crate::header::{FrameType, Header};
use crate::limits::{FIRST_READ, READ_AT_ONCE, check_length};
use crate::source::Source;
use crate::trailer::Trailer;

mod reader;
pub use reader::ChunkReader;

/// A frame that is read from a [`Source`].
///
/// [`open`](Frame::open) reads the header. The index and the trailer are read when they are first needed, and kept in memory. Chunks are
/// not kept: each call reads the chunk again. For a frame in memory, [`from_slice`](Frame::from_slice) decodes the header, index and
/// trailer immediately. For frames on disk, use [`File`](super::File).
///
/// ```
/// use b2nd_frame::{Frame, Source};
///
/// fn print(source: impl Source) -> b2nd_frame::Result<()> {
///     let frame = Frame::open(source)?;
///     for number in 0..frame.offsets()?.len() {
///         let chunk = frame.chunk_header(number)?;
///         println!("chunk {number}: {} bytes, {} compressed", chunk.nbytes(), chunk.cbytes());
///     }
///     Ok(())
/// }
///
/// print(std::fs::File::open("../../tests/data/example.b2nd")?)?;
/// print(std::fs::read("../../tests/data/example.b2nd")?)?;
/// # Ok::<(), b2nd_frame::Error>(())
/// ```
#[derive(Clone)]
pub struct Frame<S> {
    source: S,
    offset: u64,
    header: Header,
    tail: Once<Arc<Tail>>,
    offsets: Once<Arc<Offsets>>,
}

/// The location of a chunk's bytes.
#[derive(Clone, Debug)]
enum ChunkPlace {
    /// The chunk is special: it has no bytes.
    Special(Special),
    /// The range of bytes that holds the chunk, counted from the start of a contiguous frame.
    Here(Range<u64>),
    /// The number in the name of the chunk's file, in the directory of a sparse frame.
    File(u64),
}

/// A trailer, and the position in the frame at which it starts.
pub(crate) struct Tail {
    pub(crate) trailer: Trailer,
    start: u64,
}

/// Returns the error for a frame that ends after `end` bytes, although at least `needed` more bytes should follow.
pub(crate) fn cut_off(end: u64, needed: u64) -> Error {
    let [needed, end] = [needed, end].map(|length| usize::try_from(length).unwrap_or(usize::MAX));
    Error::end(needed, end).field("the frame")
}

/// Reads the header of the frame that starts at byte `offset` of the source. Reads the first 4 KiB and, if the header is longer, then the
/// whole header.
pub(crate) fn read_header(source: &impl Source, offset: u64) -> Result<Header> {
    let prefix = source.read(offset..offset.saturating_add(FIRST_READ))?;
    let header = Header::from_slice(&prefix);
    let Some(needed) = header.as_ref().err().and_then(Error::needed) else { return header };
    let length = prefix.len().saturating_add(needed) as u64;
    // If the source ends before the header does, do not read the rest of the header.
    if source.len()?.saturating_sub(offset) < length {
        return header;
    }
    check_length("header", length)?;
    Header::from_slice(&source.read(offset..offset.saturating_add(length))?)
}

impl<S: Source> Frame<S> {
    /// Opens the frame at the start of a source, and reads its header.
    ///
    /// # Errors
    ///
    /// Fails if the source cannot be read or does not start with a header of a supported version, or if the header is longer than 256 MiB.
    pub fn open(source: S) -> Result<Frame<S>> {
        Frame::open_at(source, 0)
    }

    /// Opens the frame that starts at byte `offset` of a source.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](Frame::open).
    pub fn open_at(source: S, offset: u64) -> Result<Frame<S>> {
        let header = read_header(&source, offset)?;
        Ok(Frame::new(source, offset, header))
    }

    pub(crate) fn new(source: S, offset: u64, header: Header) -> Frame<S> {
        Frame { source, offset, header, tail: Once::new(), offsets: Once::new() }
    }

    /// Returns a copy of the frame that reads from another source of the same content. The header is copied, and so are the index and the
    /// trailer if they have been read, so the other source does not need to hold these parts.
    pub fn with_source<T: Source>(&self, source: T) -> Frame<T> {
        let (tail, offsets) = (self.tail.clone(), self.offsets.clone());
        Frame { source, offset: self.offset, header: self.header.clone(), tail, offsets }
    }

    /// Returns the frame's header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the source.
    pub fn source(&self) -> &S {
        &self.source
    }

    #[cfg(feature = "std")]
    pub(crate) fn into_source(self) -> S {
        self.source
    }

    /// Returns the position, in bytes, at which the frame starts in its source.
    pub fn position(&self) -> u64 {
        self.offset
    }

    /// Returns the trailer, which is read when it is first needed. Usually, it is in the last 4 KiB of the frame, and one read is enough.
    ///
    /// # Errors
    ///
    /// Fails if the source cannot be read or is shorter than the frame, or if the trailer is not valid or longer than 256 MiB.
    pub fn trailer(&self) -> Result<&Trailer> {
        Ok(&self.tail()?.trailer)
    }

    /// Returns the trailer's range of bytes, counted from the start of the frame.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`trailer`](Frame::trailer).
    pub fn trailer_range(&self) -> Result<Range<u64>> {
        let tail = self.tail()?;
        Ok(tail.start..tail.start.saturating_add(tail.trailer.trailer_len() as u64))
    }

    fn tail(&self) -> Result<&Tail> {
        if let Some(tail) = self.tail.get() {
            return Ok(tail);
        }
        let tail = self.read_tail()?;
        Ok(self.tail.get_or_init(|| Arc::new(tail)))
    }

    /// Reads the last 4 KiB of the frame, and then the whole trailer if it is longer or, in a frame without data, may start elsewhere.
    fn read_tail(&self) -> Result<Tail> {
        let (header_len, end) = (self.header.header_len() as u64, self.header.frame_len());
        let mut start = end.saturating_sub(FIRST_READ).max(header_len);
        let mut tail = self.read(start..end)?;
        let length = Trailer::len_in(&tail).unwrap_or(0);
        // In a frame without data, C-Blosc2 reads the trailer that follows the header, even if the frame ends with another trailer.
        let is_first = self.header.nbytes() == 0;
        if (is_first && start > header_len) || length > tail.len() as u64 {
            start = if is_first { header_len } else { end.saturating_sub(length).max(header_len) };
            let range = start..end.min(start.saturating_add(length));
            check_length("trailer", range.end.saturating_sub(range.start))?;
            tail = self.read(range)?;
        }
        // The index precedes the trailer. If the bytes of the index have been read too, they are not read again.
        let index = self.header.tail_range().start.checked_sub(start).and_then(|at| tail.get(usize::try_from(at).ok()?..));
        if let Some(Ok(offsets)) = index.map(|index| Offsets::from_tail(&self.header, index)) {
            self.offsets.get_or_init(|| Arc::new(offsets));
        }
        let trailer = if is_first { Trailer::first_in(&tail) } else { Trailer::from_tail(&tail) };
        let trailer = trailer.map_err(|error| error.shifted(usize::try_from(start).unwrap_or(usize::MAX)))?;
        let before = if is_first { 0 } else { tail.len().saturating_sub(trailer.trailer_len()) };
        Ok(Tail { trailer, start: start.saturating_add(before as u64) })
    }

    /// Returns the chunk index, which is read when it is first needed, together with the trailer if both are short.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Offsets::from_tail`]. Also fails if the source cannot be read, or the index is longer than 256
    /// MiB.
    pub fn offsets(&self) -> Result<&Offsets> {
        let place = self.header.tail_range();
        if self.offsets.get().is_none() && place.end.saturating_sub(place.start) <= FIRST_READ {
            let _ = self.tail(); // Ignore errors, which `trailer` returns.
        }
        if let Some(offsets) = self.offsets.get() {
            return Ok(offsets);
        }
        let index = if self.header.nbytes() == 0 { Cow::Borrowed([].as_slice()) } else { self.read_index()? };
        let offsets = Offsets::from_tail(&self.header, &index).map_err(|error| error.complete("the frame"))?;
        Ok(self.offsets.get_or_init(|| Arc::new(offsets)))
    }

    /// Reads the index chunk. If at most 1 MiB lies between the start of the index and the end of the frame, reads all of it in one
    /// request. Otherwise reads the header of the index chunk first, which gives the chunk's length, and then only the chunk.
    fn read_index(&self) -> Result<Cow<'_, [u8]>> {
        let place = self.header.tail_range();
        let length = place.end.saturating_sub(place.start);
        if length <= READ_AT_ONCE {
            return self.read(place);
        }
        let header = self.read(place.start..place.start.saturating_add(ChunkHeader::MAX_LEN as u64))?;
        let Ok(cbytes) = ChunkHeader::from_slice(&header).map(|header| header.cbytes() as u64) else { return Ok(header) };
        check_length("index", cbytes.min(length))?;
        self.read(place.start..place.start.saturating_add(cbytes.min(length)))
    }

    /// Reads a range of bytes, counted from the start of the frame, such as [`Offsets::range`] or a part of it.
    ///
    /// # Errors
    ///
    /// Fails if the source ends before the range does, or if the source cannot be read.
    pub fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let length = range.end.saturating_sub(range.start);
        let end = self.source.len()?.saturating_sub(self.offset);
        if end < range.end {
            return Err(cut_off(end, range.end - end));
        }
        let place = |at: u64| self.offset.saturating_add(at);
        let bytes = self.source.read(place(range.start)..place(range.end).max(place(range.start)))?;
        match length - length.min(bytes.len() as u64) {
            0 => Ok(bytes),
            needed => Err(cut_off(range.start.saturating_add(bytes.len() as u64), needed)),
        }
    }

    /// Fills a buffer with the bytes of the frame from position `start` on. The position is counted from the start of the frame.
    ///
    /// # Errors
    ///
    /// Fails if the source ends before the buffer is full, or if the source cannot be read.
    pub fn read_into(&self, start: u64, buffer: &mut [u8]) -> Result<()> {
        self.source.read_into(self.offset.saturating_add(start), buffer)
    }

    /// Reads the chunk with this index, from the frame or from the chunk's own file. Creates the chunk if it is special in the index.
    ///
    /// # Errors
    ///
    /// Fails if the frame has no such chunk, the index or the chunk's header is not valid, the chunk does not match the index or the
    /// frame's header, or the source cannot be read.
    pub fn chunk(&self, number: u64) -> Result<Chunk<'_>> {
        self.chunk_reader_of(number, READ_AT_ONCE, 0)?.into_chunk(number)
    }

    fn place(&self, number: u64) -> Result<ChunkPlace> {
        let offsets = self.offsets()?;
        Ok(match (offsets.expect(number)?, self.header.frame_type()) {
            (Offset::Special(special), _) => ChunkPlace::Special(special),
            (Offset::At(_), FrameType::Contiguous) => ChunkPlace::Here(offsets.range(number).unwrap_or_default()),
            (Offset::At(file), FrameType::Sparse) => ChunkPlace::File(file),
        })
    }
}

impl<S: Source> fmt::Debug for Frame<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Frame({} bytes, {:?})", self.header.frame_len(), self.header.metalayers())
    }
}
