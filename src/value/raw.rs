//! [`RawValue`]: the bytes of one entry.

use core::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use super::{TUPLE, Value, decode};
use crate::error::Result;
use crate::hex::Hex;
use crate::marker::RAW_MARK;
use crate::wire::{Item, Reader};

/// The bytes of one entry of MessagePack, borrowed from the input and kept unchanged.
///
/// A field of this type reads an entry that another program wrote, without decoding it or allocating. It is written back unchanged:
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
/// `Serialize` writes a `RawValue` like the decoded [`Value`]. `Deserialize` works only in this crate's format, and not through `flatten`,
/// `untagged` or internal tags.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RawValue<'a>(&'a [u8]);

impl<'a> RawValue<'a> {
    /// Makes a `RawValue` from the whole input, which must be a single value.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Value::from_slice`].
    pub fn from_slice(input: &'a [u8]) -> Result<RawValue<'a>> {
        decode::entry(input, 0).map(RawValue)
    }

    /// Returns the value's bytes.
    pub fn encoded(&self) -> &'a [u8] {
        self.0
    }

    /// Returns the string, or `None` if the value is not a string or not UTF-8.
    pub fn as_str(&self) -> Option<&'a str> {
        match self.item()? {
            Item::Str(_, text) => core::str::from_utf8(text).ok(),
            _ => None,
        }
    }

    /// Returns the bytes, or `None` if the value is not a byte string.
    pub fn as_bytes(&self) -> Option<&'a [u8]> {
        match self.item()? {
            Item::Bytes(_, bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Returns the integer, or `None` if the value is not an integer or is negative.
    pub fn as_u64(&self) -> Option<u64> {
        match self.item()? {
            Item::Scalar(..) => self.to_value().ok()?.as_u64(),
            _ => None,
        }
    }

    /// Returns the elements of a list or tuple, without the string `__tuple__` of a tuple. The iterator is empty for any other value.
    ///
    /// ```
    /// let value = b2nd::RawValue::from_slice(b"\x82\xa4gain\x02\xa5steps\x92\x01\xa1x")?;
    /// let steps: Vec<_> = value.get("steps").into_iter().flat_map(|steps| steps.elements()).collect();
    /// assert_eq!((steps[0].as_u64(), steps[1].as_str()), (Some(1), Some("x")));
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn elements(&self) -> impl Iterator<Item = RawValue<'a>> + use<'a> {
        let mut reader = Reader::new(self.0);
        let count = if let Ok(Item::Array(_, count)) = reader.take_item() { count } else { 0 };
        let mut elements = (0..count).map_while(move |_| reader.take_entry(0).ok().map(RawValue)).peekable();
        elements.next_if(|first| first.as_str().is_some_and(|text| text.as_bytes() == TUPLE));
        elements
    }

    /// Returns the keys and values of a map. The iterator is empty for any other value.
    pub fn entries(&self) -> impl Iterator<Item = (RawValue<'a>, RawValue<'a>)> + use<'a> {
        let mut reader = Reader::new(self.0);
        let pairs = if let Ok(Item::Map(_, pairs)) = reader.take_item() { pairs } else { 0 };
        (0..pairs).map_while(move |_| Some((RawValue(reader.take_entry(0).ok()?), RawValue(reader.take_entry(0).ok()?))))
    }

    /// Returns the value of this key in a map, or `None` if the key does not exist. If the key occurs several times, its first value is
    /// returned.
    pub fn get(&self, key: &str) -> Option<RawValue<'a>> {
        self.entries().find(|(found, _)| found.as_str() == Some(key)).map(|(_, value)| value)
    }

    /// Returns all values at any depth that are neither lists nor maps, in the order of their bytes. Keys of maps are included. If the
    /// value itself is neither a list nor a map, the iterator yields only the value.
    pub fn leaves(&self) -> impl Iterator<Item = RawValue<'a>> + use<'a> {
        let mut reader = Reader::new(self.0);
        core::iter::from_fn(move || {
            loop {
                let front = reader.rest();
                match reader.take_item().ok()? {
                    Item::Array(..) | Item::Map(..) => {}
                    _ => return front.get(..front.len() - reader.left()).map(RawValue),
                }
            }
        })
    }

    fn item(&self) -> Option<Item<'a>> {
        Reader::new(self.0).take_item().ok()
    }

    /// Decodes the value.
    ///
    /// # Errors
    ///
    /// Never fails, since the bytes have been checked.
    pub fn to_value(&self) -> Result<Value> {
        decode::build(&mut Reader::new(self.0))
    }
}

impl fmt::Debug for RawValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawValue({})", Hex(self.0))
    }
}

impl Serialize for RawValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawValue<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return Err(elsewhere());
        }
        deserializer.deserialize_newtype_struct(RAW_MARK, EntryVisitor)
    }
}

fn elsewhere<E: de::Error>() -> E {
    E::custom("a RawValue needs b2nd's format, without flatten, untagged or internal tags: use a Value")
}

/// The visitor of the newtype struct that marks a `RawValue`, and of the entry's bytes inside it.
struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = RawValue<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of an entry")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, _: D) -> Result<RawValue<'de>, D::Error> {
        Err(elsewhere())
    }

    fn visit_borrowed_bytes<E: de::Error>(self, entry: &'de [u8]) -> Result<RawValue<'de>, E> {
        Ok(RawValue(entry))
    }
}
