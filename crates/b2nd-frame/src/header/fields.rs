//! Methods of [`Header`] that return its fields, including those that are bits of a byte.

use b2nd_codec::{CodecId, Compressor, Filter, Options, SplitMode};

use super::{FrameType, Header};
use crate::error::Result;

impl Header {
    /// Returns the version of the frame format: 2, or 3 if chunks or blocks vary in length.
    pub fn version(&self) -> u8 {
        self.flags[0] & 0x0f
    }

    /// Returns the kind of the frame: contiguous or sparse.
    pub fn frame_type(&self) -> FrameType {
        if self.flags[1] == 0 { FrameType::Contiguous } else { FrameType::Sparse }
    }

    /// Returns the four bytes of flags, unchanged.
    pub fn raw_flags(&self) -> [u8; 4] {
        self.flags
    }

    /// Returns true if chunks vary in length.
    pub fn has_variable_chunks(&self) -> bool {
        self.flags[0] & 0x40 != 0
    }

    /// Returns true if blocks vary in length.
    pub fn has_variable_blocks(&self) -> bool {
        self.flags[0] & 0x80 != 0
    }

    /// Returns the codec for new chunks.
    pub fn codec(&self) -> CodecId {
        match self.flags[2] & 0x0f {
            6 => CodecId::from_code(self.pipeline[7]),
            code => CodecId::from_code(code),
        }
    }

    /// Returns the codec's parameter, which is 0 for most codecs.
    pub fn codec_meta(&self) -> u8 {
        self.pipeline[8]
    }

    /// Returns the compression level, which is 0 to 9 in all known files.
    pub fn level(&self) -> u8 {
        self.flags[2] >> 4
    }

    /// Returns the split mode, which determines whether the bytes of a block are split by their position in an element before compression.
    /// Returns `None` if the header has an unknown value. C-Blosc2 before 2.6 encoded the split mode differently, so the result may be
    /// wrong for files of these versions.
    pub fn split_mode(&self) -> Option<SplitMode> {
        SplitMode::from_code(self.flags[3].saturating_add(1))
    }

    /// Returns the filters for new chunks and their parameters, in the order in which they are applied. Empty slots are left out.
    pub fn filters(&self) -> impl Iterator<Item = (Filter, u8)> {
        let slots = self.pipeline[1..7].iter().zip(&self.pipeline[9..15]);
        slots.map(|(&filter, &meta)| (Filter::from_code(filter), meta)).filter(|(filter, _)| *filter != Filter::None)
    }

    /// Creates a compressor for chunks of this frame, with the header's typesize, blocksize, codec, level, filters and split mode.
    ///
    /// # Errors
    ///
    /// Fails if this build cannot compress with the codec or a filter, or a filter that truncates numbers has a parameter that is not valid
    /// for elements of the header's typesize.
    ///
    /// ```
    /// use b2nd_frame::{Chunk, CodecId, Filter, Header};
    ///
    /// let meta = b2nd::B2ndMeta::of::<u32>(b2nd::Geometry::new(&[1000], &[1000], &[500])?);
    /// let header = Header::for_array(&meta)?.with_codec(CodecId::BloscLz)?.with_filters(&[(Filter::Shuffle, 0)])?;
    /// let data: Vec<u8> = (0..1000_u32).flat_map(u32::to_le_bytes).collect();
    /// let chunk = header.compressor()?.chunk(&data)?;
    /// assert!(chunk.len() < data.len());
    /// assert_eq!(Chunk::from_slice(&chunk)?.data()?, data);
    /// # Ok::<(), b2nd_frame::Error>(())
    /// ```
    pub fn compressor(&self) -> Result<Compressor> {
        Ok(Compressor::new(&Options {
            codec: self.codec(),
            codec_meta: self.codec_meta(),
            level: self.level(),
            typesize: usize::try_from(self.typesize).unwrap_or(0),
            blocksize: usize::try_from(self.blocksize_of_array()).unwrap_or(0),
            filters: self.filters().collect(),
            split_mode: self.split_mode().unwrap_or(SplitMode::ForwardCompat),
            ..Options::default()
        })?)
    }

    /// Returns the length of the uncompressed data in bytes, including the padding of chunks.
    pub fn nbytes(&self) -> i64 {
        self.nbytes
    }

    /// Returns the length of the chunks as stored, with the gaps that edits leave between them, in bytes. If [`nbytes`](Header::nbytes) is
    /// 0, the value may be out of date.
    pub fn cbytes(&self) -> i64 {
        self.cbytes
    }

    /// Returns the length of an element in bytes.
    pub fn typesize(&self) -> i32 {
        self.typesize
    }

    /// Returns the length of an uncompressed block in bytes. It can be 0, for example if C-Blosc2 has not chosen it yet or each chunk has
    /// its own blocksize.
    pub fn blocksize(&self) -> i32 {
        self.blocksize
    }

    /// Returns the length of an uncompressed chunk in bytes. It is 0 if chunks vary in length, and 0 or -1 in some empty frames.
    pub fn chunksize(&self) -> i32 {
        self.chunksize
    }

    /// Returns the writer's number of threads for compression.
    pub fn compression_threads(&self) -> i16 {
        self.compression_threads
    }

    /// Returns the writer's number of threads for decompression.
    pub fn decompression_threads(&self) -> i16 {
        self.decompression_threads
    }

    /// Returns true if the header's flag for vlmetalayers in the trailer is set. C-Blosc2 does not rely on this flag.
    pub fn has_vlmetalayers(&self) -> bool {
        self.has_vlmetalayers
    }
}
