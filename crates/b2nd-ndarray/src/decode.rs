//! Chunks into a view of the result.

use std::ops::Range;

use b2nd::frame::{Chunk, Decompress, Special};
use ndarray::{ArrayView, ArrayViewMut, IxDyn};

use crate::array::Array;
use crate::blocks::Blocks;
use crate::codec::Codec;
use crate::copy::copy;
use crate::error::{Error, Result};
use crate::store::Bytes;
use crate::threads;
use crate::tiles::{Area, Tiles, each_axis};

/// A view of elements as bytes: the last axis is counted in bytes.
pub(crate) type BytesMut<'a> = ArrayViewMut<'a, u8, IxDyn>;

/// Buffers of one thread.
#[derive(Default)]
pub(crate) struct Scratch {
    compressed: Vec<u8>,
    block: Vec<u8>,
}

/// What a slice is not worth being cut into tasks for, in bytes of decompressed blocks.
const SMALL: i64 = 256 << 10;

/// What a block is not worth a read of its own for, in bytes.
const SMALL_BLOCK: i64 = 8 << 10;

/// One chunk of an array, while it is read.
struct Part<'a> {
    array: &'a Array,
    origin: Vec<i64>,
    bytes: Bytes<'a>,
    source: From,
}

/// How a chunk's elements are had.
enum From {
    /// From blocks that are decompressed one by one.
    Blocks(Blocks),
    /// From the chunk's bytes, where the first block starts at this one.
    Stored(usize),
    /// From the whole chunk, decompressed.
    Data(Vec<u8>),
    /// They are all the same; nothing repeats zeros.
    Repeated(Vec<u8>),
}

impl Array {
    /// Fills a view with the elements of a slice, which has been checked and is not empty.
    pub(crate) fn decode(&self, slice: Area, view: BytesMut<'_>, zeroed: bool) -> Result<()> {
        let grid = &self.grid;
        let origin = vec![0; slice.len()];
        let blocks = Tiles { origin: &origin, lengths: grid.blockshape(), scale: 1, parallel: false }.count(&slice);
        let large = blocks.saturating_mul(grid.blocknitems()).saturating_mul(as_i64(self.itemsize())) > SMALL;
        let tiles =
            Tiles { origin: &origin, lengths: grid.chunkshape(), scale: self.itemsize(), parallel: large && threads() > 1 };
        // Chunks in parallel, and where they are few their blocks too.
        let few = tiles.parallel && tiles.count(&slice) < 2 * as_i64(threads());
        tiles.each(slice, view, &|area, view| self.decode_chunk(area, view, zeroed, few))
    }

    fn decode_chunk(&self, area: Area, view: BytesMut<'_>, zeroed: bool, parallel: bool) -> Result<()> {
        let grid = &self.grid;
        let start: Vec<_> = area.iter().map(|range| range.start).collect();
        let number = grid.chunk_index(&start).unwrap_or(u64::MAX);
        let origin: Vec<_> = start.iter().zip(grid.chunkshape()).map(|(at, length)| at / length * length).collect();
        let tiles = Tiles { origin: &origin, lengths: grid.blockshape(), scale: self.itemsize(), parallel };
        // Blocks are read one by one, so that no buffer holds a chunk, unless they are small and all of them are wanted.
        let small = grid.blocknitems().saturating_mul(as_i64(self.itemsize())) < SMALL_BLOCK;
        let most = u64::try_from(tiles.count(&area))
            .is_ok_and(|count| count.saturating_mul(4) >= grid.blocks_per_chunk().saturating_mul(3));
        let front = (!(small && most)).then(|| Blocks::front_len(grid.blocks_per_chunk()));
        let in_chunk = |error| Error::in_chunk(number, error);
        let part = Part::read(self, number, origin.clone(), front).map_err(in_chunk)?;
        if let From::Repeated(element) = &part.source {
            repeat(element, view, zeroed);
            return Ok(());
        }
        tiles.each(area, view, &|area, view| part.decode_block(&area, view)).map_err(in_chunk)
    }
}

