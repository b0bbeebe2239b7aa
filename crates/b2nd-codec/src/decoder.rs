//! [`Decoder`]: one loop over blocks, streams and filters, with buffers that are kept.

use std::time::Instant;

use b2nd::frame::raw::read_streams;
use b2nd::frame::{Chunk, ChunkHeader, Decompress};
use b2nd::{Error, Result};

use crate::blocks::Blocks;
#[cfg(feature = "c")]
use crate::c;
use crate::filters::Pipeline;
use crate::leaf::Leaves;
use crate::support::{Place, accept, place_of};

/// Decompresses chunks and blocks, and keeps its buffers for the next one: a codec's tables and two blocks at most.
///
/// ```
/// use b2nd::frame::{File, Offset};
/// use b2nd_codec::{Blocks, Decoder};
///
/// let file = File::open("../../tests/data/example.b2nd")?;
/// let chunk = file.chunk(0)?;
/// let mut decoder = Decoder::new();
/// let mut data = vec![0; chunk.header().nbytes()];
/// decoder.chunk(chunk.bytes(), &mut data)?;
///
/// // The second block alone: its bytes are found by the front of the chunk.
/// let front = &chunk.bytes()[..Blocks::front_len(chunk.header())];
/// let blocks = Blocks::new(front)?;
/// let mut block = vec![0; blocks.data_len(1).unwrap()];
/// decoder.block(&blocks, &chunk.bytes()[blocks.range(1)?], None, &mut block)?;
/// assert_eq!(block, data[chunk.header().blocksize()..][..block.len()]);
/// # Ok::<(), b2nd::Error>(())
/// ```
#[derive(Default)]
pub struct Decoder {
    leaves: Leaves,
    streams: Vec<u8>,
    filtered: Vec<u8>,
    until: Option<Instant>,
}

impl Decoder {
    /// A decoder with empty buffers.
    pub fn new() -> Decoder {
        Decoder::default()
    }

    /// A decoder of bytes that nobody trusts: BloscLZ, LZ4 and zlib without `unsafe` code, and with the feature `safe` Zstandard with
    /// least. Without that feature it refuses Zstandard.
    pub fn safe() -> Decoder {
        Decoder { leaves: Leaves::safe(), ..Decoder::default() }
    }

    /// Sets the time at which [`chunk`](Decoder::chunk) fails instead of going on with the next block; `None` for never.
    pub fn stop_at(&mut self, time: Option<Instant>) {
        self.until = time;
    }

    /// Decompresses a whole chunk into a place of as many bytes as its header says.
    ///
    /// # Errors
    ///
    /// The place has another length, the chunk is damaged, or a codec or filter is not here.
    pub fn chunk(&mut self, chunk: &[u8], data: &mut [u8]) -> Result<()> {
        let chunk = Chunk::from_slice(chunk)?;
        chunk.data_into(data, Compressed(self))
    }

    /// Decompresses a block into a place of its length, from the bytes that [`Blocks::range`] gives. `first` is the data of the
    /// chunk's first block, if [`Blocks::need_first`] says so; `None` decompresses the first block itself.
    ///
    /// # Errors
    ///
    /// The block is damaged or has another length, or a codec or filter is not here. Offsets count from the start of the block.
    pub fn block(&mut self, blocks: &Blocks<'_>, bytes: &[u8], first: Option<&[u8]>, place: &mut [u8]) -> Result<()> {
        let header = blocks.header();
        if place_of(header)? != Place::Here {
            return Err(Error::custom(format_args!("{} decompresses whole chunks alone", header.codec())));
        }
        #[cfg(feature = "c")]
        if !self.leaves.is_safe() && place.len() == header.blocksize() && c::decodes(header) {
            return c::decompress_block(header, bytes, &mut self.streams, place);
        }
        let codec = header.codec();
        let Decoder { leaves, streams, filtered, until: _ } = self;
        let pipeline = Pipeline::of(header);
        let length = place.len();
        let into = if pipeline.moves() == 0 { &mut *place } else { buffer(streams, length)? };
        if blocks.are_variable() {
            let (found, content) = bytes.split_first_chunk().ok_or_else(|| Error::custom("a block lacks its length"))?;
            let found = i32::from_le_bytes(*found);
            if usize::try_from(found) != Ok(length) {
                return Err(Error::custom(format_args!("expected a block of {length} bytes, found {found}")));
            }
            if content.len() == length {
                into.copy_from_slice(content);
            } else {
                leaves.expand(codec, blocks.dictionary(), content, into).map_err(|error| error.shifted(4))?;
            }
        } else {
            read_streams(bytes, 0, into, blocks.streams(length), |stream, place| {
                leaves.expand(codec, blocks.dictionary(), stream, place)
            })?;
        }
        pipeline.undo(first, streams, filtered, place)
    }

    /// A chunk that is neither stored nor special.
    fn compressed(&mut self, chunk: &[u8], data: &mut [u8]) -> Result<()> {
        let blocks = Blocks::new(chunk)?;
        let mut rest = data;
        let mut first: Option<&[u8]> = None;
        for number in 0..blocks.count() {
            if self.until.is_some_and(|time| Instant::now() >= time) {
                return Err(Error::custom(format_args!("no time is left at block {number} of {}", blocks.count())));
            }
            let range = blocks.range(number)?;
            let bytes = chunk.get(range.clone()).unwrap_or_default();
            let length = match blocks.data_len(number) {
                Some(length) => length,
                None => variable_len(bytes, rest.len())?,
            };
            let (place, after) = rest.split_at_mut(length.min(rest.len()));
            self.block(&blocks, bytes, first, place).map_err(|error| error.shifted(range.start))?;
            if first.is_none() {
                first = Some(place);
            }
            rest = after;
        }
        if rest.is_empty() { Ok(()) } else { Err(Error::custom(format_args!("the blocks lack {} bytes", rest.len()))) }
    }
}

/// The data's length of a block of any length, which `room` bytes have to hold.
fn variable_len(bytes: &[u8], room: usize) -> Result<usize> {
    let length = bytes.first_chunk().map(|length| i32::from_le_bytes(*length));
    match length.map(usize::try_from) {
        Some(Ok(length)) if (1..=room).contains(&length) => Ok(length),
        _ => Err(Error::custom(format_args!("expected a block of 1 to {room} bytes, found {length:?}"))),
    }
}

/// As many bytes of a buffer that grows.
fn buffer(buffer: &mut Vec<u8>, length: usize) -> Result<&mut [u8]> {
    if buffer.len() < length {
        let more = length - buffer.len();
        buffer.try_reserve_exact(more).map_err(|_| Error::custom(format_args!("no memory for {length} bytes")))?;
        buffer.resize(length, 0);
    }
    Ok(buffer.get_mut(..length).unwrap_or_default())
}

/// Decompressor that [`Chunk::data_into`] calls for a chunk that is neither stored nor special.
struct Compressed<'a>(&'a mut Decoder);

impl Decompress for Compressed<'_> {
    fn decompress(&mut self, chunk: &[u8], data: &mut [u8]) -> Result<()> {
        self.0.compressed(chunk, data)
    }

    fn accept(&self, chunk: &ChunkHeader) -> Result<()> {
        accept(chunk)
    }
}
