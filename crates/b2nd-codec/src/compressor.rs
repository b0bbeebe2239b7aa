//! [`Compressor`]: data into chunks, as C-Blosc2 lays them out.

use alloc::vec::Vec;
#[cfg(feature = "std")]
use core::cell::RefCell;
use core::ops::Range;

use crate::available::{Backend, backend};
use crate::error::{Error, Result};
use crate::filters::Pipeline;
use crate::header::ChunkHeader;
use crate::ids::Special;
use crate::leaf::Packers;
use crate::options::{Options, Settings};

/// Shorter data is stored as it is.
const SHORTEST: usize = 32;

/// Compresses chunks. Several threads may share one; with the feature `std` each keeps its buffers.
///
/// ```
/// use b2nd_codec::{CodecId, Compressor, Options, decompress};
///
/// let data: Vec<u8> = (0..1000).flat_map(|value| (value as f32).to_le_bytes()).collect();
/// let options = Options { codec: CodecId::Lz4, typesize: 4, ..Options::default() };
/// let chunk = Compressor::new(&options)?.chunk(&data)?;
/// assert!(chunk.len() < data.len());
/// assert_eq!(decompress(&chunk)?, data);
/// # Ok::<(), b2nd_codec::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Compressor {
    settings: Settings,
    #[cfg_attr(not(feature = "plugins"), expect(dead_code))]
    backend: Backend,
    pipeline: Pipeline,
}

/// Buffers of a thread.
#[derive(Default)]
struct State {
    packers: Packers,
    block: Vec<u8>,
    other: Vec<u8>,
    first: Vec<u8>,
    stream: Vec<u8>,
}

/// Some blocks of a chunk, compressed: [`Compressor::part`] makes them.
#[derive(Debug)]
pub struct Packed {
    nbytes: usize,
    /// The number of the first block.
    first: usize,
    /// What the blocks were compressed into, in the first part after room for the header and the block table. Their data, if only the
    /// whole chunk can be compressed.
    bytes: Vec<u8>,
    /// The start of each block in `bytes`.
    starts: Vec<usize>,
    is_zero: bool,
}

impl State {
    /// Lends the buffers of this thread. With the feature `std` they are kept.
    fn lend<T>(work: impl FnOnce(&mut State) -> T) -> T {
        #[cfg(feature = "std")]
        {
            std::thread_local! {
                static KEPT: RefCell<State> = RefCell::default();
            }
            KEPT.with(|kept| match kept.try_borrow_mut() {
                Ok(mut kept) => work(&mut kept),
                Err(_) => work(&mut State::default()),
            })
        }
        #[cfg(not(feature = "std"))]
        work(&mut State::default())
    }
}

impl Compressor {
    /// Makes a compressor.
    ///
    /// # Errors
    ///
    /// Fails if the codec or a filter is not available (the error names it), there are more than six filters, or one of them cuts off
    /// more bits than the elements have.
    pub fn new(options: &Options) -> Result<Compressor> {
        let backend = backend(options.codec, options.used_filters())?;
        let settings = Settings::new(options)?;
        let pipeline = Pipeline::new(&settings.filters, &settings.filters_meta, settings.typesize.into())?;
        Ok(Compressor { settings, backend, pipeline })
    }

    /// Sets the array's metalayer in the released layout, which the plugins ndcell, ndmean, ndlz and zfp need.
    #[must_use]
    pub fn with_metalayer(mut self, metalayer: Vec<u8>) -> Compressor {
        self.settings.metalayer = metalayer;
        self
    }

    /// Returns the length in bytes of the blocks of this much data: the one of the options, or the one that C-Blosc2 picks.
    pub fn blocksize(&self, nbytes: usize) -> usize {
        self.settings.blocksize(nbytes)
    }

    /// Compresses data into a chunk. Data that would not get shorter is stored; a chunk of zeros is only a header.
    ///
    /// # Errors
    ///
    /// The data is longer than a chunk can hold, or the codec fails.
    pub fn chunk(&self, data: &[u8]) -> Result<Vec<u8>> {
        let blocksize = self.blocksize(data.len());
        let fill = |block: usize, place: &mut [u8]| {
            let start = block * blocksize;
            place.copy_from_slice(&data[start..start + place.len()]);
        };
        self.join([self.part(data.len(), 0..usize::MAX, fill)?], fill)
    }

