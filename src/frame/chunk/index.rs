//! [`Offsets`]: where a frame's chunks are.

use alloc::vec::Vec;

use super::header::{ChunkHeader, Special};
use super::{Chunk, Decompress};
use crate::error::{Error, Result};
use crate::frame::header::{FrameType, Header};
use crate::frame::metalayers::mismatch;
use crate::frame::trailer::Trailer;

/// The position of the header's cbytes.
const CBYTES_AT: usize = 0x26;

/// Where one chunk is.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Offset {
    /// In a contiguous frame the chunk's first byte, counted from the end of the header; in a sparse frame the number of
    /// the chunk's file.
    At(u64),
    /// Nowhere: all its elements are this.
    Special(Special),
}

impl Offset {
    /// The offset as the index holds it: negative where the chunk is special.
    fn from_raw(raw: i64) -> Option<Offset> {
        match u64::try_from(raw) {
            Ok(at) => Some(Offset::At(at)),
            // The other bytes mean nothing, and C-Blosc2 does not look at them.
            Err(_) => match raw.to_be_bytes()[0] {
                0x81 => Some(Offset::Special(Special::Zeros)),
                0x82 => Some(Offset::Special(Special::Nan)),
                0x84 => Some(Offset::Special(Special::Uninitialized)),
                _ => None,
            },
        }
    }

    /// See [`from_raw`](Offset::from_raw).
    pub(in crate::frame) fn to_raw(self) -> Option<i64> {
        match self {
            Offset::At(at) => i64::try_from(at).ok(),
            Offset::Special(special) => Some(i64::from_be_bytes([0x80 | special.code(), 0, 0, 0, 0, 0, 0, 0])),
        }
    }
}

/// The chunk index of a frame: an [`Offset`] a chunk.
///
/// An index that says one thing of millions of chunks (an array of zeros) takes no memory for each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offsets {
    index: Index,
    /// Where chunks start, in order, to find where one ends.
    starts: Vec<u64>,
    /// Where the last one ends.
    end: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Index {
    Each(Vec<Offset>),
    All(Offset, usize),
}

