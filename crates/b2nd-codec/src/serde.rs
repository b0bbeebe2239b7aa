//! Serializes chunk headers, codecs and filters.

use alloc::vec::Vec;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::header::ChunkHeader;
use crate::ids::{CodecId, Filter, Special};

/// Serializes the header as a struct. Its fields have the names of the methods that return them, except `stored`, which is
/// [`is_stored`](ChunkHeader::is_stored).
impl Serialize for ChunkHeader {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("ChunkHeader", 10)?;
        fields.serialize_field("version", &self.version())?;
        fields.serialize_field("typesize", &self.typesize())?;
        fields.serialize_field("nbytes", &self.nbytes())?;
        fields.serialize_field("blocksize", &self.blocksize())?;
        fields.serialize_field("cbytes", &self.cbytes())?;
        fields.serialize_field("stored", &self.is_stored())?;
        fields.serialize_field("special", &self.special())?;
        fields.serialize_field("codec", &self.codec())?;
        fields.serialize_field("codec_meta", &self.codec_meta())?;
        fields.serialize_field("filters", &self.filters().collect::<Vec<_>>())?;
        fields.end()
    }
}

/// Serializes the kind as its name.
impl Serialize for Special {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Serializes the codec as its name in human-readable formats, and as its compcode in others.
impl Serialize for CodecId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() { serializer.collect_str(self) } else { serializer.serialize_u8(self.code()) }
    }
}

/// Serializes the filter as its name in human-readable formats, and as its number in others.
impl Serialize for Filter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() { serializer.collect_str(self) } else { serializer.serialize_u8(self.code()) }
    }
}
