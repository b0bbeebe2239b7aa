//! Contents in formats for people: hexadecimal digits.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes that are written as a string of two digits each.
pub(super) struct Hex<T>(pub(super) T);

impl fmt::Display for Hex<&[u8]> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Serialize for Hex<&[u8]> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hex<Vec<u8>> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let byte = |pair: &[u8]| match *pair {
            [high, low] => Some(digit(high)? << 4 | digit(low)?),
            _ => None,
        };
        let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
        bytes.map(Hex).ok_or_else(|| D::Error::invalid_value(Unexpected::Str(&text), &"two hexadecimal digits for each byte"))
    }
}
