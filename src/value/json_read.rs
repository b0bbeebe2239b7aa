//! Reads values from other formats, including the objects that represent types that JSON lacks.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

use super::display::short;
use super::encode::{shortest_signed, shortest_unsigned};
use super::{Head, Value};
use crate::error::{Error, Result};
use crate::hex;

/// The visitor that builds a value from any format. The value gets the shortest markers.
pub(super) struct AnyVisitor {
    /// Whether an object whose only key is one of [`FORMS`](super::json_write::FORMS) can be a value of the type that the key names.
    pub(super) takes_forms: bool,
}

macro_rules! visit {
    ($($method:ident($ty:ty): $make:expr;)*) => {
        $(
            fn $method<E: de::Error>(self, value: $ty) -> Result<Value, E> {
                Ok($make(value))
            }
        )*
    };
}

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    visit! {
        visit_bool(bool): Value::Bool;
        visit_i64(i64): shortest_signed;
        visit_u64(u64): shortest_unsigned;
        visit_f32(f32): Value::F32;
        visit_f64(f64): Value::F64;
        visit_str(&str): |text: &str| Value::from(text).short();
        visit_string(String): |text| Value::from(text).short();
        visit_bytes(&[u8]): |bytes: &[u8]| bytes_of(bytes.to_owned());
        visit_byte_buf(Vec<u8>): bytes_of;
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Nil)
    }

    fn visit_none<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Nil)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    /// Reads an extension, which rmp-serde passes as a newtype struct of its type and its data.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let (kind, data) = <(i8, serde_bytes::ByteBuf)>::deserialize(deserializer)?;
        Ok(Value::Ext(kind, data.into_vec(), Head::U32).short())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut list: Vec<Value> = Vec::new();
        while let Some(value) = elements.next_element()? {
            list.push(value);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut pairs: Vec<(Value, Value)> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        while let Some((key, value)) = entries.next_entry::<Value, Value>()? {
            // If a string occurs several times as a key, its last value is stored at the position of the first, as in Python.
            let place = key.as_str().and_then(|name| places.get(name));
            match place.and_then(|&place| pairs.get_mut(place)) {
                Some((_, place)) => *place = value,
                None => {
                    if let Value::Str(name, _) = &key {
                        places.insert(name.clone(), pairs.len());
                    }
                    pairs.push((key, value));
                }
            }
        }
        if self.takes_forms { form(pairs).map_err(A::Error::custom) } else { Ok(Value::map(pairs)) }
    }
}

/// Returns the pairs as a map. If there is only one pair and it represents a type that JSON lacks, returns a value of that type instead.
fn form(mut pairs: Vec<(Value, Value)>) -> Result<Value> {
    match (pairs.pop(), pairs.is_empty()) {
        (Some((Value::Str(name, head), value)), true) => match special(&name, value)? {
            Ok(value) => Ok(value),
            Err(value) => Ok(Value::map([(Value::Str(name, head), value)])),
        },
        (last, _) => Ok(Value::map(pairs.into_iter().chain(last))),
    }
}

/// Returns the value that the object `{name: value}` represents. If the object is an ordinary map, returns `value` unchanged as the inner
/// `Err`.
fn special(name: &str, value: Value) -> Result<Result<Value, Value>> {
    let wrong =
        |what: &str, it: &Value| Error::custom(format_args!("{{\"{name}\": ..}}: expected {what}, found {}", short(it, 0)));
    let not_pair = |found: Value| wrong("pairs of a key and a value", &found);
    let unhex = |digits: &str| hex::decode(digits).ok_or_else(|| wrong("pairs of hexadecimal digits", &Value::from(digits)));
    Ok(Ok(match (name, value) {
        ("bytes", Value::Str(digits, _)) => bytes_of(unhex(&digits)?),
        ("float", Value::Str(word, _)) => Value::F64(match word.as_str() {
            "nan" => f64::NAN,
            "inf" => f64::INFINITY,
            "-inf" => f64::NEG_INFINITY,
            other => return Err(wrong("nan, inf or -inf", &Value::from(other))),
        }),
        ("complex", Value::Array(parts, _)) => {
            let both = if let [real, imaginary] = parts.as_slice() { number(real).zip(number(imaginary)) } else { None };
            let (real, imaginary) = both.ok_or_else(|| wrong("two numbers, [real, imaginary]", &Value::from(parts)))?;
            Value::complex(real, imaginary)
        }
        ("set", list @ Value::Array(..)) => Value::around(45, &list)?,
        ("tuple", Value::Array(list, _)) => Value::tuple(list),
        ("ndarray", Value::Map(pairs, _)) => {
            let has_values = pairs.iter().any(|(key, _)| key.as_str() == Some("values"));
            let keeps = |key: &Value, value: &Value| !has_values || key.as_str() != Some("dtype") || *value != Value::Nil;
            let named = pairs.into_iter().filter(|(key, value)| keeps(key, value));
            let pairs = named.map(|(key, value)| match (key.as_str(), value) {
                (Some("data"), Value::Str(digits, _)) => Ok((key, bytes_of(unhex(&digits)?))),
                (Some("dtype"), dtype) => {
                    let form = if dtype.as_str().is_some() { "str" } else { "descr" };
                    Ok((key, Value::map([(Value::from(form).short(), dtype)])))
                }
                (Some("shape" | "values"), value) => Ok((key, value)),
                (_, value) => Err(wrong("dtype, shape and data (hexadecimal), or shape and values", &Value::map([(key, value)]))),
            });
            Value::around(46, &Value::map(pairs.collect::<Result<Vec<_>>>()?))?
        }
        ("ext", Value::Array(parts, _)) => match parts.as_slice() {
            [kind, Value::Str(digits, _)] if kind.as_i64().is_some() => {
                let number = kind.as_i64().and_then(|kind| i8::try_from(kind).ok());
                let kind = number.ok_or_else(|| wrong("a type from -128 to 127", kind))?;
                Value::Ext(kind, unhex(digits)?, Head::U32).short()
            }
            other => return Err(wrong("[type, \"hex\"]", &Value::from(other.to_vec()))),
        },
        ("map", Value::Array(list, _)) => {
            let pairs = list.into_iter().map(|pair| match pair {
                Value::Array(pair, Head::Fix) => <[Value; 2]>::try_from(pair).map_err(|pair| not_pair(pair.into())),
                other => Err(not_pair(other)),
            });
            Value::map(pairs.map(|pair| pair.map(|[key, value]| (key, value))).collect::<Result<Vec<_>>>()?)
        }
        (_, value) => return Ok(Err(value)),
    }))
}

fn bytes_of(bytes: Vec<u8>) -> Value {
    Value::Bytes(bytes, Head::U32).short()
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_i64().map(|number| number as f64)).or_else(|| value.as_u64().map(|number| number as f64))
}
