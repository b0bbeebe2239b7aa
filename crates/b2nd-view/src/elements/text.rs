//! Elements as text for people, and as cells of CSV.

use b2nd::dtype::DType;

use super::json;
use super::scalar::{self, Scalar};
use crate::text::quoted;

/// One element as text: a structure in round brackets, a subarray in square ones.
pub fn text(dtype: &DType, bytes: &[u8]) -> String {
    if !dtype.fields().is_empty() {
        let fields = dtype.fields().iter().map(|field| {
            let place = field.offset()..field.offset() + field.dtype().itemsize();
            text(field.dtype(), bytes.get(place).unwrap_or_default())
        });
        return format!("({})", fields.collect::<Vec<_>>().join(", "));
    }
    if !dtype.shape().is_empty() {
        let items = bytes.chunks(dtype.base().itemsize().max(1)).map(|item| text(dtype.base(), item));
        return format!("[{}]", items.collect::<Vec<_>>().join(", "));
    }
    match scalar::read(dtype, bytes) {
        Scalar::Bool(bool) => bool.to_string(),
        Scalar::Integer(number) => number.to_string(),
        Scalar::Float(text) | Scalar::Time(text) | Scalar::Unknown(text) => text,
        Scalar::Complex(real, imaginary) => format!("({real}, {imaginary}i)"),
        Scalar::Text(text) => format!("{text:?}"),
        Scalar::Bytes(bytes) => quoted(&bytes),
    }
}

/// One element as a cell of CSV, in quotes where it has to be: complex numbers as Python writes them, structures and subarrays as
/// JSON.
pub fn cell(dtype: &DType, bytes: &[u8]) -> String {
    if !dtype.fields().is_empty() || !dtype.shape().is_empty() {
        return in_quotes(&json::json(dtype, bytes).to_string());
    }
    match scalar::read(dtype, bytes) {
        Scalar::Bool(bool) => bool.to_string(),
        Scalar::Integer(number) => number.to_string(),
        Scalar::Float(text) => text,
        Scalar::Complex(real, imaginary) => {
            let sign = if imaginary.starts_with('-') { "" } else { "+" };
            format!("{real}{sign}{imaginary}j")
        }
        Scalar::Text(text) | Scalar::Time(text) | Scalar::Unknown(text) => in_quotes(&text),
        Scalar::Bytes(bytes) => match std::str::from_utf8(&bytes) {
            Ok(text) => in_quotes(text),
            Err(_) => in_quotes(&bytes.escape_ascii().to_string()),
        },
    }
}

/// A cell of CSV, in quotes where it has to be.
pub fn in_quotes(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text.trim() != text {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}
