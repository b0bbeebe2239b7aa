//! Decodes a slice into a view of the result: chunks in parallel, each as a whole or block by block.

use std::ops::Range;

use b2nd::frame::{Blocks, Chunk, ChunkHeader, CodecId, Filter, Special};
use ndarray::{ArrayView, IxDyn};

use crate::array::Array;
use crate::error::{Error, Result};
use crate::frame::{self, StoredChunk};
use crate::read::axis_selection::Wanted;
use crate::read::buffers::{BytesMut, Scratch};
use crate::read::copy::{copy, gather};
use crate::read::rows::Rows;
use crate::read::tiles::{Area, Tiles, each_axis, each_wanted};
use crate::threads;

/// Slices whose decompressed blocks have fewer bytes than this are decoded by one thread.
const SMALL: i64 = 256 << 10;

/// If blocks have fewer bytes than this, and most of them are needed, the whole chunk is read at once.
const SMALL_BLOCK: i64 = 8 << 10;

/// A chunk that is being read.
struct Part<'a> {
    array: &'a Array,
    origin: Vec<i64>,
    bytes: &'a StoredChunk<'a>,
    source: From<'a>,
}

/// Where the elements of a chunk come from.
enum From<'a> {
    /// Blocks that are decompressed one by one.
    Blocks(Blocks<'a>),
    /// The bytes of the chunk itself, which are not compressed. The first block starts at this position.
    Stored(usize),
    /// The decompressed data of the whole chunk.
    Data(Vec<u8>),
}

