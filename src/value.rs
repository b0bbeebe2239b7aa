//! [`Value`]: any MessagePack value, decoded without a Rust type. The markers are kept.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Index;

use crate::error::Result;
use crate::marker::MAX_DEPTH;
use crate::wire::{Family, Item, Reader};

mod decode;
mod display;
mod encode;
mod extension;
mod json_read;
mod json_write;
mod raw;
mod serde_impls;

use extension::Extension;
pub use raw::RawValue;

pub use crate::wire::Head;

/// The string that python-blosc2 writes before the elements of a tuple.
const TUPLE: &[u8] = b"__tuple__";

/// The value that indexing returns for a missing key or index, as in `value["no such key"]`.
static NIL: Value = Value::Nil;

/// Any value of MessagePack, written by this crate or by other programs. A value keeps its markers, so that encoding a decoded value gives
/// the same bytes.
///
/// The variant of a number tells how it is encoded. Strings, byte strings, extensions, lists and maps have a [`Head`], which tells how
/// their length is encoded. So one part of a value can be changed, and all other bytes stay the same when the value is encoded:
///
/// ```
/// use b2nd::Value;
///
/// // {"steps": [1, 2.5]}, once as Python packs it and once with longer markers
/// let short = b"\x81\xa5steps\x92\x01\xcb\x40\x04\0\0\0\0\0\0";
/// let long = b"\xde\0\x01\xdb\0\0\0\x05steps\xdc\0\x02\xd3\0\0\0\0\0\0\0\x01\xcb\x40\x04\0\0\0\0\0\0";
/// for bytes in [&short[..], long] {
///     let value = Value::from_slice(bytes)?;
///     assert_eq!(value["steps"][0].as_i64(), Some(1));
///     assert_eq!(value.pointer("/steps/1").and_then(Value::as_f64), Some(2.5));
///     assert_eq!(value.to_string(), r#"{"steps": [1, 2.5]}"#);
///     assert_eq!(value.to_vec()?, bytes);
///     assert_eq!(b2nd::to_vec(&b2nd::from_slice::<Value>(bytes)?)?, bytes);
/// }
/// assert_eq!(Value::from_slice(long)?.shortest().to_vec()?, short);
/// # Ok::<(), b2nd::Error>(())
/// ```
///
/// A field of a struct can be a `Value` too. `Value::from` chooses the same markers as [`to_vec`](crate::to_vec);
/// [`shortest`](Value::shortest) chooses the markers of generic encoders. Values nest up to 128 levels deep.
///
/// # Other formats
///
/// Human-readable formats such as JSON show numbers, strings, lists and maps as usual, and tuples as lists. A value of another type that
/// JSON lacks is written as an object with one key. Values can also be read from such objects, and then have the shortest markers. A tuple
/// can be read from an object with the key `tuple`, such as `{"tuple":[1,2]}`:
///
/// | MessagePack | JSON |
/// | --- | --- |
/// | `["__tuple__", 1, 2]`, a tuple of Python | `[1, 2]` |
/// | bytes, and a string that is not UTF-8 | `{"bytes": "00ff"}` |
/// | extension 44, a complex number | `{"complex": [re, im]}` |
/// | extension 45, a set | `{"set": [1, 2]}` |
/// | extension 46, a NumPy array | `{"ndarray": {"dtype": "<i4", "shape": [2], "data": "hex"}}` |
/// | other extensions: 42 is a frame, 43 a reference | `{"ext": [42, "hex"]}` |
/// | NaN and the infinities | `{"float": "nan"}`, `"inf"`, `"-inf"` |
/// | a map whose keys are not all different strings, or whose only key is one of these | `{"map": [[key, value], ..]}` |
///
/// Binary formats such as CBOR store plain values without the markers. serde's own buffers (for `flatten`, `untagged` and internal tags)
/// count as human-readable in every format: with `flatten`, a `Value` is written as in JSON, and from all of them, a map such as
/// `{"bytes": "00ff"}` is read as bytes.
///
/// # Limits
///
/// The metalayer of an array with 16 dimensions has another meaning in MessagePack: its lists begin with `a0`, the marker of an empty
/// string, and the numbers follow as if they were separate entries. Decoding this metalayer as a `Value` fails because of trailing bytes.
/// So does decoding the layout of February 2023, which has seven entries but a count of six. Decode these metalayers as
/// [`ArrayMeta`](crate::ArrayMeta).
///
/// Sources: the MessagePack specification, and python-blosc2 4.14 for tuples and the extension types 42 to 46.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Value {
    /// Nil, `c0`.
    #[default]
    Nil,
    /// False and true, `c2` and `c3`.
    Bool(bool),
    /// A number from -32 to 127 that is stored in the marker itself, `e0`..`ff` and `00`..`7f`.
    Fixint(i8),
    /// A uint8, `cc`.
    U8(u8),
    /// A uint16, `cd`.
    U16(u16),
    /// A uint32, `ce`.
    U32(u32),
    /// A uint64, `cf`.
    U64(u64),
    /// An int8, `d0`.
    I8(i8),
    /// An int16, `d1`.
    I16(i16),
    /// An int32, `d2`.
    I32(i32),
    /// An int64, `d3`.
    I64(i64),
    /// A float32, `ca`.
    F32(f32),
    /// A float64, `cb`.
    F64(f64),
    /// A string: fixstr, str8, str16 or str32.
    Str(String, Head),
    /// A string that is not UTF-8, such as the flags of some frames.
    RawStr(Vec<u8>, Head),
    /// A byte string: bin8, bin16 or bin32.
    Bytes(Vec<u8>, Head),
    /// An extension, with its type and its data.
    Ext(i8, Vec<u8>, Head),
    /// A list: fixarray, array16 or array32.
    Array(Vec<Value>, Head),
    /// A map, as pairs in their order: fixmap, map16 or map32. Keys can be of any type, and a key can occur several times.
    Map(Vec<(Value, Value)>, Head),
}

