//! [`OpenChunk`]: a chunk that is being read, block by block.

use std::ops::Range;

use b2nd_frame::{Blocks, Chunk, ChunkHeader, CodecId, Filter, Special};

use crate::array::Array;
use crate::error::{Error, Result};
use crate::frame::StoredChunk;
use crate::read::along::Along;
use crate::read::buffers::{BytesMut, Scratch};
use crate::read::rows::{Rows, join_bytes};

/// A chunk that is being read.
pub(crate) struct OpenChunk<'a> {
    array: &'a Array,
    origin: &'a [i64],
    bytes: &'a StoredChunk<'a>,
    source: From<'a>,
}

/// The source of a chunk's elements.
enum From<'a> {
    /// Blocks that are decompressed one by one.
    Blocks(Blocks<'a>),
    /// The chunk's own bytes, because they are not compressed. The number is the position in the chunk, in bytes, at which the first block
    /// starts.
    Stored(usize),
    /// The decompressed data of the whole chunk.
    Data(Vec<u8>),
}

impl Array {
    /// Checks that a chunk fits the array's shapes. Reads all of a compressed chunk if it cannot be decompressed block by block or has a
    /// dictionary. For a special chunk, returns its kind.
    pub(crate) fn check_chunk(&self, bytes: &mut StoredChunk<'_>) -> Result<Option<Special>> {
        let (header, items, itemsize) = (*bytes.header(), self.grid.extchunknitems(), self.itemsize());
        let expected = usize::try_from(items).ok().and_then(|items| items.checked_mul(itemsize));
        let (expected, found) = (expected.ok_or(Error::Memory { items, itemsize })?, header.nbytes());
        if expected != found {
            let [expected, found] = [expected, found].map(|length| b2nd_store::text::count(length, "byte"));
            return Err(Error::custom(format_args!("expected {expected} for the array's shapes, found {found}")));
        }
        if header.special().is_none() && !header.is_stored() {
            b2nd_codec::accept(&header)?;
            if !self.has_blocks(&header) || header.has_dictionary() {
                bytes.complete()?;
            }
        }
        Ok(header.special())
    }

    /// Returns true only if each block of a chunk can be decompressed by itself and is a block of the array.
    fn has_blocks(&self, header: &ChunkHeader) -> bool {
        // The filter delta needs the first block. Some filters and codecs of plugins need the array's shapes.
        let alone = |(filter, _)| !matches!(filter, Filter::Delta | Filter::Other(32 | 33));
        header.blocksize() as i64 == self.block_len()
            && !header.has_variable_blocks()
            && header.nbytes() % header.blocksize() == 0
            && !matches!(header.codec(), CodecId::Other(_))
            && header.filters().all(alone)
    }

    /// Decompresses a whole chunk.
    pub(crate) fn chunk_data(&self, bytes: &StoredChunk<'_>) -> Result<Vec<u8>> {
        self.scratch.lend(|Scratch { decompressor, .. }| {
            decompressor.set_metalayer(&self.metalayer);
            Ok(decompressor.data_of(bytes.header(), bytes.front())?)
        })
    }
}

