//! [`Scalar`]: the value of a scalar element.

use crate::text::hex;
use b2nd::dtype::{ByteOrder, DType, ScalarType};

use super::date;
use super::number::Number;
use super::reader::scalar_reader;

/// The value of a scalar element. Floats are text with all their digits.
pub(crate) enum Scalar {
    Bool(bool),
    Integer(i128),
    Float(String),
    Complex(String, String),
    Text(String),
    Bytes(Vec<u8>),
    /// A datetime as NumPy prints it, a timedelta such as `5 s`, `NaT`, or the number of a time without a unit.
    Time(String),
    /// The bytes of an unsupported type, or bytes that are not valid for their type, as hexadecimal digits.
    Unknown(String),
}

/// Reads an element that is neither a structure nor a subarray.
pub(crate) fn read(dtype: &DType, bytes: &[u8]) -> Scalar {
    known(dtype, bytes).unwrap_or_else(|| Scalar::Unknown(hex(bytes, "")))
}

/// Reads an element. Returns `None` if its type is not supported, or the bytes are not valid for the type.
fn known(dtype: &DType, bytes: &[u8]) -> Option<Scalar> {
    let DType::Scalar(scalar) = dtype else { return None };
    let (kind, is_big) = (scalar.scalar_type(), scalar.byte_order() == Some(ByteOrder::Big));
    let float = |kind: ScalarType, bytes: &[u8]| {
        let number = (scalar_reader(kind, is_big)?.one)(bytes).to_f64();
        Some(if kind == ScalarType::Float64 { format!("{number:?}") } else { format!("{:?}", number as f32) })
    };
    Some(match kind {
        ScalarType::Bool => Scalar::Bool(bytes != [0]),
        ScalarType::Bytes(_) => Scalar::Bytes(trimmed(bytes).to_vec()),
        ScalarType::Str(_) => {
            let code = |bytes: [u8; 4]| if is_big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
            let chars = bytes.chunks(4).map(|char| char::from_u32(code(char.try_into().ok()?)));
            Scalar::Text(chars.collect::<Option<String>>()?.trim_end_matches('\0').to_owned())
        }
        _ if bytes.len() != dtype.itemsize() => return None,
        ScalarType::Float16 | ScalarType::BFloat16 | ScalarType::Float32 | ScalarType::Float64 => {
            Scalar::Float(float(kind, bytes)?)
        }
        ScalarType::Complex64 | ScalarType::Complex128 => {
            let part = if kind == ScalarType::Complex64 { ScalarType::Float32 } else { ScalarType::Float64 };
            let (real, imaginary) = bytes.split_at(bytes.len() / 2);
            Scalar::Complex(float(part, real)?, float(part, imaginary)?)
        }
        _ => match ((scalar_reader(kind, is_big)?.one)(bytes), kind) {
            (Number::Integer(number), ScalarType::Datetime64(Some(step))) => Scalar::Time(date::moment(number, step)),
            (Number::Integer(number), ScalarType::Timedelta64(Some(step))) => Scalar::Time(format!("{number} {step}")),
            (Number::Integer(number), ScalarType::Datetime64(_) | ScalarType::Timedelta64(_)) => Scalar::Time(number.to_string()),
            (Number::Integer(number), _) => Scalar::Integer(number),
            _ => Scalar::Time("NaT".to_owned()),
        },
    })
}

fn trimmed(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    bytes.get(..end).unwrap_or_default()
}
