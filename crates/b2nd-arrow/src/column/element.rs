//! [`Element`]: values of fixed width, as NumPy stores them and as Arrow has them.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, BooleanArray, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, MutableBuffer, NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, TimeUnit};

use crate::column::text_builder::TextBuilder;
use crate::error::{Error, Result};

/// The type of values of fixed width.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Element {
    Bool,
    Int(u8),
    UInt(u8),
    Float(u8),
    Time(TimeUnit, Option<Arc<str>>),
    Duration(TimeUnit),
    /// UCS-4, padded with zeros.
    Text,
    /// Bytes, padded with zeros; large or not.
    Bytes(bool),
}

/// The value that stands for null.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Sentinel {
    Int(i128),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Element {
    /// The type of a dtype string of NumPy, or why Arrow has none, in a sentence.
    pub(crate) fn parse(dtype: &str) -> Result<Element, String> {
        let order = dtype.get(..1).unwrap_or_default();
        let (kind, width) = (dtype.get(1..2).unwrap_or_default(), dtype.get(2..).unwrap_or_default());
        if order == ">" {
            return Err(format!("{dtype} is big-endian, and Arrow's values are little-endian"));
        }
        let bytes = width.parse::<u8>().unwrap_or(0);
        match (kind, bytes) {
            ("b", 1) => Ok(Element::Bool),
            ("i", 1 | 2 | 4 | 8) => Ok(Element::Int(bytes)),
            ("u", 1 | 2 | 4 | 8) => Ok(Element::UInt(bytes)),
            ("f", 2 | 4 | 8) => Ok(Element::Float(bytes)),
            ("c", _) => Err(format!("{dtype} is complex, and Arrow has no complex numbers")),
            ("U", _) => Ok(Element::Text),
            ("S", _) => Ok(Element::Bytes(false)),
            ("M" | "m", _) => {
                let unit = width.strip_prefix("8[").and_then(|unit| unit.strip_suffix(']')).and_then(time_unit);
                let unit = unit.ok_or_else(|| format!("Arrow has no times of dtype {dtype}"))?;
                Ok(if kind == "M" { Element::Time(unit, None) } else { Element::Duration(unit) })
            }
            _ => Err(format!("Arrow has no type for dtype {dtype}")),
        }
    }

    pub(crate) fn data_type(&self) -> DataType {
        match self {
            Element::Bool => DataType::Boolean,
            Element::Int(1) => DataType::Int8,
            Element::Int(2) => DataType::Int16,
            Element::Int(4) => DataType::Int32,
            Element::Int(_) => DataType::Int64,
            Element::UInt(1) => DataType::UInt8,
            Element::UInt(2) => DataType::UInt16,
            Element::UInt(4) => DataType::UInt32,
            Element::UInt(_) => DataType::UInt64,
            Element::Float(2) => DataType::Float16,
            Element::Float(4) => DataType::Float32,
            Element::Float(_) => DataType::Float64,
            Element::Time(unit, zone) => DataType::Timestamp(*unit, zone.clone()),
            Element::Duration(unit) => DataType::Duration(*unit),
            Element::Text => DataType::Utf8,
            Element::Bytes(false) => DataType::Binary,
            Element::Bytes(true) => DataType::LargeBinary,
        }
    }

    /// Tells whether values of this dtype are of this type as they are stored. A bool may be kept in a byte of its own kind.
    pub(crate) fn is_stored_as(&self, dtype: &str) -> bool {
        let digits = |start: &str| dtype.strip_prefix(start).is_some_and(|width| width.parse::<u32>().is_ok());
        match self {
            Element::Bool => matches!(dtype, "|b1" | "|u1"),
            Element::Int(1) => dtype == "|i1",
            Element::UInt(1) => dtype == "|u1",
            Element::Int(width) => dtype.strip_prefix("<i") == Some(&width.to_string()),
            Element::UInt(width) => dtype.strip_prefix("<u") == Some(&width.to_string()),
            Element::Float(width) => dtype.strip_prefix("<f") == Some(&width.to_string()),
            // A column of times holds integers, an array of times what NumPy calls them.
            Element::Time(..) => dtype == "<i8" || Element::parse(dtype).is_ok_and(|found| found.data_type() == self.data_type()),
            Element::Duration(_) => Element::parse(dtype).is_ok_and(|found| found == *self),
            Element::Text => digits("<U"),
            Element::Bytes(_) => digits("|S") || digits("S"),
        }
    }

    /// The values, one for each `width` bytes. `row` gives the number of the row of a value, for errors.
    pub(crate) fn array(
        &self,
        bytes: &[u8],
        width: usize,
        nulls: Option<NullBuffer>,
        row: impl Fn(usize) -> u64,
    ) -> Result<ArrayRef> {
        Ok(match self {
            Element::Bool => {
                let values = BooleanBuffer::collect_bool(bytes.len(), |at| bytes.get(at) == Some(&1));
                Arc::new(BooleanArray::new(values, nulls))
            }
            Element::Int(1) => primitive::<Int8Type>(bytes, nulls)?,
            Element::Int(2) => primitive::<Int16Type>(bytes, nulls)?,
            Element::Int(4) => primitive::<Int32Type>(bytes, nulls)?,
            Element::Int(_) => primitive::<Int64Type>(bytes, nulls)?,
            Element::UInt(1) => primitive::<UInt8Type>(bytes, nulls)?,
            Element::UInt(2) => primitive::<UInt16Type>(bytes, nulls)?,
            Element::UInt(4) => primitive::<UInt32Type>(bytes, nulls)?,
            Element::UInt(_) => primitive::<UInt64Type>(bytes, nulls)?,
            Element::Float(2) => primitive::<Float16Type>(bytes, nulls)?,
            Element::Float(4) => primitive::<Float32Type>(bytes, nulls)?,
            Element::Float(_) => primitive::<Float64Type>(bytes, nulls)?,
            Element::Time(unit, zone) => times(*unit, zone.clone(), bytes, nulls)?,
            Element::Duration(TimeUnit::Second) => primitive::<DurationSecondType>(bytes, nulls)?,
            Element::Duration(TimeUnit::Millisecond) => primitive::<DurationMillisecondType>(bytes, nulls)?,
            Element::Duration(TimeUnit::Microsecond) => primitive::<DurationMicrosecondType>(bytes, nulls)?,
            Element::Duration(TimeUnit::Nanosecond) => primitive::<DurationNanosecondType>(bytes, nulls)?,
            Element::Text | Element::Bytes(_) => {
                let mut strings = TextBuilder::with_capacity(bytes.len().checked_div(width).unwrap_or(0), bytes.len());
                for (at, value) in bytes.chunks_exact(width.max(1)).enumerate() {
                    let trimmed = trimmed(value);
                    if *self == Element::Text {
                        // Zeros of the last character are a part of it.
                        let value = value.get(..trimmed.len().next_multiple_of(4)).unwrap_or(value);
                        for code in value.chunks_exact(4) {
                            let code = code.try_into().map_or(u32::MAX, u32::from_le_bytes);
                            let char = char::from_u32(code).ok_or_else(|| {
                                Error::damaged(format_args!("{code:#x} is no character of Unicode")).at_row(row(at))
                            })?;
                            strings.push_char(char);
                        }
                    } else {
                        strings.push_bytes(trimmed);
                    }
                    strings.end();
                }
                strings.finish(&self.data_type(), nulls)?
            }
        })
    }

    /// Which values are not the sentinel. `None` where it cannot be one of these values.
    pub(crate) fn differ(&self, bytes: &[u8], width: usize, sentinel: &Sentinel) -> Option<BooleanBuffer> {
        let count = bytes.len().checked_div(width)?;
        let value = |at: usize| bytes.get(at * width..(at + 1) * width).unwrap_or_default();
        let differ = |is: &dyn Fn(&[u8]) -> bool| Some(BooleanBuffer::collect_bool(count, |at| !is(value(at))));
        match (self, sentinel) {
            (Element::Int(_) | Element::UInt(_) | Element::Bool, Sentinel::Int(number)) => {
                let least = if matches!(self, Element::Int(_)) { -(1_i128 << (8 * width - 1)) } else { 0 };
                let most = least + (1_i128 << (8 * width)) - 1;
                if !(least..=most).contains(number) {
                    return None;
                }
                let stored = number.to_le_bytes();
                let stored = stored.get(..width)?;
                differ(&|value| value == stored)
            }
            (Element::Float(_), Sentinel::Float(number)) if number.is_nan() => differ(&|value| float(value).is_nan()),
            (Element::Float(4), Sentinel::Float(number)) => {
                let number = f64::from(*number as f32);
                differ(&|value| float(value) == number)
            }
            (Element::Float(2), Sentinel::Float(number)) => {
                let number = half::f16::from_f64(*number).to_f64();
                differ(&|value| float(value) == number)
            }
            (Element::Float(_), Sentinel::Float(number)) => differ(&|value| float(value) == *number),
            (Element::Time(..) | Element::Duration(_), _) => differ(&is_nat),
            (Element::Text, Sentinel::Text(text)) => {
                let stored: Vec<u8> =
                    text.trim_end_matches('\0').chars().flat_map(|char| u32::from(char).to_le_bytes()).collect();
                let stored = trimmed(&stored);
                differ(&|value| trimmed(value) == stored)
            }
            (Element::Bytes(_), Sentinel::Bytes(bytes)) => differ(&|value| trimmed(value) == trimmed(bytes)),
            _ => None,
        }
    }
}

