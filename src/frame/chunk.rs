//! [`Chunk`]: the bytes of one Blosc2 chunk, and what can be known of its data without a codec.

use alloc::borrow::Cow;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;

mod blosclz;
mod header;
mod index;
mod pipeline;
mod shuffle;
mod streams;
use header::no_nan;
pub use header::{ChunkHeader, Special};
pub use index::{Offset, Offsets};

/// Parts of a chunk's decoder, for `b2nd-codec`: no part of the public interface.
#[doc(hidden)]
pub mod raw {
    pub use super::blosclz::{common, compress_stream, copy_match, expand as expand_blosclz};
    pub use super::shuffle::{shuffle, unshuffle};
    pub use super::streams::{block_start, front_ends, read_streams, stream_count};
}
pub use pipeline::{Codec, Filter, SplitMode};

use crate::error::{Error, ErrorKind, Result};

/// Decompresses chunks. A codec crate plugs in with a closure:
///
/// ```
/// use b2nd::frame::{Chunk, Decompress};
///
/// fn read<'a>(chunk: &'a Chunk, codec: impl Decompress) -> b2nd::Result<std::borrow::Cow<'a, [u8]>> {
///     chunk.data(codec)
/// }
///
/// let chunk = Chunk::store(b"elements", 1)?;
/// let codec = |_chunk: &[u8], _data: &mut [u8]| Err("some_codec::decompress_into(chunk, data) goes here");
/// assert_eq!(&*read(&chunk, codec)?, b"elements");
/// # Ok::<(), b2nd::Error>(())
/// ```
///
/// `()` implements it too and refuses every chunk. Use it for stored and special chunks, which need no codec.
pub trait Decompress {
    /// Decompresses `chunk`, its header included, into `data`, whose length is the chunk's `nbytes`.
    ///
    /// # Errors
    ///
    /// The chunk cannot be decompressed.
    fn decompress(&mut self, chunk: &[u8], data: &mut [u8]) -> Result<()>;

    /// Refuses a chunk before memory is allocated for its data: a header of a few bytes can claim 2 GiB.
    ///
    /// # Errors
    ///
    /// The chunk is refused. By default, none is.
    fn accept(&self, _chunk: &ChunkHeader) -> Result<()> {
        Ok(())
    }
}

impl<F, E> Decompress for F
where
    F: FnMut(&[u8], &mut [u8]) -> Result<(), E>,
    E: core::fmt::Display,
{
    fn decompress(&mut self, chunk: &[u8], data: &mut [u8]) -> Result<()> {
        self(chunk, data).map_err(|error| Error::custom(format_args!("the decompressor failed: {error}")))
    }
}

impl Decompress for () {
    fn decompress(&mut self, chunk: &[u8], _data: &mut [u8]) -> Result<()> {
        self.accept(&ChunkHeader::from_slice(chunk)?)
    }

    fn accept(&self, chunk: &ChunkHeader) -> Result<()> {
        Err(Error::new(ErrorKind::NoCodec { codec: chunk.codec().to_string() }))
    }
}

/// BloscLZ behind at most a byte shuffle: what C-Blosc2 compresses indexes with, and python-blosc2 2.1 attributes.
///
/// ```
/// use b2nd::frame::{BloscLz, File};
///
/// let trailer = File::open("tests/data/example.b2nd")?.trailer()?;
/// let author = trailer.value("author", BloscLz)?;
/// assert_eq!(author.as_deref(), Some(&b"\xaab2nd tests"[..]));
/// # Ok::<(), b2nd::Error>(())
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct BloscLz;

impl Decompress for BloscLz {
    fn decompress(&mut self, chunk: &[u8], data: &mut [u8]) -> Result<()> {
        blosclz::decompress(&Chunk::from_slice(chunk)?, data)
    }

    fn accept(&self, chunk: &ChunkHeader) -> Result<()> {
        blosclz::shuffled_typesize(chunk).map(|_| ())
    }
}

/// One Blosc2 chunk: its parsed header, and all of its bytes as they are stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Chunk<'a> {
    header: ChunkHeader,
    bytes: Cow<'a, [u8]>,
}

