//! [`Decompressor`]: decompresses chunks and blocks, and keeps its buffers for the next chunk.

#[cfg(feature = "plugins")]
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::cell::RefCell;
#[cfg(feature = "std")]
use std::time::Instant;

use crate::available::{Backend, backend_of, is_plain, safe_backend_of};
use crate::block_table::Blocks;
use crate::buffer::front;
use crate::error::{Error, ErrorKind, Result};
use crate::filters::Pick;
use crate::header::{ChunkHeader, no_nan};
use crate::ids::Special;
use crate::leaf::Leaves;
use crate::streams::read_streams;

/// Decompresses chunks and blocks. It keeps its buffers for the next chunk: the state of codecs, and at most two blocks.
///
/// [`decompress`](crate::decompress) is enough for most programs. A `Decompressor` also decompresses single blocks, untrusted input and
/// chunks of plugins that need a metalayer, and it can have a time limit.
///
/// ```
/// use b2nd_codec::{Blocks, ChunkHeader, Decompressor, Options, compress};
///
/// let data: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
/// let chunk = compress(&data, &Options { typesize: 4, blocksize: 65_536, ..Options::default() })?;
/// let mut decompressor = Decompressor::new();
/// let mut again = vec![0; data.len()];
/// decompressor.chunk(&chunk, &mut again)?;
/// assert_eq!(again, data);
///
/// // Decompress only the second block. The front of the chunk contains the block table, which has the positions of the blocks.
/// let front = &chunk[..Blocks::front_len(&ChunkHeader::from_slice(&chunk)?)];
/// let blocks = Blocks::new(front)?;
/// let mut block = vec![0; blocks.data_len(1).unwrap()];
/// decompressor.block(&blocks, &chunk[blocks.range(1)?], None, &mut block)?;
/// assert_eq!(block, data[65_536..2 * 65_536]);
/// # Ok::<(), b2nd_codec::Error>(())
/// ```
#[derive(Default)]
pub struct Decompressor {
    pub(crate) leaves: Leaves,
    streams: Vec<u8>,
    filtered: Vec<u8>,
    #[cfg(feature = "plugins")]
    metalayer: Vec<u8>,
    fallback: Option<Box<Fallback>>,
}

type Fallback = dyn FnMut(&[u8], &mut [u8]) -> Result<()> + Send;

/// A block that [`Decompressor::part`] has decompressed as far as requested. [`copy`](Part::copy) copies elements of the decompressed part.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    streams: &'a [u8],
    pick: Pick,
}

impl Part<'_> {
    /// Copies whole elements of the block to `out`. `start` is the position of the first of these elements in the block's data, in bytes.
    pub fn copy(&self, start: usize, out: &mut [u8]) {
        self.pick.take(self.streams, start, out);
    }
}

impl Decompressor {
    /// Creates a decompressor with every codec of this build.
    pub fn new() -> Decompressor {
        Decompressor::default()
    }

    /// Creates a decompressor for untrusted input. Of the codecs of this build, it decompresses BloscLZ, LZ4 and zlib without `unsafe`
    /// code. With the feature `safe`, it also decompresses Zstandard, without `unsafe` code. It never uses plugins. If another crate of the
    /// program enables the feature `simd` of miniz_oxide, `unsafe` code computes the checksums of zlib.
    pub fn safe() -> Decompressor {
        Decompressor { leaves: Leaves::safe(), ..Decompressor::default() }
    }

    /// Sets a function that decompresses the chunks that this decompressor does not support. The function can use a codec of your own, or
    /// another process if the input is untrusted. It gets the chunk, and a buffer with the length of the data. Only whole chunks are passed
    /// to the function, not the single blocks of [`block`](Decompressor::block) and [`part`](Decompressor::part).
    #[must_use]
    pub fn with_fallback(mut self, decompress: impl FnMut(&[u8], &mut [u8]) -> Result<()> + Send + 'static) -> Decompressor {
        self.fallback = Some(Box::new(decompress));
        self
    }

    /// Sets the content of the metalayer `b2nd`, which describes the array to which the chunks belong. It must have the layout that
    /// C-Blosc2 has written since 2.7.0. The plugins ndcell, ndmean and zfp need this metalayer.
    #[must_use]
    pub fn with_metalayer(mut self, metalayer: &[u8]) -> Decompressor {
        self.set_metalayer(metalayer);
        self
    }

    /// Sets the content of the metalayer `b2nd`, like [`with_metalayer`](Decompressor::with_metalayer).
    pub fn set_metalayer(&mut self, metalayer: &[u8]) {
        #[cfg(feature = "plugins")]
        metalayer.clone_into(&mut self.metalayer);
        let _ = metalayer;
    }

    /// Sets the time at which decompression fails, or `None` for no time limit. When a whole compressed chunk is decompressed, the time is
    /// checked before each block. BloscLZ and LZ4 can also check it within long blocks. Zstandard and zlib check it within a block only if
    /// this is a [`safe`](Decompressor::safe) decompressor, or on a 32-bit platform. Snappy does not check it within a block. For plugins
    /// and the [fallback](Decompressor::with_fallback), it is not checked.
    #[cfg(feature = "std")]
    pub fn stop_at(&mut self, time: Option<Instant>) {
        self.leaves.deadline.time = time;
    }

