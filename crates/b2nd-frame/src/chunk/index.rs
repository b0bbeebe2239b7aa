//! [`Offsets`]: the index of a frame, with the location of each chunk.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use b2nd_codec::{ChunkHeader, CodecId, Filter, Special};

use super::{Chunk, OFFSET};
use crate::error::{Error, Result};

/// The location of one chunk.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Offset {
    /// In a contiguous frame, the position of the chunk's first byte, counted from the end of the header. In a sparse frame, the number in
    /// the name of the chunk's file.
    At(u64),
    /// The chunk has no bytes in the frame: all its elements have the same value, or all are uninitialized.
    Special(Special),
}

impl Offset {
    /// Decodes an entry of the index, which is negative if the chunk has no bytes in the frame. Returns `None` if the special value is
    /// unknown, or is [`Special::Value`], which an entry cannot hold.
    fn from_raw(raw: i64) -> Option<Offset> {
        match u64::try_from(raw) {
            Ok(at) => Some(Offset::At(at)),
            // The most significant byte gives the special value. C-Blosc2 ignores the other bytes.
            Err(_) => {
                let special = Special::from_code(raw.to_be_bytes()[0] & 0x7f);
                special.filter(|special| *special != Special::Value).map(Offset::Special)
            }
        }
    }

    /// Returns the entry of the index for this offset, or `None` if the offset is 2^63 or more.
    pub(crate) fn to_raw(self) -> Option<i64> {
        match self {
            Offset::At(at) => i64::try_from(at).ok(),
            Offset::Special(special) => Some(i64::from_be_bytes([0x80 | special.code(), 0, 0, 0, 0, 0, 0, 0])),
        }
    }
}

/// The chunk index of a frame: one [`Offset`] per chunk.
///
/// C-Blosc2 compresses an index if compression makes it shorter, which is usually the case from about ten chunks on. It uses BloscLZ and
/// the shuffle filter, unless environment variables such as `BLOSC_COMPRESSOR` are set. This crate decodes an index without the feature
/// `codecs`, and rejects an index with another codec or filter.
///
/// If all entries are equal, as in the index of an array of zeros, the index chunk can store the entry only once. Such an index takes
/// constant memory.
#[derive(Clone, PartialEq, Eq)]
pub struct Offsets {
    /// The offset of each chunk, or a single offset if the index chunk stores only one, which then applies to all chunks.
    offsets: Vec<Offset>,
    /// The number of chunks.
    count: usize,
    /// In a contiguous frame, the position at which the header ends and the chunks start. `None` in a sparse frame.
    chunks_start: Option<u64>,
    /// The positions at which chunks start, counted from the end of the header, in ascending order. They are used to look up the end of a
    /// chunk: it ends at the latest where the next chunk starts. In a sparse frame, these are the numbers of the chunks' files.
    starts: Vec<u64>,
    /// The position at which the chunks end, counted from the end of the header, or `u64::MAX` in a sparse frame.
    end: u64,
}

impl Offsets {
    /// Creates the index of a frame without chunks.
    pub(crate) fn empty(chunks_start: Option<u64>, end: u64) -> Offsets {
        Offsets { offsets: Vec::new(), count: 0, chunks_start, starts: Vec::new(), end }
    }

    /// Decodes the index at the start of `tail`. Fails if the index is not valid, if its chunk has more than `limit` bytes, or if `nchunks`
    /// is given and differs from the number of entries. Positions in errors count from the start of `tail`.
    pub(crate) fn read(tail: &[u8], limit: u64, nchunks: Option<u64>, chunks_start: Option<u64>, end: u64) -> Result<Offsets> {
        let index = ChunkHeader::from_slice(tail).map_err(Error::from).and_then(|chunk| match chunk.cbytes() {
            cbytes if cbytes as u64 > limit => Err(Error::mismatch("cbytes", format_args!("at most {limit}"), cbytes, 12)),
            _ => decode_all(&Chunk::from_slice(tail)?, nchunks),
        });
        let (offsets, count) = index.map_err(|error| error.field("index"))?;
        Ok(Offsets { starts: starts(&offsets, count, end)?, offsets, count, chunks_start, end })
    }

    /// Returns the number of chunks.
    pub fn len(&self) -> u64 {
        self.count as u64
    }

    /// Returns true if there are no chunks.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the offset of the chunk with this index, or `None` if the frame has no such chunk.
    pub fn get(&self, chunk: u64) -> Option<Offset> {
        let chunk = usize::try_from(chunk).ok().filter(|&chunk| chunk < self.count)?;
        self.offsets.get(chunk).or(self.offsets.first()).copied()
    }

