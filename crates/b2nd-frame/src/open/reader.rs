//! [`ChunkReader`]: reads a chunk in parts.

use alloc::borrow::Cow;
use core::fmt;
use core::ops::Range;

use b2nd_codec::{Blocks, ChunkHeader};

use super::{ChunkPlace, Frame};
use crate::chunk::Chunk;
use crate::error::{Error, Result};
use crate::header::over_its_place;
use crate::source::Source;

/// A reader for parts of a chunk, such as single blocks. A new `ChunkReader` has read the first bytes of the chunk, called the front, which
/// may include the table of block positions. Later it reads only the requested parts.
///
/// ```
/// use b2nd_frame::Frame;
///
/// let frame = Frame::open(std::fs::File::open("../../tests/data/example.b2nd")?)?;
/// let chunk = frame.chunk_reader(0, 64)?;
/// assert_eq!((chunk.header().cbytes(), chunk.front().len()), (1507, 64));
/// let starts = &chunk.front()[32..40];
/// let first = u32::from_le_bytes([starts[0], starts[1], starts[2], starts[3]]) as usize;
/// assert_eq!(chunk.read(first..first + 4)?.len(), 4);
/// # Ok::<(), b2nd_frame::Error>(())
/// ```
pub struct ChunkReader<'f, S> {
    frame: &'f Frame<S>,
    place: ChunkPlace,
    header: ChunkHeader,
    front: Cow<'f, [u8]>,
}

impl<S: Source> Frame<S> {
    /// Reads the header of the chunk with this index. A special chunk that is stored only as an entry in the index has no header in the
    /// frame. For such a chunk, this creates a header.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`chunk`](Frame::chunk).
    pub fn chunk_header(&self, number: u64) -> Result<ChunkHeader> {
        Ok(*self.chunk_reader(number, ChunkHeader::MAX_LEN as u64)?.header())
    }

    /// Opens the chunk with this index for reading in parts. This reads the first `front` bytes (at least the header), but not beyond the
    /// start of the next chunk or the end of the chunk's own file. If the chunk is special in the index, the front is only a header, which
    /// is created.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`chunk`](Frame::chunk).
    pub fn chunk_reader(&self, number: u64, front: u64) -> Result<ChunkReader<'_, S>> {
        self.chunk_reader_of(number, front, front)
    }

    /// Opens a chunk for reading in parts, and reads its first bytes: all bytes up to the next chunk if they are at most `at_once`,
    /// otherwise the first `front` bytes. From a chunk's own file, reads the first `at_once` bytes.
    pub(super) fn chunk_reader_of(&self, number: u64, at_once: u64, front: u64) -> Result<ChunkReader<'_, S>> {
        let place = self.place(number)?;
        let [at_once, front] = [at_once, front].map(|length| length.max(ChunkHeader::MAX_LEN as u64));
        let (start, room, bytes) = match &place {
            ChunkPlace::Special(special) => {
                let chunk = self.header.special_chunk(*special, number)?;
                let header = *chunk.header();
                return Ok(ChunkReader { frame: self, place, header, front: Cow::Owned(chunk.into_bytes()) });
            }
            ChunkPlace::Here(place) => {
                let room = place.end.saturating_sub(place.start);
                let length = if room <= at_once { room } else { front };
                (place.start, room, self.read(place.start..place.start.saturating_add(length))?)
            }
            ChunkPlace::File(file) => {
                let bytes = self.source.chunk_file(*file, 0..at_once).map_err(|error| error.in_chunk(number))?;
                let room = if (bytes.len() as u64) < at_once { bytes.len() as u64 } else { u64::MAX };
                (0, room, bytes)
            }
        };
        let header = match ChunkHeader::from_slice(&bytes).map_err(Error::from) {
            Err(error) if error.is_eof() => return Err(over_its_place(number, start, error.needed().unwrap_or(0) as u64)),
            header => {
                let at = usize::try_from(start).unwrap_or(usize::MAX);
                header.map_err(|error| error.shifted(at).in_chunk(number))?
            }
        };
        if header.cbytes() as u64 > room {
            return Err(over_its_place(number, start, header.cbytes() as u64 - room));
        }
        self.header.check_chunk(number, start, &header)?;
        Ok(ChunkReader { frame: self, place, header, front: cut(bytes, header.cbytes()) })
    }
}

/// Truncates bytes to the length of the chunk.
fn cut(bytes: Cow<'_, [u8]>, length: usize) -> Cow<'_, [u8]> {
    match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(bytes.get(..length).unwrap_or(bytes)),
        Cow::Owned(mut bytes) => {
            bytes.truncate(length);
            Cow::Owned(bytes)
        }
    }
}

impl<'f, S: Source> ChunkReader<'f, S> {
    /// Returns the chunk's header.
    pub fn header(&self) -> &ChunkHeader {
        &self.header
    }