impl<'a> OpenChunk<'a> {
    /// Prepares a chunk that has been checked and is not special. The chunk's first element has the coordinates `origin`.
    pub(crate) fn new(array: &'a Array, origin: &'a [i64], bytes: &'a StoredChunk<'a>) -> Result<OpenChunk<'a>> {
        let header = bytes.header();
        let source = if header.is_stored() {
            From::Stored(header.header_len())
        } else if array.has_blocks(header) {
            From::Blocks(Blocks::new(bytes.front())?)
        } else {
            From::Data(array.chunk_data(bytes)?)
        };
        Ok(OpenChunk { array, origin, bytes, source })
    }

    /// Fills a view with selected elements, which are in one block.
    pub(crate) fn decode_block(&self, selected: &[Along], mut view: BytesMut<'_>) -> Result<()> {
        let (grid, itemsize) = (&self.array.grid, self.array.itemsize());
        let first: Vec<_> = selected.iter().map(|along| along.get(0)).collect();
        let block = grid.block_index(&first).and_then(|block| usize::try_from(block).ok()).unwrap_or(usize::MAX);
        // The product cannot overflow: a block is not longer than its chunk with padding, whose length has been checked.
        let size = usize::try_from(grid.blocknitems()).unwrap_or(0) * itemsize;
        let place = block.saturating_mul(size);
        let start = |axis: usize| first[axis] - (first[axis] - self.origin[axis]) % grid.blockshape()[axis];
        let rows = Rows::new(selected, start, grid.blockshape(), itemsize);
        let is_whole = view.len() == size;
        self.array.scratch.lend(|Scratch { decompressor, compressed, block: buffer }| {
            let data = match &self.source {
                From::Data(data) => data.get(place..place.saturating_add(size)).ok_or_else(|| self.no_block(block))?,
                From::Stored(start) => {
                    let place = start.saturating_add(place);
                    self.part(block, place..place.saturating_add(size), compressed)?
                }
                From::Blocks(blocks) => {
                    let bytes = self.part(block, blocks.range(block)?, compressed)?;
                    if let Some(place) = view.as_slice_mut().filter(|_| is_whole) {
                        return Ok(decompressor.block(blocks, bytes, None, place)?);
                    }
                    if rows.are_few(grid.blocknitems()) {
                        if let Some(part) = decompressor.part(blocks, bytes, itemsize, rows.end() as usize)? {
                            return rows.each(view, &mut |start, row| {
                                part.copy(start as usize, row);
                                Ok(())
                            });
                        }
                    }
                    buffer.resize(size, 0);
                    decompressor.block(blocks, bytes, None, buffer)?;
                    buffer
                }
            };
            if let Some(place) = view.as_slice_mut().filter(|_| is_whole) {
                place.copy_from_slice(data);
                return Ok(());
            }
            rows.each(view, &mut |start, row| {
                row.copy_from_slice(&data[start as usize..][..row.len()]);
                Ok(())
            })
        })
    }

    /// Returns a range of the chunk's bytes. If the bytes are not in memory, they are read into `buffer`.
    fn part<'b>(&'b self, block: usize, range: Range<usize>, buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
        if let Some(bytes) = self.bytes.front().get(range.clone()) {
            return Ok(bytes);
        }
        if range.start > range.end || range.end > self.bytes.header().cbytes() {
            return Err(self.no_block(block));
        }
        // Reading overwrites the buffer, so only bytes that are added to it are zeroed.
        buffer.resize(buffer.len().max(range.len()), 0);
        let place = buffer.get_mut(..range.len()).unwrap_or_default();
        self.bytes.read_into(range.start, place)?;
        Ok(place)
    }

    fn no_block(&self, block: usize) -> Error {
        let cbytes = self.bytes.header().cbytes();
        Error::custom(format_args!("block {block} is not in the chunk, which has {cbytes} bytes"))
    }
}

/// Returns the element that a special chunk repeats, or an empty vector for a chunk of zeros or an uninitialized chunk.
pub(crate) fn repeated(special: Special, bytes: &mut StoredChunk<'_>, itemsize: usize) -> Result<Vec<u8>> {
    let typesize = bytes.header().typesize();
    let element = match special {
        Special::Nan => Chunk::special(special, typesize, typesize)?.data()?,
        Special::Value => Chunk::from_slice(bytes.complete()?)?.value().unwrap_or_default().to_vec(),
        // The values of uninitialized chunks are undefined. They are read as zero.
        _ => return Ok(Vec::new()),
    };
    if itemsize.checked_rem(element.len()) != Some(0) {
        let found = element.len();
        return Err(Error::custom(format_args!("it repeats a value of {found} bytes, but the array's elements have {itemsize}")));
    }
    Ok(element)
}

/// Fills a view with copies of one element, or with zeros if `element` is empty. If `zeroed` is true, the view already contains only zeros.
/// The data of a special chunk can be almost 2 GiB long, so it is not allocated.
pub(crate) fn repeat(element: &[u8], mut view: BytesMut<'_>, zeroed: bool) {
    if element.iter().any(|&byte| byte != 0) {
        for row in join_bytes(view).rows_mut() {
            let places = row.into_slice().unwrap_or_default().chunks_exact_mut(element.len());
            places.for_each(|place| place.copy_from_slice(element));
        }
    } else if !zeroed {
        view.fill(0);
    }
}