impl<'a> Chunk<'a> {
    /// Takes the chunk at the front of `bytes`, and ignores what follows it.
    ///
    /// # Errors
    ///
    /// The header is not valid, or `bytes` is shorter than its `cbytes`. [`Error::needed`] then gives the number of missing bytes.
    pub fn from_slice(bytes: &'a [u8]) -> Result<Chunk<'a>> {
        let header = ChunkHeader::from_slice(bytes)?;
        match bytes.get(..header.cbytes()) {
            Some(bytes) => Ok(Chunk { header, bytes: Cow::Borrowed(bytes) }),
            None => Err(Error::end(header.cbytes() - bytes.len(), bytes.len()).field("chunk")),
        }
    }

    /// Takes the chunk at the front of bytes that may be owned.
    pub(super) fn from_cow(bytes: Cow<'a, [u8]>) -> Result<Chunk<'a>> {
        match bytes {
            Cow::Borrowed(bytes) => Chunk::from_slice(bytes),
            Cow::Owned(mut bytes) => {
                let header = Chunk::from_slice(&bytes)?.header;
                bytes.truncate(header.cbytes());
                Ok(Chunk { header, bytes: Cow::Owned(bytes) })
            }
        }
    }

    /// Stores data in a chunk as it is, uncompressed. `typesize` is the length of an element in bytes.
    ///
    /// # Errors
    ///
    /// The data is longer than a chunk can hold (2 GiB less 32 bytes), or `typesize` is 0.
    pub fn store(data: &[u8], typesize: usize) -> Result<Chunk<'static>> {
        let header = ChunkHeader::stored(data.len(), typesize)?;
        let mut bytes = Vec::with_capacity(ChunkHeader::MAX_LEN + data.len());
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(data);
        Ok(Chunk { header, bytes: Cow::Owned(bytes) })
    }

    /// Makes the chunk of an index: compressed as C-Blosc2 does it, or stored if that is not longer.
    pub(super) fn index(offsets: &[u8]) -> Result<Chunk<'static>> {
        let Some(blocks) = blosclz::compress(offsets) else { return Chunk::store(offsets, blosclz::TYPESIZE) };
        let header = ChunkHeader::shuffled(offsets.len(), blosclz::TYPESIZE, blosclz::BLOCKSIZE, blocks.len())?;
        Ok(Chunk { header, bytes: Cow::Owned([header.as_bytes(), &blocks].concat()) })
    }

