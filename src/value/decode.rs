//! Decodes values from bytes.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Item, Reader, Value};
use crate::error::{Error, Result};

/// Decodes the value at the front of the input, which is nested `depth` levels deep. Returns the value and the rest of the input.
///
/// All bytes of the value are checked before memory is allocated. So a count cannot be larger than the number of elements in the input, and
/// the memory for a value is at most a fixed multiple of its encoded length.
pub(super) fn front(input: &[u8], depth: u8) -> Result<(Value, &[u8])> {
    let mut reader = Reader::new(input);
    let entry = reader.take_entry(depth)?;
    Ok((build(&mut Reader::new(entry))?, reader.rest()))
}

/// Decodes a value that takes all of these bytes.
pub(super) fn whole(entry: &[u8], depth: u8) -> Result<Value> {
    match front(entry, depth)? {
        (value, []) => Ok(value),
        (_, rest) => Err(Error::trailing(rest.len(), entry.len() - rest.len())),
    }
}

/// Decodes a value from bytes that have been checked.
pub(super) fn checked(entry: &[u8]) -> Result<Value> {
    build(&mut Reader::new(entry))
}

/// Builds the next value from bytes that have been checked.
fn build(reader: &mut Reader<'_>) -> Result<Value> {
    Ok(match reader.take_item()? {
        Item::Nil => Value::Nil,
        Item::Bool(value) => Value::Bool(value),
        Item::Fixint(number) => Value::Fixint(number),
        Item::U8(number) => Value::U8(number),
        Item::U16(number) => Value::U16(number),
        Item::U32(number) => Value::U32(number),
        Item::U64(number) => Value::U64(number),
        Item::I8(number) => Value::I8(number),
        Item::I16(number) => Value::I16(number),
        Item::I32(number) => Value::I32(number),
        Item::I64(number) => Value::I64(number),
        Item::F32(number) => Value::F32(number),
        Item::F64(number) => Value::F64(number),
        Item::Str(head, bytes) => match core::str::from_utf8(bytes) {
            Ok(text) => Value::Str(String::from(text), head),
            Err(_) => Value::RawStr(bytes.to_owned(), head),
        },
        Item::Bytes(head, bytes) => Value::Bytes(bytes.to_owned(), head),
        Item::Ext(head, kind, data) => Value::Ext(kind, data.to_owned(), head),
        Item::Array(head, count) => {
            let mut list = Vec::with_capacity(count);
            for _ in 0..count {
                list.push(build(reader)?);
            }
            Value::Array(list, head)
        }
        Item::Map(head, count) => {
            let mut pairs = Vec::with_capacity(count);
            for _ in 0..count {
                let key = build(reader)?;
                pairs.push((key, build(reader)?));
            }
            Value::Map(pairs, head)
        }
    })
}