    /// Calls `work` with a decompressor that has every codec of this build. With the feature `std`, each thread keeps one decompressor with
    /// its buffers and settings, such as a time limit. A call of `lend` inside `work` gets a new one.
    pub fn lend<T>(work: impl FnOnce(&mut Decompressor) -> T) -> T {
        #[cfg(feature = "std")]
        {
            std::thread_local! {
                static KEPT: RefCell<Decompressor> = RefCell::default();
            }
            KEPT.with(|kept| match kept.try_borrow_mut() {
                Ok(mut kept) => work(&mut kept),
                Err(_) => work(&mut Decompressor::new()),
            })
        }
        #[cfg(not(feature = "std"))]
        work(&mut Decompressor::new())
    }

    /// Checks whether this decompressor can decompress the chunk with this header. Call this before you allocate memory for the data.
    ///
    /// # Errors
    ///
    /// Returns [`NoCodec`](ErrorKind::NoCodec) if this decompressor does not support the chunk and has no
    /// [fallback](Decompressor::with_fallback). The error contains the reason, for example the name of a missing codec or filter.
    pub fn accept(&self, chunk: &ChunkHeader) -> Result<()> {
        if is_plain(chunk) || self.fallback.is_some() { Ok(()) } else { self.backend(chunk).map(|_| ()) }
    }

    /// Returns the backend of a compressed chunk, which is neither stored uncompressed nor special.
    fn backend(&self, chunk: &ChunkHeader) -> Result<Backend> {
        if self.leaves.is_safe { safe_backend_of(chunk) } else { backend_of(chunk) }
    }

    /// Decompresses a whole chunk into a buffer, whose length must be nbytes in the chunk's header.
    ///
    /// # Errors
    ///
    /// Fails if the length of the buffer is not nbytes, the chunk is not valid, [`accept`](Decompressor::accept) rejects it, the time limit
    /// is reached, memory cannot be allocated, or a plugin or the fallback fails.
    pub fn chunk(&mut self, chunk: &[u8], data: &mut [u8]) -> Result<()> {
        let header = ChunkHeader::from_slice(chunk)?;
        self.chunk_of(&header, chunk, data)
    }

    /// Decompresses a whole chunk whose header has already been read, like [`chunk`](Decompressor::chunk).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`chunk`](Decompressor::chunk).
    pub fn chunk_of(&mut self, header: &ChunkHeader, chunk: &[u8], data: &mut [u8]) -> Result<()> {
        let (nbytes, cbytes) = (header.nbytes(), header.cbytes());
        if data.len() != nbytes {
            return Err(Error::from(ErrorKind::Count { expected: nbytes, found: data.len() }).in_field("buffer"));
        }
        let Some(chunk) = chunk.get(..cbytes) else {
            return Err(Error::end(cbytes - chunk.len(), chunk.len()).in_field("chunk"));
        };
        if let Some(stored) = header.stored_in(chunk) {
            data.copy_from_slice(stored);
            return Ok(());
        }
        match header.special() {
            None => self.compressed(header, chunk, data)?,
            Some(Special::Zeros | Special::Uninitialized) => data.fill(0),
            Some(Special::Nan) => match header.typesize() {
                4 => repeat(data, &f32::NAN.to_le_bytes()),
                8 => repeat(data, &f64::NAN.to_le_bytes()),
                typesize => return Err(no_nan(typesize)),
            },
            Some(Special::Value) => repeat(data, header.value_in(chunk).unwrap_or_default()),
        }
        Ok(())
    }

    /// Decompresses a whole chunk, whose header has already been read, into new memory. Because a header can claim 2 GiB, this calls
    /// [`accept`](Decompressor::accept), and reads the block table of a compressed chunk, before it allocates the memory.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`chunk`](Decompressor::chunk).
    pub fn data_of(&mut self, header: &ChunkHeader, chunk: &[u8]) -> Result<Vec<u8>> {
        self.accept(header)?;
        if !is_plain(header) {
            Blocks::of(*header, chunk)?;
        }
        let mut data = Vec::new();
        self.chunk_of(header, chunk, front(&mut data, header.nbytes())?)?;
        Ok(data)
    }