impl Array {
    /// Fills a view with the elements of a slice, which has been checked and is not empty.
    ///
    /// If `wanted` is not empty, only the wanted elements along each axis are read, and the view has one more axis: the bytes of an
    /// element.
    pub(crate) fn decode(&self, slice: Area, wanted: &[Wanted<'_>], view: BytesMut<'_>, zeroed: bool) -> Result<()> {
        if let Some(flat) = &self.flat {
            return self.decode_flat(flat, &slice, wanted, view);
        }
        let grid = &self.grid;
        let origin = vec![0; slice.len()];
        let blocks = Tiles { origin: &origin, lengths: grid.blockshape(), scale: 1, wanted, parallel: false }.count(&slice);
        let scale = if wanted.is_empty() { self.itemsize() } else { 1 };
        let large = blocks.saturating_mul(grid.blocknitems()).saturating_mul(as_i64(self.itemsize())) > SMALL;
        let tiles = Tiles { origin: &origin, lengths: grid.chunkshape(), scale, wanted, parallel: large && threads() > 1 };
        // Chunks are decoded in parallel. If there are few chunks, the blocks of each chunk are also decoded in parallel.
        let few = tiles.parallel && tiles.count(&slice) < 2 * as_i64(threads());
        tiles.each(slice, view, &|area, view| self.decode_chunk(area, wanted, view, zeroed, few))
    }

    fn decode_chunk(&self, area: Area, wanted: &[Wanted<'_>], view: BytesMut<'_>, zeroed: bool, parallel: bool) -> Result<()> {
        let grid = &self.grid;
        let start: Vec<_> = area.iter().map(|range| range.start).collect();
        let number = grid.chunk_index(&start).unwrap_or(u64::MAX);
        let origin: Vec<_> = start.iter().zip(grid.chunkshape()).map(|(at, length)| at / length * length).collect();
        let scale = if wanted.is_empty() { self.itemsize() } else { 1 };
        let tiles = Tiles { origin: &origin, lengths: grid.blockshape(), scale, wanted, parallel };
        // Blocks are read one by one, so that no buffer holds a whole chunk. If blocks are small and most of them are wanted, the whole
        // chunk is read.
        let small = grid.blocknitems().saturating_mul(as_i64(self.itemsize())) < SMALL_BLOCK;
        let most = u64::try_from(tiles.count(&area))
            .is_ok_and(|count| count.saturating_mul(4) >= grid.blocks_per_chunk().saturating_mul(3));
        let front =
            (!(small && most)).then(|| grid.blocks_per_chunk().saturating_mul(4).saturating_add(ChunkHeader::MAX_LEN as u64));
        let in_chunk = |error| Error::in_chunk(number, error);
        let mut bytes = frame::chunk(&self.store, number, front)?;
        let special = self.check_chunk(&mut bytes).map_err(in_chunk)?;
        if let Some(special) = special {
            repeat(&repeated(special, &mut bytes, self.itemsize()).map_err(in_chunk)?, view, zeroed);
            return Ok(());
        }
        let part = Part { array: self, origin: origin.clone(), source: self.source(&bytes).map_err(in_chunk)?, bytes: &bytes };
        tiles.each(area, view, &|area, view| part.decode_block(&area, wanted, view)).map_err(in_chunk)
    }
}

impl Array {
    /// Checks that a chunk fits the array's shapes. Reads all of the chunk if it cannot be decompressed block by block. For a special
    /// chunk, returns its kind.
    fn check_chunk(&self, bytes: &mut StoredChunk<'_>) -> Result<Option<Special>> {
        let grid = &self.grid;
        let header = *bytes.header();
        let expected = usize::try_from(grid.extchunknitems()).ok().and_then(|items| items.checked_mul(self.itemsize()));
        let Some(expected) = expected else {
            return Err(Error::Memory { items: grid.extchunknitems(), itemsize: self.itemsize() });
        };
        let found = header.nbytes();
        if expected != found {
            let message = format!("expected {expected} bytes, as the array's shapes say, found {found}");
            return Err(b2nd::Error::custom(message).into());
        }
        if header.special().is_none() && !header.is_stored() {
            b2nd_codec::accept(&header)?;
            if !self.has_blocks(&header) || header.has_dictionary() {
                bytes.complete()?;
            }
        }
        Ok(header.special())
    }

    /// Returns true if each block of a chunk can be decompressed by itself and is a block of the array.
    fn has_blocks(&self, header: &ChunkHeader) -> bool {
        let blocksize = usize::try_from(self.grid.blocknitems()).ok().and_then(|items| items.checked_mul(self.itemsize()));
        // The filter delta needs the first block. Filters and codecs of plugins need the array's shapes.
        let alone = |(filter, _)| !matches!(filter, Filter::Delta | Filter::Other(32 | 33));
        Some(header.blocksize()) == blocksize
            && header.nbytes() % header.blocksize() == 0
            && !matches!(header.codec(), CodecId::Other(_))
            && header.filters().all(alone)
    }

    fn source<'a>(&self, bytes: &'a StoredChunk<'_>) -> Result<From<'a>> {
        let header = bytes.header();
        if header.is_stored() {
            return Ok(From::Stored(header.header_len()));
        }
        if self.has_blocks(header) {
            let blocks = Blocks::new(bytes.front())?;
            if !blocks.are_variable() {
                return Ok(From::Blocks(blocks));
            }
        }
        let mut scratch = self.scratch.take();
        scratch.decompressor.set_metalayer(&self.metalayer);
        let data = scratch.decompressor.data_of(header, bytes.front())?;
        self.scratch.give(scratch);
        Ok(From::Data(data))
    }
}

impl Part<'_> {
    fn decode_block(&self, area: &[Range<i64>], wanted: &[Wanted<'_>], mut view: BytesMut<'_>) -> Result<()> {
        let (grid, itemsize) = (&self.array.grid, self.array.itemsize());
        let start: Vec<_> = area.iter().map(|range| range.start).collect();
        let block = grid.block_index(&start).and_then(|block| usize::try_from(block).ok()).unwrap_or(usize::MAX);
        // These lengths were checked when the chunk was read.
        let size = usize::try_from(grid.blocknitems()).unwrap_or(0) * itemsize;
        let place = block.saturating_mul(size);
        let whole = view.len() == size;
        let mut scratch = self.array.scratch.take();
        let Scratch { decompressor, compressed, block: buffer } = &mut scratch;
        let data = match &self.source {
            From::Data(data) => data.get(place..place.saturating_add(size)),
            From::Stored(start) => {
                let place = start.saturating_add(place);
                Some(self.part(block, place..place.saturating_add(size), compressed)?)
            }
            From::Blocks(blocks) => {
                let range = blocks.range(block)?;
                let bytes = self.part(block, range, compressed)?;
                if let Some(place) = view.as_slice_mut().filter(|_| whole) {
                    decompressor.block(blocks, bytes, None, place)?;
                    self.array.scratch.give(scratch);
                    return Ok(());
                }
                if let Some(rows) = Rows::new(area, wanted, &self.origin, grid.blockshape(), itemsize) {
                    if let Some(part) = decompressor.part(blocks, bytes, itemsize, rows.end())? {
                        rows.copy(&part, view);
                        self.array.scratch.give(scratch);
                        return Ok(());
                    }
                }
                buffer.resize(size, 0);
                decompressor.block(blocks, bytes, None, buffer)?;
                Some(&buffer[..])
            }
        };
        let data = data.ok_or_else(|| self.no_block(block))?;
        let mut shape: Vec<_> = grid.blockshape().iter().map(|&length| usize::try_from(length).unwrap_or(0)).collect();
        match shape.last_mut().filter(|_| wanted.is_empty()) {
            Some(last) => *last *= itemsize,
            None => shape.push(itemsize),
        }
        let mut held = ArrayView::from_shape(IxDyn(&shape), data)?;
        let start = |axis: usize| {
            let (at, origin, length) = (area[axis].start, self.origin[axis], grid.blockshape()[axis]);
            at - (at - origin) % length
        };
        held.slice_each_axis_inplace(|axis| match axis.axis.index() {
            axis if wanted.is_empty() => each_axis(area, axis, itemsize, start),
            axis => each_wanted(area, axis, wanted, start),
        });
        if wanted.iter().any(|wanted| matches!(wanted, Wanted::At(_))) {
            let places: Vec<_> = wanted.iter().zip(area).map(|(wanted, range)| wanted.places(range, range.start)).collect();
            gather(held, view, &places);
        } else {
            copy(held, view);
        }
        self.array.scratch.give(scratch);
        Ok(())
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
        Error::B2nd(b2nd::Error::custom(format_args!(
            "block {block} is not in the chunk, which has {} bytes",
            self.bytes.header().cbytes()
        )))
    }
}

/// Returns the element that a special chunk repeats, or an empty vector if all bytes are zero.
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
        let message = format!("it repeats a value of {found} bytes, but the array's elements have {itemsize}");
        return Err(b2nd::Error::custom(message).into());
    }
    Ok(element)
}

/// Fills a view with one element. A special chunk can represent 2 GiB, so its data is not allocated.
fn repeat(element: &[u8], mut view: BytesMut<'_>, zeroed: bool) {
    if element.iter().all(|&byte| byte == 0) {
        if !zeroed {
            view.fill(0);
        }
        return;
    }
    for mut row in view.rows_mut() {
        match row.as_slice_mut() {
            Some(row) => row.chunks_exact_mut(element.len()).for_each(|place| place.copy_from_slice(element)),
            None => row.iter_mut().zip(element.iter().cycle()).for_each(|(to, from)| *to = *from),
        }
    }
}

fn as_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
