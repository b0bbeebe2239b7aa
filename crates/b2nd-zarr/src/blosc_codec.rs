//! [`BloscCodec`]: Zarr's codec `blosc`.

use b2nd_codec::{CodecId, Filter, Format, Options};
use serde::{Deserialize, Serialize};
use zarrs::array::codec::api::CodecError;
use zarrs::metadata_ext::codec::blosc::{
    BloscCodecConfiguration as Configuration, BloscCompressor as Compressor, BloscShuffleMode as Shuffle,
    codec_blosc_v2_numcodecs_to_v3,
};

use crate::blosc2_codec::{decompress, failed};
use crate::bytes_codec::{BytesCodec, register};

/// The bytes-to-bytes codec `blosc`. Stores each Zarr chunk as a chunk of Blosc 1, whose header has 16 bytes, as C-Blosc does.
///
/// ```json
/// {"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 4, "blocksize": 0}}
/// ```
///
/// The configuration does not affect how chunks are read, because a chunk records how it was compressed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BloscCodec(pub Configuration);

register!(BloscCodec, "blosc");

impl BloscCodec {
    fn options(&self) -> Result<Options, String> {
        let numcodecs;
        let configuration = match &self.0 {
            // In Zarr version 2, the configuration has no typesize. It is the itemsize of the data type, which this codec does not know.
            Configuration::Numcodecs(theirs) => {
                numcodecs = codec_blosc_v2_numcodecs_to_v3(theirs, None);
                &numcodecs
            }
            own => own,
        };
        let Configuration::V1(configuration) = configuration else {
            return Err("codec blosc: this kind of configuration is not supported".to_owned());
        };
        let filter = match (configuration.shuffle, configuration.typesize) {
            (Shuffle::NoShuffle, _) => None,
            (_, None) => return Err("codec blosc: shuffle and bitshuffle need a typesize, found none".to_owned()),
            (_, Some(0)) => return Err("codec blosc: shuffle and bitshuffle need a typesize of 1 or more, found 0".to_owned()),
            (Shuffle::Shuffle, _) => Some((Filter::Shuffle, 0)),
            (Shuffle::BitShuffle, _) => Some((Filter::BitShuffle, 0)),
        };
        Ok(Options {
            codec: match configuration.cname {
                Compressor::BloscLZ => CodecId::BloscLz,
                Compressor::LZ4 => CodecId::Lz4,
                Compressor::LZ4HC => CodecId::Lz4Hc,
                Compressor::Snappy => CodecId::SNAPPY,
                Compressor::Zlib => CodecId::Zlib,
                Compressor::Zstd => CodecId::Zstd,
            },
            level: configuration.clevel.into(),
            typesize: configuration.typesize.unwrap_or(1),
            blocksize: configuration.blocksize,
            filters: filter.into_iter().collect(),
            format: Format::Blosc1,
            ..Options::default()
        })
    }
}

impl BytesCodec for BloscCodec {
    fn compress(&self, data: &[u8]) -> Result<Vec<u8>, CodecError> {
        b2nd_codec::compress(data, &self.options().map_err(failed)?).map_err(failed)
    }

    fn decompress(&self, bytes: &[u8], length: Option<u64>) -> Result<Vec<u8>, CodecError> {
        decompress(bytes, length)
    }
}
