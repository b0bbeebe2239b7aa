//! [`Value`]: a MessagePack value of python-blosc2. It can be formatted as JSON and as a line of text.

mod pack;

pub use pack::{pack, pack_text, unhex};

use std::fmt::{self, Write};

use b2nd::RawValue;
use serde::{Serialize, Serializer};

use crate::text::shortened;

/// A MessagePack value in borrowed bytes. It is serialized to the same JSON as a [`b2nd::Value`], and formatted as the same text.
///
/// ```
/// use b2nd_store::value::Value;
///
/// let value = Value::from_slice(b"\x93\xa9__tuple__\x01\xc4\x02\x00\xff").unwrap();
/// assert_eq!(serde_json::to_string(&value)?, r#"[1,{"bytes":"00ff"}]"#);
/// assert_eq!(value.text(80), r#"(1, b"\x00\xff")"#);
/// assert!(Value::from_slice(b"text").is_none());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Value<'a>(RawValue<'a>);

impl<'a> Value<'a> {
    /// Reads one value. Returns `None` if the bytes are not exactly one value, or if it is nested more than 128 levels deep.
    pub fn from_slice(bytes: &'a [u8]) -> Option<Value<'a>> {
        RawValue::from_slice(bytes).ok().map(Value)
    }

    /// Returns the value of a key, if this value is a map that has the key.
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        self.0.get(key).map(Value)
    }

    /// Iterates over the keys and values, if the value is a map. For other values, the iterator is empty.
    pub fn entries(&self) -> impl Iterator<Item = (Value<'a>, Value<'a>)> + use<'a> {
        self.0.entries().map(|(key, value)| (Value(key), Value(value)))
    }

    /// Iterates over the elements, if the value is an array. The element that marks a tuple is skipped. For other values, the iterator is
    /// empty.
    pub fn elements(&self) -> impl Iterator<Item = Value<'a>> + use<'a> {
        self.0.elements().map(Value)
    }

    /// Returns the string, if the value is a valid UTF-8 string.
    pub fn as_str(&self) -> Option<&'a str> {
        self.0.as_str()
    }

    /// Returns the bytes, if the value is a byte string.
    pub fn as_bytes(&self) -> Option<&'a [u8]> {
        self.0.as_bytes()
    }

    /// Returns the number, if the value is a non-negative integer.
    pub fn as_u64(&self) -> Option<u64> {
        self.0.as_u64()
    }

    /// Returns the extension types that occur in the value, at any depth. Each type is returned once.
    pub fn extensions(&self) -> Vec<i8> {
        let is_extension = |leaf: &RawValue| matches!(leaf.encoded(), [0xc7..=0xc9 | 0xd4..=0xd8, ..]);
        let mut found = Vec::new();
        for leaf in self.0.leaves().filter(is_extension) {
            if let Ok(b2nd::Value::Ext(kind, ..)) = leaf.to_value() {
                if !found.contains(&kind) {
                    found.push(kind);
                }
            }
        }
        found
    }

    /// Iterates over the byte strings in the value, at any depth.
    pub fn byte_strings(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.0.leaves().filter_map(|leaf| leaf.as_bytes())
    }

    /// Formats the value as one line in the syntax of Python, shortened to `limit` characters.
    pub fn text(&self, limit: usize) -> String {
        let mut line = Line { text: String::new(), limit };
        // Writing fails only if the line is full, so the error is ignored.
        let _ = self.0.to_value().map(|value| write!(line, "{value}"));
        shortened(line.text, limit)
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// A buffer for one line of text that will be shortened to `limit` characters. Writing fails when the text is longer than `4 * limit`
/// bytes. It then has more than `limit` characters, because a character has at most four bytes.
struct Line {
    text: String,
    limit: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text += text;
        // A character has at most four bytes, so a longer text has more than `limit` characters.
        if self.text.len() > self.limit.saturating_mul(4) { Err(fmt::Error) } else { Ok(()) }
    }
}

/// Returns true if the bytes start and end like a Python pickle of protocol 2 or later. Pickles are never loaded.
pub fn is_pickle(bytes: &[u8]) -> bool {
    matches!(bytes, [0x80, 2..=5, .., b'.'])
}
