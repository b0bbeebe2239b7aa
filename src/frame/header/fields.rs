//! The fields of a header, typed.

use super::{FrameType, Header};
use crate::frame::chunk::{Codec, Filter, SplitMode};

impl Header {
    /// The version of the format: 2, or 3 if chunks or blocks vary in length.
    pub fn version(&self) -> u8 {
        self.flags[0] & 0x0f
    }

    /// The kind of the frame, which holds its chunks or not.
    pub fn frame_type(&self) -> FrameType {
        if self.flags[1] == 0 { FrameType::Contiguous } else { FrameType::Sparse }
    }

    /// The four flag bytes as they are in the file.
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

    /// The codec for new chunks.
    pub fn codec(&self) -> Codec {
        match self.flags[2] & 0x0f {
            6 => Codec::from_code(self.pipeline[7]),
            code => Codec::from_code(code),
        }
    }

    /// The codec's parameter, 0 for most.
    pub fn codec_meta(&self) -> u8 {
        self.pipeline[8]
    }

    /// The compression level, 0 to 9 in every file known.
    pub fn level(&self) -> u8 {
        self.flags[2] >> 4
    }

    /// The splitting of blocks by byte position. It may be wrong in files of C-Blosc2 before 2.6, which stored it in another way.
    pub fn split_mode(&self) -> Option<SplitMode> {
        match self.flags[3] {
            0 => Some(SplitMode::Always),
            1 => Some(SplitMode::Never),
            2 => Some(SplitMode::Auto),
            3 => Some(SplitMode::ForwardCompat),
            _ => None,
        }
    }

    /// The filters for new chunks with their parameters, in the order in which they run. Empty slots are left out.
    pub fn filters(&self) -> impl Iterator<Item = (Filter, u8)> {
        let slots = self.pipeline[1..7].iter().zip(&self.pipeline[9..15]);
        slots.map(|(&filter, &meta)| (Filter::from_code(filter), meta)).filter(|(filter, _)| *filter != Filter::None)
    }

    /// The length of the data in bytes, uncompressed, padding of chunks included.
    pub fn nbytes(&self) -> i64 {
        self.nbytes
    }

    /// The length of all chunks in bytes, compressed. It can be stale if `nbytes` is 0.
    pub fn cbytes(&self) -> i64 {
        self.cbytes
    }

    /// The length of an element in bytes.
    pub fn typesize(&self) -> i32 {
        self.typesize
    }

    /// The length of a block in bytes, uncompressed; 0 if C-Blosc2 had not chosen one yet.
    pub fn blocksize(&self) -> i32 {
        self.blocksize
    }

    /// The length of a chunk in bytes, uncompressed; 0 if it varies, and -1 in some empty frames.
    pub fn chunksize(&self) -> i32 {
        self.chunksize
    }

    /// The number of the writer's threads for compression.
    pub fn compression_threads(&self) -> i16 {
        self.compression_threads
    }

    /// The number of the writer's threads for decompression.
    pub fn decompression_threads(&self) -> i16 {
        self.decompression_threads
    }

    /// Returns true if the trailer holds variable-length metalayers. C-Blosc2 does not rely on it.
    pub fn has_vlmetalayers(&self) -> bool {
        self.has_vlmetalayers
    }
}
