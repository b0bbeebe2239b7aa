//! [`Nulls`] and [`Valid`]: the nulls of a column, which are in a mask or are marked by a value.

use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::DataType;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::column::element::{float, trimmed};
use crate::column::files::ColumnFiles;
use crate::column::rows::RowArray;
use crate::error::{Error, Result};
use crate::live_rows::Selection;
use crate::schema::numpy_dtype::is_time;

/// The form in which a column stores nulls, as the schema describes it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Nulls {
    None,
    /// A file with a mask of the values that are not null.
    Mask,
    /// A value that marks nulls.
    Sentinel(Sentinel),
}

/// The value that marks nulls.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Sentinel {
    Int(i128),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
}

/// The rule that determines which values of a column are valid. If the rule is a mask, the file of the mask is open.
pub(crate) enum Valid {
    All,
    Mask(Box<RowArray>),
    Unlike(Sentinel),
}

impl Nulls {
    /// Returns how a column stores nulls, according to the column's entry in the schema.
    pub(crate) fn of(spec: &Value) -> Nulls {
        match spec.get("null_value") {
            _ if spec.get("null_storage").and_then(Value::as_str) == Some("mask") => Nulls::Mask,
            Some(value) if !value.is_null() => sentinel(value).map_or(Nulls::None, Nulls::Sentinel),
            _ => Nulls::None,
        }
    }
}

/// Parses the value that marks nulls. Returns `None` if the value cannot be interpreted.
fn sentinel(value: &Value) -> Option<Sentinel> {
    if value.get("__bytes__").and_then(Value::as_bool) == Some(true) {
        return STANDARD.decode(value.get("base64")?.as_str()?).ok().map(Sentinel::Bytes);
    }
    match value {
        Value::String(text) => Some(Sentinel::Text(text.clone())),
        Value::Bool(value) => Some(Sentinel::Int((*value).into())),
        Value::Number(number) if !number.is_f64() => number.as_i128().map(Sentinel::Int),
        value => b2nd_store::json::float(value).map(Sentinel::Float),
    }
}

impl Valid {
    /// Determines which values of a column are valid. If the column has a mask, opens the file of the mask.
    pub(crate) fn open(place: &ColumnFiles, nulls: &Nulls) -> Result<Valid> {
        Ok(match nulls {
            Nulls::None => Valid::All,
            Nulls::Sentinel(sentinel) => Valid::Unlike(sentinel.clone()),
            Nulls::Mask => match place.optional(".notnull.b2nd")? {
                // Without a file, the mask has no nulls.
                None => Valid::All,
                Some(leaf) => {
                    let dtype = leaf.dtype()?;
                    let rows = RowArray::open(leaf)?;
                    if rows.len() != place.rows || rows.width != 1 || dtype != "|b1" {
                        let (shape, expected) = (rows.array.geometry().shape(), place.rows);
                        return Err(Error::damaged(format_args!(
                            "its mask of nulls: expected the shape [{expected}] and the dtype |b1, found {shape:?} and {dtype:?}"
                        )));
                    }
                    Valid::Mask(rows.into())
                }
            },
        })
    }

    /// Returns the file of the mask, if the column has a mask.
    pub(crate) fn file(&self) -> Option<&RowArray> {
        if let Valid::Mask(rows) = self { Some(rows) } else { None }
    }

    /// Reads the mask of the selected values, in which the bits of values that are not null are set. Returns `None` if the column has no
    /// mask.
    pub(crate) fn mask(&self, selection: &Selection) -> Result<Option<BooleanBuffer>> {
        let Valid::Mask(rows) = self else { return Ok(None) };
        let bytes = rows.read(selection)?;
        Ok(Some(BooleanBuffer::collect_bool(bytes.len(), |at| bytes.get(at) != Some(&0))))
    }
}

/// Returns a mask of the values that differ from the sentinel, or `None` if the type cannot represent the sentinel, so that no value is
/// null. For floats, the sentinel is rounded to their type. For times, NaT marks nulls, whatever the sentinel is.
pub(crate) fn differ(data_type: &DataType, bytes: &[u8], width: usize, sentinel: &Sentinel) -> Option<BooleanBuffer> {
    let count = bytes.len().checked_div(width)?;
    let value = |at: usize| bytes.get(at * width..(at + 1) * width).unwrap_or_default();
    let differ = |is: &dyn Fn(&[u8]) -> bool| Some(BooleanBuffer::collect_bool(count, |at| !is(value(at))));
    match (data_type, sentinel) {
        (of, Sentinel::Int(number)) if of.is_integer() || *of == DataType::Boolean => {
            let least = if of.is_signed_integer() { -(1_i128 << (8 * width - 1)) } else { 0 };
            let most = least + (1_i128 << (8 * width)) - 1;
            if !(least..=most).contains(number) {
                return None;
            }
            let stored = number.to_le_bytes();
            let stored = stored.get(..width)?;
            differ(&|value| value == stored)
        }
        // NumPy compares integers with a float as floats, which rounds integers of 64 bits.
        (of, Sentinel::Float(number)) if of.is_integer() => differ(&|value| {
            let is_negative = of.is_signed_integer() && value.last().is_some_and(|&byte| byte > 127);
            let mut wide = [if is_negative { 255 } else { 0 }; 16];
            wide.iter_mut().zip(value).for_each(|(to, byte)| *to = *byte);
            i128::from_le_bytes(wide) as f64 == *number
        }),
        (of, Sentinel::Int(number)) if of.is_floating() => self::differ(of, bytes, width, &Sentinel::Float(*number as f64)),
        (of, Sentinel::Float(number)) if of.is_floating() => {
            let number = match of {
                DataType::Float16 => half::f16::from_f64(*number).to_f64(),
                DataType::Float32 => f64::from(*number as f32),
                _ => *number,
            };
            differ(&|value| float(value) == number || number.is_nan() && float(value).is_nan())
        }
        (of, _) if is_time(of) => differ(&is_nat),
        (DataType::Utf8, Sentinel::Text(text)) => {
            let stored: Vec<u8> = text.trim_end_matches('\0').chars().flat_map(|char| u32::from(char).to_le_bytes()).collect();
            let stored = trimmed(&stored);
            differ(&|value| trimmed(value) == stored)
        }
        (DataType::Binary | DataType::LargeBinary, Sentinel::Bytes(bytes)) => differ(&|value| trimmed(value) == trimmed(bytes)),
        _ => None,
    }
}

/// Returns true if the value is NumPy's NaT, which is stored as the smallest 64-bit integer.
pub(crate) fn is_nat(value: &[u8]) -> bool {
    value == i64::MIN.to_le_bytes()
}

/// Returns a mask of the times that are not NaT.
pub(crate) fn not_nat(bytes: &[u8]) -> BooleanBuffer {
    BooleanBuffer::collect_bool(bytes.len() / 8, |at| !bytes.get(8 * at..8 * at + 8).is_some_and(is_nat))
}

/// Returns the null buffer for a mask of valid values, or `None` if all values are valid.
pub(crate) fn some_nulls(valid: BooleanBuffer) -> Option<NullBuffer> {
    Some(NullBuffer::new(valid)).filter(|nulls| nulls.null_count() > 0)
}
