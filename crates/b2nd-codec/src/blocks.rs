//! [`Blocks`]: where the blocks of a compressed chunk are.

use std::borrow::Cow;
use std::ops::Range;

use b2nd::frame::raw::{block_start, front_ends, stream_count};
use b2nd::frame::{ChunkHeader, ChunkReader, Filter, Source};
use b2nd::{Error, Result};

/// Bit 0 of the flags in byte 30: blocks vary in length, and each starts with its own.
const HAS_VARIABLE_BLOCKS: u8 = 0x01;

/// The longest dictionary in bytes.
const MAX_DICTIONARY: usize = 32 << 10;

/// Blocks of a compressed chunk, as its front describes them: enough to read and decompress any of them alone.
///
/// ```text
/// header | start of each block (int32) | dictionary, if there is one: length (int32), bytes | blocks
/// ```
///
/// [`Decoder::block`](crate::Decoder::block) shows how a block is read.
#[derive(Clone, Debug)]
pub struct Blocks<'a> {
    header: ChunkHeader,
    front: &'a [u8],
    count: usize,
    /// The first byte at which a block can start.
    blocks_at: usize,
    dictionary: Option<&'a [u8]>,
    /// The starts in order, where the table has them in another: then a block ends at the next of them.
    sorted: Option<Vec<usize>>,
}

impl<'a> Blocks<'a> {
    /// The bytes of the front of a chunk that [`new`](Blocks::new) needs. A dictionary makes them more.
    pub fn front_len(header: &ChunkHeader) -> usize {
        let table = count(header).saturating_mul(4).saturating_add(header.header_len());
        if header.has_dictionary() { table.saturating_add(4) } else { table }
    }

    /// Reads the bytes of the front of a chunk that [`new`](Blocks::new) needs, and no more: the block table and the dictionary.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Blocks::new) but a front that is too short, and those of [`ChunkReader::read`].
    pub fn read_front<'c, S: Source>(chunk: &'c ChunkReader<'_, S>) -> Result<Cow<'c, [u8]>> {
        let cbytes = chunk.header().cbytes();
        let mut length = Blocks::front_len(chunk.header()).min(cbytes);
        loop {
            let front = chunk.read(0..length)?;
            match Blocks::new(&front) {
                Ok(_) => return Ok(front),
                // A dictionary follows the table, and says its own length.
                Err(error) => match error.needed() {
                    Some(needed @ 1..) if length < cbytes => length = length.saturating_add(needed).min(cbytes),
                    _ => return Err(error),
                },
            }
        }
    }

    /// Reads the block table at the front of a chunk that is neither stored nor special. `front` may be the whole chunk.
    ///
    /// # Errors
    ///
    /// If the front is too short, [`Error::needed`] gives the number of missing bytes. Other errors: the chunk has no blocks, or its
    /// dictionary is longer than 32 KiB.
    pub fn new(front: &'a [u8]) -> Result<Blocks<'a>> {
        let header = ChunkHeader::from_slice(front)?;
        if header.is_stored() || header.special().is_some() {
            return Err(Error::custom("the chunk is not compressed: it has no blocks"));
        }
        let front_len = Blocks::front_len(&header);
        if front_len > header.cbytes() {
            return Err(Error::custom(format_args!(
                "expected a block table of {} bytes, the chunk has {}",
                front_len - header.header_len(),
                header.cbytes() - header.header_len()
            )));
        }
        let count = count(&header);
        let table_end = header.header_len() + 4 * count;
        let missing = |length: usize| front_ends(length - front.len(), front.len());
        let mut dictionary = None;
        let mut blocks_at = table_end;
        if header.has_dictionary() {
            let length = front.get(table_end..).and_then(|front| front.first_chunk()).ok_or_else(|| missing(front_len))?;
            let length = usize::try_from(i32::from_le_bytes(*length)).unwrap_or(usize::MAX);
            if !(1..=MAX_DICTIONARY).contains(&length) {
                return Err(Error::custom(format_args!("expected a dictionary of 1 to {MAX_DICTIONARY} bytes, found {length}")));
            }
            blocks_at = front_len + length;
            dictionary = Some(front.get(front_len..blocks_at).ok_or_else(|| missing(blocks_at))?);
        } else if front.len() < table_end {
            return Err(missing(table_end));
        }
        let mut blocks = Blocks { header, front, count, blocks_at, dictionary, sorted: None };
        let mut last = 0;
        let mut ascending = true;
        for block in 0..count {
            let start = blocks.entry(block);
            ascending &= start > last;
            last = start;
        }
        if !ascending {
            let mut sorted: Vec<_> = (0..count).map(|block| blocks.entry(block)).collect();
            sorted.sort_unstable();
            blocks.sorted = Some(sorted);
        }
        Ok(blocks)
    }

    /// The chunk's header.
    pub fn header(&self) -> &ChunkHeader {
        &self.header
    }

    /// The number of blocks.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The bytes of the chunk that hold a block.
    ///
    /// # Errors
    ///
    /// There is no such block, or it starts where no block can.
    pub fn range(&self, block: usize) -> Result<Range<usize>> {
        let no_block = || {
            let cbytes = self.header.cbytes();
            Error::custom(format_args!("block {block} is not in the chunk, which has {cbytes} bytes"))
        };
        if block >= self.count {
            return Err(no_block());
        }
        let start = block_start(&self.header, self.front, block).map_err(|_| no_block())?;
        if start < self.blocks_at {
            return Err(no_block());
        }
        let end = match &self.sorted {
            Some(sorted) => sorted.get(sorted.partition_point(|&other| other <= start)).copied(),
            None => (block + 1 < self.count).then(|| self.entry(block + 1)),
        };
        Ok(start..end.unwrap_or(usize::MAX).min(self.header.cbytes()))
    }

    /// The length of a block's data in bytes. `None` if blocks vary in length: then the first four bytes of the block say it.
    pub fn data_len(&self, block: usize) -> Option<usize> {
        if self.are_variable() {
            return None;
        }
        let start = block.saturating_mul(self.header.blocksize());
        Some(self.header.nbytes().saturating_sub(start).min(self.header.blocksize()))
    }

    /// True if blocks vary in length, as in a batch of a table's cells. Then each is decompressed alone.
    pub fn are_variable(&self) -> bool {
        has_variable_blocks(&self.header)
    }

    /// True if decompressing a block takes the data of the first one: the filter delta counts from there.
    pub fn need_first(&self) -> bool {
        self.header.filters().any(|(filter, _)| filter == Filter::Delta)
    }

    pub(crate) fn dictionary(&self) -> Option<&'a [u8]> {
        self.dictionary
    }

    pub(crate) fn streams(&self, length: usize) -> usize {
        if self.are_variable() { 1 } else { stream_count(&self.header, length) }
    }

    /// The entry of the table, or no place in the chunk.
    fn entry(&self, block: usize) -> usize {
        block_start(&self.header, self.front, block).unwrap_or(usize::MAX)
    }
}

/// The number of blocks that a compressed chunk has.
fn count(header: &ChunkHeader) -> usize {
    if has_variable_blocks(header) { header.blocksize() } else { header.nbytes().div_ceil(header.blocksize().max(1)) }
}

fn has_variable_blocks(header: &ChunkHeader) -> bool {
    header.as_bytes().get(30).is_some_and(|flags| flags & HAS_VARIABLE_BLOCKS != 0)
}
