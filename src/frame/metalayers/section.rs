//! [`Section`]: the part of a header or trailer that holds its metalayers.

use alloc::borrow::Cow;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor, value::SeqAccessDeserializer};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::{ByteBuf, Bytes};

use super::contents::Contents;
use super::name::Name;
use super::{MAX_METALAYERS, Metalayers};
use crate::error::{Error, ErrorKind, Result};
use crate::mark;

/// The part of a frame in which metalayers are stored: the header or the trailer. The stored offsets of metalayers count from the start of
/// this part.
#[derive(Clone, Copy)]
pub(in crate::frame) struct Place {
    /// The position in the header or trailer at which the [`Section`] starts, with the marker `93`.
    pub(in crate::frame) start: usize,
    /// The name of the metalayers in errors.
    field: &'static str,
    /// The position in the [`Section`] from which the field idx counts the bytes up to the end of the map of names.
    idx_start: usize,
}

impl Place {
    pub(in crate::frame) const HEADER: Place = Place { start: 0x57, field: "metalayers", idx_start: 0 };
    pub(in crate::frame) const TRAILER: Place = Place { start: 2, field: "vlmetalayers", idx_start: 1 };

    /// Returns the value of the field idx: the number of bytes from `idx_start` to the end of the map of names. The field is a uint16,
    /// which wraps around if the map is longer than 64 KiB. C-Blosc2 never reads the field.
    fn idx(self, metalayers: &Metalayers) -> u16 {
        ((metalayers.index_len() - self.idx_start) & 0xffff) as u16
    }
}

/// The metalayers as stored in a header or trailer: `93 cd idx de .. dc ..` (markers in hexadecimal).
#[derive(Serialize, Deserialize)]
#[serde(expecting = "metalayers of 3 elements")]
pub(in crate::frame) struct Section<'a> {
    idx: u16,
    #[serde(with = "crate::with::map16")]
    offsets: NamedOffsets,
    #[serde(with = "crate::with::array16")]
    contents: Cow<'a, Contents>,
}

impl<'a> Section<'a> {
    /// Creates the section of these metalayers, with the offsets of their contents in the header or trailer.
    ///
    /// # Errors
    ///
    /// Fails if the contents are longer than 2 GiB.
    pub(in crate::frame) fn new(metalayers: &'a Metalayers, place: Place) -> Result<Self> {
        let mut names = metalayers.names.clone();
        for (name, offset) in names.iter_mut().zip(metalayers.content_offsets(place.start)) {
            name.offset = i32::try_from(offset).map_err(|_| Error::too_long("an offset", offset, i32::MAX as usize))?;
        }
        Ok(Section { idx: place.idx(metalayers), offsets: NamedOffsets(names), contents: Cow::Borrowed(&metalayers.contents) })
    }

    /// Checks idx, the names, the offsets and the number of contents, and returns the metalayers.
    #[inline(always)]
    pub(in crate::frame) fn into_metalayers(self, place: Place) -> Result<Metalayers> {
        let Section { idx, offsets: NamedOffsets(names), contents } = self;
        let mut metalayers = Metalayers { names, contents: contents.into_owned() };
        let (index_len, count) = (metalayers.index_len(), metalayers.contents.iter().count());
        if count != metalayers.len() {
            let count = ErrorKind::Count { expected: metalayers.len(), found: count };
            return Err(Error::at(count, place.start + index_len).field("contents").field(place.field));
        }
        let expected = place.idx(&metalayers);
        if idx != expected {
            return Err(mismatch("idx", expected, idx, place.start + 1).field(place.field));
        }
        let mut position = place.start + 7;
        metalayers.check_names().map_err(|error| error.within_offset(position).field(place.field))?;
        let mut expected = place.start + index_len + 3;
        for (name, content) in metalayers.names.iter_mut().zip(metalayers.contents.iter()) {
            position += 1 + name.len();
            let found = core::mem::take(&mut name.offset);
            if usize::try_from(found) != Ok(expected) {
                return Err(mismatch("offset", expected, found, position).within(name.segment(), None).field(place.field));
            }
            position += 5;
            expected += 5 + content.len();
        }
        Ok(metalayers)
    }
}

