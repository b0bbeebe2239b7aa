//! [`ChunkHeader`]: the 16 or 32 bytes at the start of a chunk. Numbers in them are little-endian.

use core::fmt;

use crate::error::{Error, ErrorKind, Result};
use crate::ids::{CodecId, Filter, Special};

/// The length in bytes of a header of Blosc 1.
pub(crate) const SHORT: usize = 16;

/// The number of slots for filters.
pub(crate) const MAX_FILTERS: usize = 6;

/// The largest blocksize in bytes.
pub(crate) const MAX_BLOCKSIZE: usize = 536_866_816;

/// The maximum length of a chunk in bytes, header included.
const MAX_CBYTES: usize = i32::MAX as usize;

/// Bits 0 and 2 of the flags. If both are set, the header is extended to 32 bytes. If only one is set, it means byte shuffle (bit 0) or bit
/// shuffle (bit 2).
const IS_EXTENDED: u8 = 0x05;

/// Bit 1 of the flags: the data is stored uncompressed.
const IS_STORED: u8 = 0x02;

/// Bit 3 of the flags: the filter delta is applied.
const HAS_DELTA: u8 = 0x08;

/// Bit 4 of the flags: blocks are not split into streams.
const IS_UNSPLIT: u8 = 0x10;

/// The version of the chunk format that this crate writes in Blosc2 chunks.
pub(crate) const VERSION: u8 = 5;

/// The newest version of the chunk format, which C-Blosc2 3 writes if blocks vary in length.
const NEWEST: u8 = 6;

/// The version of the chunk format of Blosc 1.
pub(crate) const BLOSC1: u8 = 2;

/// Bit 0 of the flags in byte 30: blocks vary in length, and each starts with its length.
const HAS_VARIABLE_BLOCKS: u8 = 0x01;

/// The header of a chunk of Blosc2 or Blosc 1. Its 32 or 16 bytes are kept unchanged.
///
/// ```text
///  0  version | versionlz | flags | typesize
///  4  nbytes    (int32: the data, uncompressed)
///  8  blocksize (int32)
/// 12  cbytes    (int32: the chunk, header included)
/// 16  filters (6) | udcodec | codec_meta | filters_meta (6) | flags | blosc2_flags
/// ```
///
/// ```
/// use b2nd_codec::{ChunkHeader, Options, compress};
///
/// let chunk = compress(&[1, 2, 3, 4], &Options { typesize: 4, ..Options::default() })?;
/// let header = ChunkHeader::from_slice(&chunk)?;
/// assert_eq!((header.nbytes(), header.cbytes(), header.typesize()), (4, 36, 4));
/// assert!(header.is_stored());
/// # Ok::<(), b2nd_codec::Error>(())
/// ```
///
/// Source: C-Blosc2's "Chunk Format".
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ChunkHeader {
    /// The header. If it has only 16 bytes, the other 16 are zero.
    bytes: [u8; ChunkHeader::MAX_LEN],
}

impl ChunkHeader {
    /// The length of a header in bytes. Headers of Blosc 1 are shorter, with 16 bytes.
    pub const MAX_LEN: usize = 32;

    /// Decodes the header at the start of a chunk: 32 bytes, or 16 bytes if the header is not extended.
    ///
    /// # Errors
    ///
    /// Fails if the input ends early, the version is above 6, or another field is not valid (the error names it), for example because sizes
    /// contradict each other or the typesize is 0.
    pub fn from_slice(chunk: &[u8]) -> Result<ChunkHeader> {
        let mut bytes = [0; ChunkHeader::MAX_LEN];
        let length =
            if chunk.get(2).is_some_and(|flags| flags & IS_EXTENDED == IS_EXTENDED) { ChunkHeader::MAX_LEN } else { SHORT };
        let Some(header) = chunk.get(..length) else {
            return Err(Error::end(length - chunk.len(), chunk.len()).in_field("chunk header"));
        };
        bytes[..length].copy_from_slice(header);
        let header = ChunkHeader { bytes };
        header.check()?;
        Ok(header)
    }

