//! Messages about tiles.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use b2nd::B2ndMeta;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::tile::GeoTransform;

/// The name, the array and the position of a tile, as services send them to each other.
///
/// The array is stored as the bytes of its metalayer, which the receiver can put into a frame unchanged.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The name of the tile in the catalogue.
    pub id: String,
    /// The array's metadata.
    #[serde(with = "metalayer")]
    pub array: B2ndMeta,
    /// The position of the tile on the ground.
    pub geo: GeoTransform,
}

/// Serializes a field as the bytes of a metalayer.
mod metalayer {
    use b2nd::B2ndMeta;
    use serde::{Deserializer, Serializer, de, ser};
    use serde_bytes::ByteBuf;

    pub(super) fn serialize<S: Serializer>(array: &B2ndMeta, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&b2nd::to_vec(array).map_err(ser::Error::custom)?)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<B2ndMeta, D::Error> {
        let bytes: ByteBuf = serde::Deserialize::deserialize(deserializer)?;
        b2nd::from_slice(&bytes).map_err(de::Error::custom)
    }
}

impl Entry {
    /// Encodes the entry in CBOR.
    pub fn to_cbor(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        ciborium::into_writer(self, &mut bytes).map_err(|error| message("CBOR", error))?;
        Ok(bytes)
    }

    /// Decodes an entry in CBOR.
    pub fn from_cbor(bytes: &[u8]) -> Result<Entry> {
        ciborium::from_reader(bytes).map_err(|error| message("CBOR", error))
    }

    /// Encodes the entry in MessagePack.
    #[cfg(feature = "std")]
    pub fn to_msgpack(&self) -> Result<Vec<u8>> {
        rmp_serde::to_vec_named(self).map_err(|error| message("MessagePack", error))
    }

    /// Decodes an entry in MessagePack.
    #[cfg(feature = "std")]
    pub fn from_msgpack(bytes: &[u8]) -> Result<Entry> {
        rmp_serde::from_slice(bytes).map_err(|error| message("MessagePack", error))
    }
}

/// Converts an error of a format. Errors about the array are only text inside it.
fn message(format: &'static str, error: impl ToString) -> Error {
    Error::Message { format, message: error.to_string() }
}