impl Value {
    /// Decodes a value from the whole input.
    ///
    /// # Errors
    ///
    /// Fails if the input is not MessagePack, ends early, has bytes after the value, or nests more than 128 levels deep. An error in
    /// an element has a path, such as `steps[3]`.
    pub fn from_slice(input: &[u8]) -> Result<Value> {
        decode::whole(input, 0)
    }

    /// Encodes the value. A decoded value gives the bytes from which it was decoded.
    ///
    /// # Errors
    ///
    /// Fails if a [`Head`] has no marker for the length, a `Fixint` is below -32, or the value nests more than 128 levels deep. None of
    /// this can happen with a value from [`from_slice`](Value::from_slice).
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        encode::put(self, &mut bytes, MAX_DEPTH.into())?;
        Ok(bytes)
    }

    /// Makes a tuple as python-blosc2 writes it: a list that begins with the string `__tuple__`.
    #[must_use]
    pub fn tuple(elements: impl IntoIterator<Item = Value>) -> Value {
        let mark = Value::Str("__tuple__".into(), Head::Fix);
        Value::from(core::iter::once(mark).chain(elements).collect::<Vec<_>>())
    }

    /// Returns true if the value is a tuple of Python: a list that begins with the string `__tuple__`.
    pub fn is_tuple(&self) -> bool {
        matches!(self, Value::Array(list, _) if list.first().is_some_and(is_tuple_mark))
    }

    /// Returns the boolean, or `None` if the value is not a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the integer, whatever its marker is. Returns `None` if the value is not an integer or does not fit an `i64`.
    pub fn as_i64(&self) -> Option<i64> {
        Some(match *self {
            Value::Fixint(number) | Value::I8(number) => number.into(),
            Value::I16(number) => number.into(),
            Value::I32(number) => number.into(),
            Value::I64(number) => number,
            Value::U8(number) => number.into(),
            Value::U16(number) => number.into(),
            Value::U32(number) => number.into(),
            Value::U64(number) => number.try_into().ok()?,
            _ => return None,
        })
    }

    /// Returns the integer, whatever its marker is. Returns `None` if the value is not an integer or is negative.
    pub fn as_u64(&self) -> Option<u64> {
        match *self {
            Value::U64(number) => Some(number),
            _ => u64::try_from(self.as_i64()?).ok(),
        }
    }

    /// Returns the float, of 32 or 64 bits, or `None` if the value is not a float.
    pub fn as_f64(&self) -> Option<f64> {
        match *self {
            Value::F32(number) => Some(number.into()),
            Value::F64(number) => Some(number),
            _ => None,
        }
    }

    /// Returns the string, or `None` if the value is not a string or not UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(text, _) => Some(text),
            _ => None,
        }
    }

    /// Returns the bytes, or `None` if the value is not a byte string.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Value::Bytes(bytes, _) => Some(bytes),
            _ => None,
        }
    }

    /// Returns the elements of a list or tuple, without the string `__tuple__` of a tuple. Returns an empty slice for any other value.
    pub fn elements(&self) -> &[Value] {
        match self {
            Value::Array(list, _) => match list.split_first() {
                Some((mark, elements)) if is_tuple_mark(mark) => elements,
                _ => list,
            },
            _ => &[],
        }
    }

    /// Returns the pairs of a map, or an empty slice for any other value.
    pub fn entries(&self) -> &[(Value, Value)] {
        match self {
            Value::Map(pairs, _) => pairs,
            _ => &[],
        }
    }

    /// Returns the value of this key in a map, or `None` if the value is not a map or has no such key. If the key occurs several times, its
    /// first value is returned.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries().iter().find(|(found, _)| found.as_str() == Some(key)).map(|(_, value)| value)
    }

    /// Returns a mutable reference to the value of this key in a map, or `None` if the value is not a map or has no such key.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        match self {
            Value::Map(pairs, _) => pairs.iter_mut().find(|(found, _)| found.as_str() == Some(key)).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Returns the value at a JSON pointer (RFC 6901) such as `/steps/0`. In a key, `/` is written as `~1` and `~` as `~0`. The empty
    /// pointer means the value itself. The elements of a tuple count from 0, without the string `__tuple__`.
    pub fn pointer(&self, pointer: &str) -> Option<&Value> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |value, token| match value {
            Value::Map(..) => value.get(&token.replace("~1", "/").replace("~0", "~")),
            _ => value.elements().get(index(token)?),
        })
    }
}

fn is_tuple_mark(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.as_bytes() == TUPLE)
}

/// Parses an index in a pointer. Returns `None` unless `token` consists of digits without a sign or leading zeros.
fn index(token: &str) -> Option<usize> {
    let is_plain = token == "0" || !token.starts_with(['0', '+']);
    token.parse().ok().filter(|_| is_plain)
}

/// Returns the value of this key in a map, or [`Value::Nil`] if the key does not exist.
impl Index<&str> for Value {
    type Output = Value;

    fn index(&self, key: &str) -> &Value {
        self.get(key).unwrap_or(&NIL)
    }
}

/// Returns the element of a list or tuple with this index, or [`Value::Nil`] if no such element exists. The string `__tuple__` of a tuple
/// is not counted.
impl Index<usize> for Value {
    type Output = Value;

    fn index(&self, index: usize) -> &Value {
        self.elements().get(index).unwrap_or(&NIL)
    }
}
