//! [`Blocks`]: the positions of the blocks in a compressed chunk.

use alloc::vec::Vec;
use core::ops::Range;

use crate::available::{Backend, backend_of, is_plain};
use crate::error::{Error, Result};
use crate::filters::Pipeline;
use crate::header::ChunkHeader;
use crate::streams::{block_start, int32, stream_count};

/// The maximum length of a dictionary in bytes.
const MAX_DICTIONARY: usize = 32 << 10;

/// The block table at the start of a compressed chunk, with which single blocks can be read and decompressed.
///
/// ```text
/// header | start of each block (int32) | dictionary, if there is one: length (int32), bytes | blocks
/// ```
///
/// The documentation of [`Decompressor`](crate::Decompressor) has an example that decompresses a single block.
#[derive(Clone, Debug)]
pub struct Blocks<'a> {
    header: ChunkHeader,
    front: &'a [u8],
    count: usize,
    /// The position in the chunk before which no block can start: the end of the block table, or of the dictionary if there is one.
    blocks_at: usize,
    dictionary: Option<&'a [u8]>,
    /// The starts of the blocks in ascending order, or `None` if the block table has this order already. A block ends where the next one
    /// starts.
    sorted: Option<Vec<usize>>,
    /// The backend that decompresses the blocks, or `None` if no backend of this build can.
    pub(crate) backend: Option<Backend>,
    pub(crate) pipeline: Pipeline,
}

impl<'a> Blocks<'a> {
    /// Returns the number of bytes at the start of a chunk that [`new`](Blocks::new) needs. If the chunk has a dictionary, `new` also needs
    /// the bytes of the dictionary, which are not counted here.
    pub fn front_len(header: &ChunkHeader) -> usize {
        let table = count(header).saturating_mul(4).saturating_add(header.header_len());
        if header.has_dictionary() { table.saturating_add(4) } else { table }
    }

    /// Reads the block table of a compressed chunk, which is neither [stored uncompressed](ChunkHeader::is_stored) nor
    /// [special](ChunkHeader::special). `front` is the start of the chunk, or the whole chunk.
    ///
    /// # Errors
    ///
    /// Fails if `front` is too short ([`Error::needed`] returns the minimum number of missing bytes), the header is damaged, the chunk
    /// is not compressed, the block table does not fit into the chunk, or the dictionary is empty or longer than 32 KiB.
    pub fn new(front: &'a [u8]) -> Result<Blocks<'a>> {
        Blocks::of(ChunkHeader::from_slice(front)?, front)
    }

    /// Reads the block table like [`new`](Blocks::new), for a chunk whose header has already been read.
    pub(crate) fn of(header: ChunkHeader, front: &'a [u8]) -> Result<Blocks<'a>> {
        if is_plain(&header) {
            return Err(Error::custom("the chunk has no block table: it is stored uncompressed or has a special value"));
        }
        let front_len = Blocks::front_len(&header);
        if front_len > header.cbytes() {
            return Err(Error::custom(format_args!(
                "block table: expected {} or more bytes after the chunk's header, found {}",
                front_len - header.header_len(),
                header.cbytes() - header.header_len()
            )));
        }
        let count = count(&header);
        let table_end = header.header_len() + 4 * count;
        let missing = |length: usize| Error::end(length - front.len(), front.len()).in_field("chunk");
        let mut dictionary = None;
        let mut blocks_at = table_end;
        if header.has_dictionary() {
            let length = front.get(table_end..).and_then(|front| front.first_chunk()).ok_or_else(|| missing(front_len))?;
            let length = u32::from_le_bytes(*length) as usize;
            if !(1..=MAX_DICTIONARY).contains(&length) {
                return Err(Error::custom(format_args!("expected a dictionary of 1 to {MAX_DICTIONARY} bytes, found {length}")));
            }
            blocks_at = front_len + length;
            dictionary = Some(front.get(front_len..blocks_at).ok_or_else(|| missing(blocks_at))?);
        } else if front.len() < table_end {
            return Err(missing(table_end));
        }
        let (backend, pipeline) = (backend_of(&header).ok(), Pipeline::of(&header));
        let mut blocks = Blocks { header, front, count, blocks_at, dictionary, sorted: None, backend, pipeline };
        let starts = (0..count).map(|block| blocks.entry(block));
        if !starts.clone().is_sorted_by(|one, other| one < other) {
            let mut sorted: Vec<_> = starts.collect();
            sorted.sort_unstable();
            blocks.sorted = Some(sorted);
        }
        Ok(blocks)
    }

    /// Returns the chunk's header.
    pub fn header(&self) -> &ChunkHeader {
        &self.header
    }

    /// Returns the number of blocks.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the range of the chunk's bytes in which a block is stored.
    ///
    /// # Errors
    ///
    /// Fails if the chunk has no such block, or if the block starts outside the chunk, in its header, in the block
    /// table or in the dictionary.
    pub fn range(&self, block: usize) -> Result<Range<usize>> {
        let no_block = || {
            let (start, end) = (self.blocks_at, self.header.cbytes());
            let found = int32(self.front, self.header.header_len() + 4 * block).map_or(0, |(found, _)| found);
            Error::custom(format_args!("block {block}: expected a start in bytes {start}..{end} of the chunk, found {found}"))
        };
        if block >= self.count {
            return Err(Error::custom(format_args!("block {block} is out of range: the number of blocks is {}", self.count)));
        }
        let start = block_start(&self.header, self.front, block).filter(|&start| start >= self.blocks_at);
        let start = start.ok_or_else(no_block)?;
        let end = match &self.sorted {
            Some(sorted) => sorted.get(sorted.partition_point(|&other| other <= start)).copied(),
            None => (block + 1 < self.count).then(|| self.entry(block + 1)),
        };
        Ok(start..end.unwrap_or(usize::MAX).min(self.header.cbytes()))
    }

    /// Returns the length of an uncompressed block in bytes. Returns `None` if blocks vary in length: each block then starts with its
    /// length, in four bytes.
    pub fn data_len(&self, block: usize) -> Option<usize> {
        if self.are_variable() {
            return None;
        }
        let start = block.saturating_mul(self.header.blocksize());
        Some(self.header.nbytes().saturating_sub(start).min(self.header.blocksize()))
    }

    /// Returns true if blocks vary in length, for example if they hold cells of a table.
    pub fn are_variable(&self) -> bool {
        self.header.has_variable_blocks()
    }

    pub(crate) fn dictionary(&self) -> Option<&'a [u8]> {
        self.dictionary
    }

    pub(crate) fn streams(&self, length: usize) -> usize {
        if self.are_variable() { 1 } else { stream_count(&self.header, length) }
    }

    /// Returns the position in the chunk at which a block starts, or `usize::MAX` if it is outside the chunk.
    fn entry(&self, block: usize) -> usize {
        block_start(&self.header, self.front, block).unwrap_or(usize::MAX)
    }
}

/// Returns the number of blocks of a compressed chunk. If blocks vary in length, the header's field blocksize contains this number.
fn count(header: &ChunkHeader) -> usize {
    if header.has_variable_blocks() { header.blocksize() } else { header.nbytes().div_ceil(header.blocksize().max(1)) }
}
