//! [`Compressor`]: compresses data into chunks.

use alloc::vec::Vec;
#[cfg(feature = "std")]
use core::cell::RefCell;
use core::ops::Range;

use crate::available::{Backend, backend};
use crate::error::{Error, Result};
use crate::filters::Pipeline;
use crate::header::{BLOSC1, ChunkHeader, SHORT, VERSION};
use crate::ids::Special;
use crate::leaf::Packers;
use crate::options::{Format, Options};

/// Compresses data into chunks. A compressor can be shared by threads; with the feature `std`, each thread keeps its buffers for
/// the next chunk.
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
    options: Options,
    backend: Backend,
    pipeline: Pipeline,
    /// The content of the metalayer `b2nd`, which only plugins need.
    metalayer: Vec<u8>,
}

/// The buffers with which a thread compresses the blocks of a chunk.
#[derive(Default)]
struct State {
    packers: Packers,
    block: Vec<u8>,
    other: Vec<u8>,
    first: Vec<u8>,
    stream: Vec<u8>,
}

/// Consecutive blocks of a chunk, returned by [`Compressor::part`].
#[derive(Debug)]
pub struct Packed {
    nbytes: usize,
    /// The index of the first block.
    first: usize,
    /// The compressed blocks, or their uncompressed data if [`Compressor::is_raw`] returns true. In the first part, space for the chunk's
    /// header precedes the blocks, and also space for the block table if they are compressed.
    bytes: Vec<u8>,
    /// The position in `bytes` at which each block starts. If other parts were [added](Packed::follow) to the first part, this also
    /// has the starts of their blocks, as positions in the chunk.
    starts: Vec<usize>,
    /// The position at which the last block ends, counted like `starts`.
    end: usize,
    is_zero: bool,
}

impl Packed {
    /// Returns the bytes of this part. The first part of a chunk begins with space for the header, and for the block table if the blocks
    /// are compressed.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Adds the part `next` to the block table of this part, which must be the first part of the chunk. Call this for all other parts in
    /// order. Returns the position in the chunk at which the caller must write the bytes of `next`, and these bytes.
    ///
    /// # Errors
    ///
    /// Fails if this is not the first part of a chunk, or `next` is not the next part.
    pub fn follow(&mut self, next: Packed) -> Result<(usize, Vec<u8>)> {
        if next.nbytes != self.nbytes || self.first != 0 || next.first == 0 || next.first != self.starts.len() {
            return Err(not_all_blocks());
        }
        let start = self.end;
        self.starts.extend(next.starts.iter().map(|block| start + block));
        self.end += next.end;
        self.is_zero &= next.is_zero;
        Ok((start, next.bytes))
    }
}

fn not_all_blocks() -> Error {
    Error::custom("expected each block of one chunk once, in order, and block 0 in the first part")
}

impl State {
    /// Calls `work` with buffers. With the feature `std`, each thread keeps its buffers for the next call.
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
    /// Creates a compressor with these options.
    ///
    /// # Errors
    ///
    /// Fails if the codec or a filter is not in this build (the error names it), the format does not allow the codec or the filters, there
    /// are more than six filters, one of them is bytedelta_buggy (which can only be read), or a filter that truncates numbers does not
    /// support the typesize or its parameter.
    pub fn new(options: &Options) -> Result<Compressor> {
        let options = options.checked()?;
        let backend = backend(options.codec, options.filters.iter().copied())?;
        let version = if options.format == Format::Blosc1 { BLOSC1 } else { VERSION };
        let pipeline = Pipeline::new(&options.filters, options.typesize, version)?;
        Ok(Compressor { options, backend, pipeline, metalayer: Vec::new() })
    }

    /// Sets the content of the metalayer `b2nd`, which describes the array to which the chunks belong. It must have the layout that
    /// C-Blosc2 has written since 2.7.0. The plugins ndlz, ndcell, ndmean and zfp need this metalayer.
    #[must_use]
    pub fn with_metalayer(mut self, metalayer: Vec<u8>) -> Compressor {
        self.metalayer = metalayer;
        self
    }

    /// Returns the length in bytes of the blocks of a chunk with `nbytes` bytes of data: the blocksize in the options or, if that is 0, the
    /// blocksize that C-Blosc2 would choose. In Blosc 1, it is the blocksize that C-Blosc would choose with these options. For data that is
    /// shorter than an element, they can choose another length. The length is at most `nbytes`.
    pub fn blocksize(&self, nbytes: usize) -> usize {
        self.options.blocksize(nbytes)
    }