    /// Creates the header of a chunk whose data is stored uncompressed.
    ///
    /// # Errors
    ///
    /// Fails if the data is longer than a chunk can hold, or `typesize` is 0.
    pub fn stored(nbytes: usize, typesize: usize) -> Result<ChunkHeader> {
        let mut header = ChunkHeader::new(nbytes, typesize)?;
        header.set_stored();
        header.set_cbytes(ChunkHeader::MAX_LEN.saturating_add(nbytes))?;
        header.check()?;
        Ok(header)
    }

    /// Creates the header of a special chunk. The chunk consists of this header only.
    ///
    /// # Errors
    ///
    /// Fails if `typesize` is 0, if `nbytes` is not a multiple of `typesize` or is more than a chunk can hold, or if `special` is NaN and
    /// `typesize` is not 4 or 8. Also fails if `special` is [`Special::Value`], for which [`repeated`](ChunkHeader::repeated) creates the
    /// header.
    pub fn special_chunk(special: Special, nbytes: usize, typesize: usize, blocksize: usize) -> Result<ChunkHeader> {
        if special == Special::Value {
            return Err(Error::custom("`Special::Value` needs the value's bytes: use `repeated`"));
        }
        let mut header = ChunkHeader::new(nbytes, typesize)?;
        if nbytes % typesize != 0 {
            return Err(Error::custom(format_args!("nbytes: expected a multiple of typesize ({typesize}), found {nbytes}")));
        }
        if special == Special::Nan && !matches!(typesize, 4 | 8) {
            return Err(no_nan(typesize));
        }
        header.set_special(special);
        header.set_blocksize(blocksize);
        header.check()?;
        Ok(header)
    }

    /// Creates the header of a chunk whose elements all have the same value. The `typesize` bytes of the value must follow the header.
    ///
    /// # Errors
    ///
    /// Fails if `typesize` or `nbytes` is 0, or if `nbytes` is not a multiple of `typesize` or is more than a chunk can hold.
    pub fn repeated(nbytes: usize, typesize: usize) -> Result<ChunkHeader> {
        let mut header = ChunkHeader::new(nbytes, typesize)?;
        if nbytes == 0 || nbytes % typesize != 0 {
            return Err(Error::custom(format_args!(
                "nbytes: expected a positive multiple of the value's length ({typesize}), found {nbytes}"
            )));
        }
        header.set_special(Special::Value);
        header.set_cbytes(ChunkHeader::MAX_LEN + typesize)?;
        header.check()?;
        Ok(header)
    }

    /// Sets the blocksize, unless it is 0, greater than nbytes or greater than Blosc2's limit.
    pub fn set_blocksize(&mut self, blocksize: usize) {
        if let (true, Ok(bytes)) = ((1..=self.nbytes().min(MAX_BLOCKSIZE)).contains(&blocksize), length("blocksize", blocksize)) {
            self.bytes[8..12].copy_from_slice(&bytes);
        }
    }

    /// Sets the length of the chunk in bytes, header included.
    pub(crate) fn set_cbytes(&mut self, cbytes: usize) -> Result<()> {
        self.bytes[12..16].copy_from_slice(&length("cbytes", cbytes)?);
        Ok(())
    }

    /// Marks the data as stored uncompressed.
    pub(crate) fn set_stored(&mut self) {
        self.bytes[2] |= IS_STORED;
    }

    /// Makes this a header of Blosc 1, of 16 bytes, in which the flags give the filter.
    pub(crate) fn shorten(&mut self) {
        let shuffle = match self.filters().next() {
            Some((Filter::Shuffle, _)) => 0x01,
            Some((Filter::BitShuffle, _)) => 0x04,
            _ => 0,
        };
        self.bytes[0] = BLOSC1;
        self.bytes[2] = self.bytes[2] & !IS_EXTENDED | shuffle;
        self.bytes[SHORT..].fill(0);
    }

