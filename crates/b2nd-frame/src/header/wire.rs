//! The two serialized forms of a header: its form in files, and its form in human-readable serde formats such as JSON. Flags and filters
//! are bytes here; the methods in `fields.rs` read their bits.

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::{ByteBuf, Bytes};

use super::{Header, MAGIC, check_magic};
use crate::error::{Error, Result};
use crate::metalayers::{Metalayers, Place, Section};

/// The header as stored in files. `B` is the type of a string of bytes: `&Bytes` to write, [`ByteBuf`] to read.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Header", expecting = "a frame's header of 14 elements")]
pub(super) struct WireHeader<B> {
    #[serde(with = "b2nd::with::fixstr_bytes")]
    magic: [u8; 8],
    header_len: i32,
    frame_len: u64,
    #[serde(with = "b2nd::with::fixstr_bytes")]
    flags: [u8; 4],
    nbytes: i64,
    cbytes: i64,
    typesize: i32,
    blocksize: i32,
    chunksize: i32,
    compression_threads: i16,
    decompression_threads: i16,
    has_vlmetalayers: bool,
    #[serde(with = "b2nd::with::fixext16")]
    pipeline: [u8; 17],
    metalayers: Section<B>,
}

impl<'a> TryFrom<&'a Header> for WireHeader<&'a Bytes> {
    type Error = Error;

    fn try_from(header: &'a Header) -> Result<Self> {
        let too_long = |_| Error::too_long("header_len", header.header_len(), i32::MAX as usize);
        let header_len = i32::try_from(header.header_len()).map_err(too_long)?;
        Ok(WireHeader {
            magic: MAGIC,
            header_len,
            frame_len: header.frame_len,
            flags: header.flags,
            nbytes: header.nbytes,
            cbytes: header.cbytes,
            typesize: header.typesize,
            blocksize: header.blocksize,
            chunksize: header.chunksize,
            compression_threads: header.compression_threads,
            decompression_threads: header.decompression_threads,
            has_vlmetalayers: header.has_vlmetalayers,
            pipeline: header.pipeline,
            metalayers: Section::new(&header.metalayers, Place::HEADER)?,
        })
    }
}

impl TryFrom<WireHeader<ByteBuf>> for Header {
    type Error = Error;

    fn try_from(wire: WireHeader<ByteBuf>) -> Result<Self> {
        let header = Header {
            frame_len: wire.frame_len,
            flags: wire.flags,
            nbytes: wire.nbytes,
            cbytes: wire.cbytes,
            typesize: wire.typesize,
            blocksize: wire.blocksize,
            chunksize: wire.chunksize,
            compression_threads: wire.compression_threads,
            decompression_threads: wire.decompression_threads,
            has_vlmetalayers: wire.has_vlmetalayers,
            pipeline: wire.pipeline,
            metalayers: wire.metalayers.into_metalayers(Place::HEADER)?,
        };
        header.check()?;
        if usize::try_from(wire.header_len) != Ok(header.header_len()) {
            return Err(Error::mismatch("header_len", header.header_len(), wire.header_len, 10));
        }
        Ok(header)
    }
}

/// The header in human-readable serde formats such as JSON, without the fields that are always the same or can be computed from others.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Header", rename = "Header", deny_unknown_fields)]
struct Readable {
    frame_len: u64,
    flags: [u8; 4],
    nbytes: i64,
    cbytes: i64,
    typesize: i32,
    blocksize: i32,
    chunksize: i32,
    compression_threads: i16,
    decompression_threads: i16,
    has_vlmetalayers: bool,
    pipeline: [u8; 17],
    metalayers: Metalayers,
}

impl Serialize for Header {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return Readable::serialize(self, serializer);
        }
        WireHeader::try_from(self).map_err(S::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let header = Readable::deserialize(deserializer)?;
            header.check().map_err(|error| D::Error::custom(error.anywhere()))?;
            return Ok(header);
        }
        let wire = WireHeader::deserialize(deserializer)?;
        check_magic(&wire.magic).and_then(|()| wire.try_into()).map_err(|error: Error| D::Error::custom(error.anywhere()))
    }
}
