//! Writes and reads bytes as pairs of hexadecimal digits, for human-readable formats. Other crates of this workspace use this module.

use alloc::vec::Vec;
use core::fmt::{self, Write};

use serde::{Serialize, Serializer};

/// Bytes that are serialized as a string with two hexadecimal digits for each byte.
#[derive(Debug)]
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digit = |number: u8| char::from(b"0123456789abcdef"[usize::from(number)]);
        self.0.iter().try_for_each(|byte| {
            f.write_char(digit(byte >> 4))?;
            f.write_char(digit(byte & 0x0f))
        })
    }
}

impl Serialize for Hex<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Converts pairs of hexadecimal digits to bytes. Returns `None` if the text is anything else.
pub fn decode(digits: &str) -> Option<Vec<u8>> {
    let nibble = |digit: u8| char::from(digit).to_digit(16);
    let byte = |pair: &[u8]| match *pair {
        [high, low] => u8::try_from(nibble(high)? << 4 | nibble(low)?).ok(),
        _ => None,
    };
    digits.as_bytes().chunks(2).map(byte).collect()
}
