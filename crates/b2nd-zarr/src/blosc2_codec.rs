//! [`Blosc2Codec`]: the codec `blosc2`.

use b2nd_codec::{CodecId, Filter, Options};
use serde::{Deserialize, Serialize};
use zarrs::array::codec::api::CodecError;

use crate::bytes_codec::{BytesCodec, register};

/// The compression codec of a Blosc2 chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compressor {
    /// BloscLZ.
    BloscLz,
    /// LZ4.
    Lz4,
    /// LZ4HC: LZ4 with a slower compressor that usually makes smaller chunks.
    Lz4Hc,
    /// zlib.
    Zlib,
    /// Zstandard.
    #[default]
    Zstd,
}

/// The filter that is applied before compression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shuffle {
    /// No filter.
    NoShuffle,
    /// Byte shuffle.
    #[default]
    Shuffle,
    /// Bit shuffle.
    BitShuffle,
}

/// The bytes-to-bytes codec `blosc2`. Stores each Zarr chunk as one Blosc2 chunk with its header of 32 bytes, without a frame.
///
/// `imagecodecs.blosc2_encode` and `compress2` of python-blosc2 write the same format, and `blosc2_decode` and `decompress2` read it.
///
/// ```json
/// {"name": "blosc2", "configuration": {"cname": "zstd", "clevel": 5, "shuffle": "shuffle", "typesize": 4, "blocksize": 0}}
/// ```
///
/// All members of the configuration are optional. The configuration does not affect how chunks are read, because a chunk records how it was
/// compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Blosc2Codec {
    /// The compressor: `blosclz`, `lz4`, `lz4hc`, `zlib` or `zstd` (default).
    pub cname: Compressor,
    /// The compression level, from 0 (no compression) to 9. The default is 5.
    pub clevel: u8,
    /// The filter: `noshuffle`, `shuffle` (default) or `bitshuffle`.
    pub shuffle: Shuffle,
    /// The size of an element in bytes, from 1 (default) to 255.
    pub typesize: u8,
    /// The length of a block in bytes. With 0 (default), it is the length that C-Blosc2 would usually choose.
    pub blocksize: u32,
}

register!(Blosc2Codec, "blosc2");

impl Default for Blosc2Codec {
    fn default() -> Self {
        Blosc2Codec { cname: Compressor::default(), clevel: 5, shuffle: Shuffle::default(), typesize: 1, blocksize: 0 }
    }
}

impl BytesCodec for Blosc2Codec {
    fn compress(&self, data: &[u8]) -> Result<Vec<u8>, CodecError> {
        match self {
            Blosc2Codec { clevel: 10.., .. } => {
                return Err(failed(format_args!("expected clevel from 0 to 9, found {}", self.clevel)));
            }
            Blosc2Codec { typesize: 0, .. } => return Err(failed("expected typesize from 1 to 255, found 0")),
            _ => {}
        }
        let options = Options {
            codec: match self.cname {
                Compressor::BloscLz => CodecId::BloscLz,
                Compressor::Lz4 => CodecId::Lz4,
                Compressor::Lz4Hc => CodecId::Lz4Hc,
                Compressor::Zlib => CodecId::Zlib,
                Compressor::Zstd => CodecId::Zstd,
            },
            level: self.clevel,
            filters: match self.shuffle {
                Shuffle::NoShuffle => Vec::new(),
                Shuffle::Shuffle => vec![(Filter::Shuffle, 0)],
                Shuffle::BitShuffle => vec![(Filter::BitShuffle, 0)],
            },
            typesize: self.typesize.into(),
            blocksize: usize::try_from(self.blocksize).unwrap_or(0),
            ..Options::default()
        };
        b2nd_codec::compress(data, &options).map_err(failed)
    }

    fn decompress(&self, bytes: &[u8], length: Option<u64>) -> Result<Vec<u8>, CodecError> {
        decompress(bytes, length)
    }
}

/// Decompresses a Blosc or Blosc2 chunk. If `length` is given, fails unless the chunk contains exactly this number of bytes.
pub(crate) fn decompress(bytes: &[u8], length: Option<u64>) -> Result<Vec<u8>, CodecError> {
    let nbytes = b2nd_codec::ChunkHeader::from_slice(bytes).map_err(failed)?.nbytes() as u64;
    // A known length is checked first, so that a damaged header cannot cause an allocation of more memory than the array needs.
    if let Some(length) = length.filter(|length| *length != nbytes) {
        return Err(CodecError::Other(format!("expected a chunk of {length} uncompressed bytes, found {nbytes}")));
    }
    b2nd_codec::decompress(bytes).map_err(failed)
}

pub(crate) fn failed(error: impl std::fmt::Display) -> CodecError {
    CodecError::Other(error.to_string())
}
