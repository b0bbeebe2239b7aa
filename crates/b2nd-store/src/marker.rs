//! The markers of MessagePack: the first byte of each value, which gives its type.

use crate::text::{count, quoted};

/// A function that formats the bytes after a marker.
pub type Show = fn(&[u8]) -> String;

/// The bytes that follow a marker.
pub enum Form {
    /// No bytes follow: the marker itself means this value.
    Word(&'static str),
    /// No bytes follow: the marker itself is the number.
    Fixint,
    /// A big-endian number with this number of bytes.
    Number(usize, Show),
    /// Bytes, which may be text.
    String(Length, Show),
    /// An extension: one byte for the type, then the content. The length does not include the byte for the type.
    Ext(Length),
    /// An array with this number of values.
    Array(Length),
    /// A map with this number of pairs of key and value.
    Map(Length),
}

/// Where a length or count is stored.
pub enum Length {
    /// The length or count is part of the marker, and has this value.
    Is(usize),
    /// The length or count follows the marker, and takes this number of bytes.
    In(usize),
}

impl Length {
    /// Reads the length or count of a value, whose first byte is the marker. Returns two numbers: the position in `value` at which the
    /// content starts, and the length or count.
    pub fn read(&self, value: &[u8]) -> Option<(usize, usize)> {
        match *self {
            Length::Is(length) => Some((1, length)),
            Length::In(width) => Some((1 + width, number(value.get(1..=width)?).try_into().ok()?)),
        }
    }
}

/// Returns a marker's name in MessagePack's specification, and what follows it. Returns `None` for `c1`, which is not a marker.
pub fn of(byte: u8) -> Option<(&'static str, Form)> {
    use Form::*;
    use Length::*;
    let low = |mask: u8| Is(usize::from(byte & mask));
    Some(match byte {
        0x00..=0x7f | 0xe0..=0xff => ("fixint", Fixint),
        0x80..=0x8f => ("fixmap", Map(low(0x0f))),
        0x90..=0x9f => ("fixarray", Array(low(0x0f))),
        0xa0..=0xbf => ("fixstr", String(low(0x1f), quoted)),
        0xc0 => ("nil", Word("nil")),
        0xc1 => return None,
        0xc2 => ("false", Word("false")),
        0xc3 => ("true", Word("true")),
        0xc4 => ("bin8", String(In(1), length)),
        0xc5 => ("bin16", String(In(2), length)),
        0xc6 => ("bin32", String(In(4), length)),
        0xc7 => ("ext8", Ext(In(1))),
        0xc8 => ("ext16", Ext(In(2))),
        0xc9 => ("ext32", Ext(In(4))),
        0xca => ("float32", Number(4, float)),
        0xcb => ("float64", Number(8, float)),
        0xcc => ("uint8", Number(1, unsigned)),
        0xcd => ("uint16", Number(2, unsigned)),
        0xce => ("uint32", Number(4, unsigned)),
        0xcf => ("uint64", Number(8, unsigned)),
        0xd0 => ("int8", Number(1, signed)),
        0xd1 => ("int16", Number(2, signed)),
        0xd2 => ("int32", Number(4, signed)),
        0xd3 => ("int64", Number(8, signed)),
        0xd4 => ("fixext1", Ext(Is(1))),
        0xd5 => ("fixext2", Ext(Is(2))),
        0xd6 => ("fixext4", Ext(Is(4))),
        0xd7 => ("fixext8", Ext(Is(8))),
        0xd8 => ("fixext16", Ext(Is(16))),
        0xd9 => ("str8", String(In(1), quoted)),
        0xda => ("str16", String(In(2), quoted)),
        0xdb => ("str32", String(In(4), quoted)),
        0xdc => ("array16", Array(In(2))),
        0xdd => ("array32", Array(In(4))),
        0xde => ("map16", Map(In(2))),
        0xdf => ("map32", Map(In(4))),
    })
}

/// Reads a big-endian number of at most eight bytes.
pub fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn unsigned(bytes: &[u8]) -> String {
    number(bytes).to_string()
}

/// Reads a signed big-endian number. Returns 0 if there are no bytes.
pub fn signed_number(bytes: &[u8]) -> i64 {
    let unused = u64::BITS - 8 * bytes.len().clamp(1, 8) as u32;
    (number(bytes) << unused) as i64 >> unused
}

fn signed(bytes: &[u8]) -> String {
    signed_number(bytes).to_string()
}

/// Formats a float so that it cannot be mistaken for an integer: 2.0, 1e300.
fn float(bytes: &[u8]) -> String {
    match *bytes {
        [a, b, c, d] => format!("{:?}", f32::from_be_bytes([a, b, c, d])),
        _ => format!("{:?}", f64::from_bits(number(bytes))),
    }
}

/// Formats the number of bytes, as in `2 bytes`.
pub fn length(bytes: &[u8]) -> String {
    count(bytes.len(), "byte")
}

/// Formats the type of an extension and the length of its content.
pub fn extension(bytes: &[u8]) -> String {
    match bytes.split_first() {
        Some((&kind, bytes)) => format!("type {}, {}", i8::from_be_bytes([kind]), length(bytes)),
        None => String::new(),
    }
}
