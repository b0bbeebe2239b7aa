//! Converts values of fixed width from the form in which NumPy stores them to Arrow arrays.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, StructArray, make_array, new_empty_array};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_schema::{DataType, Field};

use crate::column::text_builder::TextBuilder;
use crate::error::{Error, Result};

/// Creates an array from values of `width` bytes each. `row` returns the index of a value's row, for error messages.
pub(crate) fn array(
    data_type: &DataType,
    bytes: Vec<u8>,
    width: usize,
    nulls: Option<NullBuffer>,
    row: impl Fn(usize) -> u64,
) -> Result<ArrayRef> {
    if *data_type == DataType::Boolean {
        let values = BooleanBuffer::collect_bool(bytes.len(), |at| bytes.get(at) == Some(&1));
        return Ok(Arc::new(BooleanArray::new(values, nulls)));
    }
    if data_type.is_primitive() {
        return numbers(data_type, bytes, width, nulls);
    }
    if let DataType::Struct(parts) = data_type {
        // The real and the imaginary parts of the complex numbers alternate.
        let width = (width / 2).max(1);
        let part = |(at, part): (usize, &Arc<Field>)| {
            let bytes: Vec<u8> = bytes.chunks_exact(width).skip(at).step_by(2).flatten().copied().collect();
            numbers(part.data_type(), bytes, width, None)
        };
        let columns = parts.iter().enumerate().map(part).collect::<Result<Vec<_>>>()?;
        return Ok(Arc::new(StructArray::try_new(parts.clone(), columns, nulls)?));
    }
    let mut strings = TextBuilder::with_capacity(bytes.len().checked_div(width).unwrap_or(0), bytes.len());
    for (at, value) in bytes.chunks_exact(width.max(1)).enumerate() {
        let trimmed = trimmed(value);
        if *data_type == DataType::Utf8 {
            // A character has 4 bytes, so zero bytes up to the next multiple of 4 are part of the last character.
            let value = value.get(..trimmed.len().next_multiple_of(4)).unwrap_or(value);
            for code in value.chunks_exact(4) {
                let code = code.try_into().map_or(u32::MAX, u32::from_le_bytes);
                let wrong = || Error::damaged(format_args!("{code:#x} is not a Unicode character")).at_row(row(at));
                strings.push_char(char::from_u32(code).ok_or_else(wrong)?);
            }
            strings.end();
        } else {
            strings.push(trimmed);
        }
    }
    strings.finish(data_type, nulls)
}

/// Creates an array of numbers or times from the bytes of the values.
fn numbers(data_type: &DataType, bytes: Vec<u8>, width: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let array = new_empty_array(data_type).to_data().into_builder().len(bytes.len() / width.max(1)).nulls(nulls);
    // The bytes are copied only if they are not aligned for the type.
    Ok(make_array(array.buffers(vec![Buffer::from_vec(bytes)]).align_buffers(true).build()?))
}

/// Removes the zero bytes at the end of a value, which are padding.
pub(crate) fn trimmed(value: &[u8]) -> &[u8] {
    let end = value.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    value.get(..end).unwrap_or(value)
}

/// Reads a little-endian float of 2, 4 or 8 bytes.
pub(crate) fn float(value: &[u8]) -> f64 {
    match *value {
        [a, b] => half::f16::from_le_bytes([a, b]).to_f64(),
        [a, b, c, d] => f32::from_le_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => f64::NAN,
    }
}
