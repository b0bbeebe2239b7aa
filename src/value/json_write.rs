//! Writes a value to a human-readable format. Most types that JSON lacks are written as objects with one key.

use alloc::collections::BTreeSet;

use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde::{Serialize, ser};

use super::{Extension, Value};
use crate::hex::Hex;

/// The keys of the objects with one key that represent types that JSON lacks. An ordinary map whose only key is one of these keys is
/// written as an object with the key `map`, since the map could otherwise be read as a different type.
pub(super) const FORMS: [&str; 8] = ["bytes", "complex", "ext", "float", "map", "ndarray", "set", "tuple"];

/// A value to be written, and the number of nested levels down to which extensions in the value are decoded.
pub(super) struct Shown<'a>(pub(super) &'a Value, pub(super) u8);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Shown(value, depth) = *self;
        let inside = depth.saturating_sub(1);
        match value {
            Value::Nil => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::F32(number) => Float((*number).into()).serialize(serializer),
            Value::F64(number) => Float(*number).serialize(serializer),
            Value::Str(text, _) => serializer.serialize_str(text),
            Value::RawStr(bytes, _) | Value::Bytes(bytes, _) => one(serializer, "bytes", &Hex(bytes)),
            Value::Ext(..) => extension(serializer, value, inside),
            Value::Array(..) => {
                let elements = value.elements();
                let mut list = serializer.serialize_seq(Some(elements.len()))?;
                elements.iter().try_for_each(|value| list.serialize_element(&Shown(value, inside)))?;
                list.end()
            }
            Value::Map(pairs, _) if !has_names(pairs) => one(serializer, "map", &Pairs(pairs, inside)),
            Value::Map(pairs, _) => {
                let mut map = serializer.serialize_map(Some(pairs.len()))?;
                pairs.iter().try_for_each(|(key, value)| map.serialize_entry(&Shown(key, 0), &Shown(value, inside)))?;
                map.end()
            }
            number => match (number.as_i64(), number.as_u64()) {
                (Some(number), _) => serializer.serialize_i64(number),
                (_, number) => serializer.serialize_u64(number.unwrap_or_default()),
            },
        }
    }
}

/// Returns true if the pairs can be written as an object: the keys are different strings, and none of [`FORMS`] is the only key.
fn has_names(pairs: &[(Value, Value)]) -> bool {
    let mut names = BTreeSet::new();
    let is_form = matches!(pairs, [(key, _)] if key.as_str().is_some_and(|key| FORMS.contains(&key)));
    !is_form && pairs.iter().all(|(key, _)| key.as_str().is_some_and(|key| names.insert(key)))
}

/// The pairs of a map, written as lists of two elements.
struct Pairs<'a>(&'a [(Value, Value)], u8);

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|(key, value)| [Shown(key, self.1), Shown(value, self.1)]))
    }
}

#[derive(Serialize)]
struct NdArrayForm<'a> {
    dtype: Option<Shown<'a>>,
    shape: Shown<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Hex<'a>>,
    /// The elements of an array of Python objects, or `None` for other arrays, whose elements are in `data`.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Shown<'a>>,
}

fn extension<S: Serializer>(serializer: S, value: &Value, depth: u8) -> Result<S::Ok, S::Error> {
    match (value.extension_within(depth), value) {
        (Some(Extension::Complex(real, imaginary)), _) => one(serializer, "complex", &[Float(real), Float(imaginary)]),
        (Some(Extension::Set(set)), _) => one(serializer, "set", &Shown(&set, depth)),
        (Some(Extension::NdArray(array)), _) => {
            let form = NdArrayForm {
                dtype: array.dtype().map(|dtype| Shown(dtype, depth)),
                shape: Shown(array.shape(), depth),
                data: array.data().map(Hex),
                values: array.values().map(|values| Shown(values, depth)),
            };
            one(serializer, "ndarray", &form)
        }
        (_, Value::Ext(kind, data, _)) => one(serializer, "ext", &(kind, Hex(data))),
        _ => Err(ser::Error::custom("no extension")),
    }
}

/// A float. NaN and the infinities, which JSON lacks, are written as an object.
struct Float(f64);

impl Serialize for Float {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let word = match self.0 {
            number if number.is_finite() => return serializer.serialize_f64(number),
            number if number.is_nan() => "nan",
            number if number > 0.0 => "inf",
            _ => "-inf",
        };
        one(serializer, "float", word)
    }
}

/// Writes an object with one key.
fn one<S: Serializer>(serializer: S, key: &str, value: &(impl Serialize + ?Sized)) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(key, value)?;
    map.end()
}
