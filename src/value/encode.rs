//! Encodes values, and chooses markers.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use super::{Family, Head, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::marker::NIL;
use crate::wire::{self, Output, put_head};

/// Writes the value, which may have up to `levels` levels of lists and maps.
pub(super) fn put(value: &Value, bytes: &mut Vec<u8>, levels: usize) -> Result<()> {
    let inside = || levels.checked_sub(1).ok_or_else(|| Error::new(ErrorKind::TooDeep));
    match value {
        Value::Nil => bytes.put(&[NIL]),
        Value::Bool(value) => wire::put_bool(bytes, *value),
        Value::Fixint(number @ -32..) => bytes.put(&number.to_be_bytes()),
        Value::Fixint(number) => Err(Error::custom(format_args!("expected a fixint from -32 to 127, found {number}"))),
        Value::U8(number) => bytes.put(&[0xcc, *number]),
        Value::U16(number) => wire::put_u16(bytes, *number),
        Value::U32(number) => wire::put_u32(bytes, *number),
        Value::U64(number) => wire::put_u64(bytes, *number),
        Value::I8(number) => wire::put_i8(bytes, *number),
        Value::I16(number) => wire::put_i16(bytes, *number),
        Value::I32(number) => wire::put_i32(bytes, *number),
        Value::I64(number) => wire::put_i64(bytes, *number),
        Value::F32(number) => wire::put_f32(bytes, *number),
        Value::F64(number) => wire::put_f64(bytes, *number),
        Value::Str(text, head) => string(bytes, Family::Str, *head, text.as_bytes()),
        Value::RawStr(text, head) => string(bytes, Family::Str, *head, text),
        Value::Bytes(data, head) => string(bytes, Family::Bytes, *head, data),
        Value::Ext(kind, data, head) => {
            put_head(bytes, Family::Ext, *head, data.len())?;
            bytes.put(&kind.to_be_bytes())?;
            bytes.put(data)
        }
        Value::Array(list, head) => {
            let levels = inside()?;
            put_head(bytes, Family::Array, *head, list.len())?;
            list.iter().try_for_each(|value| put(value, bytes, levels))
        }
        Value::Map(pairs, head) => {
            let levels = inside()?;
            put_head(bytes, Family::Map, *head, pairs.len())?;
            pairs.iter().try_for_each(|(key, value)| {
                put(key, bytes, levels)?;
                put(value, bytes, levels)
            })
        }
    }
}

fn string(bytes: &mut Vec<u8>, kind: Family, head: Head, text: &[u8]) -> Result<()> {
    put_head(bytes, kind, head, text.len())?;
    bytes.put(text)
}

/// Returns an integer as a value with the shortest marker.
pub(super) fn shortest_unsigned(number: u64) -> Value {
    match number {
        0..=0x7f => Value::Fixint(number as i8),
        0x80..=0xff => Value::U8(number as u8),
        0x100..=0xffff => Value::U16(number as u16),
        0x1_0000..=0xffff_ffff => Value::U32(number as u32),
        _ => Value::U64(number),
    }
}

pub(super) fn shortest_signed(number: i64) -> Value {
    match number {
        0.. => shortest_unsigned(number.unsigned_abs()),
        -32..0 => Value::Fixint(number as i8),
        -0x80..-32 => Value::I8(number as i8),
        -0x8000..-0x80 => Value::I16(number as i16),
        -0x8000_0000..-0x8000 => Value::I32(number as i32),
        _ => Value::I64(number),
    }
}

impl Value {
    /// Returns the value with the shortest markers for integers and lengths, as generic encoders (such as that of python-blosc2) write
    /// them. Floats are unchanged.
    ///
    /// ```
    /// let value = b2nd::Value::from_slice(&b2nd::to_vec(&("m", 3_i64))?)?;
    /// assert_eq!(value.to_vec()?, b"\x92\xdb\0\0\0\x01m\xd3\0\0\0\0\0\0\0\x03");
    /// assert_eq!(value.shortest().to_vec()?, b"\x92\xa1m\x03");
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    #[must_use]
    pub fn shortest(mut self) -> Value {
        let shorten = |value: &mut Value| *value = mem::take(value).shortest();
        match &mut self {
            Value::Array(list, _) => list.iter_mut().for_each(shorten),
            Value::Map(pairs, _) => pairs.iter_mut().flat_map(|(key, value)| [key, value]).for_each(shorten),
            _ => {}
        }
        match (self.as_u64(), self.as_i64()) {
            (Some(number), _) => shortest_unsigned(number),
            (_, Some(number)) => shortest_signed(number),
            _ => self.short(),
        }
    }

    /// Gives the value the shortest head, and leaves the values inside it unchanged.
    pub(super) fn short(mut self) -> Value {
        let (family, length, head) = match &mut self {
            Value::Str(text, head) => (Family::Str, text.len(), head),
            Value::RawStr(bytes, head) => (Family::Str, bytes.len(), head),
            Value::Bytes(bytes, head) => (Family::Bytes, bytes.len(), head),
            Value::Ext(_, data, head) => (Family::Ext, data.len(), head),
            Value::Array(list, head) => (Family::Array, list.len(), head),
            Value::Map(pairs, head) => (Family::Map, pairs.len(), head),
            _ => return self,
        };
        *head = family.shortest(length);
        self
    }

    /// Makes a map from pairs, in their order, with the shortest marker.
    #[must_use]
    pub fn map(pairs: impl IntoIterator<Item = (Value, Value)>) -> Value {
        Value::Map(pairs.into_iter().collect(), Head::U32).short()
    }
}

/// Implements conversions that choose the same markers as [`to_vec`](crate::to_vec).
macro_rules! from {
    ($($ty:ty: $from:expr;)*) => {
        $(
            impl From<$ty> for Value {
                fn from(value: $ty) -> Value {
                    $from(value)
                }
            }
        )*
    };
}

from! {
    bool: Value::Bool;
    u8: |number| if number < 0x80 { Value::Fixint(number as i8) } else { Value::U8(number) };
    u16: Value::U16;
    u32: Value::U32;
    u64: Value::U64;
    i8: Value::I8;
    i16: Value::I16;
    i32: Value::I32;
    i64: Value::I64;
    f32: Value::F32;
    f64: Value::F64;
    String: |text| Value::Str(text, Head::U32);
    &str: |text: &str| Value::Str(text.to_owned(), Head::U32);
    Vec<Value>: |list| Value::Array(list, Head::U32).short();
}
