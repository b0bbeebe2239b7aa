//! A value in the forms that JSON has here.

use std::cell::Cell;

use serde::ser::{Error, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::{Item, MAX_DEPTH, Reader, Value};
use crate::text::hex;

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Nested(*self, MAX_DEPTH).serialize(serializer)
    }
}

/// A value, and how much deeper extensions may hold others.
struct Nested<'a>(Value<'a>, usize);

impl Serialize for Nested<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Next(&Cell::new(Reader(self.0.0)), self.1).serialize(serializer)
    }
}

/// The next value of a reader.
struct Next<'c, 'a>(&'c Cell<Reader<'a>>, usize);

impl Serialize for Next<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut reader = self.0.get();
        let item = reader.next().ok_or_else(|| S::Error::custom("MessagePack ends inside a value"))?;
        let takes_tuple = matches!(item, Item::Array(count) if reader.takes_tuple(count));
        self.0.set(reader);
        match item {
            Item::Nil => serializer.serialize_unit(),
            Item::Bool(value) => serializer.serialize_bool(value),
            Item::Int(number) => serializer.serialize_i64(number),
            Item::Unsigned(number) => serializer.serialize_u64(number),
            Item::Float(number) => Float(number).serialize(serializer),
            Item::String(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => serializer.serialize_str(text),
                Err(_) => one(serializer, "bytes", &hex(bytes, "")),
            },
            Item::Bytes(bytes) => one(serializer, "bytes", &hex(bytes, "")),
            Item::Ext(kind, bytes) => extension(serializer, kind, bytes, self.1),
            Item::Array(count) => {
                let count = count - usize::from(takes_tuple);
                let mut list = serializer.serialize_seq(Some(count))?;
                (0..count).try_for_each(|_| list.serialize_element(self))?;
                list.end()
            }
            Item::Map(pairs) if !reader.has_names(pairs) => one(serializer, "map", &Pairs(self, pairs)),
            Item::Map(pairs) => {
                let mut map = serializer.serialize_map(Some(pairs))?;
                (0..pairs).try_for_each(|_| map.serialize_entry(self, self))?;
                map.end()
            }
        }
    }
}

/// Pairs as lists of two.
struct Pairs<'n, 'c, 'a>(&'n Next<'c, 'a>, usize);

impl Serialize for Pairs<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.1).map(|_| [self.0, self.0]))
    }
}

#[derive(Serialize)]
struct NdArray<'a> {
    dtype: Option<Nested<'a>>,
    shape: Nested<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<String>,
    /// Of an array of objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Nested<'a>>,
}

fn extension<S: Serializer>(serializer: S, kind: i8, bytes: &[u8], depth: usize) -> Result<S::Ok, S::Error> {
    // As deep as that there is no more than bytes.
    let content = depth.checked_sub(1).and_then(|depth| Some(Nested(Value::from_slice(bytes)?, depth)));
    match (kind, content) {
        (44, _) if bytes.len() == 16 => {
            let (real, imaginary) = bytes.split_at(8);
            let number = |bytes: &[u8]| Float(f64::from_bits(crate::marker::number(bytes)));
            one(serializer, "complex", &[number(real), number(imaginary)])
        }
        (45, Some(content)) => one(serializer, "set", &content),
        (46, Some(Nested(content, depth))) if content.get("shape").is_some() => {
            let get = |key| content.get(key).map(|value| Nested(value, depth));
            let data = content.get("data").and_then(|data| data.as_bytes()).map(|data| hex(data, ""));
            let shape = get("shape").unwrap_or(Nested(content, depth));
            one(
                serializer,
                "ndarray",
                &NdArray { dtype: content.dtype().map(|dtype| Nested(dtype, depth)), shape, data, values: get("values") },
            )
        }
        _ => one(serializer, "ext", &(kind, hex(bytes, ""))),
    }
}

/// A number, which JSON may lack.
struct Float(f64);

impl Serialize for Float {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            number if number.is_finite() => serializer.serialize_f64(number),
            number => one(serializer, "float", &number.to_string().to_lowercase()),
        }
    }
}

/// An object of one key.
fn one<S: Serializer>(serializer: S, key: &str, value: &(impl Serialize + ?Sized)) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(key, value)?;
    map.end()
}