    /// Sets the kind of a special chunk.
    pub(crate) fn set_special(&mut self, special: Special) {
        self.bytes[31] = special.code() << 4;
    }

    /// Sets the codec, the six filter slots with their parameters, and whether blocks are split.
    pub(crate) fn set_pipeline(&mut self, codec: CodecId, filters: &[(Filter, u8)], is_split: bool) {
        let format = match codec {
            CodecId::Lz4Hc => 1,
            CodecId::SNAPPY => 2,
            CodecId::Zlib => 3,
            CodecId::Zstd => 4,
            other => other.code(),
        };
        let unsplit = if is_split { 0 } else { IS_UNSPLIT };
        let delta = if filters.iter().any(|(filter, _)| *filter == Filter::Delta) { HAS_DELTA } else { 0 };
        self.bytes[2] |= format << 5 | unsplit | delta;
        self.bytes[22] = codec.code();
        // If there are fewer filters than slots, the first slots are empty.
        for (slot, (filter, meta)) in (MAX_FILTERS.saturating_sub(filters.len())..MAX_FILTERS).zip(filters) {
            (self.bytes[16 + slot], self.bytes[24 + slot]) = (filter.code(), *meta);
        }
    }

    /// Creates a header with the largest blocksize for `nbytes` bytes of data. Its cbytes is the length of the header.
    pub(crate) fn new(nbytes: usize, typesize: usize) -> Result<ChunkHeader> {
        if typesize == 0 {
            return Err(Error::mismatch("typesize", "1 or more", typesize, 3));
        }
        let mut bytes = [0; ChunkHeader::MAX_LEN];
        // C-Blosc2 also writes 1 for a typesize that the field cannot hold.
        bytes[..4].copy_from_slice(&[VERSION, 1, IS_EXTENDED, u8::try_from(typesize).unwrap_or(1)]);
        bytes[4..8].copy_from_slice(&length("nbytes", nbytes)?);
        bytes[8..12].copy_from_slice(&length("blocksize", nbytes.clamp(1, MAX_BLOCKSIZE))?);
        bytes[12..16].copy_from_slice(&length("cbytes", ChunkHeader::MAX_LEN)?);
        Ok(ChunkHeader { bytes })
    }

    /// Checks the version, the sizes and the special value. A newer version is rejected, because its fields may have
    /// other meanings. C-Blosc2 3 reads such a chunk if byte 30 has no unknown flags.
    fn check(&self) -> Result<()> {
        if self.version() > NEWEST {
            return Err(Error::mismatch("chunk version", format_args!("at most {NEWEST}"), self.version(), 0));
        }
        let [nbytes, blocksize, cbytes] = [4, 8, 12].map(|at| self.int32(at));
        let header_len = self.header_len();
        if nbytes < 0 {
            return Err(Error::mismatch("nbytes", "0 or more", nbytes, 4));
        }
        if self.cbytes() < header_len {
            return Err(Error::mismatch("cbytes", format_args!("{header_len} or more"), cbytes, 12));
        }
        if blocksize <= 0 || (nbytes > 0 && blocksize > nbytes) || self.blocksize() > MAX_BLOCKSIZE {
            let limit = if nbytes > 0 { self.nbytes().min(MAX_BLOCKSIZE) } else { MAX_BLOCKSIZE };
            return Err(Error::mismatch("blocksize", format_args!("1 to {limit}"), blocksize, 8));
        }
        if self.typesize() == 0 {
            return Err(Error::mismatch("typesize", "1 or more", 0, 3));
        }
        if self.is_stored() && self.special().is_none() && self.cbytes() < header_len.saturating_add(self.nbytes()) {
            return Err(Error::mismatch("cbytes", format_args!("{header_len} + nbytes ({nbytes}) or more"), cbytes, 12));
        }
        let Some(code) = self.special_code() else { return Ok(()) };
        if self.special().is_none() {
            return Err(Error::mismatch("special value", "1 to 4", code, 31));
        }
        if self.special() == Some(Special::Value) && self.cbytes() < ChunkHeader::MAX_LEN + self.typesize() {
            return Err(Error::mismatch(
                "cbytes",
                format_args!("{} + typesize ({}) or more", ChunkHeader::MAX_LEN, self.typesize()),
                cbytes,
                12,
            ));
        }
        Ok(())
    }