    /// Compresses some blocks of a chunk of `nbytes` bytes: several threads can make the parts of a chunk at once, and none needs memory
    /// for the data of more than a block. `fill` writes the data of the block with this number into a buffer of its length.
    ///
    /// ```
    /// use b2nd_codec::{Compressor, Options, decompress};
    ///
    /// let compressor = Compressor::new(&Options { typesize: 1, blocksize: 4096, ..Options::default() })?;
    /// let fill = |block: usize, place: &mut [u8]| place.fill(block as u8);
    /// let parts = [compressor.part(10_000, 0..2, fill)?, compressor.part(10_000, 2..3, fill)?];
    /// let data = decompress(&compressor.join(parts, fill)?)?;
    /// assert_eq!(data, [[0; 4096], [1; 4096], [2; 4096]].concat()[..10_000]);
    /// # Ok::<(), b2nd_codec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The chunk is longer than a chunk can be, or the codec fails.
    pub fn part(&self, nbytes: usize, blocks: Range<usize>, mut fill: impl FnMut(usize, &mut [u8])) -> Result<Packed> {
        let (blocksize, is_raw) = (self.blocksize(nbytes).max(1), self.is_raw(nbytes));
        let count = nbytes.div_ceil(blocksize);
        if is_raw {
            ChunkHeader::stored(nbytes, self.settings.typesize.into())?;
        } else {
            int32(nbytes)?;
        }
        let mut packed = Packed { nbytes, first: blocks.start, bytes: Vec::new(), starts: Vec::new(), is_zero: !is_raw };
        if blocks.start == 0 {
            packed.bytes.resize(ChunkHeader::MAX_LEN + if is_raw { 0 } else { 4 * count }, 0);
        }
        State::lend(|state| {
            let State { packers, block, other, first, stream } = state;
            if !is_raw {
                let more = blocksize.saturating_sub(block.len());
                block.try_reserve(more).map_err(|_| Error::out_of_memory(blocksize))?;
            }
            if blocks.start > 0 && !is_raw && self.pipeline.has_delta() {
                first.resize(blocksize, 0);
                fill(0, first);
                self.pipeline.truncate(first);
            }
            for number in blocks.start..blocks.end.min(count) {
                let length = blocksize.min(nbytes - number * blocksize);
                let start = packed.bytes.len();
                packed.starts.push(start);
                if is_raw {
                    packed.bytes.resize(start + length, 0);
                    fill(number, &mut packed.bytes[start..]);
                    continue;
                }
                block.resize(length, 0);
                fill(number, block);
                let is_zero = run_of(block) == Some(0);
                packed.is_zero &= is_zero;
                if self.pipeline.has_delta() && number == 0 {
                    first.clone_from(block);
                    self.pipeline.truncate(first);
                }
                // No other filter changes zeros.
                if !is_zero || self.pipeline.has_delta() {
                    self.pipeline.apply(block, other, (number > 0).then_some(&first[..]));
                }
                let streams =
                    if self.settings.splits(blocksize) && length == blocksize { usize::from(self.settings.typesize) } else { 1 };
                for part in block.chunks(length / streams) {
                    self.put_stream(part, packers, stream, &mut packed.bytes)?;
                }
            }
            Ok(packed)
        })
    }

    /// Makes a chunk of its parts, which follow each other from the first block to the last. Data that would not get shorter is stored,
    /// and `fill` called for its blocks again.
    ///
    /// # Errors
    ///
    /// The parts are not all blocks of a chunk in order, or it is longer than a chunk can be.
    pub fn join(&self, parts: impl IntoIterator<Item = Packed>, mut fill: impl FnMut(usize, &mut [u8])) -> Result<Vec<u8>> {
        let mut parts = parts.into_iter();
        let lacks = || Error::custom("the parts of a chunk are not all of its blocks in order");
        let Packed { nbytes, first, bytes: mut chunk, mut starts, mut is_zero } = parts.next().ok_or_else(lacks)?;
        for part in parts {
            if part.nbytes != nbytes || part.first != starts.len() || part.first == 0 {
                return Err(lacks());
            }
            let end = chunk.len();
            chunk.extend_from_slice(&part.bytes);
            starts.extend(part.starts.iter().map(|start| end + start));
            is_zero &= part.is_zero;
        }
        let blocksize = self.blocksize(nbytes);
        if first != 0 || starts.len() != nbytes.div_ceil(blocksize.max(1)) {
            return Err(lacks());
        }
        if self.is_raw(nbytes) {
            #[cfg(any(feature = "c", feature = "plugins"))]
            if let Some(bytes) = self.foreign(&chunk[ChunkHeader::MAX_LEN..])? {
                return Ok(bytes);
            }
        } else if is_zero {
            let mut header = self.header(nbytes)?;
            header.set_special(Special::Zeros);
            return Ok(header.as_bytes().to_vec());
        } else if chunk.len() < ChunkHeader::MAX_LEN + nbytes {
            let mut header = self.header(nbytes)?;
            header.set_cbytes(chunk.len())?;
            chunk[..ChunkHeader::MAX_LEN].copy_from_slice(header.as_bytes());
            for (entry, start) in chunk[ChunkHeader::MAX_LEN..].chunks_exact_mut(4).zip(starts) {
                entry.copy_from_slice(&int32(start)?);
            }
            return Ok(chunk);
        } else {
            chunk.resize(ChunkHeader::MAX_LEN + nbytes, 0);
            let data = &mut chunk[ChunkHeader::MAX_LEN..];
            data.chunks_mut(blocksize).enumerate().for_each(|(number, block)| fill(number, block));
        }
        let mut header = ChunkHeader::stored(nbytes, self.settings.typesize.into())?;
        header.set_blocksize(blocksize);
        chunk[..ChunkHeader::MAX_LEN].copy_from_slice(header.as_bytes());
        Ok(chunk)
    }

