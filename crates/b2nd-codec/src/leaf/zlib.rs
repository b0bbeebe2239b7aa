//! Zlib, with flate2 and zlib-rs. For chunks of Blosc 1, the compressor is miniz_oxide.

use alloc::boxed::Box;

use crate::error::Result;
use crate::ids::CodecId;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use miniz_oxide::deflate::core::{CompressorOxide, TDEFLFlush, TDEFLStatus, compress, create_comp_flags_from_zip_params};

use super::failed;

/// The state of a decompressor, or `None` before the first stream.
#[derive(Default)]
pub(super) struct Zlib(Option<Decompress>);

impl Zlib {
    /// Decompresses a stream, and returns the length of the data.
    pub(super) fn expand(&mut self, stream: &[u8], place: &mut [u8]) -> Result<usize> {
        let state = self.0.get_or_insert_with(|| Decompress::new(true));
        state.reset(true);
        match state.decompress(stream, place, FlushDecompress::Finish) {
            Ok(Status::StreamEnd) => Ok(usize::try_from(state.total_out()).unwrap_or(usize::MAX)),
            Ok(Status::Ok | Status::BufError) => Err(failed(CodecId::Zlib, "the stream is cut off or has too much data")),
            Err(error) => Err(failed(CodecId::Zlib, error)),
        }
    }
}

/// The strategy of miniz_oxide that uses the fixed code table of the format. It is tried if a stream has at most [`SHORT`] bytes, or
/// does not fit into the buffer.
const FIXED: i32 = 4;
const SHORT: usize = 1 << 10;

/// The compressors of zlib-rs, with its level, and of miniz_oxide, or `None` before their first streams.
#[derive(Default)]
pub(super) struct Packer(Option<(u8, Compress)>, Option<Box<CompressorOxide>>);

impl Packer {
    /// Compresses bytes, and returns the length of the stream, or 0 if it does not fit into the buffer.
    pub(super) fn pack(&mut self, level: u8, bytes: &[u8], stream: &mut [u8]) -> Result<usize> {
        let state = match &mut self.0 {
            Some((known, state)) if *known == level => state,
            other => &mut other.insert((level, Compress::new(Compression::new(level.into()), true))).1,
        };
        state.reset();
        match state.compress(bytes, stream, FlushCompress::Finish) {
            Ok(Status::StreamEnd) => Ok(usize::try_from(state.total_out()).unwrap_or(0)),
            Ok(Status::Ok | Status::BufError) => Ok(0),
            Err(error) => Err(failed(CodecId::Zlib, error)),
        }
    }

    /// Compresses bytes like [`pack`](Packer::pack), to streams that are about as short as those of zlib, which C-Blosc uses. Some
    /// streams of zlib-rs are longer.
    pub(super) fn pack_like_zlib(&mut self, level: u8, bytes: &[u8], stream: &mut [u8]) -> usize {
        // At levels 1 and 2, miniz_oxide searches less than zlib, so level 3 is used.
        let level = level.max(3);
        let length = self.pack_miniz(level, 0, bytes, stream);
        // Unlike zlib, miniz_oxide can write a code table even if the format's fixed table makes the stream shorter.
        let mut other = [0; SHORT];
        if length <= SHORT {
            let fixed = self.pack_miniz(level, FIXED, bytes, &mut other[..SHORT.min(stream.len())]);
            if fixed > 0 && (fixed < length || length == 0) {
                stream[..fixed].copy_from_slice(&other[..fixed]);
                return fixed;
            }
        }
        length
    }

    fn pack_miniz(&mut self, level: u8, strategy: i32, bytes: &[u8], stream: &mut [u8]) -> usize {
        let flags = create_comp_flags_from_zip_params(level.into(), 1, strategy);
        let state = match &mut self.1 {
            Some(state) if state.flags() as u32 == flags => {
                state.reset();
                state
            }
            other => other.insert(Box::new(CompressorOxide::new(flags))),
        };
        let (status, _, length) = compress(state, bytes, stream, TDEFLFlush::Finish);
        if status == TDEFLStatus::Done { length } else { 0 }
    }
}
