//! Decodes values from bytes.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Item, Reader, Value};
use crate::error::{Error, Result};
use crate::marker::{FALSE, NIL, TRUE};

/// Decodes the single value that these bytes hold. `depth` is the number of levels of lists and maps around the value.
///
/// All bytes of the value are checked before memory is allocated, and a count that is larger than the number of elements in the input is an
/// error. So the memory for a value is at most a fixed multiple of its encoded length.
pub(super) fn whole(input: &[u8], depth: u8) -> Result<Value> {
    build(&mut Reader::new(entry(input, depth)?))
}

/// Checks that the input is a single entry, and returns the input. `depth` is the number of levels of lists and maps around the entry.
pub(super) fn entry(input: &[u8], depth: u8) -> Result<&[u8]> {
    let mut reader = Reader::new(input);
    let entry = reader.take_entry(depth)?;
    match reader.left() {
        0 => Ok(entry),
        count => Err(Error::trailing(count, entry.len())),
    }
}

/// Builds the next value from bytes that have been checked.
pub(super) fn build(reader: &mut Reader<'_>) -> Result<Value> {
    let mut start = *reader;
    Ok(match reader.take_item()? {
        Item::Scalar(NIL, _) => Value::Nil,
        Item::Scalar(marker @ (FALSE | TRUE), _) => Value::Bool(marker == TRUE),
        Item::Scalar(0xca, _) => Value::F32(start.take_f32()?),
        Item::Scalar(0xcb, _) => Value::F64(start.take_f64()?),
        Item::Scalar(0xcc, &[number]) => Value::U8(number),
        Item::Scalar(0xcd, _) => Value::U16(start.take_u16()?),
        Item::Scalar(0xce, _) => Value::U32(start.take_u32()?),
        Item::Scalar(0xcf, _) => Value::U64(start.take_u64()?),
        Item::Scalar(0xd0, _) => Value::I8(start.take_i8()?),
        Item::Scalar(0xd1, _) => Value::I16(start.take_i16()?),
        Item::Scalar(0xd2, _) => Value::I32(start.take_i32()?),
        Item::Scalar(0xd3, _) => Value::I64(start.take_i64()?),
        Item::Scalar(fixint, _) => Value::Fixint(i8::from_be_bytes([fixint])),
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
