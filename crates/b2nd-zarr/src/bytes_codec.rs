//! The code that codecs of this crate have in common.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use zarrs::array::codec::api::{BytesToBytesCodecTraits, Codec, CodecError};
use zarrs::plugin::PluginCreateError;

/// The maximum length, in bytes, of an imported chunk, of a decoded chunk of unknown length, and of a part of a file that is read at once.
#[cfg(any(feature = "export", feature = "gzip", feature = "import"))]
pub(crate) const LARGEST: u64 = i32::MAX as u64;

/// A bytes-to-bytes codec. Its fields are its configuration.
pub(crate) trait BytesCodec: Serialize + DeserializeOwned {
    fn compress(&self, data: &[u8]) -> Result<Vec<u8>, CodecError>;

    /// Decompresses a chunk. If `length` is given, the result must have exactly this number of bytes.
    fn decompress(&self, bytes: &[u8], length: Option<u64>) -> Result<Vec<u8>, CodecError>;
}

/// Returns the configuration of a codec as a JSON object.
pub(crate) fn configuration(codec: &impl Serialize) -> Option<zarrs::metadata::Configuration> {
    serde_json::from_value(serde_json::to_value(codec).ok()?).ok()
}

pub(crate) fn create<C: BytesCodec + BytesToBytesCodecTraits + 'static>(
    name: &str,
    configuration: Result<C, Arc<serde_json::Error>>,
) -> Result<Codec, PluginCreateError> {
    let invalid = |error: String| PluginCreateError::Other(format!("codec {name}: {error}"));
    let codec = configuration.map_err(|error| invalid(error.to_string()))?;
    Ok(Codec::BytesToBytes(Arc::new(codec)))
}

/// Implements the trait that bytes-to-bytes and array-to-bytes codecs have in common. The fields of the codec must be its configuration,
/// and the codec must read and write whole chunks.
macro_rules! codec_traits {
    ($codec:ident) => {
        impl zarrs::array::codec::api::CodecTraits for $codec {
            fn as_any(&self) -> &dyn std::any::Any {
                self
            }

            fn configuration(
                &self,
                _version: zarrs::plugin::ZarrVersion,
                _options: &zarrs::array::codec::api::CodecMetadataOptions,
            ) -> Option<zarrs::metadata::Configuration> {
                $crate::bytes_codec::configuration(self)
            }

            fn partial_decoder_capability(&self) -> zarrs::array::codec::api::PartialDecoderCapability {
                zarrs::array::codec::api::PartialDecoderCapability { partial_read: false, partial_decode: false }
            }

            fn partial_encoder_capability(&self) -> zarrs::array::codec::api::PartialEncoderCapability {
                zarrs::array::codec::api::PartialEncoderCapability { partial_encode: false }
            }
        }
    };
}

/// Registers a [`BytesCodec`] under a name, and implements the traits of zarrs for the codec.
macro_rules! register {
    ($codec:ident, $name:literal) => {
        zarrs::plugin::impl_extension_aliases!($codec, v3: $name, v2: $name);

        inventory::submit! {
            zarrs::array::codec::api::CodecPluginV3::new::<$codec>()
        }

        inventory::submit! {
            zarrs::array::codec::api::CodecPluginV2::new::<$codec>()
        }

        impl zarrs::array::codec::api::CodecTraitsV3 for $codec {
            fn create(
                metadata: &zarrs::metadata::v3::MetadataV3,
            ) -> Result<zarrs::array::codec::api::Codec, zarrs::plugin::PluginCreateError> {
                $crate::bytes_codec::create::<$codec>($name, metadata.to_typed_configuration())
            }
        }

        impl zarrs::array::codec::api::CodecTraitsV2 for $codec {
            fn create(
                metadata: &zarrs::metadata::v2::MetadataV2,
            ) -> Result<zarrs::array::codec::api::Codec, zarrs::plugin::PluginCreateError> {
                $crate::bytes_codec::create::<$codec>($name, metadata.to_typed_configuration())
            }
        }

        $crate::bytes_codec::codec_traits!($codec);

        impl zarrs::array::codec::api::BytesToBytesCodecTraits for $codec {
            fn into_dyn(self: std::sync::Arc<Self>) -> std::sync::Arc<dyn zarrs::array::codec::api::BytesToBytesCodecTraits> {
                self
            }

            fn recommended_concurrency(
                &self,
                _decoded: &zarrs::array::codec::api::BytesRepresentation,
            ) -> Result<zarrs::array::codec::api::RecommendedConcurrency, zarrs::array::codec::api::CodecError> {
                Ok(zarrs::array::codec::api::RecommendedConcurrency::new_maximum(1))
            }

            fn encode<'a>(
                &self,
                decoded: zarrs::array::codec::api::ArrayBytesRaw<'a>,
                _options: &zarrs::array::codec::api::CodecOptions,
            ) -> Result<zarrs::array::codec::api::ArrayBytesRaw<'a>, zarrs::array::codec::api::CodecError> {
                $crate::bytes_codec::BytesCodec::compress(self, &decoded).map(Into::into)
            }

            fn decode<'a>(
                &self,
                encoded: zarrs::array::codec::api::ArrayBytesRaw<'a>,
                decoded: &zarrs::array::codec::api::BytesRepresentation,
                _options: &zarrs::array::codec::api::CodecOptions,
            ) -> Result<zarrs::array::codec::api::ArrayBytesRaw<'a>, zarrs::array::codec::api::CodecError> {
                $crate::bytes_codec::BytesCodec::decompress(self, &encoded, decoded.size()).map(Into::into)
            }

            fn encoded_representation(
                &self,
                _decoded: &zarrs::array::codec::api::BytesRepresentation,
            ) -> zarrs::array::codec::api::BytesRepresentation {
                zarrs::array::codec::api::BytesRepresentation::UnboundedSize
            }
        }
    };
}

pub(crate) use {codec_traits, register};
