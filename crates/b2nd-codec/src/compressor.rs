//! [`Compressor`]: data into chunks, as C-Blosc2 lays them out.

use alloc::vec::Vec;
#[cfg(feature = "std")]
use core::cell::RefCell;
use core::ops::Range;

#[cfg(feature = "c")]
use crate::c;
use crate::error::{Error, Result};
use crate::filters::Pipeline;
use crate::header::{ChunkHeader, IS_EXTENDED, IS_UNSPLIT, Special, VERSION};
use crate::ids::{CodecId, Filter, SplitMode};
use crate::leaf::Packers;
#[cfg(feature = "plugins")]
use crate::plugins;
use crate::support::{Backend, backend};

/// Shorter data is stored as it is.
const SHORTEST: usize = 32;

/// Blocks are split for elements of so many bytes at most, into streams of as many bytes at least.
const MAX_STREAMS: usize = 16;
const MIN_STREAM: usize = 32;

/// Bit 3 of the flags.
const HAS_DELTA: u8 = 0x08;

/// The length of the smallest automatic block, and of the largest one that is split.
const L1: usize = 32 << 10;
const LARGEST_SPLIT: usize = 4 << 20;

/// The codec, filters and lengths that a [`Compressor`] makes chunks with. The default is C-Blosc2's: BloscLZ at level 5 after a byte shuffle of elements of 8 bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The codec.
    pub codec: CodecId,
    /// The level, 0 (stored uncompressed) to 9.
    pub level: u8,
    /// The length of an element in bytes. C-Blosc2 and this crate count elements of more than 255 bytes in bytes.
    pub typesize: usize,
    /// The length of a block in bytes, uncompressed. 0 is automatic: as C-Blosc2 picks it.
    pub blocksize: usize,
    /// Up to six filters with their parameters, in the order in which they run.
    pub filters: Vec<(Filter, u8)>,
    /// The splitting of blocks by byte position.
    pub split_mode: SplitMode,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            codec: CodecId::BloscLz,
            level: 5,
            typesize: 8,
            blocksize: 0,
            filters: Vec::from([(Filter::Shuffle, 0)]),
            split_mode: SplitMode::ForwardCompat,
        }
    }
}

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
    pub(crate) codec: CodecId,
    pub(crate) level: u8,
    pub(crate) typesize: u8,
    pub(crate) blocksize: usize,
    pub(crate) split_mode: SplitMode,
    /// The slots of a header, the last ones filled.
    pub(crate) filters: [u8; 6],
    pub(crate) filters_meta: [u8; 6],
    #[cfg(feature = "plugins")]
    pub(crate) metalayer: Vec<u8>,
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
    /// The codec or a filter is not here: the error names it. Or there are more than six
    /// filters, or one cuts off more than the elements have.
    pub fn new(options: &Options) -> Result<Compressor> {
        let named = || options.filters.iter().copied().filter(|(filter, _)| *filter != Filter::None);
        let backend = backend(options.codec, named())?;
        if let Some((filter, _)) = named().find(|(filter, _)| *filter == Filter::Other(34)) {
            return Err(Error::custom(format_args!("{filter} is read and no longer written: use bytedelta")));
        }
        let (mut filters, mut filters_meta) = ([0; 6], [0; 6]);
        let count = named().count();
        let Some(empty) = filters.len().checked_sub(count) else {
            return Err(Error::custom(format_args!("{count} filters, a chunk has at most {}", filters.len())));
        };
        for ((slot, slot_meta), (filter, meta)) in filters.iter_mut().zip(&mut filters_meta).skip(empty).zip(named()) {
            (*slot, *slot_meta) = (filter.code(), meta);
        }
        // The field in a chunk is a byte; C-Blosc2 counts larger elements in bytes.
        let typesize = u8::try_from(options.typesize).unwrap_or(1).max(1);
        Ok(Compressor {
            codec: options.codec,
            level: options.level.min(9),
            typesize,
            blocksize: options.blocksize,
            split_mode: options.split_mode,
            filters,
            filters_meta,
            #[cfg(feature = "plugins")]
            metalayer: Vec::new(),
            backend,
            pipeline: Pipeline::new(&filters, &filters_meta, typesize.into())?,
        })
    }

    /// Sets the array's metalayer in the released layout, which the plugins ndcell, ndmean, ndlz and zfp need.
    #[must_use]
    pub fn with_metalayer(self, metalayer: Vec<u8>) -> Compressor {
        #[cfg(feature = "plugins")]
        return Compressor { metalayer, ..self };
        #[cfg(not(feature = "plugins"))]
        {
            drop(metalayer);
            self
        }
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
            ChunkHeader::stored(nbytes, self.typesize.into())?;
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
                let streams = if self.splits(blocksize) && length == blocksize { usize::from(self.typesize) } else { 1 };
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
            let mut header = self.header(nbytes, blocksize, self.splits(blocksize))?;
            header[12..16].copy_from_slice(&int32(ChunkHeader::MAX_LEN)?);
            header[31] = Special::Zeros.code() << 4;
            return Ok(header.to_vec());
        } else if chunk.len() < ChunkHeader::MAX_LEN + nbytes {
            chunk[..ChunkHeader::MAX_LEN].copy_from_slice(&self.header(nbytes, blocksize, self.splits(blocksize))?);
            let cbytes = int32(chunk.len())?;
            chunk[12..16].copy_from_slice(&cbytes);
            for (entry, start) in chunk[ChunkHeader::MAX_LEN..].chunks_exact_mut(4).zip(starts) {
                entry.copy_from_slice(&int32(start)?);
            }
            return Ok(chunk);
        } else {
            chunk.resize(ChunkHeader::MAX_LEN + nbytes, 0);
            let data = &mut chunk[ChunkHeader::MAX_LEN..];
            data.chunks_mut(blocksize).enumerate().for_each(|(number, block)| fill(number, block));
        }
        let mut header = ChunkHeader::stored(nbytes, self.typesize.into())?;
        header.set_blocksize(blocksize);
        chunk[..ChunkHeader::MAX_LEN].copy_from_slice(header.as_bytes());
        Ok(chunk)
    }

    /// True if blocks are not compressed one by one: they are stored, or compressed together by a foreign codec.
    fn is_raw(&self, nbytes: usize) -> bool {
        #[cfg(feature = "plugins")]
        if self.backend == Backend::Plugins {
            return true;
        }
        #[cfg(feature = "c")]
        if c::encodes(self) {
            return true;
        }
        self.level == 0 || nbytes < SHORTEST
    }

    /// The chunk of a foreign codec, if it has the blocks that it should.
    #[cfg(any(feature = "c", feature = "plugins"))]
    fn foreign(&self, data: &[u8]) -> Result<Option<Vec<u8>>> {
        #[cfg(feature = "plugins")]
        if self.backend == Backend::Plugins {
            return self.in_blocks(plugins::compress(self, data)?, data.len());
        }
        #[cfg(feature = "c")]
        if c::encodes(self) {
            return self.in_blocks(c::compress(self, data)?, data.len());
        }
        Ok(None)
    }

    #[cfg(any(feature = "c", feature = "plugins"))]
    fn in_blocks(&self, bytes: Vec<u8>, nbytes: usize) -> Result<Option<Vec<u8>>> {
        let header = ChunkHeader::from_slice(&bytes)?;
        let is_expected = header.blocksize() == self.blocksize(nbytes) || crate::support::is_plain(&header);
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
        let length = packers.pack(self.codec, self.level, part, stream)?;
        let content = stream.get(..length).filter(|content| (1..part.len()).contains(&content.len())).unwrap_or(part);
        chunk.extend_from_slice(&int32(content.len())?);
        chunk.extend_from_slice(content);
        Ok(())
    }

    /// The header of a compressed chunk, but for its length.
    fn header(&self, nbytes: usize, blocksize: usize, splits: bool) -> Result<[u8; ChunkHeader::MAX_LEN]> {
        let mut header = [0; ChunkHeader::MAX_LEN];
        let format = match self.codec {
            CodecId::Lz4Hc => 1,
            CodecId::Zlib => 3,
            CodecId::Zstd => 4,
            other => other.code(),
        };
        let mut flags = IS_EXTENDED | format << 5;
        if !splits {
            flags |= IS_UNSPLIT;
        }
        if self.filters.contains(&Filter::Delta.code()) {
            flags |= HAS_DELTA;
        }
        header[..4].copy_from_slice(&[VERSION, 1, flags, self.typesize]);
        header[4..8].copy_from_slice(&int32(nbytes)?);
        header[8..12].copy_from_slice(&int32(blocksize)?);
        header[16..22].copy_from_slice(&self.filters);
        header[22..24].copy_from_slice(&[self.codec.code(), 0]);
        header[24..30].copy_from_slice(&self.filters_meta);
        Ok(header)
    }

    /// The length of the blocks of this much data: the one of the options, or as C-Blosc2 picks it.
    pub fn blocksize(&self, nbytes: usize) -> usize {
        let typesize = usize::from(self.typesize);
        if self.blocksize != 0 {
            return self.blocksize.min(nbytes);
        }
        let is_dense = !matches!(self.codec, CodecId::BloscLz | CodecId::Lz4 | CodecId::Other(_));
        let mut blocksize = nbytes;
        if nbytes >= L1 {
            blocksize = L1 << usize::from(is_dense);
            blocksize = match self.level {
                0 => blocksize / 4,
                1 => blocksize / 2,
                2 => blocksize,
                3 => blocksize * 2,
                4 | 5 => blocksize * 4,
                6..9 => blocksize * 8,
                _ => (blocksize * 8) << usize::from(is_dense),
            };
        }
        if self.level > 0 && self.wants_splits(blocksize) {
            let stream = match self.level {
                1..4 => L1,
                4..7 => 2 * L1,
                7 => 4 * L1,
                8 => 8 * L1,
                _ => 16 * L1,
            };
            blocksize = (stream * typesize).min(LARGEST_SPLIT);
        }
        blocksize = blocksize.min(nbytes);
        if blocksize > typesize { blocksize / typesize * typesize } else { blocksize }
    }

    /// True if blocks are split into a stream for each byte of an element, as C-Blosc2 decides it.
    fn splits(&self, blocksize: usize) -> bool {
        self.wants_splits(blocksize) && blocksize % usize::from(self.typesize) == 0
    }

    fn wants_splits(&self, blocksize: usize) -> bool {
        let typesize = usize::from(self.typesize);
        match self.split_mode {
            SplitMode::Always => true,
            SplitMode::Never => false,
            _ => {
                let fast = match self.codec {
                    CodecId::BloscLz | CodecId::Lz4 => true,
                    CodecId::Zstd => self.level <= 5,
                    _ => false,
                };
                let shuffled = self.filters.contains(&Filter::Shuffle.code());
                fast && shuffled && typesize <= MAX_STREAMS && blocksize / typesize >= MIN_STREAM
            }
        }
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
