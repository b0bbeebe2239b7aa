//! Converts values of fixed width from the form in which NumPy stores them to Arrow arrays.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, StructArray, make_array, new_empty_array};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_schema::{DataType, Field, TimeUnit};

use crate::column::text_builder::TextBuilder;
use crate::error::{Error, Result};

/// The units of times, as NumPy spells them.
const UNITS: [(&str, TimeUnit); 4] =
    [("s", TimeUnit::Second), ("ms", TimeUnit::Millisecond), ("us", TimeUnit::Microsecond), ("ns", TimeUnit::Nanosecond)];

/// Returns the Arrow type of a NumPy dtype string, or a sentence that explains why the dtype has no Arrow type.
pub(crate) fn data_type(dtype: &str) -> Result<DataType, String> {
    let order = dtype.get(..1).unwrap_or_default();
    if order == ">" {
        return Err(format!("{dtype} is big-endian, but Arrow's values are little-endian"));
    }
    Ok(match (dtype.get(1..2).unwrap_or_default(), dtype.get(2..).unwrap_or_default()) {
        ("b", "1") => DataType::Boolean,
        ("i", "1") => DataType::Int8,
        ("i", "2") => DataType::Int16,
        ("i", "4") => DataType::Int32,
        ("i", "8") => DataType::Int64,
        ("u", "1") => DataType::UInt8,
        ("u", "2") => DataType::UInt16,
        ("u", "4") => DataType::UInt32,
        ("u", "8") => DataType::UInt64,
        ("f", "2") => DataType::Float16,
        ("f", "4") => DataType::Float32,
        ("f", "8") => DataType::Float64,
        ("c", "8") => complex(DataType::Float32),
        ("c", "16") => complex(DataType::Float64),
        ("U", _) => DataType::Utf8,
        ("S", _) => DataType::Binary,
        (kind @ ("M" | "m"), width) => {
            let unit = width.strip_prefix("8[").and_then(|unit| unit.strip_suffix(']')).and_then(time_unit);
            let unit = unit.ok_or_else(|| format!("Arrow has no times of dtype {dtype}"))?;
            if kind == "M" { DataType::Timestamp(unit, None) } else { DataType::Duration(unit) }
        }
        _ => return Err(format!("Arrow has no type for dtype {dtype}")),
    })
}

/// Returns the NumPy dtype string of an Arrow type of numbers, bools or times, in this machine's byte order, or `None` for all other types.
pub(crate) fn dtype(data_type: &DataType) -> Option<String> {
    let unit = |unit: &TimeUnit| UNITS.iter().find(|(_, other)| other == unit).map_or("", |(name, _)| name);
    let code = match data_type {
        DataType::Boolean => "b1".to_owned(),
        DataType::Timestamp(of, _) => format!("M8[{}]", unit(of)),
        DataType::Duration(of) => format!("m8[{}]", unit(of)),
        number => {
            let kind = match number {
                number if number.is_signed_integer() => 'i',
                number if number.is_unsigned_integer() => 'u',
                number if number.is_floating() => 'f',
                _ => return None,
            };
            format!("{kind}{}", number.primitive_width()?)
        }
    };
    let order = if cfg!(target_endian = "big") { '>' } else { '<' };
    Some(format!("{}{code}", if code.ends_with('1') { '|' } else { order }))
}

/// Returns true if values of an Arrow type may be stored as this dtype. Nullable bools are stored with the dtype |u1.
pub(crate) fn is_stored_as(of: &DataType, dtype: &str) -> bool {
    let digits = |start: &str| dtype.strip_prefix(start).is_some_and(|width| width.parse::<u32>().is_ok());
    match of {
        DataType::Boolean => matches!(dtype, "|b1" | "|u1"),
        DataType::Utf8 => digits("<U"),
        DataType::Binary | DataType::LargeBinary => digits("|S") || digits("S"),
        // Columns of times are stored as integers, and columns of arrays of times are stored as NumPy times.
        DataType::Timestamp(..) if dtype == "<i8" => true,
        other => {
            let is_ordered = dtype.starts_with(if other.primitive_width() == Some(1) { '|' } else { '<' });
            is_ordered && data_type(dtype).is_ok_and(|found| found == *other)
        }
    }
}

pub(crate) fn is_time(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Timestamp(..) | DataType::Duration(_))
}

/// Creates an array from values of `width` bytes each. `row` returns the row number of a value, for error messages.
pub(crate) fn array(
    data_type: &DataType,
    bytes: &[u8],
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
            numbers(part.data_type(), &bytes, width, None)
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
fn numbers(data_type: &DataType, bytes: &[u8], width: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let array = new_empty_array(data_type).to_data().into_builder().len(bytes.len() / width.max(1)).nulls(nulls);
    // `Buffer::from` copies the bytes to memory that is aligned for the type.
    Ok(make_array(array.buffers(vec![Buffer::from(bytes)]).build()?))
}

/// Returns the Arrow type of complex numbers: a struct of the real and the imaginary part, which are never null.
pub(crate) fn complex(part: DataType) -> DataType {
    DataType::Struct(["re", "im"].map(|name| Field::new(name, part.clone(), false)).into_iter().collect())
}

/// Returns true if this is the type of complex numbers: a struct of two floats whose fields, unlike the fields of all other structs, are
/// not nullable.
pub(crate) fn is_complex(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Struct(parts) if parts.first().is_some_and(|part| *data_type == complex(part.data_type().clone())))
}

pub(crate) fn time_unit(name: &str) -> Option<TimeUnit> {
    UNITS.iter().find(|(other, _)| *other == name).map(|(_, unit)| *unit)
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