/// A map from the names of metalayers to the offsets of their contents. The entries keep their order, and a name can occur several times.
struct NamedOffsets(Vec<Name>);

impl Serialize for NamedOffsets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|name| (Key(name), name.offset)))
    }
}

impl<'de> Deserialize<'de> for NamedOffsets {
    #[inline(always)]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OffsetsVisitor)
    }
}

struct OffsetsVisitor;

impl<'de> Visitor<'de> for OffsetsVisitor {
    type Value = NamedOffsets;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of names to offsets")
    }

    #[inline(always)]
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<NamedOffsets, A::Error> {
        let mut names = Vec::with_capacity(entries.size_hint().unwrap_or(0).min(MAX_METALAYERS));
        while let Some(mut name) = entries.next_key_seed(ByteString(Some(mark::FIXSTR_BYTES), Name::new))? {
            name.offset = entries.next_value()?;
            names.push(name);
        }
        Ok(NamedOffsets(names))
    }
}

/// A metalayer's name that is serialized as a key of [`NamedOffsets`].
struct Key<'a>(&'a Name);

impl Serialize for Key<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::with::fixstr_bytes::serialize(self.0.as_bytes(), serializer)
    }
}

impl Serialize for Contents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut contents = serializer.serialize_seq(Some(self.iter().count()))?;
        for content in self.iter() {
            contents.serialize_element(Bytes::new(content))?;
        }
        contents.end()
    }
}

impl<'de> Deserialize<'de> for Contents {
    #[inline(always)]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ContentsVisitor)
    }
}

struct ContentsVisitor;

impl<'de> Visitor<'de> for ContentsVisitor {
    type Value = Contents;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    #[inline(always)]
    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Contents, A::Error> {
        let mut contents = Contents::default();
        loop {
            let more = entries.size_hint().unwrap_or(0).saturating_sub(1);
            let push = |content: &[u8]| {
                contents.push(content, more);
                Ok(())
            };
            if entries.next_element_seed(ByteString(None, push))?.is_none() {
                return Ok(contents);
            }
        }
    }
}

/// Deserializes one byte string and passes it to a function, the second field. If the first field is `Some`, the byte string is
/// deserialized as a newtype struct of that name, such as [`mark::FIXSTR_BYTES`], which tells this crate's deserializer how the bytes are
/// stored.
struct ByteString<F>(Option<&'static str>, F);

impl<'de, T, F: FnOnce(&[u8]) -> Result<T>> DeserializeSeed<'de> for ByteString<F> {
    type Value = T;

    #[inline(always)]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        match self.0 {
            Some(mark) => deserializer.deserialize_newtype_struct(mark, self),
            // Request owned bytes: a deserializer that reads from a stream cannot lend more bytes than its buffer holds.
            None => deserializer.deserialize_byte_buf(self),
        }
    }
}

impl<'de, T, F: FnOnce(&[u8]) -> Result<T>> Visitor<'de> for ByteString<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a byte array")
    }

    #[inline(always)]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_byte_buf(self)
    }

    #[inline(always)]
    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<T, E> {
        self.1(bytes).map_err(E::custom)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        self.visit_bytes(text.as_bytes())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, bytes: A) -> Result<T, A::Error> {
        self.visit_bytes(&ByteBuf::deserialize(SeqAccessDeserializer::new(bytes))?)
    }
}

/// Returns the error for a field whose value differs from the expected value.
#[cold]
pub(in crate::frame) fn mismatch(
    name: &'static str,
    expected: impl fmt::Display,
    found: impl fmt::Display,
    offset: usize,
) -> Error {
    Error::at(ErrorKind::Mismatch { expected: expected.to_string(), found: found.to_string() }, offset).field(name)
}