impl<'a> Part<'a> {
    fn read(array: &'a Array, number: u64, origin: Vec<i64>, front: Option<u64>) -> Result<Part<'a>> {
        let grid = &array.grid;
        let mut bytes = array.store.chunk(number, front)?;
        let header = *bytes.header();
        let size = |items: i64| usize::try_from(items).ok().and_then(|items| items.checked_mul(array.itemsize()));
        let (nbytes, blocksize) = (size(grid.extchunknitems()), size(grid.blocknitems()));
        let (Some(nbytes), Some(blocksize)) = (nbytes, blocksize) else {
            return Err(Error::Memory { items: grid.extchunknitems(), itemsize: array.itemsize() });
        };
        if nbytes != header.nbytes() {
            let found = header.nbytes();
            let message = format_args!("expected {nbytes} bytes, as the array's shapes say, found {found}");
            return Err(b2nd::Error::custom(message).into());
        }
        let source = if let Some(special) = header.special() {
            From::Repeated(repeated(special, &mut bytes, array.itemsize())?)
        } else if header.is_stored() {
            From::Stored(header.header_len())
        } else {
            let codec = Codec { metalayer: &array.metalayer };
            codec.accept(&header)?;
            match Blocks::of(&bytes, blocksize) {
                Some(blocks) => From::Blocks(blocks),
                None => From::Data(Chunk::from_slice(bytes.complete()?)?.data(codec)?.into_owned()),
            }
        };
        Ok(Part { array, origin, bytes, source })
    }

    fn decode_block(&self, area: &[Range<i64>], mut view: BytesMut<'_>) -> Result<()> {
        let (grid, itemsize) = (&self.array.grid, self.array.itemsize());
        let start: Vec<_> = area.iter().map(|range| range.start).collect();
        let block = grid.block_index(&start).and_then(|block| usize::try_from(block).ok()).unwrap_or(usize::MAX);
        // They have been found to fit.
        let size = usize::try_from(grid.blocknitems()).unwrap_or(0) * itemsize;
        let place = block.saturating_mul(size);
        let whole = view.len() == size;
        let mut scratch = self.array.take_scratch();
        let Scratch { compressed, block: buffer } = &mut scratch;
        let data = match &self.source {
            From::Data(data) => data.get(place..place.saturating_add(size)),
            From::Stored(start) => {
                let place = start.saturating_add(place);
                let place = place..place.saturating_add(size);
                match self.bytes.get(place.clone()) {
                    Some(data) => Some(data),
                    None => {
                        compressed.clear();
                        self.bytes.append(place, compressed)?.then_some(&compressed[..])
                    }
                }
            }
            From::Blocks(blocks) => {
                if !blocks.chunk_of(block, &self.bytes, compressed)? {
                    return Err(self.no_block(block));
                }
                let mut codec = Codec::default();
                match view.as_slice_mut().filter(|_| whole) {
                    Some(place) => {
                        codec.decompress(compressed, place)?;
                        self.array.give_scratch(scratch);
                        return Ok(());
                    }
                    None => {
                        buffer.resize(size, 0);
                        codec.decompress(compressed, buffer)?;
                        Some(&buffer[..])
                    }
                }
            }
            From::Repeated(_) => None,
        };
        let data = data.ok_or_else(|| self.no_block(block))?;
        let mut shape: Vec<_> = grid.blockshape().iter().map(|&length| usize::try_from(length).unwrap_or(0)).collect();
        match shape.last_mut() {
            Some(last) => *last *= itemsize,
            None => shape.push(itemsize),
        }
        let mut held = ArrayView::from_shape(IxDyn(&shape), data)?;
        held.slice_each_axis_inplace(|axis| {
            each_axis(area, axis.axis.index(), itemsize, |axis| {
                let (at, origin, length) = (area[axis].start, self.origin[axis], grid.blockshape()[axis]);
                at - (at - origin) % length
            })
        });
        copy(held, view);
        self.array.give_scratch(scratch);
        Ok(())
    }

    fn no_block(&self, block: usize) -> Error {
        Error::B2nd(b2nd::Error::custom(format_args!(
            "block {block} is not in the chunk, which has {} bytes",
            self.bytes.header().cbytes()
        )))
    }
}

impl Array {
    fn take_scratch(&self) -> Scratch {
        self.scratch.lock().ok().and_then(|mut pool| pool.pop()).unwrap_or_default()
    }

    fn give_scratch(&self, scratch: Scratch) {
        if let Ok(mut pool) = self.scratch.lock() {
            pool.push(scratch);
        }
    }
}

/// The element that a special chunk repeats; nothing where all of it is zero.
fn repeated(special: Special, bytes: &mut Bytes<'_>, itemsize: usize) -> Result<Vec<u8>> {
    let typesize = bytes.header().typesize();
    let element = match special {
        Special::Nan => Chunk::special(special, typesize, typesize)?.data(())?.into_owned(),
        Special::Value => Chunk::from_slice(bytes.complete()?)?.value().unwrap_or_default().to_vec(),
        // What nobody wrote is undefined: zero here.
        _ => return Ok(Vec::new()),
    };
    if itemsize.checked_rem(element.len()) != Some(0) {
        let found = element.len();
        let message = format_args!("it repeats {found} bytes, the array's elements have {itemsize}");
        return Err(b2nd::Error::custom(message).into());
    }
    Ok(element)
}

/// A special chunk can stand for 2 GiB: its data is not made, what it repeats is put into the view.
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
