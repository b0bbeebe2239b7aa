//! Implements `Serialize` and `Deserialize` for [`Value`]. This crate's format gets the bytes of the value. Human-readable formats, and
//! serde's buffers, get objects for most types that JSON lacks. All other formats get plain values.

use alloc::vec::Vec;
use core::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{self, Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_bytes::Bytes;

use super::json_read::AnyVisitor;
use super::json_write::Shown;
use super::{Value, decode, encode};
use crate::marker::{MAX_DEPTH, RAW_MARK};

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return Shown(self, MAX_DEPTH).serialize(serializer);
        }
        serializer.serialize_newtype_struct(RAW_MARK, &Plain(self))
    }
}

/// A value to be written to a binary format, inside the newtype struct that marks it as a `Value`. Inside this struct, only this crate's
/// serializer says that it is human-readable, so it gets the encoded value.
struct Plain<'a>(&'a Value);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            let mut bytes = Vec::new();
            // The depth is not limited here, since the serializer that writes these bytes checks the depth, including the levels around the
            // value.
            encode::put(self.0, &mut bytes, usize::MAX).map_err(ser::Error::custom)?;
            return serializer.serialize_bytes(&bytes);
        }
        match self.0 {
            Value::Nil => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Fixint(number) | Value::I8(number) => serializer.serialize_i8(*number),
            Value::U8(number) => serializer.serialize_u8(*number),
            Value::U16(number) => serializer.serialize_u16(*number),
            Value::U32(number) => serializer.serialize_u32(*number),
            Value::U64(number) => serializer.serialize_u64(*number),
            Value::I16(number) => serializer.serialize_i16(*number),
            Value::I32(number) => serializer.serialize_i32(*number),
            Value::I64(number) => serializer.serialize_i64(*number),
            Value::F32(number) => serializer.serialize_f32(*number),
            Value::F64(number) => serializer.serialize_f64(*number),
            Value::Str(text, _) => serializer.serialize_str(text),
            Value::RawStr(bytes, _) | Value::Bytes(bytes, _) => serializer.serialize_bytes(bytes),
            // rmp-serde writes a newtype struct of this name as an extension.
            Value::Ext(kind, data, _) => serializer.serialize_newtype_struct("_ExtStruct", &(kind, Bytes::new(data))),
            Value::Array(list, _) => {
                let mut elements = serializer.serialize_seq(Some(list.len()))?;
                list.iter().try_for_each(|value| elements.serialize_element(&Plain(value)))?;
                elements.end()
            }
            Value::Map(pairs, _) => {
                let mut entries = serializer.serialize_map(Some(pairs.len()))?;
                pairs.iter().try_for_each(|(key, value)| entries.serialize_entry(&Plain(key), &Plain(value)))?;
                entries.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return deserializer.deserialize_any(AnyVisitor { takes_forms: true });
        }
        deserializer.deserialize_newtype_struct(RAW_MARK, MarkedVisitor)
    }
}

/// The visitor of the newtype struct that marks a value.
struct MarkedVisitor;

impl<'de> Visitor<'de> for MarkedVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    /// Reads the value from another format.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(AnyVisitor { takes_forms: false })
    }

    /// Decodes the bytes of an entry, which this crate's deserializer passes.
    fn visit_bytes<E: de::Error>(self, entry: &[u8]) -> Result<Value, E> {
        decode::whole(entry, 0).map_err(E::custom)
    }
}