/// NumPy's time that is none, the least 64-bit integer.
pub(crate) fn is_nat(value: &[u8]) -> bool {
    value == i64::MIN.to_le_bytes()
}

pub(crate) fn time_unit(unit: &str) -> Option<TimeUnit> {
    Some(match unit {
        "s" => TimeUnit::Second,
        "ms" => TimeUnit::Millisecond,
        "us" => TimeUnit::Microsecond,
        "ns" => TimeUnit::Nanosecond,
        _ => return None,
    })
}

/// Without the zeros that pad a value.
fn trimmed(value: &[u8]) -> &[u8] {
    let end = value.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    value.get(..end).unwrap_or(value)
}

fn float(value: &[u8]) -> f64 {
    match *value {
        [a, b] => half::f16::from_le_bytes([a, b]).to_f64(),
        [a, b, c, d] => f32::from_le_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => f64::NAN,
    }
}

fn times(unit: TimeUnit, zone: Option<Arc<str>>, bytes: &[u8], nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    Ok(match unit {
        TimeUnit::Second => Arc::new(values::<TimestampSecondType>(bytes, nulls)?.with_timezone_opt(zone)),
        TimeUnit::Millisecond => Arc::new(values::<TimestampMillisecondType>(bytes, nulls)?.with_timezone_opt(zone)),
        TimeUnit::Microsecond => Arc::new(values::<TimestampMicrosecondType>(bytes, nulls)?.with_timezone_opt(zone)),
        TimeUnit::Nanosecond => Arc::new(values::<TimestampNanosecondType>(bytes, nulls)?.with_timezone_opt(zone)),
    })
}

