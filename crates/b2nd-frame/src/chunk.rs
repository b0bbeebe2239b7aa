//! [`Chunk`]: the bytes of one Blosc2 chunk, and the data in it.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use b2nd_codec::{ChunkHeader, CodecId, Compressor, Decompressor, Filter, Options, Special, SplitMode};

pub(crate) mod file_name;
mod index;
pub use file_name::chunk_file_name;
pub use index::{Offset, Offsets};

use crate::error::{Error, Result};

/// The length of an offset in an index, in bytes.
const OFFSET: usize = 8;

/// The blocksize of an index, in bytes. It is the same as in C-Blosc2, which decompresses a whole block to look up one offset.
const INDEX_BLOCK: usize = 16384;

/// One Blosc2 chunk: its parsed header and all of its bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Chunk<'a> {
    header: ChunkHeader,
    bytes: Cow<'a, [u8]>,
}

impl<'a> Chunk<'a> {
    /// Parses the chunk at the start of `bytes`, and ignores any bytes after it.
    ///
    /// # Errors
    ///
    /// Fails if the header is not valid, or `bytes` is shorter than the chunk. If `bytes` is too short, [`Error::needed`] returns the
    /// number of missing bytes: up to the end of the chunk, or, if `bytes` ends within the header, at most up to the end of the header.
    pub fn from_slice(bytes: &'a [u8]) -> Result<Chunk<'a>> {
        let header = ChunkHeader::from_slice(bytes)?;
        match bytes.get(..header.cbytes()) {
            Some(bytes) => Ok(Chunk { header, bytes: Cow::Borrowed(bytes) }),
            None => Err(Error::end(header.cbytes() - bytes.len(), bytes.len()).field("chunk")),
        }
    }

    pub(crate) fn new(header: ChunkHeader, bytes: Cow<'a, [u8]>) -> Chunk<'a> {
        Chunk { header, bytes }
    }

    /// Creates a chunk that stores the data uncompressed. `typesize` is the length of an element in bytes.
    ///
    /// # Errors
    ///
    /// Fails if the data is longer than a chunk can hold (2 GiB less 33 bytes), or `typesize` is 0.
    pub fn store(data: &[u8], typesize: usize) -> Result<Chunk<'static>> {
        let header = ChunkHeader::stored(data.len(), typesize)?;
        let mut bytes = Vec::with_capacity(ChunkHeader::MAX_LEN + data.len());
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(data);
        Ok(Chunk { header, bytes: Cow::Owned(bytes) })
    }

    /// Creates the index chunk of a frame from its entries, 8 little-endian bytes each. The entries are compressed with the codec, filter
    /// and blocksize that C-Blosc2 uses, or stored uncompressed if compression does not make them shorter.
    pub(crate) fn index(offsets: &[u8]) -> Result<Chunk<'static>> {
        let options = Options {
            codec: CodecId::BloscLz,
            level: 1,
            typesize: OFFSET,
            blocksize: INDEX_BLOCK,
            filters: Vec::from([(Filter::Shuffle, 0)]),
            split_mode: SplitMode::Never,
            ..Options::default()
        };
        let bytes = Compressor::new(&options)?.chunk(offsets)?;
        Ok(Chunk { header: ChunkHeader::from_slice(&bytes)?, bytes: Cow::Owned(bytes) })
    }