    /// Compresses data into a chunk. The data is stored uncompressed if the level is 0, if it has fewer than 32 bytes (128 in Blosc 1), or
    /// if compression does not make it shorter. In Blosc2, data of 32 bytes or more that is all zero becomes a chunk that consists of its
    /// header only, unless the level is 0 or a plugin compresses it.
    ///
    /// # Errors
    ///
    /// Fails if the data is longer than a chunk can hold, memory cannot be allocated, or the codec or a plugin fails.
    pub fn chunk(&self, data: &[u8]) -> Result<Vec<u8>> {
        let blocksize = self.blocksize(data.len());
        let fill = |block: usize, place: &mut [u8]| {
            let start = block * blocksize;
            place.copy_from_slice(&data[start..start + place.len()]);
        };
        self.join([self.part(data.len(), 0..usize::MAX, fill)?], fill)
    }

    /// Compresses some blocks of a chunk with `nbytes` bytes of data. Several threads can compress parts of the same chunk at the same
    /// time, and unless a plugin compresses the chunk, no thread needs the data of the whole chunk. `blocks` are the indices of the blocks.
    /// `fill` writes the data of the block with the given index into a buffer.
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
    /// Fails if `nbytes` is more than a chunk can hold, memory cannot be allocated, or the codec fails.
    pub fn part(&self, nbytes: usize, blocks: Range<usize>, mut fill: impl FnMut(usize, &mut [u8])) -> Result<Packed> {
        let (blocksize, is_raw) = (self.blocksize(nbytes).max(1), self.is_raw(nbytes));
        let count = nbytes.div_ceil(blocksize);
        if is_raw {
            ChunkHeader::stored(nbytes, self.options.typesize)?;
        } else {
            int32(nbytes)?;
        }
        let mut packed = Packed { nbytes, first: blocks.start, bytes: Vec::new(), starts: Vec::new(), end: 0, is_zero: !is_raw };
        if blocks.start == 0 {
            packed.bytes.resize(self.header_len() + if is_raw { 0 } else { 4 * count }, 0);
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
                packed.is_zero &= is_zero && self.options.format == Format::Blosc2;
                if self.pipeline.has_delta() && number == 0 {
                    first.clone_from(block);
                    self.pipeline.truncate(first);
                }
                // Of the filters in the pipeline, only delta can change a block of zeros. If delta is not used, skip the filters.
                if !is_zero || self.pipeline.has_delta() {
                    self.pipeline.apply(block, other, (number > 0).then_some(&first[..]));
                }
                let streams = if self.options.splits(blocksize) && length == blocksize { self.options.typesize } else { 1 };
                for part in block.chunks(length / streams) {
                    self.put_stream(part, packers, stream, &mut packed.bytes)?;
                }
            }
            packed.end = packed.bytes.len();
            Ok(packed)
        })
    }

    /// Joins all parts of a chunk, in the order of their blocks. If compression did not make the data shorter, the data is stored
    /// uncompressed: `fill` is then called again for each block.
    ///
    /// # Errors
    ///
    /// Fails if the parts do not hold all blocks of a chunk in order, the chunk would be too long, or a plugin fails.
    pub fn join(&self, parts: impl IntoIterator<Item = Packed>, fill: impl FnMut(usize, &mut [u8])) -> Result<Vec<u8>> {
        let mut parts = parts.into_iter();
        let mut whole = parts.next().ok_or_else(not_all_blocks)?;
        for part in parts {
            let (_, bytes) = whole.follow(part)?;
            whole.bytes.extend_from_slice(&bytes);
        }
        Ok(self.seal(&mut whole, fill)?.unwrap_or(whole.bytes))
    }

    /// Writes the header, and the block table if the blocks are compressed, into the first part of a chunk, after all other parts have been
    /// [added](Packed::follow) to it. The parts are then the complete chunk, and this returns `None`.
    ///
    /// In some cases, the parts are not used, and this returns a complete chunk in place of them: a chunk of zeros; a chunk of stored data,
    /// for which `fill` is called again for each block; or the result of a plugin that [needs all parts](Compressor::needs_all_parts),
    /// for which `whole` must contain the bytes of all parts.
    ///
    /// # Errors
    ///
    /// Fails if blocks are missing, the chunk would be too long, or a plugin fails.
    pub fn seal(&self, whole: &mut Packed, mut fill: impl FnMut(usize, &mut [u8])) -> Result<Option<Vec<u8>>> {
        let Packed { nbytes, first, ref mut bytes, ref starts, end, is_zero } = *whole;
        let (blocksize, header_len) = (self.blocksize(nbytes), self.header_len());
        if first != 0 || starts.len() != nbytes.div_ceil(blocksize.max(1)) {
            return Err(not_all_blocks());
        }
        if self.is_raw(nbytes) {
            #[cfg(feature = "plugins")]
            if self.needs_all_parts() {
                let chunk = crate::plugins::compress(&self.options, &self.metalayer, &bytes[header_len..])?;
                let header = ChunkHeader::from_slice(&chunk)?;
                if header.blocksize() == blocksize || crate::available::is_plain(&header) {
                    return Ok(Some(chunk));
                }
            }
            bytes[..header_len].copy_from_slice(self.stored(nbytes)?.as_bytes());
            return Ok(None);
        }
        let mut header = self.header(nbytes)?;
        if is_zero {
            header.set_special(Special::Zeros);
            return Ok(Some(header.as_bytes().to_vec()));
        }
        if end < header_len + nbytes {
            header.set_cbytes(end)?;
            bytes[..header_len].copy_from_slice(header.as_bytes());
            for (entry, &start) in bytes[header_len..].chunks_exact_mut(4).zip(starts) {
                entry.copy_from_slice(&int32(start)?);
            }
            return Ok(None);
        }
        let mut chunk = core::mem::take(bytes);
        chunk.resize(header_len + nbytes, 0);
        chunk[..header_len].copy_from_slice(self.stored(nbytes)?.as_bytes());
        let data = &mut chunk[header_len..];
        data.chunks_mut(blocksize).enumerate().for_each(|(number, block)| fill(number, block));
        Ok(Some(chunk))
    }

    /// Creates the header of a compressed chunk, without the final value of the field cbytes.
    fn header(&self, nbytes: usize) -> Result<ChunkHeader> {
        let Options { codec, typesize, ref filters, .. } = self.options;
        let blocksize = self.blocksize(nbytes);
        let mut header = ChunkHeader::new(nbytes, typesize)?;
        header.set_blocksize(blocksize);
        header.set_pipeline(codec, filters, self.options.splits(blocksize));
        if self.options.format == Format::Blosc1 {
            header.shorten();
        }
        Ok(header)
    }

    /// Creates the header of a chunk whose data is stored uncompressed. Only a header of Blosc 1 has the codec and the filter, as in
    /// C-Blosc.
    fn stored(&self, nbytes: usize) -> Result<ChunkHeader> {
        let mut header = match self.options.format {
            Format::Blosc1 => self.header(nbytes)?,
            Format::Blosc2 => ChunkHeader::stored(nbytes, self.options.typesize)?,
        };
        header.set_stored();
        header.set_blocksize(self.blocksize(nbytes));
        header.set_cbytes(self.header_len().saturating_add(nbytes))?;
        Ok(header)
    }

    fn header_len(&self) -> usize {
        if self.options.format == Format::Blosc1 { SHORT } else { ChunkHeader::MAX_LEN }
    }

    /// Returns true if blocks are not compressed one by one: either they are stored uncompressed, or a plugin compresses them together.
    fn is_raw(&self, nbytes: usize) -> bool {
        self.needs_all_parts() || self.options.level == 0 || nbytes < self.options.shortest()
    }

    /// Returns true if a plugin compresses the chunk. Plugins compress only whole chunks, so [`seal`](Compressor::seal) then needs the
    /// bytes of all parts.
    pub fn needs_all_parts(&self) -> bool {
        self.backend == Backend::Plugins
    }

    /// Appends a stream with the bytes of `part` to the chunk. In Blosc2, the stream is a run if all of these bytes are equal. Any other
    /// stream is compressed, or uncompressed if compression would not make it shorter.
    fn put_stream(&self, part: &[u8], packers: &mut Packers, stream: &mut Vec<u8>, chunk: &mut Vec<u8>) -> Result<()> {
        if let Some(byte) = run_of(part).filter(|_| self.options.format == Format::Blosc2) {
            chunk.extend_from_slice(&(-i32::from(byte)).to_le_bytes());
            if byte != 0 {
                chunk.push(1);
            }
            return Ok(());
        }
        let length = packers.pack(&self.options, part, stream)?;
        let content = stream.get(..length).filter(|content| (1..part.len()).contains(&content.len())).unwrap_or(part);
        chunk.extend_from_slice(&int32(content.len())?);
        chunk.extend_from_slice(content);
        Ok(())
    }
}

fn int32(number: usize) -> Result<[u8; 4]> {
    let too_long = |_| Error::custom(format_args!("the data is too long: expected less than 2 GiB, found {number} bytes"));
    i32::try_from(number).map(i32::to_le_bytes).map_err(too_long)
}

/// Returns the value of the bytes if all of them are equal. To find out, this compares the slice without its first byte to the slice
/// without its last byte. A comparison of slices is fast, since it compares many bytes at the same time.
fn run_of(bytes: &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    (bytes.get(..rest.len()) == Some(rest)).then_some(*first)
}