fn primitive<T: ArrowPrimitiveType>(bytes: &[u8], nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    Ok(Arc::new(values::<T>(bytes, nulls)?))
}

/// The values of little-endian bytes, copied to where their type may lie.
fn values<T: ArrowPrimitiveType>(bytes: &[u8], nulls: Option<NullBuffer>) -> Result<PrimitiveArray<T>> {
    let mut buffer = MutableBuffer::new(bytes.len());
    buffer.extend_from_slice(bytes);
    Ok(PrimitiveArray::try_new(ScalarBuffer::from(arrow_buffer::Buffer::from(buffer)), nulls)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentinel_that_the_type_cannot_hold_marks_nothing() {
        assert!(Element::Int(1).differ(&[0x80, 0x7f], 1, &Sentinel::Int(128)).is_none());
        assert!(Element::UInt(8).differ(&[0xff; 8], 8, &Sentinel::Int(-1)).is_none());
        let differ = Element::UInt(8).differ(&[0xff; 8], 8, &Sentinel::Int(u64::MAX.into())).unwrap();
        assert!(!differ.value(0));
        let differ = Element::Int(1).differ(&[0x80, 0x7f], 1, &Sentinel::Int(-128)).unwrap();
        assert_eq!(differ.iter().collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn zeros_inside_of_text_stay_and_those_at_its_end_go() {
        let text: Vec<u8> = ['a', '\0', '\u{100}', '\0'].iter().flat_map(|&char| u32::from(char).to_le_bytes()).collect();
        let array = Element::Text.array(&text, 16, None, |at| at as u64).unwrap();
        let array = array.as_any().downcast_ref::<arrow_array::StringArray>().unwrap();
        assert_eq!(array.value(0), "a\0\u{100}");
    }
}
