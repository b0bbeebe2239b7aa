//! MessagePack in its shortest form.

use super::bytes::{be16, be32, low};

/// Packs an integer from 0 to 2^32 - 1.
pub(crate) fn int(value: usize) -> Vec<u8> {
    match value {
        0..=0x7f => vec![low(value)],
        0x80..=0xff => vec![0xcc, low(value)],
        0x100..=0xffff => [&[0xcd][..], &be16(value)].concat(),
        _ => [&[0xce][..], &be32(value)].concat(),
    }
}

/// Packs a text.
pub(crate) fn text(value: &str) -> Vec<u8> {
    let length = value.len();
    let marker = match length {
        0..=31 => vec![0xa0 | low(length)],
        32..=255 => vec![0xd9, low(length)],
        _ => [&[0xda][..], &be16(length)].concat(),
    };
    [&marker[..], value.as_bytes()].concat()
}

/// Packs a map with at most 15 entries.
pub(crate) fn map(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = vec![0x80 | low(entries.len())];
    for (key, value) in entries {
        bytes.extend(text(key));
        bytes.extend(value);
    }
    bytes
}