    fn int32(&self, at: usize) -> i32 {
        i32::from_le_bytes(self.bytes[at..].first_chunk().copied().unwrap_or_default())
    }

    /// Returns the value of the int32 field at this position of the header, or 0 if the value is negative, which
    /// [`check`](ChunkHeader::check) rejects.
    fn size(&self, at: usize) -> usize {
        usize::try_from(self.int32(at)).unwrap_or(0)
    }

    /// Returns true if blocks are split into a stream for each byte of an element. A shorter last block is never split.
    pub(crate) fn is_split(&self) -> bool {
        self.bytes[2] & IS_UNSPLIT == 0
    }

    /// Returns the bytes of the header, 16 or 32, unchanged.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.header_len()]
    }

    /// Returns the length of the header in bytes: 32, or 16 if the header is not extended.
    pub fn header_len(&self) -> usize {
        if self.is_extended() { ChunkHeader::MAX_LEN } else { SHORT }
    }

    /// Returns true if the header has 32 bytes. Only such a header has a filter pipeline.
    pub fn is_extended(&self) -> bool {
        self.bytes[2] & IS_EXTENDED == IS_EXTENDED
    }

    /// Returns the version of the chunk format, such as 2 in Blosc 1, 5 in Blosc2, or 6 if blocks vary in length.
    pub fn version(&self) -> u8 {
        self.bytes[0]
    }

    /// Returns the version of the codec's format.
    pub fn codec_version(&self) -> u8 {
        self.bytes[1]
    }

    /// Returns the byte of flags, unchanged.
    pub fn raw_flags(&self) -> u8 {
        self.bytes[2]
    }

    /// Returns the byte of Blosc2's own flags, unchanged, or 0 if the header is not extended.
    pub fn raw_blosc2_flags(&self) -> u8 {
        self.bytes[31]
    }

    /// Returns the length of an element in bytes, 1 to 255. It is also 1 if elements have more than 255 bytes.
    pub fn typesize(&self) -> usize {
        usize::from(self.bytes[3])
    }

    /// Returns the length of the uncompressed data in bytes.
    pub fn nbytes(&self) -> usize {
        self.size(4)
    }

    /// Returns the length of an uncompressed block in bytes. If [blocks vary in length](ChunkHeader::has_variable_blocks), this is the
    /// number of blocks instead.
    pub fn blocksize(&self) -> usize {
        self.size(8)
    }

    /// Returns the length of the chunk in bytes, including its header.
    pub fn cbytes(&self) -> usize {
        self.size(12)
    }

    /// Returns true if the data follows the header uncompressed (Blosc calls it *memcpyed*).
    pub fn is_stored(&self) -> bool {
        self.bytes[2] & IS_STORED != 0 && self.special_code().is_none()
    }

    /// Returns the kind of a special chunk, or `None` if the chunk is not special.
    pub fn special(&self) -> Option<Special> {
        Special::from_code(self.special_code()?)
    }

    fn special_code(&self) -> Option<u8> {
        Some(self.bytes[31] >> 4 & 0x07).filter(|&code| code != 0)
    }

    /// Returns the codec. Three bits of the flags give the format of the compressed data. LZ4 and LZ4HC have the same format, and the byte
    /// udcodec distinguishes them. If this byte is 0 or missing, as in some chunks of version 4 and in Blosc 1, both are returned as `Lz4`.
    pub fn codec(&self) -> CodecId {
        let own = self.bytes[22];
        match self.bytes[2] >> 5 {
            0 => CodecId::BloscLz,
            1 if own == CodecId::Lz4Hc.code() => CodecId::Lz4Hc,
            1 => CodecId::Lz4,
            2 if !self.is_extended() => CodecId::SNAPPY,
            3 => CodecId::Zlib,
            4 => CodecId::Zstd,
            6 => CodecId::from_code(own),
            // 7 means that the frame's header gives the codec. 5 is reserved, and so is 2 in Blosc2.
            format => CodecId::Other(format),
        }
    }

    /// Returns the codec's parameter.
    pub fn codec_meta(&self) -> u8 {
        self.bytes[23]
    }

    /// Returns the filters with their parameters, in the order in which they were applied, without empty slots. In a header of 16 bytes,
    /// the flags give the filters.
    pub fn filters(&self) -> impl Iterator<Item = (Filter, u8)> {
        let mut slots = [(Filter::None, 0); 6];
        if self.is_extended() {
            for (slot, (&filter, &meta)) in slots.iter_mut().zip(self.bytes[16..22].iter().zip(&self.bytes[24..30])) {
                *slot = (Filter::from_code(filter), meta);
            }
        } else {
            slots[4].0 = if self.bytes[2] & HAS_DELTA != 0 { Filter::Delta } else { Filter::None };
            slots[5].0 = match self.bytes[2] & IS_EXTENDED {
                0x01 => Filter::Shuffle,
                0x04 => Filter::BitShuffle,
                _ => Filter::None,
            };
        }
        slots.into_iter().filter(|(filter, _)| *filter != Filter::None)
    }

    /// Returns true if the codec uses a dictionary.
    pub fn has_dictionary(&self) -> bool {
        self.bytes[31] & 0x01 != 0
    }

    /// Returns true if blocks vary in length.
    pub fn has_variable_blocks(&self) -> bool {
        self.bytes[30] & HAS_VARIABLE_BLOCKS != 0
    }

    /// Returns the data of a chunk with this header, as a part of the slice `chunk`. Returns `None` if the data is not [stored
    /// uncompressed](ChunkHeader::is_stored), or if `chunk` is too short.
    pub fn stored_in<'c>(&self, chunk: &'c [u8]) -> Option<&'c [u8]> {
        chunk.get(self.header_len()..)?.get(..self.nbytes()).filter(|_| self.is_stored())
    }

    /// Returns the value of all elements of a chunk with this header, as a part of the slice `chunk`. Returns `None` if the chunk is not a
    /// [`Special::Value`], or if `chunk` is too short. If the typesize is 1, elements may have more than 255 bytes, so this returns all
    /// bytes of `chunk` after the header, even if there are none.
    pub fn value_in<'c>(&self, chunk: &'c [u8]) -> Option<&'c [u8]> {
        let value = chunk.get(self.header_len()..).filter(|_| self.special() == Some(Special::Value))?;
        if self.typesize() == 1 { Some(value) } else { value.get(..self.typesize()) }
    }
}

impl fmt::Debug for ChunkHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChunkHeader(nbytes {}, cbytes {}, ", self.nbytes(), self.cbytes())?;
        match self.special() {
            Some(special) => write!(f, "{special})"),
            None if self.is_stored() => f.write_str("stored)"),
            None => write!(f, "{})", self.codec()),
        }
    }
}

pub(crate) fn no_nan(typesize: usize) -> Error {
    Error::custom(format_args!("a chunk of NaN needs elements of 4 or 8 bytes, not {typesize}"))
}

/// Returns the four bytes that store a length in the header. `name` is the field for the error if the length does not fit.
fn length(name: &'static str, length: usize) -> Result<[u8; 4]> {
    match i32::try_from(length) {
        Ok(length) => Ok(length.to_le_bytes()),
        Err(_) => Err(Error::from(ErrorKind::TooLong { length, limit: MAX_CBYTES }).in_field(name)),
    }
}
