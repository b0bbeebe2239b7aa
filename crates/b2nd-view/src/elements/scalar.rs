//! [`Scalar`]: the value of a scalar element.

use crate::text::hex;
use b2nd::dtype::{ByteOrder, DType, ScalarType};

use super::date;
use super::number::{Number, half, reader};

/// The value of a scalar element. Floats are text with all their digits.
pub(crate) enum Scalar {
    Bool(bool),
    Integer(i128),
    Float(String),
    Complex(String, String),
    Text(String),
    Bytes(Vec<u8>),
    /// A datetime or a timedelta, as NumPy prints it.
    Time(String),
    /// The bytes of an unsupported type as hexadecimal digits.
    Unknown(String),
}

/// Reads an element that is neither a structure nor a subarray.
pub(crate) fn read(dtype: &DType, bytes: &[u8]) -> Scalar {
    let DType::Scalar(scalar) = dtype else { return Scalar::Unknown(hex(bytes, "")) };
    let mut native = bytes.to_vec();
    let unit = match scalar.scalar_type() {
        ScalarType::Complex64 | ScalarType::Complex128 | ScalarType::Complex256 => native.len() / 2,
        ScalarType::Str(_) => 4,
        _ => native.len(),
    };
    if scalar.byte_order() == Some(ByteOrder::Big) && unit != 0 {
        native.chunks_mut(unit).for_each(<[u8]>::reverse);
    }
    let integer = || match reader(dtype).filter(|_| bytes.len() == dtype.itemsize())?(bytes) {
        Number::Integer(number) => Some(Scalar::Integer(number)),
        _ => None,
    };
    little_endian(scalar.scalar_type(), &native).or_else(integer).unwrap_or_else(|| Scalar::Unknown(hex(bytes, "")))
}

fn little_endian(of: ScalarType, bytes: &[u8]) -> Option<Scalar> {
    macro_rules! number {
        ($type:ty, $bytes:expr) => {
            <$type>::from_le_bytes($bytes.try_into().ok()?)
        };
    }
    Some(match of {
        ScalarType::Bool => Scalar::Bool(bytes != [0]),
        ScalarType::Float16 => Scalar::Float(format!("{:?}", half(number!(u16, bytes)))),
        ScalarType::BFloat16 => Scalar::Float(format!("{:?}", f32::from_bits(u32::from(number!(u16, bytes)) << 16))),
        ScalarType::Float32 => Scalar::Float(format!("{:?}", number!(f32, bytes))),
        ScalarType::Float64 => Scalar::Float(format!("{:?}", number!(f64, bytes))),
        ScalarType::Complex64 => {
            let (real, imaginary) = bytes.split_at_checked(4)?;
            Scalar::Complex(format!("{:?}", number!(f32, real)), format!("{:?}", number!(f32, imaginary)))
        }
        ScalarType::Complex128 => {
            let (real, imaginary) = bytes.split_at_checked(8)?;
            Scalar::Complex(format!("{:?}", number!(f64, real)), format!("{:?}", number!(f64, imaginary)))
        }
        ScalarType::Bytes(_) => Scalar::Bytes(trimmed(bytes).to_vec()),
        ScalarType::Str(_) => {
            let chars = bytes.chunks(4).map(|char| char::from_u32(u32::from_le_bytes(char.try_into().ok()?)));
            let text: String = chars.collect::<Option<String>>()?;
            Scalar::Text(text.trim_end_matches('\0').to_owned())
        }
        ScalarType::Datetime64(step) | ScalarType::Timedelta64(step) => Scalar::Time(match (number!(i64, bytes), step) {
            (i64::MIN, _) => "NaT".to_owned(),
            (number, Some(step)) if matches!(of, ScalarType::Datetime64(_)) => date::moment(number, step),
            (number, Some(step)) => format!("{number} {step}"),
            (number, None) => number.to_string(),
        }),
        _ => return None,
    })
}

fn trimmed(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    bytes.get(..end).unwrap_or_default()
}
