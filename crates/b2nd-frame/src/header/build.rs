//! Headers of new frames.

use b2nd_codec::{CodecId, Filter, SplitMode};

use super::{FrameType, Header};
use crate::error::{Error, Result};
use crate::metalayers::Metalayers;
use b2nd::B2ndMeta;

/// The first byte of the flags unless chunks vary in length: version 2, 64-bit offsets.
const ORDINARY: u8 = 0x12;

/// The first byte of the flags if chunks vary in length: version 3, 64-bit offsets, variable chunks.
const VARIABLE: u8 = 0x53;

/// The default compression level of C-Blosc2. Levels are 0 to 9.
const LEVEL: u8 = 5;

/// The typesize, chunksize and blocksize of a new frame, for [`Header::new`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// The length of an element in bytes: 1 or more.
    pub typesize: i32,
    /// The length of an uncompressed chunk in bytes, or 0 if chunks vary in length.
    pub chunksize: i32,
    /// The length of an uncompressed block in bytes, or 0 if each chunk has its own blocksize.
    pub blocksize: i32,
}

impl Header {
    /// Creates the header of a new frame for an array. The header holds the metalayer `meta`, and the typesize, chunksize and blocksize are
    /// computed from it. For the order of elements in a chunk, and the padding of chunks at the edges of the array, see
    /// [`Grid`](b2nd::Grid).
    ///
    /// # Errors
    ///
    /// Fails if the dtype is unknown or its itemsize is 0, the product of a shape overflows, a chunk takes 2 GiB or more, or the metalayer
    /// cannot be encoded.
    ///
    /// ```
    /// use b2nd_frame::{Chunk, Frame, Header, Writer};
    /// use b2nd::{B2ndMeta, Geometry};
    ///
    /// // 3 x 5 elements in one chunk of 4 x 6, which has four blocks of 2 x 3.
    /// let meta = B2ndMeta::of::<i16>(Geometry::new(&[3, 5], &[3, 5], &[2, 3])?);
    /// let grid = meta.geometry.grid()?;
    /// let mut data = vec![0; 24 * size_of::<i16>()];
    /// for (row, column) in (0..3).flat_map(|row| (0..5).map(move |column| (row, column))) {
    ///     let item = grid.item_index(&[row, column]).expect("inside the array") as usize;
    ///     data[item * 2..][..2].copy_from_slice(&((10 * row + column) as i16).to_le_bytes());
    /// }
    /// let header = Header::for_array(&meta)?;
    /// assert_eq!((header.typesize(), header.chunksize(), header.blocksize()), (2, 48, 12));
    /// let mut writer = Writer::new(header);
    /// writer.append(&Chunk::store(&data, 2)?)?;
    /// let bytes = writer.finish()?;
    /// assert_eq!(Frame::from_slice(&bytes)?.header().array()?.map(|array| array.into_owned()), Some(b2nd::ArrayMeta::B2nd(meta)));
    /// # Ok::<(), b2nd_frame::Error>(())
    /// ```
    pub fn for_array<S: AsRef<str> + serde::Serialize>(meta: &B2ndMeta<S>) -> Result<Header> {
        let grid = meta.geometry.grid()?;
        let itemsize = i64::try_from(meta.parse_dtype()?.itemsize()).unwrap_or(i64::MAX);
        let bytes = |name: &str, nitems: i64| match nitems.checked_mul(itemsize).map(i32::try_from) {
            Some(Ok(bytes)) => Ok(bytes),
            _ => Err(Error::custom(format_args!("{name}: expected less than 2 GiB, found {nitems} * {itemsize} bytes"))),
        };
        let (chunksize, blocksize) = (bytes("padded chunk", grid.extchunknitems())?, bytes("blockshape", grid.blocknitems())?);
        let mut header = Header::new(Sizes { typesize: bytes("dtype", 1)?, chunksize, blocksize })?;
        header.metalayers.set(meta)?;
        Ok(header)
    }

    /// Creates the header of a new frame with these sizes. For an array, use [`for_array`](Header::for_array), which computes the sizes. In
    /// contrast, `new` does not compare the given sizes with a metalayer.
    ///
    /// The codec is BloscLZ at level 5 after the filter shuffle, the split mode is `forward_compat`, and the number of threads is 1, as by
    /// default in C-Blosc2. The lengths of the data and the frame are 0 until a [`Writer`](crate::Writer) sets
    /// them.
    ///
    /// # Errors
    ///
    /// Fails if the typesize is below 1, or the chunksize or blocksize is negative.
    ///
    /// ```
    /// use b2nd_frame::{Header, Sizes};
    ///
    /// let header = Header::new(Sizes { typesize: 4, chunksize: 4096, blocksize: 1024 })?;
    /// assert_eq!(header.chunksize(), 4096);
    /// # Ok::<(), b2nd_frame::Error>(())
    /// ```
    pub fn new(sizes: Sizes) -> Result<Header> {
        let mut pipeline = [0; 17];
        pipeline[0] = 6;
        pipeline[6] = Filter::Shuffle.code();
        let header = Header {
            frame_len: 0,
            flags: [ORDINARY, 0, LEVEL << 4, 3],
            nbytes: 0,
            cbytes: 0,
            typesize: 1,
            blocksize: 0,
            chunksize: 0,
            compression_threads: 1,
            decompression_threads: 1,
            has_vlmetalayers: false,
            pipeline,
            metalayers: Metalayers::default(),
        };
        header.with_sizes(sizes)
    }

