//! [`Section`]: the part of a header or trailer that holds its metalayers.

use alloc::format;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::{ByteBuf, Bytes};

use super::{MAX_METALAYERS, Metalayers};
use crate::error::{Error, Result};

/// The part of a frame in which metalayers are stored: the header or the trailer. The stored offsets of metalayers count from the start of
/// this part.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// The position in the header or trailer at which the [`Section`] starts, with the marker `93`.
    pub(crate) start: usize,
    /// The name of the metalayers in errors.
    field: &'static str,
    /// The position in the [`Section`] from which the field idx counts the bytes up to the end of the map of names and offsets.
    idx_start: usize,
}

impl Place {
    pub(crate) const HEADER: Place = Place { start: 0x57, field: "metalayers", idx_start: 0 };
    pub(crate) const TRAILER: Place = Place { start: 2, field: "vlmetalayers", idx_start: 1 };

    /// Returns the value of the field idx: the number of bytes from `idx_start` to the end of the map of names and offsets. The
    /// field is a uint16, so a larger number wraps around. C-Blosc2 ignores the field.
    fn idx(self, metalayers: &Metalayers) -> u16 {
        ((metalayers.index_len() - self.idx_start) & 0xffff) as u16
    }
}

/// The metalayers as stored in a header or trailer: `93 cd idx de .. dc ..` (markers in hexadecimal). `B` is the type of the contents:
/// `&Bytes` to write, [`ByteBuf`] to read.
#[derive(Serialize, Deserialize)]
#[serde(expecting = "3 elements (index, map of names, contents)")]
#[serde(bound(serialize = "B: Serialize", deserialize = "B: Deserialize<'de>"))]
pub(crate) struct Section<B> {
    idx: u16,
    #[serde(with = "b2nd::with::map16")]
    offsets: Offsets,
    #[serde(with = "b2nd::with::array16")]
    contents: Vec<B>,
}

impl<'a> Section<&'a Bytes> {
    /// Creates the section of these metalayers, with the offsets of their contents in the header or trailer.
    ///
    /// # Errors
    ///
    /// Fails if a content would start 2 GiB or more after the start of the header or trailer.
    pub(crate) fn new(metalayers: &'a Metalayers, place: Place) -> Result<Self> {
        let mut offsets = Vec::with_capacity(metalayers.len());
        for (name, offset) in metalayers.names.iter().zip(metalayers.content_offsets(place.start)) {
            let offset = i32::try_from(offset).map_err(|_| Error::too_long("space before a value", offset, i32::MAX as usize))?;
            offsets.push((Name(name.clone()), offset));
        }
        let contents = metalayers.contents.iter().map(|content| Bytes::new(content)).collect();
        Ok(Section { idx: place.idx(metalayers), offsets: Offsets(offsets), contents })
    }
}

impl Section<ByteBuf> {
    /// Checks idx, the names, the offsets and the number of contents, and returns the metalayers.
    pub(crate) fn into_metalayers(self, place: Place) -> Result<Metalayers> {
        let Section { idx, offsets: Offsets(offsets), contents } = self;
        let (names, offsets): (Vec<_>, Vec<_>) = offsets.into_iter().map(|(name, offset)| (name.0, offset)).unzip();
        let contents: Vec<_> = contents.into_iter().map(ByteBuf::into_vec).collect();
        let metalayers = Metalayers { names, contents };
        let count = metalayers.contents.len();
        if count != metalayers.len() {
            let at = place.start + metalayers.index_len();
            let expected = format!("{}, the number of names", metalayers.len());
            return Err(Error::mismatch("contents", expected, count, at).field(place.field));
        }
        let expected = place.idx(&metalayers);
        if idx != expected {
            return Err(Error::mismatch("idx", expected, idx, place.start + 1).field(place.field));
        }
        let mut position = place.start + 7;
        metalayers.check_names().map_err(|error| error.shifted(position).field(place.field))?;
        for ((name, expected), found) in metalayers.names.iter().zip(metalayers.content_offsets(place.start)).zip(offsets) {
            position += 1 + name.len();
            if usize::try_from(found) != Ok(expected) {
                let error = Error::mismatch("offset", expected, found, position);
                return Err(error.field(&super::shown(name)).field(place.field));
            }
            position += 5;
        }
        Ok(metalayers)
    }
}

/// The name of a metalayer: at most 31 bytes, which need not be UTF-8.
#[derive(Serialize, Deserialize)]
struct Name(#[serde(with = "b2nd::with::fixstr_bytes")] Vec<u8>);

/// A map from the names of metalayers to the offsets of their contents. The entries keep their order, and a name can occur several times.
struct Offsets(Vec<(Name, i32)>);

impl Serialize for Offsets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, offset)| (name, offset)))
    }
}

impl<'de> Deserialize<'de> for Offsets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OffsetsVisitor)
    }
}

struct OffsetsVisitor;

impl<'de> Visitor<'de> for OffsetsVisitor {
    type Value = Offsets;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of names to offsets")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Offsets, A::Error> {
        let mut offsets = Vec::with_capacity(entries.size_hint().unwrap_or(0).min(MAX_METALAYERS));
        while let Some(entry) = entries.next_entry()? {
            offsets.push(entry);
        }
        Ok(Offsets(offsets))
    }
}
