//! Data types of Zarr that have a fixed number of bytes per element and are missing in the crate `zarrs`: `null_terminated_bytes`,
//! `raw_bytes` and `structured`.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use zarrs::array::DataType;
use zarrs::array::data_type::api::codec_traits::bytes::{
    BytesCodecEndiannessMissingError, BytesDataTypePlugin, BytesDataTypeTraits,
};
use zarrs::array::data_type::api::{
    DataTypeFillValueError, DataTypeFillValueMetadataError, DataTypePluginV3, DataTypeTraits, DataTypeTraitsV3, FillValue,
};
use zarrs::metadata::v3::MetadataV3;
use zarrs::metadata::{Configuration, DataTypeSize, Endianness, FillValueMetadata};
use zarrs::plugin::{PluginCreateError, ZarrVersion};

macro_rules! fixed_bytes {
    ($($type:ident $name:literal;)*) => {$(
        #[derive(Clone, Debug)]
        struct $type {
            itemsize: usize,
            configuration: Configuration,
        }

        zarrs::plugin::impl_extension_aliases!($type, v3: $name);

        inventory::submit! {
            DataTypePluginV3::new::<$type>()
        }

        impl DataTypeTraitsV3 for $type {
            fn create(metadata: &MetadataV3) -> Result<DataType, PluginCreateError> {
                let configuration = metadata.configuration().cloned().unwrap_or_default();
                let itemsize = itemsize(metadata).ok_or_else(|| {
                    PluginCreateError::Other(format!("data type {metadata}: the configuration is missing or not supported"))
                })?;
                Ok(std::sync::Arc::new($type { itemsize, configuration }).into())
            }
        }

        impl DataTypeTraits for $type {
            fn configuration(&self, _version: ZarrVersion) -> Configuration {
                self.configuration.clone()
            }

            fn size(&self) -> DataTypeSize {
                DataTypeSize::Fixed(self.itemsize)
            }

            fn fill_value(
                &self,
                metadata: &FillValueMetadata,
                _version: ZarrVersion,
            ) -> Result<FillValue, DataTypeFillValueMetadataError> {
                let bytes = metadata.as_str().and_then(|text| STANDARD.decode(text).ok());
                let mut bytes = bytes.filter(|bytes| bytes.len() <= self.itemsize).ok_or(DataTypeFillValueMetadataError)?;
                bytes.resize(self.itemsize, 0);
                Ok(FillValue::new(bytes))
            }

            fn metadata_fill_value(&self, fill_value: &FillValue) -> Result<FillValueMetadata, DataTypeFillValueError> {
                Ok(FillValueMetadata::from(STANDARD.encode(fill_value.as_ne_bytes())))
            }

            fn as_any(&self) -> &dyn std::any::Any {
                self
            }
        }

        impl BytesDataTypeTraits for $type {
            fn encode<'a>(
                &self,
                bytes: Cow<'a, [u8]>,
                _endianness: Option<Endianness>,
            ) -> Result<Cow<'a, [u8]>, BytesCodecEndiannessMissingError> {
                Ok(bytes)
            }

            fn decode<'a>(
                &self,
                bytes: Cow<'a, [u8]>,
                _endianness: Option<Endianness>,
            ) -> Result<Cow<'a, [u8]>, BytesCodecEndiannessMissingError> {
                Ok(bytes)
            }
        }

        zarrs::array::data_type::api::register_data_type_extension_codec!($type, BytesDataTypePlugin, BytesDataTypeTraits);
    )*};
}

fixed_bytes! {
    NullTerminatedBytes "null_terminated_bytes";
    RawBytes "raw_bytes";
    Structured "structured";
}

/// Returns the size of an element of a Zarr data type in bytes, or `None` if the data type is not supported or the size is 0.
fn itemsize(metadata: &MetadataV3) -> Option<usize> {
    let dtype = crate::data_type::from_zarr(&serde_json::to_value(metadata).ok()?)?;
    Some(dtype.itemsize()).filter(|&size| size > 0)
}
