//! Elements as text for people, and as cells of CSV.

use b2nd::dtype::DType;

use super::scalar::{self, Scalar};
use super::{fields, json};
use crate::text::quoted;

/// Formats an element as text, with a structure in parentheses and a subarray in brackets. Floats have all their digits.
pub fn text(dtype: &DType, bytes: &[u8]) -> String {
    text_to(usize::MAX, dtype, bytes)
}

/// Formats an element like `text`, but floats are rounded to at most `digits` significant digits.
pub fn text_to(digits: usize, dtype: &DType, bytes: &[u8]) -> String {
    if !dtype.fields().is_empty() {
        let fields = fields(dtype, bytes).map(|(field, bytes)| text_to(digits, field.dtype(), bytes));
        return format!("({})", fields.collect::<Vec<_>>().join(", "));
    }
    if !dtype.shape().is_empty() {
        let items = bytes.chunks(dtype.base().itemsize().max(1)).map(|item| text_to(digits, dtype.base(), item));
        return format!("[{}]", items.collect::<Vec<_>>().join(", "));
    }
    scalar_text(digits, scalar::read(dtype, bytes))
}

fn scalar_text(digits: usize, scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool(bool) => bool.to_string(),
        Scalar::Integer(number) => number.to_string(),
        Scalar::Float(text) => rounded(text, digits),
        Scalar::Time(text) | Scalar::Unknown(text) => text,
        Scalar::Complex(real, imaginary) => complex(&rounded(real, digits), &rounded(imaginary, digits)),
        Scalar::Text(text) => format!("{text:?}"),
        Scalar::Bytes(bytes) => quoted(&bytes),
    }
}

/// Formats an element as a cell of CSV, in quotes if necessary. Complex numbers are formatted like `1.5-2.0j`, structures and subarrays as
/// JSON.
pub fn cell(dtype: &DType, bytes: &[u8]) -> String {
    if !dtype.fields().is_empty() || !dtype.shape().is_empty() {
        return in_quotes(&json::json(dtype, bytes).to_string());
    }
    match scalar::read(dtype, bytes) {
        Scalar::Text(text) => in_quotes(&text),
        Scalar::Bytes(bytes) => {
            in_quotes(&String::from_utf8(bytes).unwrap_or_else(|error| error.as_bytes().escape_ascii().to_string()))
        }
        scalar => scalar_text(usize::MAX, scalar),
    }
}

/// Formats a complex number: `1.5-2.0j`.
pub(super) fn complex(real: &str, imaginary: &str) -> String {
    let sign = if imaginary.starts_with('-') { "" } else { "+" };
    format!("{real}{sign}{imaginary}j")
}

fn rounded(text: String, digits: usize) -> String {
    match text.parse() {
        Ok(number) if text.len() > digits => significant(number, digits),
        _ => text,
    }
}

/// Rounds a number to at most `digits` significant digits, and formats it: `-17549.8`, `3.86495e6`.
pub fn significant(number: f64, digits: usize) -> String {
    let shortest = format!("{number:e}");
    let length = |text: &str| text.split('e').next().unwrap_or_default().chars().filter(char::is_ascii_digit).count();
    if !number.is_finite() || length(&shortest) <= digits && number.abs() < 1e16 {
        return format!("{number:?}");
    }
    let text = format!("{number:.*e}", digits.clamp(1, 17) - 1);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    if (-5..digits as i64).contains(&exponent) {
        // If all digits are before the decimal point, `.0` would be a digit that the number does not have.
        let has_fraction = exponent + 1 < digits as i64;
        return text.parse::<f64>().map_or(text, |number| if has_fraction { format!("{number:?}") } else { format!("{number}") });
    }
    let mantissa = if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    format!("{mantissa}e{exponent}")
}

/// Formats a cell of CSV, in quotes if necessary.
pub fn in_quotes(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text.trim() != text {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}
