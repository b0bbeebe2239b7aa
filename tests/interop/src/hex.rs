//! Bytes in JSON.

use std::fmt::Write;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes as hexadecimal digits.
pub struct Hex(pub Vec<u8>);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&of(&self.0))
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2));
        let bytes = digits.map(|pair| pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()));
        bytes
            .collect::<Option<_>>()
            .map(Hex)
            .ok_or_else(|| D::Error::custom(format_args!("expected pairs of hex digits, found {text:?}")))
    }
}

/// Converts bytes to hexadecimal digits.
pub fn of(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