    /// Sets the typesize, chunksize and blocksize.
    ///
    /// # Errors
    ///
    /// Fails if the typesize is below 1, or the chunksize or blocksize is negative.
    pub fn with_sizes(mut self, sizes: Sizes) -> Result<Header> {
        let Sizes { typesize, chunksize, blocksize } = sizes;
        let least = [("typesize", typesize, 1), ("chunksize", chunksize, 0), ("blocksize", blocksize, 0)];
        for (name, length, least) in least {
            if length < least {
                return Err(Error::custom(format_args!("{name}: expected {least} or more, found {length}")));
            }
        }
        (self.typesize, self.chunksize, self.blocksize) = (typesize, chunksize, blocksize);
        self.flags[0] = if chunksize == 0 { VARIABLE } else { ORDINARY };
        Ok(self)
    }

    /// Sets the codec, without a parameter. The compression level is not changed.
    ///
    /// # Errors
    ///
    /// Fails if the codec is [`CodecId::Other`] with a code from 0 to 31, since these codes belong to C-Blosc2's own codecs.
    pub fn with_codec(mut self, codec: CodecId) -> Result<Header> {
        let code = codec.code();
        if matches!(codec, CodecId::Other(0..=31)) {
            return Err(Error::custom(format_args!("codec: expected a Blosc2 codec or a code from 32 to 255, found {codec:?}")));
        }
        // The pipeline holds the codec's number. The flags also hold this number, in 4 bits, but have 6 for all numbers above 5.
        self.flags[2] = self.flags[2] & 0xf0 | code.min(6);
        self.pipeline[7] = code;
        self.pipeline[8] = 0;
        Ok(self)
    }

    /// Sets the compression level, 0 to 9.
    ///
    /// # Errors
    ///
    /// Fails if `level` is above 9.
    pub fn with_level(mut self, level: u8) -> Result<Header> {
        if level > 9 {
            return Err(Error::custom(format_args!("level: expected 0 to 9, found {level}")));
        }
        self.flags[2] = self.flags[2] & 0x0f | level << 4;
        Ok(self)
    }

    /// Sets the parameter of the codec, which is 0 for BloscLZ, LZ4, LZ4HC, zlib and Zstandard. It is not the compression level.
    ///
    /// # Errors
    ///
    /// Fails if `meta` is not 0 and the codec is one of these.
    pub fn with_codec_meta(mut self, meta: u8) -> Result<Header> {
        if meta != 0 && self.pipeline[7] < 32 {
            let codec = self.codec();
            return Err(Error::custom(format_args!(
                "codec meta: expected 0, since {codec} has no parameter, found {meta}: `with_level` sets the level"
            )));
        }
        self.pipeline[8] = meta;
        Ok(self)
    }

    /// Sets the filters and their parameters, in the order in which they are applied. There are 6 slots for filters. As in the defaults of
    /// C-Blosc2, the last slots are filled and the first ones are empty.
    ///
    /// # Errors
    ///
    /// Fails if there are more than 6 filters.
    pub fn with_filters(mut self, filters: &[(Filter, u8)]) -> Result<Header> {
        let Some(empty) = 6usize.checked_sub(filters.len()) else {
            return Err(Error::custom(format_args!("filters: expected at most 6, found {}", filters.len())));
        };
        self.pipeline[1..7].fill(0);
        self.pipeline[9..15].fill(0);
        for (slot, (filter, meta)) in (empty..6).zip(filters) {
            (self.pipeline[1 + slot], self.pipeline[9 + slot]) = (filter.code(), *meta);
        }
        Ok(self)
    }

    /// Sets the split mode.
    pub fn with_split_mode(mut self, mode: SplitMode) -> Header {
        self.flags[3] = mode.code() - 1;
        self
    }

    /// Returns a mutable reference to the metalayers, to set the metalayers of a new frame. To change metalayers in a file, use
    /// [`Editor`](crate::Editor).
    pub fn metalayers_mut(&mut self) -> &mut Metalayers {
        &mut self.metalayers
    }

    pub(crate) fn set_has_vlmetalayers(&mut self, has: bool) {
        self.has_vlmetalayers = has;
    }

    #[cfg(feature = "std")]
    pub(crate) fn set_frame_len(&mut self, length: u64) {
        self.frame_len = length;
    }

    /// Sets the frame's type, and the lengths of the uncompressed data (`nbytes`), of the chunks as stored (`cbytes`) and of the frame.
    /// Call this when all chunks are known. `tail` is the length of the index and the trailer together. All lengths are in bytes.
    pub(crate) fn set_sizes(&mut self, frame_type: FrameType, nbytes: u64, cbytes: u64, tail: u64) -> Result<()> {
        let chunks = if frame_type == FrameType::Contiguous { cbytes } else { 0 };
        let frame_len = [self.header_len() as u64, chunks, tail].into_iter().try_fold(0, u64::checked_add);
        let (Ok(nbytes), Ok(cbytes), Some(frame_len)) = (i64::try_from(nbytes), i64::try_from(cbytes), frame_len) else {
            return Err(Error::custom("the frame or its data has 2^63 bytes or more"));
        };
        (self.nbytes, self.cbytes, self.frame_len) = (nbytes, cbytes, frame_len);
        self.flags[1] = u8::from(frame_type == FrameType::Sparse);
        Ok(())
    }
}
