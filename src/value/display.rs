//! Writes a value as a line of text.

use alloc::string::{String, ToString};
use core::fmt::{self, Display, Formatter};

use super::{Extension, Value};
use crate::marker::MAX_DEPTH;

/// The maximum length of a byte string that is written in full.
const MAX_BYTES: usize = 32;

/// The maximum number of characters that are written of an array's shape, of a dtype that is not a string, and of a value in an error.
/// Longer text is cut.
const MAX_ARRAY: usize = 40;

/// Writes the value in one line, such as `{"a": 1.5, 255: [-2, null]}`. Types that JSON lacks have forms such as `(1, 2)` (a tuple),
/// `b"\x00\xff"` (a byte string), `(1.0, -2.5i)` (a complex number), `set[1, 2]`, `<ndarray <i4 [2]>` and `<frame of 3 bytes>`. For a byte
/// string of more than 32 bytes, or one that looks like a Python pickle, only the length is written.
impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Line(self, MAX_DEPTH).fmt(f)
    }
}

/// A value to be written as text, and the number of nested levels down to which extensions in the value are decoded.
struct Line<'a>(&'a Value, u8);

impl Display for Line<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Line(value, depth) = *self;
        let inside = depth.saturating_sub(1);
        match value {
            Value::Nil => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::F32(number) => write!(f, "{:?}", f64::from(*number)),
            Value::F64(number) => write!(f, "{number:?}"),
            Value::Str(text, _) => write!(f, "{text:?}"),
            Value::RawStr(text, _) => write!(f, "b\"{}\"", text.escape_ascii()),
            Value::Bytes(bytes, _) => match bytes.as_slice() {
                // These are the first and last bytes of a Python pickle since protocol 2. This crate does not decode pickles.
                [0x80, 2..=5, .., b'.'] => write!(f, "<pickle of {}>", count(bytes.len())),
                bytes if bytes.len() > MAX_BYTES => write!(f, "<{}>", count(bytes.len())),
                bytes => write!(f, "b\"{}\"", bytes.escape_ascii()),
            },
            Value::Ext(..) => extension(value, f, inside),
            Value::Array(..) => {
                let elements = value.elements();
                let [open, close] = match (value.is_tuple(), elements) {
                    (false, _) => ["[", "]"],
                    // Python writes a comma after the only element of a tuple.
                    (true, [_]) => ["(", ",)"],
                    (true, _) => ["(", ")"],
                };
                list(f, [open, close], elements, |value, f| write!(f, "{}", Line(value, inside)))
            }
            Value::Map(pairs, _) => {
                list(f, ["{", "}"], pairs, |(key, value), f| write!(f, "{}: {}", Line(key, inside), Line(value, inside)))
            }
            number => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => write!(f, "{number}"),
                (_, number) => write!(f, "{}", number.unwrap_or_default()),
            },
        }
    }
}

fn extension(value: &Value, f: &mut Formatter<'_>, depth: u8) -> fmt::Result {
    let Some(extension) = value.extension_within(depth) else { return Ok(()) };
    match extension {
        Extension::Frame(frame) => write!(f, "<frame of {}>", count(frame.len())),
        Extension::Reference(reference) => write!(f, "<reference {}>", Line(&reference, depth)),
        Extension::Complex(real, imaginary) => write!(f, "({real:?}, {imaginary:?}i)"),
        Extension::Set(set) => write!(f, "set{}", Line(&set, depth)),
        Extension::NdArray(array) => {
            let dtype = match array.dtype() {
                None => "objects".to_string(),
                Some(Value::Str(dtype, _)) => plain(dtype),
                Some(dtype) => short(dtype, depth),
            };
            write!(f, "<ndarray {dtype} {}>", short(array.shape(), depth))
        }
        Extension::Other(kind, data) => write!(f, "<ext {kind}, {}>", count(data.len())),
    }
}

/// Returns a number of bytes as text, such as `1,234 bytes`.
fn count(bytes: usize) -> impl Display {
    let digits = bytes.to_string();
    let mut text = digits.chars().enumerate().fold(String::new(), |mut text, (index, digit)| {
        if index != 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
        text
    });
    text += if bytes == 1 { " byte" } else { " bytes" };
    text
}

/// Returns a value as text. A text of more than `MAX_ARRAY` characters is cut.
pub(super) fn short(value: &Value, depth: u8) -> String {
    let mut text = Line(value, depth).to_string();
    if let Some((end, _)) = text.char_indices().nth(MAX_ARRAY) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Returns a string without quotes around it. Control characters are escaped.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for char in text.chars() {
        match char {
            '\'' | '"' | '\\' => plain.push(char),
            _ => plain.extend(char.escape_debug()),
        }
    }
    plain
}

fn list<T>(
    f: &mut Formatter<'_>,
    [open, close]: [&str; 2],
    items: &[T],
    mut item: impl FnMut(&T, &mut Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    f.write_str(open)?;
    for (index, value) in items.iter().enumerate() {
        if index != 0 {
            f.write_str(", ")?;
        }
        item(value, f)?;
    }
    f.write_str(close)
}
