//! [`Frame`]: a frame that is read in ranges.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use b2nd::frame::{ChunkHeader, FrameType, Header, Offsets, Trailer};
use b2nd::{Error, Result};

use crate::source::Source;

/// How much is read first, and how much of the end. 99.8% of known headers fit.
const FIRST_READ: u64 = 4096;

/// The longest header, index or trailer that is read. A file may say 2 GiB and be a hole.
const LONGEST: u64 = 1 << 28;

/// An index whose place is no longer is read at once.
const LONG_INDEX: u64 = 1 << 20;

/// The length of a chunk's header.
const CHUNK_HEADER: u64 = 32;

/// How far before the end of a trailer its length stands, and how long that is.
const TRAILER_LEN: Range<usize> = 18..22;

/// A frame in a [`Source`]. Its header has been read; the rest is read when it is asked for.
pub struct Frame<'s> {
    source: &'s dyn Source,
    offset: u64,
    header: Header,
    tail: OnceCell<Tail>,
}

/// A frame's trailer, its bytes, and where they start in the frame.
pub struct Tail {
    /// What the trailer says.
    pub trailer: Trailer,
    /// The same, as it is stored.
    pub bytes: Vec<u8>,
    /// Where it starts, counted from the frame's first byte.
    pub start: u64,
}

impl<'s> Frame<'s> {
    /// Reads the header of the frame that starts at this byte of a source.
    ///
    /// # Errors
    ///
    /// The source fails, or does not hold a frame there.
    pub fn open(source: &'s dyn Source, offset: u64) -> Result<Frame<'s>> {
        let mut first = source.read(offset..offset.saturating_add(FIRST_READ))?;
        let header = loop {
            match Header::from_slice(&first) {
                Ok(header) => break header,
                Err(error) => {
                    let Some(needed) = error.needed() else { return Err(error) };
                    let length = (first.len() + needed) as u64;
                    let end = offset.saturating_add(length);
                    if end > source.len() {
                        return Err(error);
                    }
                    not_longest("header", length)?;
                    let more = source.read(offset..end)?;
                    // The file has become shorter than its source says.
                    if more.len() <= first.len() {
                        return Err(error);
                    }
                    first = more;
                }
            }
        };
        Ok(Frame { source, offset, header, tail: OnceCell::new() })
    }

    /// What the header says.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Where the frame starts in its source.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How many bytes the source has from the frame's first one on.
    pub fn source_len(&self) -> u64 {
        self.source.len().saturating_sub(self.offset)
    }

    /// The header's bytes.
    ///
    /// # Errors
    ///
    /// The source fails.
    pub fn header_bytes(&self) -> Result<Cow<'_, [u8]>> {
        self.read(0..self.header.header_len() as u64)
    }

    /// Bytes of the frame.
    ///
    /// # Errors
    ///
    /// The source fails, or ends before the frame does.
    pub fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let end = self.source_len();
        if range.end > end {
            return Err(Error::custom(format_args!(
                "the file is cut off: it ends at byte {end} of the frame, whose header says {}",
                self.header.frame_len()
            )));
        }
        let place = |at: u64| self.offset.saturating_add(at);
        Ok(self.source.read(place(range.start)..place(range.end))?)
    }

    /// The trailer.
    ///
    /// # Errors
    ///
    /// It cannot be read, or the source fails.
    pub fn tail(&self) -> Result<&Tail> {
        if let Some(tail) = self.tail.get() {
            return Ok(tail);
        }
        let (header_len, end) = (self.header.header_len() as u64, self.header.frame_len());
        let mut start = end.saturating_sub(FIRST_READ).max(header_len);
        let mut tail = self.read(start..end)?;
        if let Some(length) = trailer_len(&tail).filter(|&length| length > tail.len() as u64) {
            start = end.saturating_sub(length).max(header_len);
            not_longest("trailer", end - start)?;
            tail = self.read(start..end)?;
        }
        let trailer = Trailer::from_tail(&tail).map_err(|error| error.shifted(usize::try_from(start).unwrap_or(0)))?;
        let skipped = tail.len().saturating_sub(trailer.trailer_len());
        let bytes = tail.get(skipped..).unwrap_or_default().to_vec();
        Ok(self.tail.get_or_init(|| Tail { trailer, bytes, start: start + skipped as u64 }))
    }

    /// Where the chunks are.
    ///
    /// # Errors
    ///
    /// The index cannot be read, or the source fails.
    pub fn offsets(&self) -> Result<Offsets> {
        let range = self.header.tail_range();
        let mut end = range.end;
        if end - range.start.min(end) > LONG_INDEX {
            // The place of the index may be a hole of any length in the file: the index says how long it is.
            let first = self.read(range.start..range.start + CHUNK_HEADER)?;
            let length = ChunkHeader::from_slice(&first).map_or(CHUNK_HEADER, |header| header.cbytes() as u64);
            end = range.start.saturating_add(length).min(end);
            not_longest("index", end - range.start)?;
        }
        Offsets::from_tail(&self.header, &self.read(range.start..end)?)
    }

    /// The header of the chunk that starts `at` bytes after the frame's header, or of a sparse frame's chunk file with this number.
    ///
    /// # Errors
    ///
    /// There is no chunk, or it cannot be read.
    pub fn chunk_header(&self, at: u64) -> Result<ChunkHeader> {
        if self.header.frame_type() == FrameType::Sparse {
            return ChunkHeader::from_slice(&self.source.chunk_file(at, CHUNK_HEADER as usize)?);
        }
        let start = at.saturating_add(self.header.header_len() as u64);
        let end = start.saturating_add(CHUNK_HEADER).min(self.header.frame_len());
        let header = ChunkHeader::from_slice(&self.read(start.min(end)..end)?);
        header.map_err(|error| error.shifted(usize::try_from(start).unwrap_or(0)))
    }

    /// The bytes of the chunk that starts `at` bytes after the frame's header, or of a sparse frame's chunk file with this number.
    ///
    /// # Errors
    ///
    /// There is no chunk, or it cannot be read.
    pub fn chunk_bytes(&self, at: u64) -> Result<Vec<u8>> {
        let length = self.chunk_header(at)?.cbytes();
        if self.header.frame_type() == FrameType::Sparse {
            return Ok(self.source.chunk_file(at, length)?);
        }
        let start = at.saturating_add(self.header.header_len() as u64);
        Ok(self.read(start..start.saturating_add(length as u64))?.into_owned())
    }
}

fn not_longest(part: &str, length: u64) -> Result<()> {
    if length > LONGEST {
        return Err(Error::custom(format_args!("the {part} has {length} bytes, and more than {LONGEST} are not read")));
    }
    Ok(())
}

fn trailer_len(tail: &[u8]) -> Option<u64> {
    let end = tail.len();
    let digits = tail.get(end.checked_sub(TRAILER_LEN.end)?..end - TRAILER_LEN.start)?;
    Some(crate::marker::number(digits))
}

/// The name of the file of a sparse frame's chunk.
pub fn chunk_file_name(number: u64) -> String {
    format!("{number:08X}.chunk")
}
