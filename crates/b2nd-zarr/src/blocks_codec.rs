//! [`BlocksCodec`]: the codec `b2nd`.

use std::num::NonZeroU64;
use std::sync::Arc;

use b2nd::{Geometry, Grid};
use serde::{Deserialize, Serialize};
use zarrs::array::codec::BytesCodec as Endian;
use zarrs::array::codec::api::{
    ArrayBytes, ArrayBytesRaw, ArrayCodecTraits, ArrayToBytesCodecTraits, BytesRepresentation, BytesToBytesCodecTraits, Codec,
    CodecError, CodecOptions, CodecPluginV3, CodecTraitsV3, RecommendedConcurrency,
};
use zarrs::array::{DataType, FillValue};
use zarrs::metadata::Endianness;
use zarrs::metadata::v3::MetadataV3;
use zarrs::plugin::PluginCreateError;

use crate::blosc2_codec::{Blosc2Codec, decompress};
use crate::bytes_codec::codec_traits;

/// The array-to-bytes codec `b2nd`. Stores each Zarr chunk as a Blosc2 chunk, in the order of a b2nd array: block after block, with padding
/// if the blocks do not divide the chunk.
///
/// ```json
/// {"name": "b2nd", "configuration": {"block_shape": [57, 3], "endian": "little", "compressor": {"cname": "zstd", "typesize": 8}}}
/// ```
///
/// `endian` can be left out if the elements have no byte order. `compressor` is the configuration of the [`Blosc2Codec`] that compresses
/// chunks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlocksCodec {
    /// The length of a block in each dimension, in elements.
    block_shape: Vec<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    endian: Option<Endianness>,
    #[serde(default)]
    compressor: Blosc2Codec,
}

zarrs::plugin::impl_extension_aliases!(BlocksCodec, v3: "b2nd");

inventory::submit! {
    CodecPluginV3::new::<BlocksCodec>()
}

impl CodecTraitsV3 for BlocksCodec {
    fn create(metadata: &MetadataV3) -> Result<Codec, PluginCreateError> {
        let codec: BlocksCodec = metadata.to_typed_configuration()?;
        Ok(Codec::ArrayToBytes(Arc::new(codec)))
    }
}

codec_traits!(BlocksCodec);

impl ArrayCodecTraits for BlocksCodec {
    fn recommended_concurrency(
        &self,
        _shape: &[NonZeroU64],
        _data_type: &DataType,
    ) -> Result<RecommendedConcurrency, CodecError> {
        Ok(RecommendedConcurrency::new_maximum(1))
    }
}

/// The shape of a chunk, as the grid of an array that consists only of this chunk.
struct Chunk {
    grid: Grid,
    whole: Vec<std::ops::Range<i64>>,
    itemsize: usize,
    /// The length of the chunk in bytes, without padding.
    len: usize,
    /// The length of the chunk in bytes, with padding.
    padded_len: usize,
}

impl BlocksCodec {
    fn chunk(&self, shape: &[NonZeroU64], data_type: &DataType) -> Result<Chunk, CodecError> {
        let itemsize = data_type.fixed_size();
        let itemsize = itemsize.ok_or_else(|| CodecError::UnsupportedDataType(data_type.clone(), "b2nd".to_owned()))?;
        let shape: Vec<_> = shape.iter().map(|length| i64::try_from(length.get()).unwrap_or(i64::MAX)).collect();
        let chunkshape: Vec<_> = shape.iter().map(|&length| i32::try_from(length).unwrap_or(i32::MAX)).collect();
        let grid = Geometry::new(&shape, &chunkshape, &self.block_shape).and_then(|geometry| geometry.grid()).map_err(failed)?;
        let bytes = |items: i64| usize::try_from(items).ok().and_then(|items| items.checked_mul(itemsize));
        let (Some(len), Some(padded_len)) = (bytes(grid.nitems()), bytes(grid.extchunknitems())) else {
            return Err(failed(format_args!("the chunk has more than {} bytes with padding", usize::MAX)));
        };
        Ok(Chunk { whole: shape.iter().map(|&length| 0..length).collect(), grid, itemsize, len, padded_len })
    }
}

impl ArrayToBytesCodecTraits for BlocksCodec {
    fn into_dyn(self: Arc<Self>) -> Arc<dyn ArrayToBytesCodecTraits> {
        self
    }

    fn encoded_representation(
        &self,
        _shape: &[NonZeroU64],
        _data_type: &DataType,
        _fill_value: &FillValue,
    ) -> Result<BytesRepresentation, CodecError> {
        Ok(BytesRepresentation::UnboundedSize)
    }

    fn encode<'a>(
        &self,
        bytes: ArrayBytes<'a>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        options: &CodecOptions,
    ) -> Result<ArrayBytesRaw<'a>, CodecError> {
        let chunk = self.chunk(shape, data_type)?;
        let elements = Endian::new(self.endian).encode(bytes, shape, data_type, fill_value, options)?;
        let mut data = vec![0; chunk.padded_len];
        chunk.grid.pack(0, &chunk.whole, chunk.itemsize, &elements, &mut data).map_err(failed)?;
        self.compressor.encode(data.into(), options)
    }

    fn decode<'a>(
        &self,
        bytes: ArrayBytesRaw<'a>,
        shape: &[NonZeroU64],
        data_type: &DataType,
        fill_value: &FillValue,
        options: &CodecOptions,
    ) -> Result<ArrayBytes<'a>, CodecError> {
        let chunk = self.chunk(shape, data_type)?;
        let data = decompress(&bytes, Some(chunk.padded_len as u64))?;
        let mut elements = vec![0; chunk.len];
        chunk.grid.unpack(0, &chunk.whole, chunk.itemsize, &data, &mut elements).map_err(failed)?;
        Endian::new(self.endian).decode(elements.into(), shape, data_type, fill_value, options)
    }
}

fn failed(error: impl std::fmt::Display) -> CodecError {
    CodecError::Other(format!("codec b2nd: {error}"))
}
