//! Formats numbers, names and bytes as text.

use std::fmt::Display;

use b2nd_frame::Filter;

/// Formats an integer with commas between groups of three digits: `1,234,567`.
pub fn thousands(number: impl Display) -> String {
    let number = number.to_string();
    let (sign, digits) = number.split_at(number.len() - number.trim_start_matches('-').len());
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    format!("{sign}{}", groups.join(","))
}

/// Formats a number with its unit: `1 byte`, `2 bytes`.
pub fn count(number: impl Display, unit: &str) -> String {
    let number = thousands(number);
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {unit}{plural}")
}

/// Formats a length in bytes. A length of 1 KiB or more is also given in a larger unit: `2,048 bytes (2.0 KiB)`.
pub fn size(bytes: i128) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let exact = count(bytes, "byte");
    // Only one digit after the decimal point is shown, so a float is precise enough.
    let mut amount = bytes as f64;
    let mut unit = None;
    for name in UNITS {
        // An amount that would be shown as 1024.0 is shown as 1.0 of the next unit.
        if amount < if unit.is_none() { 1024.0 } else { 1023.95 } {
            break;
        }
        amount /= 1024.0;
        unit = Some(name);
    }
    match unit {
        Some(unit) => format!("{exact} ({amount:.1} {unit})"),
        None => exact,
    }
}

/// Returns the parameter of a filter. `meta` is the byte of the header that stores the parameter.
///
/// For trunc_prec and int_trunc, the parameter is the number of bits that the filter keeps. A negative parameter is the number of bits that
/// the filter clears.
///
/// ```
/// use b2nd_frame::Filter;
/// use b2nd_store::text::parameter;
///
/// assert_eq!(parameter(Filter::TruncPrec, 0xf6), -10);
/// assert_eq!(parameter(Filter::Other(200), 0xf6), 246);
/// ```
pub fn parameter(filter: Filter, meta: u8) -> i16 {
    match filter {
        Filter::TruncPrec | INT_TRUNC => i8::from_be_bytes([meta]).into(),
        _ => meta.into(),
    }
}

/// The filter int_trunc.
const INT_TRUNC: Filter = Filter::Other(36);

/// Escapes the characters of a text that a terminal would interpret or would not show, and combining characters.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\'' | '"' | '\\' => shown.push(char),
            _ => shown.extend(char.escape_debug()),
        }
    }
    shown
}

/// Shortens a text to its first `limit` characters. A shortened text ends with `…`.
pub fn shortened(text: String, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(&text)),
        None => text,
    }
}

/// Formats bytes as a quoted text. If they are not UTF-8, they are escaped like a byte string of Python.
pub fn quoted(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => format!("{text:?}"),
        Err(_) => format!("b\"{}\"", bytes.escape_ascii()),
    }
}

/// Formats each byte as two hexadecimal digits, with a separator between bytes.
pub fn hex(bytes: &[u8], separator: &str) -> String {
    let mut digits = String::with_capacity(bytes.len() * (2 + separator.len()));
    for (index, byte) in bytes.iter().enumerate() {
        digits.push_str(if index == 0 { "" } else { separator });
        let pair = [byte >> 4, byte & 15].map(|nibble| nibble + if nibble < 10 { b'0' } else { b'a' - 10 });
        digits.extend(pair.map(char::from));
    }
    digits
}