    /// Returns the bytes that have been read from the front of the chunk, including the header. After a successful call of
    /// [`complete`](ChunkReader::complete), these are all bytes of the chunk.
    pub fn front(&self) -> &[u8] {
        &self.front
    }

    /// Reads a part of the chunk. If the front includes this part, the source is not read.
    ///
    /// # Errors
    ///
    /// Fails if the range is not inside the chunk, the source ends before the range does, or the source cannot be read.
    pub fn read(&self, range: Range<usize>) -> Result<Cow<'_, [u8]>> {
        self.check(&range)?;
        match self.front.get(range.clone()) {
            Some(bytes) => Ok(Cow::Borrowed(bytes)),
            None => self.fetch(range),
        }
    }

    /// Fills a buffer with bytes of the chunk from `start` on. If the front includes these bytes, the source is not read.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`read`](ChunkReader::read).
    pub fn read_into(&self, start: usize, buffer: &mut [u8]) -> Result<()> {
        let range = start..start.saturating_add(buffer.len());
        self.check(&range)?;
        if let Some(bytes) = self.front.get(range.clone()) {
            buffer.copy_from_slice(bytes);
            return Ok(());
        }
        if let ChunkPlace::Here(place) = &self.place {
            return self.frame.read_into(place.start.saturating_add(start as u64), buffer);
        }
        buffer.copy_from_slice(&self.fetch(range)?);
        Ok(())
    }

    /// Reads the whole chunk, unless all of it has been read already, and returns all bytes of the chunk.
    ///
    /// # Errors
    ///
    /// Fails if the source ends before the chunk does, or if the source cannot be read.
    pub fn complete(&mut self) -> Result<&[u8]> {
        if self.front.len() < self.header.cbytes() {
            self.front = self.fetch(0..self.header.cbytes())?;
        }
        Ok(&self.front)
    }

    /// Reads the whole chunk, like [`complete`](ChunkReader::complete), and returns it. `number` is the index of the chunk, for errors.
    pub(super) fn into_chunk(mut self, number: u64) -> Result<Chunk<'f>> {
        match (self.complete().map(drop), &self.place) {
            (Ok(()), _) => Ok(Chunk::new(self.header, self.front)),
            (Err(error), ChunkPlace::File(_)) => match error.needed() {
                Some(missing) => Err(over_its_place(number, 0, missing as u64)),
                None => Err(error.in_chunk(number)),
            },
            (Err(error), _) => Err(error),
        }
    }

    /// Reads only the part of the chunk that [`Blocks::new`] needs: the header, the block table and the dictionary.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`read`](ChunkReader::read) and of [`Blocks::new`]. If `Blocks::new` only needs more bytes of the chunk, this
    /// method reads these bytes instead of returning the error.
    pub fn read_block_table(&self) -> Result<Cow<'_, [u8]>> {
        let cbytes = self.header.cbytes();
        let mut length = Blocks::front_len(&self.header).min(cbytes);
        loop {
            let front = self.read(0..length)?;
            match Blocks::new(&front) {
                Ok(_) => return Ok(front),
                // Read more bytes. The missing bytes belong to the dictionary that follows the block table. The dictionary starts with its
                // own length, which must be read first.
                Err(error) => match error.needed() {
                    Some(needed @ 1..) if length < cbytes => length = length.saturating_add(needed).min(cbytes),
                    _ => return Err(error.into()),
                },
            }
        }
    }

    /// Reads exactly this range of the chunk from the source.
    fn fetch(&self, range: Range<usize>) -> Result<Cow<'f, [u8]>> {
        let (start, end) = (range.start as u64, range.end as u64);
        match &self.place {
            ChunkPlace::Here(place) => self.frame.read(place.start.saturating_add(start)..place.start.saturating_add(end)),
            ChunkPlace::File(file) => {
                let bytes = self.frame.source.chunk_file(*file, start..end)?;
                match range.len() - range.len().min(bytes.len()) {
                    0 => Ok(bytes),
                    needed => Err(Error::end(needed, range.start.saturating_add(bytes.len())).field("the chunk's file")),
                }
            }
            // A chunk that is special in the index has no bytes in the frame.
            ChunkPlace::Special(_) => Ok(Cow::Borrowed(&[])),
        }
    }

    fn check(&self, range: &Range<usize>) -> Result<()> {
        if range.start > range.end || range.end > self.header.cbytes() {
            let cbytes = self.header.cbytes();
            return Err(Error::custom(format_args!("bytes {range:?} are not inside the chunk, which has {cbytes} bytes")));
        }
        Ok(())
    }
}

impl<S: Source> fmt::Debug for ChunkReader<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChunkReader({:?}, {} bytes read)", self.header, self.front.len())
    }
}