impl Offsets {
    /// Decodes the index from the end of a frame: the bytes of [`Header::tail_range`], or of any part of the frame that starts
    /// with the index chunk and ends where the frame does. `decompress` is asked only where the index is compressed (few are); `()` refuses.
    ///
    /// # Errors
    ///
    /// Another number of chunks than the header says, an offset outside the frame, two chunks at one place, a special value
    /// that is not known.
    ///
    /// ```
    /// use b2nd::frame::{Header, Offsets, Trailer};
    ///
    /// // A remote reader needs two requests: the header, and what this range holds.
    /// let file = std::fs::read("tests/data/example.b2nd")?;
    /// let header = Header::from_slice(&file[..4096])?;
    /// let tail = header.tail_range();
    /// let tail = &file[tail.start as usize..tail.end as usize];
    /// assert_eq!(Offsets::from_tail(&header, tail, ())?.len(), 8);
    /// assert_eq!(Trailer::from_tail(tail)?.vlmetalayers().len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_tail(header: &Header, tail: &[u8], decompress: impl Decompress) -> Result<Offsets> {
        let end = match header.frame_type() {
            FrameType::Contiguous => u64::try_from(header.cbytes()).unwrap_or(0),
            FrameType::Sparse => u64::MAX,
        };
        if header.nbytes() == 0 {
            return Ok(Offsets { index: Index::Each(Vec::new()), starts: Vec::new(), end });
        }
        let room = header.frame_len().saturating_sub(header.header_len() as u64);
        if header.frame_type() == FrameType::Contiguous && !u64::try_from(header.cbytes()).is_ok_and(|cbytes| cbytes <= room) {
            return Err(mismatch("cbytes", format_args!("0 to {room}"), header.cbytes(), CBYTES_AT));
        }
        let start = usize::try_from(header.tail_range().start).unwrap_or(0);
        // What stands between the index and the trailer is an older trailer.
        let trailer = Trailer::start_in(tail).map_err(|error| error.shifted(start))?;
        let index = Offsets::read_index(&tail[..trailer], header.nchunks(), decompress);
        let index = index.map_err(|error| error.shifted(start).field("index"))?;
        Ok(Offsets { starts: index.starts(end)?, index, end })
    }

    fn read_index(bytes: &[u8], nchunks: Option<u64>, decompress: impl Decompress) -> Result<Index> {
        let chunk = Chunk::from_slice(bytes)?;
        let header: &ChunkHeader = chunk.header();
        if header.nbytes() % 8 != 0 {
            return Err(mismatch("nbytes", "a multiple of 8", header.nbytes(), 4));
        }
        let count = header.nbytes() / 8;
        // Before anything is decompressed: an index can claim 2 GiB.
        if let Some(expected) = nchunks.filter(|&expected| u64::try_from(count) != Ok(expected)) {
            return Err(Error::message(format_args!("expected {expected} offsets, as the header's sizes say, found {count}")));
        }
        let decode = |index: usize, bytes: &[u8]| {
            let mut raw = [0; 8];
            raw.copy_from_slice(bytes);
            let raw = i64::from_le_bytes(raw);
            Offset::from_raw(raw)
                .ok_or_else(|| Error::message(format_args!("offset {raw:#x} of chunk {index} is no special value")))
        };
        match (header.special(), chunk.value()) {
            (Some(Special::Zeros), _) => Ok(Index::All(Offset::At(0), count)),
            (Some(Special::Value), Some(value)) if value.len() == 8 => Ok(Index::All(decode(0, value)?, count)),
            (Some(special), _) => Err(Error::message(format_args!("the index chunk holds no offsets: all of it is {special}"))),
            (None, _) => {
                let data = chunk.data(decompress)?;
                data.chunks_exact(8)
                    .enumerate()
                    .map(|(index, bytes)| decode(index, bytes))
                    .collect::<Result<_>>()
                    .map(Index::Each)
            }
        }
    }

    /// How many chunks there are.
    pub fn len(&self) -> usize {
        match &self.index {
            Index::Each(offsets) => offsets.len(),
            Index::All(_, count) => *count,
        }
    }

    /// Whether there are no chunks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where a chunk is, by its number.
    pub fn get(&self, chunk: usize) -> Option<Offset> {
        match &self.index {
            Index::Each(offsets) => offsets.get(chunk).copied(),
            Index::All(offset, count) => (chunk < *count).then_some(*offset),
        }
    }

    /// Where each chunk is, in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Offset> {
        (0..self.len()).map(|chunk| self.get(chunk).unwrap_or(Offset::Special(Special::Uninitialized)))
    }

    /// The chunk's number that is asked for, checked.
    pub(in crate::frame) fn at(&self, chunk: usize) -> Result<Offset> {
        self.get(chunk).ok_or_else(|| Error::message(format_args!("chunk {chunk} of {}: there is none", self.len())))
    }

    /// Where a chunk that starts at `start` must have ended: at the next one, or with the last.
    pub(in crate::frame) fn limit(&self, start: u64) -> u64 {
        let next = self.starts.partition_point(|&other| other <= start);
        self.starts.get(next).copied().unwrap_or(self.end)
    }
}

impl Index {
    /// Where chunks start, in order.
    fn starts(&self, end: u64) -> Result<Vec<u64>> {
        let mut starts = match self {
            Index::Each(offsets) => {
                let mut starts = Vec::with_capacity(offsets.len());
                for (chunk, offset) in offsets.iter().enumerate() {
                    match *offset {
                        Offset::At(at) if at < end => starts.push(at),
                        Offset::At(at) => return Err(outside(chunk, at, end)),
                        Offset::Special(_) => {}
                    }
                }
                starts
            }
            Index::All(Offset::At(at), _) if *at >= end => return Err(outside(0, *at, end)),
            Index::All(Offset::At(at), 1) => Vec::from([*at]),
            Index::All(Offset::At(at), _) => return Err(overlap(*at)),
            Index::All(Offset::Special(_), _) => Vec::new(),
        };
        starts.sort_unstable();
        match starts.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(overlap(pair[0])),
            None => Ok(starts),
        }
    }
}

#[cold]
fn outside(chunk: usize, at: u64, end: u64) -> Error {
    Error::message(format_args!("index: chunk {chunk} is at offset {at}, all chunks end at {end}"))
}

#[cold]
fn overlap(at: u64) -> Error {
    Error::message(format_args!("index: two chunks are at offset {at}"))
}