    /// Decompresses a block into a buffer, whose length must be that of the block's data. `bytes` are the bytes of the chunk in the range
    /// [`Blocks::range`]. Only the filter delta needs `first`, the data of the chunk's first block. It can be `None` for chunks without
    /// this filter, and must be `None` if the first block itself is decompressed.
    ///
    /// # Errors
    ///
    /// Fails if the block is not valid for the length of the buffer, this decompressor does not support the chunk, the time limit is
    /// reached, memory cannot be allocated, or a plugin is needed, since plugins decompress only whole chunks. Offsets in errors count from
    /// the start of the block.
    pub fn block(&mut self, blocks: &Blocks<'_>, bytes: &[u8], first: Option<&[u8]>, block: &mut [u8]) -> Result<()> {
        let header = blocks.header();
        match blocks.backend {
            Some(Backend::Here) => {}
            Some(Backend::Plugins) => return Err(Error::custom("the chunk needs a plugin: decompress the whole chunk")),
            None => return self.backend(header).map(|_| ()),
        }
        let codec = header.codec();
        let Decompressor { leaves, streams, filtered, .. } = self;
        let pipeline = &blocks.pipeline;
        let length = block.len();
        let into = if pipeline.moves() == 0 { &mut *block } else { front(streams, length)? };
        if blocks.are_variable() {
            let (found, content) = variable_len(bytes)?;
            if usize::try_from(found) != Ok(length) {
                return Err(Error::custom(format_args!("the block's length is {found} bytes, but the buffer's is {length}")));
            }
            if content.len() == length {
                into.copy_from_slice(content);
            } else {
                leaves.expand(codec, blocks.dictionary(), content, into, length).map_err(|error| error.shifted(4))?;
            }
        } else {
            read_streams(bytes, into, blocks.streams(length), length, |stream, place| {
                leaves.expand(codec, blocks.dictionary(), stream, place, length)
            })?;
        }
        pipeline.undo(first, streams, filtered, block)
    }

    /// Decompresses at least as much of a block as is needed to copy elements of `itemsize` bytes from the first `end` bytes of its data.
    /// Damage in the rest of the block may go unnoticed. The block must have the full blocksize, so it must not be a shorter last block.
    ///
    /// Returns `None` if the block cannot be decompressed in part. [`block`](Decompressor::block) then decompresses all of it, or fails.
    ///
    /// # Errors
    ///
    /// Fails if the needed part is not valid, this decompressor does not support the codec, the time limit is reached, or memory cannot be
    /// allocated.
    pub fn part(&mut self, blocks: &Blocks<'_>, bytes: &[u8], itemsize: usize, end: usize) -> Result<Option<Part<'_>>> {
        let header = blocks.header();
        let length = header.blocksize();
        let pick = blocks.pipeline.pick(itemsize, length).filter(|_| !blocks.are_variable());
        let (Some(pick), Some(Backend::Here)) = (pick, blocks.backend) else { return Ok(None) };
        let Decompressor { leaves, streams: place, .. } = self;
        let streams = blocks.streams(length);
        let needed = pick.needed(end.min(length), length, streams);
        let place = front(place, length)?;
        read_streams(bytes, place, streams, needed, |stream, place| {
            leaves.expand(header.codec(), blocks.dictionary(), stream, place, needed)
        })?;
        Ok(Some(Part { streams: place, pick }))
    }

    /// Decompresses a compressed chunk, which is neither stored uncompressed nor special.
    fn compressed(&mut self, header: &ChunkHeader, chunk: &[u8], data: &mut [u8]) -> Result<()> {
        let _backend = match (self.backend(header), &mut self.fallback) {
            (Err(_), Some(fallback)) => return fallback(chunk, data),
            (backend, _) => backend?,
        };
        #[cfg(feature = "plugins")]
        if _backend == Backend::Plugins {
            return crate::plugins::decompress(&self.metalayer, chunk, data);
        }
        let blocks = Blocks::of(*header, chunk)?;
        let mut rest = data;
        let mut first: Option<&[u8]> = None;
        for number in 0..blocks.count() {
            self.leaves.deadline.check()?;
            let range = blocks.range(number)?;
            let bytes = chunk.get(range.clone()).unwrap_or_default();
            let length = match blocks.data_len(number) {
                Some(length) => length,
                None => match variable_len(bytes)?.0 {
                    length @ 1.. if length as usize <= rest.len() => length as usize,
                    length => {
                        let why = alloc::format!("expected a length from 1 to {} (the rest of the data)", rest.len());
                        return Err(Error::custom(format_args!("block {number}: {why}, found {length}")));
                    }
                },
            };
            let (block, after) = rest.split_at_mut(length.min(rest.len()));
            self.block(&blocks, bytes, first, block).map_err(|error| error.shifted(range.start))?;
            first.get_or_insert(block);
            rest = after;
        }
        if !rest.is_empty() {
            let (found, nbytes) = (header.nbytes() - rest.len(), header.nbytes());
            return Err(Error::custom(format_args!("the blocks have {found} of the chunk's {nbytes} bytes of data")));
        }
        Ok(())
    }
}

/// Reads the length at the start of a block of variable length. Returns the length and the bytes that follow it.
fn variable_len(bytes: &[u8]) -> Result<(i32, &[u8])> {
    let missing = || Error::custom(format_args!("the length of a block: expected 4 bytes, found {}", bytes.len()));
    bytes.split_first_chunk().map(|(length, content)| (i32::from_le_bytes(*length), content)).ok_or_else(missing)
}

/// Fills the data with copies of an element.
fn repeat(data: &mut [u8], element: &[u8]) {
    if !element.is_empty() {
        data.chunks_mut(element.len()).for_each(|place| place.copy_from_slice(&element[..place.len()]));
    }
}
