//! [`RawValue`]: the bytes of one entry.

use core::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use super::{Value, decode};
use crate::error::Result;
use crate::mark;
use crate::wire::Reader;

/// The bytes of one entry of MessagePack, borrowed from the input and kept as they are.
///
/// A field of this type takes what another program wrote, without decoding or allocating, and writes it back:
///
/// ```
/// use b2nd::RawValue;
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Station<'a> {
///     id: i32,
///     #[serde(borrow)]
///     settings: RawValue<'a>,
/// }
///
/// let bytes = b"\x92\xd2\0\0\0\x07\x81\xa4gain\x02";
/// let station: Station = b2nd::from_slice(bytes)?;
/// assert_eq!(station.settings.encoded(), b"\x81\xa4gain\x02");
/// assert_eq!(station.settings.to_value()?["gain"].as_i64(), Some(2));
/// assert_eq!(b2nd::to_vec(&station)?, bytes);
/// # Ok::<(), b2nd::Error>(())
/// ```
///
/// Other formats are given the [`Value`], and cannot read a `RawValue`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RawValue<'a>(&'a [u8]);

impl<'a> RawValue<'a> {
    /// The one value that takes the whole input.
    ///
    /// # Errors
    ///
    /// Those of [`Value::from_slice`].
    pub fn from_slice(input: &'a [u8]) -> Result<RawValue<'a>> {
        let mut reader = Reader::new(input);
        let entry = reader.take_entry(0)?;
        match reader.left() {
            0 => Ok(RawValue(entry)),
            count => Err(decode::trailing(count, input.len())),
        }
    }

    /// The value's bytes.
    pub fn encoded(&self) -> &'a [u8] {
        self.0
    }

    /// Decodes the value as whatever it is.
    ///
    /// # Errors
    ///
    /// None for bytes that have been checked, as these have.
    pub fn to_value(&self) -> Result<Value> {
        decode::whole(self.0, 0)
    }
}

impl fmt::Debug for RawValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RawValue(")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

impl Serialize for RawValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return self.to_value().map_err(serde::ser::Error::custom)?.serialize(serializer);
        }
        serializer.serialize_newtype_struct(mark::ANY, &Entry(*self))
    }
}

/// The bytes for this format, which claims to be human-readable inside the mark; a plain value for others.
struct Entry<'a>(RawValue<'a>);

impl Serialize for Entry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.serialize_bytes(self.0.0);
        }
        self.0.to_value().map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawValue<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return Err(elsewhere());
        }
        deserializer.deserialize_newtype_struct(mark::ANY, Marked)
    }
}

#[cold]
fn elsewhere<E: de::Error>() -> E {
    E::custom("a RawValue is read from this crate's format alone: use a Value")
}

/// The visitor of the mark, then of the bytes in it.
struct Marked;

impl<'de> Visitor<'de> for Marked {
    type Value = RawValue<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of an entry")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<RawValue<'de>, D::Error> {
        if deserializer.is_human_readable() {
            return deserializer.deserialize_bytes(Marked);
        }
        Err(elsewhere())
    }

    fn visit_borrowed_bytes<E: de::Error>(self, entry: &'de [u8]) -> Result<RawValue<'de>, E> {
        Ok(RawValue(entry))
    }
}
