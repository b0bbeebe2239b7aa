//! Elements as JSON.

use b2nd::dtype::{DType, Field};
use serde_json::{Map, Number, Value, json};

use super::fields;
use super::scalar::{self, Scalar};
use crate::text::hex;

/// Converts an element to JSON: a structure to an object, a subarray to a list. NaN and infinities become `null`, as in `JSON.stringify`.
/// Complex numbers, bytes that are not text, and values of unsupported types become objects with one key, such as `{"bytes": "00ff"}`.
pub fn json(dtype: &DType, bytes: &[u8]) -> Value {
    json_with(dtype, bytes, |text| text.parse().ok().and_then(Number::from_f64).into())
}

/// Converts an element to JSON like [`json()`], but NaN and infinities become objects as in [`float`].
pub fn exact_json(dtype: &DType, bytes: &[u8]) -> Value {
    json_with(dtype, bytes, float)
}

fn json_with(dtype: &DType, bytes: &[u8], float: fn(&str) -> Value) -> Value {
    if !dtype.fields().is_empty() {
        let of_field = |(field, bytes): (&Field, &[u8])| (field.name().to_owned(), json_with(field.dtype(), bytes, float));
        let fields = fields(dtype, bytes).map(of_field);
        return Value::Object(fields.collect::<Map<_, _>>());
    }
    if !dtype.shape().is_empty() {
        return bytes.chunks(dtype.base().itemsize().max(1)).map(|item| json_with(dtype.base(), item, float)).collect();
    }
    match scalar::read(dtype, bytes) {
        Scalar::Bool(bool) => bool.into(),
        Scalar::Integer(number) => Number::from_i128(number).into(),
        Scalar::Float(text) => float(&text),
        Scalar::Complex(real, imaginary) => json!({ "complex": [float(&real), float(&imaginary)] }),
        Scalar::Text(text) | Scalar::Time(text) => text.into(),
        Scalar::Bytes(bytes) => match String::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(error) => json!({ "bytes": hex(error.as_bytes(), "") }),
        },
        Scalar::Unknown(digits) => json!({ "bytes": digits }),
    }
}

/// Converts the text of a float to a JSON number. NaN and infinities, which JSON lacks, become objects such as `{"float": "nan"}`.
pub fn float(text: &str) -> Value {
    match text.parse().ok().and_then(Number::from_f64) {
        Some(number) => number.into(),
        None => json!({ "float": text.to_ascii_lowercase() }),
    }
}