    /// Creates a special chunk, which consists of a header only.
    ///
    /// # Errors
    ///
    /// Fails if `typesize` is 0, if `nbytes` is not a multiple of `typesize` or is 2 GiB or more, or if `special` is NaN and `typesize` is
    /// not 4 or 8. Also fails if `special` is [`Special::Value`]: use [`repeated`](Chunk::repeated), which takes the bytes of
    /// the value.
    pub fn special(special: Special, nbytes: usize, typesize: usize) -> Result<Chunk<'static>> {
        Chunk::special_in_blocks(special, nbytes, typesize, nbytes)
    }

    /// Creates a special chunk, like [`special`](Chunk::special). If `blocksize` is possible for a chunk of this length, its header has
    /// this blocksize.
    pub(crate) fn special_in_blocks(
        special: Special,
        nbytes: usize,
        typesize: usize,
        blocksize: usize,
    ) -> Result<Chunk<'static>> {
        let header = ChunkHeader::special_chunk(special, nbytes, typesize, blocksize)?;
        Ok(Chunk { bytes: Cow::Owned(header.as_bytes().to_vec()), header })
    }

    /// Creates a chunk with `nbytes` bytes of data, in which every element is `value`. The chunk stores the value only once.
    ///
    /// # Errors
    ///
    /// Fails if `value` is empty, or `nbytes` is 0, not a multiple of the value's length, or 2 GiB or more.
    ///
    /// ```
    /// let chunk = b2nd_frame::Chunk::repeated(&1.5f64.to_le_bytes(), 80)?;
    /// assert_eq!(chunk.value(), Some(&1.5f64.to_le_bytes()[..]));
    /// assert_eq!((chunk.header().nbytes(), chunk.header().cbytes()), (80, 40));
    /// # Ok::<(), b2nd_frame::Error>(())
    /// ```
    pub fn repeated(value: &[u8], nbytes: usize) -> Result<Chunk<'static>> {
        let header = ChunkHeader::repeated(nbytes, value.len())?;
        Ok(Chunk { bytes: Cow::Owned([header.as_bytes(), value].concat()), header })
    }

    /// Returns the chunk's header.
    pub fn header(&self) -> &ChunkHeader {
        &self.header
    }

    /// Returns all bytes of the chunk, including its header.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Converts the chunk into a chunk that owns its bytes.
    #[must_use]
    pub fn into_owned(self) -> Chunk<'static> {
        Chunk { header: self.header, bytes: Cow::Owned(self.bytes.into_owned()) }
    }

    /// Returns all bytes of the chunk, including its header.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_owned()
    }

    /// Returns all bytes of the chunk. If the chunk is special or stored uncompressed, the blocksize in the returned header is `blocksize`,
    /// if this is valid for the chunk. A compressed chunk keeps its own blocksize.
    pub(crate) fn bytes_in_blocks(&self, blocksize: usize) -> Cow<'_, [u8]> {
        let mut header = self.header;
        if header.is_stored() || header.special().is_some() {
            header.set_blocksize(blocksize);
        }
        if header == self.header {
            return Cow::Borrowed(&self.bytes);
        }
        Cow::Owned([header.as_bytes(), &self.bytes[header.header_len()..]].concat())
    }

    /// Returns the data of a chunk that is stored uncompressed, without copying the data. Returns `None` for any other chunk.
    pub fn stored(&self) -> Option<&[u8]> {
        self.header.stored_in(&self.bytes)
    }

    /// Returns the value that a chunk of [`Special::Value`] repeats, or `None` for any other chunk.
    pub fn value(&self) -> Option<&[u8]> {
        self.header.value_in(&self.bytes)
    }

    /// Returns the chunk's data: decompressed if the chunk is compressed, copied if it is stored uncompressed, and filled with the value if
    /// it is special (with zeros if it is uninitialized).
    ///
    /// BloscLZ, and all filters of C-Blosc2 except ndcell and ndmean, are always built in. The feature `codecs` adds LZ4, zlib and
    /// Zstandard. On 32-bit processors, Zstandard also needs the feature `safe` of b2nd-codec.
    ///
    /// The data takes as much memory as the chunk's header claims, at most 2 GiB.
    ///
    /// # Errors
    ///
    /// Fails if the memory cannot be allocated, the special value does not fit the typesize, the chunk is not valid, a plugin fails, or
    /// this build does not support its codec, a filter or another of its features ([`NoCodec`](crate::ErrorKind::NoCodec)).
    ///
    /// ```
    /// let file = b2nd_frame::File::open("../../tests/data/example.b2nd")?;
    /// match file.chunk(0)?.data() {
    ///     Ok(data) => assert_eq!(data.len(), 4608),
    ///     Err(error) => assert!(matches!(error.kind(), b2nd_frame::ErrorKind::NoCodec { codec, .. } if codec == "zstd")),
    /// }
    /// # Ok::<(), b2nd_frame::Error>(())
    /// ```
    pub fn data(&self) -> Result<Vec<u8>> {
        Ok(Decompressor::lend(|decompressor| decompressor.data_of(&self.header, &self.bytes))?)
    }

    /// Returns the chunk's data like [`data`](Chunk::data), but without a copy if the chunk is stored uncompressed and its bytes are
    /// borrowed.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`data`](Chunk::data).
    pub fn into_data(self) -> Result<Cow<'a, [u8]>> {
        Decompressor::lend(|decompressor| self.into_data_with(decompressor))
    }

    /// Returns the chunk's data like [`into_data`](Chunk::into_data), but with the given decompressor. The decompressor can have a time
    /// limit, for untrusted input, and the array's metalayer, which some plugins need.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Decompressor::data_of`].
    pub fn into_data_with(self, decompressor: &mut Decompressor) -> Result<Cow<'a, [u8]>> {
        match self.bytes {
            Cow::Borrowed(bytes) if self.header.is_stored() => {
                Ok(Cow::Borrowed(self.header.stored_in(bytes).unwrap_or_default()))
            }
            bytes => Ok(Cow::Owned(decompressor.data_of(&self.header, &bytes)?)),
        }
    }
}

impl fmt::Debug for Chunk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Chunk").field(&self.header).finish()
    }
}
