//! Converts Rust types to values and back.

use alloc::borrow::ToOwned;
use core::slice;

use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde::{Deserialize, Serialize, forward_to_deserialize_any};

use super::{Value, decode};
use crate::error::{Error, ErrorKind, Result, Segment};
use crate::marker::RAW_MARK;

/// Converts any serializable type to a [`Value`], with the markers that [`to_vec`](crate::to_vec) would write.
///
/// # Errors
///
/// Returns the errors of [`to_vec`](crate::to_vec). Also fails for array metalayers that are not valid MessagePack: those with 16
/// dimensions, and [`ArrayMeta::MiscountedB2nd`](crate::ArrayMeta::MiscountedB2nd).
///
/// ```
/// use b2nd::{Head, Value};
///
/// let value = b2nd::to_value(&("m", 3_i16))?;
/// assert_eq!(value, Value::Array(vec![Value::Str("m".into(), Head::U32), Value::I16(3)], Head::Fix));
/// # Ok::<(), b2nd::Error>(())
/// ```
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value> {
    decode::whole(&crate::to_vec(value)?, 0)
}

/// Converts a value to a Rust type. The markers need not be those that this crate writes: a number can be read as any type that can hold
/// it, and a struct from a list, or from a map with the names of its fields.
///
/// In contrast, [`from_slice`](crate::from_slice) accepts only the markers that this crate writes.
///
/// # Errors
///
/// Fails if the value cannot be read as this type. The error's path names the field.
///
/// ```
/// use b2nd::Value;
///
/// #[derive(serde::Deserialize, PartialEq, Debug)]
/// struct Station<'a> {
///     name: &'a str,
///     depth: i64,
/// }
///
/// let value = Value::from_slice(b"\x82\xa4name\xa2K1\xa5depth\xd0\xd6")?;
/// assert_eq!(b2nd::from_value::<Station>(&value)?, Station { name: "K1", depth: -42 });
/// let error = b2nd::from_value::<Vec<Station>>(&Value::from(vec![value, Value::from("K2")])).unwrap_err();
/// assert_eq!(error.to_string(), "[1]: invalid type: string \"K2\", expected struct Station");
/// # Ok::<(), b2nd::Error>(())
/// ```
pub fn from_value<'de, T: Deserialize<'de>>(value: &'de Value) -> Result<T> {
    T::deserialize(value)
}

impl<'de> Deserializer<'de> for &'de Value {
    type Error = Error;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self {
            Value::Nil => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Fixint(number) | Value::I8(number) => visitor.visit_i8(*number),
            Value::U8(number) => visitor.visit_u8(*number),
            Value::U16(number) => visitor.visit_u16(*number),
            Value::U32(number) => visitor.visit_u32(*number),
            Value::U64(number) => visitor.visit_u64(*number),
            Value::I16(number) => visitor.visit_i16(*number),
            Value::I32(number) => visitor.visit_i32(*number),
            Value::I64(number) => visitor.visit_i64(*number),
            Value::F32(number) => visitor.visit_f32(*number),
            Value::F64(number) => visitor.visit_f64(*number),
            Value::Str(text, _) => visitor.visit_borrowed_str(text),
            Value::RawStr(bytes, _) | Value::Bytes(bytes, _) => visitor.visit_borrowed_bytes(bytes),
            // Pass the extension's type, then its data, as `with::fixext16` does.
            Value::Ext(kind, data, _) => visitor.visit_byte_buf([&kind.to_be_bytes()[..], data].concat()),
            Value::Array(..) => {
                let mut elements = Elements { left: self.elements().iter(), index: 0 };
                let value = visitor.visit_seq(&mut elements)?;
                match elements.left.len() {
                    0 => Ok(value),
                    left => Err(Error::new(ErrorKind::Count { expected: elements.index, found: elements.index + left })),
                }
            }
            Value::Map(pairs, _) => visitor.visit_map(Pairs { left: pairs.iter(), last: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.is_nil() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        match name {
            RAW_MARK => visitor.visit_byte_buf(self.to_vec()?),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self {
            Value::Str(text, _) => visitor.visit_borrowed_bytes(text.as_bytes()),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    /// Reads a variant of an enum: its name, or a map with a single pair, whose key is the name and whose value is the variant's data.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let (name, data) = match self {
            Value::Map(pairs, _) => match pairs.as_slice() {
                [(name, data)] => (name, Some(data)),
                pairs => return Err(Error::new(ErrorKind::Count { expected: 1, found: pairs.len() })),
            },
            name => (name, None),
        };
        visitor.visit_enum(Variant { name, data })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Error> for &'de Value {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

struct Elements<'de> {
    left: slice::Iter<'de, Value>,
    index: usize,
}

impl<'de> SeqAccess<'de> for &mut Elements<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some(value) = self.left.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        seed.deserialize(value).map(Some).map_err(|error| error.within(Segment::Index(index), None))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.len())
    }
}

struct Pairs<'de> {
    left: slice::Iter<'de, (Value, Value)>,
    last: Option<&'de (Value, Value)>,
}

impl<'de> MapAccess<'de> for Pairs<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        self.last = self.left.next();
        self.last.map(|(key, _)| seed.deserialize(key)).transpose().map_err(|error| error.within(Segment::Field("key"), None))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let (key, value) = self.last.take().ok_or_else(|| Error::custom("a map's value was requested before its key"))?;
        seed.deserialize(value).map_err(|error| {
            let segment = key.as_str().map_or(Segment::Field("value"), |key| Segment::Key(key.to_owned()));
            error.within(segment, None)
        })
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.len())
    }
}

struct Variant<'de> {
    name: &'de Value,
    data: Option<&'de Value>,
}

impl<'de> de::EnumAccess<'de> for Variant<'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        Ok((seed.deserialize(self.name)?, self))
    }
}

impl<'de> Variant<'de> {
    fn data(self) -> Result<&'de Value> {
        self.data.ok_or_else(|| Error::custom("this variant holds data: expected a map with one entry, found only the name"))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        match self.data {
            None => Ok(()),
            Some(_) => Err(Error::custom("this variant holds no data: expected only its name, found a map with one entry")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.data()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value> {
        self.data()?.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _fields: &'static [&'static str], visitor: V) -> Result<V::Value> {
        self.data()?.deserialize_any(visitor)
    }
}