    /// Makes a chunk that is only a header, which gives the value of all elements.
    ///
    /// # Errors
    ///
    /// `nbytes` is not a multiple of `typesize` or is longer than a chunk can hold, the elements are NaN and not 4 or 8 bytes long, or
    /// `special` is [`Special::Value`], which needs the value's bytes: see [`repeated`](Chunk::repeated).
    pub fn special(special: Special, nbytes: usize, typesize: usize) -> Result<Chunk<'static>> {
        Chunk::special_in_blocks(special, nbytes, typesize, nbytes)
    }

    /// Makes a special chunk with the blocksize of a frame, if that fits.
    pub(super) fn special_in_blocks(
        special: Special,
        nbytes: usize,
        typesize: usize,
        blocksize: usize,
    ) -> Result<Chunk<'static>> {
        let header = ChunkHeader::special_chunk(special, nbytes, typesize, blocksize)?;
        Ok(Chunk { bytes: Cow::Owned(header.as_bytes().to_vec()), header })
    }

    /// Makes a chunk of `nbytes` bytes in which every element is `value`. It holds the value once.
    ///
    /// # Errors
    ///
    /// `value` is empty, or `nbytes` is 0, not a multiple of the value's length, or longer than a chunk can hold.
    ///
    /// ```
    /// let chunk = b2nd::frame::Chunk::repeated(&1.5f64.to_le_bytes(), 80)?;
    /// assert_eq!(chunk.value(), Some(&1.5f64.to_le_bytes()[..]));
    /// assert_eq!((chunk.header().nbytes(), chunk.header().cbytes()), (80, 40));
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn repeated(value: &[u8], nbytes: usize) -> Result<Chunk<'static>> {
        let header = ChunkHeader::repeated(nbytes, value.len())?;
        Ok(Chunk { bytes: Cow::Owned([header.as_bytes(), value].concat()), header })
    }

    /// The chunk's header.
    pub fn header(&self) -> &ChunkHeader {
        &self.header
    }

    /// All bytes of the chunk, its header included.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Turns the chunk into one that owns its bytes.
    #[must_use]
    pub fn into_owned(self) -> Chunk<'static> {
        Chunk { header: self.header, bytes: Cow::Owned(self.bytes.into_owned()) }
    }

    /// All bytes of the chunk, its header included.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_owned()
    }

    /// All bytes of the chunk, with this blocksize if only the header gives it.
    pub(super) fn bytes_in_blocks(&self, blocksize: usize) -> Cow<'_, [u8]> {
        let mut header = self.header;
        if header.is_stored() || header.special().is_some() {
            header.set_blocksize(blocksize);
        }
        if header == self.header {
            return Cow::Borrowed(&self.bytes);
        }
        Cow::Owned([header.as_bytes(), &self.bytes[header.header_len()..]].concat())
    }

    /// The data of a stored chunk, without a copy. `None` for any other chunk.
    pub fn stored(&self) -> Option<&[u8]> {
        if !self.header.is_stored() {
            return None;
        }
        self.bytes.get(self.header.header_len()..)?.get(..self.header.nbytes())
    }

    /// The value of all elements, if the chunk's kind is [`Special::Value`].
    pub fn value(&self) -> Option<&[u8]> {
        match self.header.special() {
            Some(Special::Value) => {
                let value = self.bytes.get(self.header.header_len()..)?;
                // An element longer than 255 bytes does not fit the header's type size: then it is all that follows.
                if self.header.typesize() == 1 { Some(value) } else { value.get(..self.header.typesize()) }
            }
            _ => None,
        }
    }

    /// The chunk's data: borrowed if it is stored, filled in if it is special (with zeros if it is uninitialized), and decompressed by
    /// `decompress` otherwise.
    ///
    /// This allocates as much memory as the header claims, at most 2 GiB. [`data_into`](Chunk::data_into) allocates none.
    ///
    /// # Errors
    ///
    /// The memory cannot be allocated, the kind of special value does not fit the typesize, or `decompress` fails.
    pub fn data(&self, decompress: impl Decompress) -> Result<Cow<'_, [u8]>> {
        if let Some(data) = self.stored() {
            return Ok(Cow::Borrowed(data));
        }
        if self.header.special().is_none() {
            decompress.accept(&self.header)?;
        }
        let mut data = Vec::new();
        let nbytes = self.header.nbytes();
        data.try_reserve_exact(nbytes).map_err(|_| Error::out_of_memory(nbytes))?;
        data.resize(nbytes, 0);
        self.data_into(&mut data, decompress)?;
        Ok(Cow::Owned(data))
    }

    /// Turns the chunk into its data, as [`data`](Chunk::data) does.
    ///
    /// # Errors
    ///
    /// Those of [`data`](Chunk::data).
    pub fn into_data(self, decompress: impl Decompress) -> Result<Cow<'a, [u8]>> {
        match self.bytes {
            Cow::Borrowed(bytes) if self.header.is_stored() => {
                let start = self.header.header_len();
                Ok(Cow::Borrowed(&bytes[start..start + self.header.nbytes()]))
            }
            _ => Ok(Cow::Owned(self.data(decompress)?.into_owned())),
        }
    }

    /// Writes the chunk's data into a buffer of [`nbytes`](ChunkHeader::nbytes) bytes.
    ///
    /// # Errors
    ///
    /// The buffer has another length, the kind of special value does not fit the typesize, or `decompress` fails.
    pub fn data_into(&self, data: &mut [u8], mut decompress: impl Decompress) -> Result<()> {
        if data.len() != self.header.nbytes() {
            return Err(Error::new(ErrorKind::Count { expected: self.header.nbytes(), found: data.len() }).field("buffer"));
        }
        if let Some(stored) = self.stored() {
            data.copy_from_slice(stored);
            return Ok(());
        }
        match self.header.special() {
            None => decompress.decompress(&self.bytes, data)?,
            Some(Special::Zeros | Special::Uninitialized) => data.fill(0),
            Some(Special::Nan) => match self.header.typesize() {
                4 => fill(data, &f32::NAN.to_le_bytes()),
                8 => fill(data, &f64::NAN.to_le_bytes()),
                typesize => return Err(no_nan(typesize)),
            },
            Some(Special::Value) => fill(data, self.value().unwrap_or_default()),
        }
        Ok(())
    }
}

impl fmt::Debug for Chunk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Chunk").field(&self.header).finish()
    }
}

/// Repeats an element.
fn fill(data: &mut [u8], element: &[u8]) {
    if !element.is_empty() {
        data.chunks_mut(element.len()).for_each(|place| place.copy_from_slice(&element[..place.len()]));
    }
}