    /// Returns an iterator over the offsets of all chunks, from the first chunk to the last.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Offset> {
        (0..self.count).map(|chunk| self.get(chunk as u64).unwrap_or(Offset::Special(Special::Uninitialized)))
    }

    /// Returns the range of bytes that holds the chunk with this index, counted from the start of a contiguous frame. Read this range, in
    /// one read or range request, and pass its bytes to [`Chunk::from_slice`]. The range ends where the next chunk in the frame starts, or
    /// at the end of all chunks. The chunk itself may end earlier, since replaced chunks can leave gaps in a frame that was edited.
    ///
    /// Returns `None` if the chunk has no bytes in the frame ([`Offset::Special`]), if the frame is sparse ([`get`](Offsets::get) returns
    /// the number of the chunk's file), or if the frame has no such chunk.
    pub fn range(&self, chunk: u64) -> Option<Range<u64>> {
        match (self.get(chunk)?, self.chunks_start) {
            (Offset::At(at), Some(start)) => Some(start.checked_add(at)?..start.checked_add(self.limit(at))?),
            _ => None,
        }
    }

    /// Returns the offset of the chunk with this index, or an error if the frame has no such chunk.
    pub(crate) fn expect(&self, chunk: u64) -> Result<Offset> {
        let refused = || Error::custom(format_args!("chunk {chunk} is out of range: the number of chunks is {}", self.len()));
        self.get(chunk).ok_or_else(refused)
    }

    /// Returns the last position at which the chunk that starts at `start` may end. This is the start of the next chunk or, for the last
    /// chunk, the end of all chunks. Positions count from the end of the header.
    fn limit(&self, start: u64) -> u64 {
        let next = self.starts.partition_point(|&other| other <= start);
        self.starts.get(next).copied().unwrap_or(self.end)
    }
}

impl fmt::Debug for Offsets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Offsets({} chunks)", self.len())
    }
}

/// Decodes the chunk that holds the index. Returns the fields `offsets` and `count` of [`Offsets`]. Fails if the index is not valid, or if
/// `nchunks` is given and differs from the number of entries.
fn decode_all(chunk: &Chunk<'_>, nchunks: Option<u64>) -> Result<(Vec<Offset>, usize)> {
    let header: &ChunkHeader = chunk.header();
    if header.nbytes() % 8 != 0 {
        return Err(Error::mismatch("nbytes", "a multiple of 8", header.nbytes(), 4));
    }
    let count = header.nbytes() / 8;
    // Check the number of offsets before allocating memory for them, since an index chunk of only 32 bytes can claim to hold 2 GiB.
    if let Some(expected) = nchunks.filter(|&expected| expected != count as u64) {
        return Err(Error::custom(format_args!("offsets: expected {expected}, as the header's sizes say, found {count}")));
    }
    match (header.special(), chunk.value()) {
        (Some(Special::Zeros), _) => return Ok((Vec::from([Offset::At(0)]), count)),
        (Some(Special::Value), Some(value)) if value.len() == OFFSET => return Ok((Vec::from([decode(0, value)?]), count)),
        (Some(special), _) => {
            return Err(Error::custom(format_args!("expected offsets, found a special chunk ({special})")));
        }
        (None, _) => {}
    }
    // C-Blosc2 splits an index into blocks of 2048 offsets. A block takes at least 8 bytes: its entry in the block table, and the
    // length of a stream. So an index has at most 256 offsets per compressed byte.
    let limit = header.cbytes().saturating_mul(256);
    if count > limit {
        let cbytes = header.cbytes();
        return Err(Error::custom(format_args!("expected at most {limit} offsets in a chunk of {cbytes} bytes, found {count}")));
    }
    let decompressed;
    let bytes = match chunk.stored() {
        Some(bytes) => bytes,
        None => {
            check_pipeline(header)?;
            decompressed = chunk.data()?;
            &decompressed
        }
    };
    let offsets = bytes.chunks_exact(8).enumerate().map(|(index, bytes)| decode(index, bytes));
    Ok((offsets.collect::<Result<_>>()?, count))
}

/// Returns the positions at which chunks start, in ascending order: the field `starts` of [`Offsets`]. Fails if two chunks start at the
/// same position, or a chunk starts at or after `end`.
fn starts(offsets: &[Offset], count: usize, end: u64) -> Result<Vec<u64>> {
    let mut starts = Vec::with_capacity(offsets.len());
    for (chunk, offset) in offsets.iter().take(count).enumerate() {
        match *offset {
            Offset::At(at) if at < end => starts.push(at),
            Offset::At(at) => {
                return Err(Error::custom(format_args!("index: chunk {chunk} is at offset {at}, but the chunks end at {end}")));
            }
            Offset::Special(_) => {}
        }
    }
    starts.sort_unstable();
    let repeated = starts.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
    match repeated.or(starts.first().copied().filter(|_| count > offsets.len())) {
        Some(at) => Err(Error::custom(format_args!("index: more than one chunk has the offset {at}"))),
        None => Ok(starts),
    }
}

/// Returns an error if the codec of an index is not BloscLZ, or if the index has a filter other than a single shuffle.
fn check_pipeline(header: &ChunkHeader) -> Result<()> {
    let codec = header.codec();
    if codec != CodecId::BloscLz {
        return Err(Error::custom(format_args!("expected the codec blosclz, found {codec}")));
    }
    let mut filters = header.filters().map(|(filter, _)| filter);
    match (filters.next(), filters.next()) {
        (None, _) | (Some(Filter::Shuffle), None) => Ok(()),
        (Some(Filter::Shuffle), Some(other)) | (Some(other), _) => {
            Err(Error::custom(format_args!("expected no filters except one shuffle, found another: {other}")))
        }
    }
}

/// Decodes one entry of the index, a little-endian `i64`. `chunk` is the index of the chunk, for the error.
fn decode(chunk: usize, bytes: &[u8]) -> Result<Offset> {
    let raw = i64::from_le_bytes(bytes.first_chunk().copied().unwrap_or_default());
    let unknown = || Error::custom(format_args!("offset {raw:#x} of chunk {chunk} is not a valid special value"));
    Offset::from_raw(raw).ok_or_else(unknown)
}