    /// Makes the header of a compressed chunk, which lacks its cbytes.
    fn header(&self, nbytes: usize) -> Result<ChunkHeader> {
        let Settings { codec, typesize, filters, filters_meta, .. } = &self.settings;
        let blocksize = self.blocksize(nbytes);
        let mut header = ChunkHeader::new(nbytes, usize::from(*typesize))?;
        header.set_blocksize(blocksize);
        header.set_pipeline(*codec, filters, filters_meta, self.settings.splits(blocksize));
        Ok(header)
    }

    /// True if blocks are not compressed one by one: they are stored, or compressed together by a foreign codec.
    fn is_raw(&self, nbytes: usize) -> bool {
        #[cfg(feature = "plugins")]
        if self.backend == Backend::Plugins {
            return true;
        }
        #[cfg(feature = "c")]
        if crate::c::encodes(&self.settings) {
            return true;
        }
        self.settings.level == 0 || nbytes < SHORTEST
    }

    /// The chunk of a foreign codec, if it has the blocks that it should.
    #[cfg(any(feature = "c", feature = "plugins"))]
    fn foreign(&self, data: &[u8]) -> Result<Option<Vec<u8>>> {
        #[cfg(feature = "plugins")]
        if self.backend == Backend::Plugins {
            return self.in_blocks(crate::plugins::compress(&self.settings, data)?, data.len());
        }
        #[cfg(feature = "c")]
        if crate::c::encodes(&self.settings) {
            return self.in_blocks(crate::c::compress(&self.settings, data)?, data.len());
        }
        Ok(None)
    }

    #[cfg(any(feature = "c", feature = "plugins"))]
    fn in_blocks(&self, bytes: Vec<u8>, nbytes: usize) -> Result<Option<Vec<u8>>> {
        let header = ChunkHeader::from_slice(&bytes)?;
        let is_expected = header.blocksize() == self.blocksize(nbytes) || crate::available::is_plain(&header);
        Ok(is_expected.then_some(bytes))
    }

    /// Appends a stream: a run, or what the codec makes of it, or the bytes as they are.
    fn put_stream(&self, part: &[u8], packers: &mut Packers, stream: &mut Vec<u8>, chunk: &mut Vec<u8>) -> Result<()> {
        if let Some(byte) = run_of(part) {
            chunk.extend_from_slice(&(-i32::from(byte)).to_le_bytes());
            if byte != 0 {
                chunk.push(1);
            }
            return Ok(());
        }
        let length = packers.pack(self.settings.codec, self.settings.level, part, stream)?;
        let content = stream.get(..length).filter(|content| (1..part.len()).contains(&content.len())).unwrap_or(part);
        chunk.extend_from_slice(&int32(content.len())?);
        chunk.extend_from_slice(content);
        Ok(())
    }
}

fn int32(number: usize) -> Result<[u8; 4]> {
    let number = i32::try_from(number);
    number.map(i32::to_le_bytes).map_err(|_| Error::custom("a chunk has at most 2 GiB"))
}

/// The byte of which all bytes are. Slices are compared many bytes at once.
fn run_of(bytes: &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    (bytes.get(..rest.len()) == Some(rest)).then_some(*first)
}
