//! Elements as text.

use std::io::{self, Write};
use std::ops::Range;

use b2nd::dtype::{ByteOrder, DType, ScalarType};
use b2nd_ndarray::Array;
use b2nd_view::text::{hex, quoted};

use super::date;
use crate::values::Result;

/// Prints elements in C order, however they are cut into parts.
pub(crate) struct Printer {
    dtype: Option<DType>,
    itemsize: usize,
    /// The slice's lengths.
    shape: Vec<u64>,
    printed: u64,
}

impl Printer {
    pub(crate) fn new(array: &Array, ranges: &[Range<i64>]) -> Result<Printer> {
        let shape = ranges.iter().map(|range| u64::try_from(range.end - range.start)).collect::<std::result::Result<_, _>>()?;
        Ok(Printer { dtype: array.dtype().cloned(), itemsize: array.itemsize().max(1), shape, printed: 0 })
    }

    pub(crate) fn print(&mut self, bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
        let row = self.shape.last().copied().unwrap_or(1).max(1);
        let plane = self.shape.iter().rev().nth(1).copied().unwrap_or(u64::MAX).saturating_mul(row).max(1);
        for item in bytes.chunks(self.itemsize) {
            let before = match self.printed {
                0 => "",
                printed if printed % plane == 0 => "\n\n",
                printed if printed % row == 0 => "\n",
                _ => "  ",
            };
            let text = self.dtype.as_ref().map_or_else(|| hex(item, ""), |dtype| element(dtype, item));
            write!(out, "{before}{text}")?;
            self.printed += 1;
        }
        // Beside a length of 0 the others may be any, and their product more than a number holds.
        if self.printed != 0 && self.printed == self.shape.iter().product::<u64>() {
            writeln!(out)?;
        }
        Ok(())
    }
}

/// One element: a structure in round brackets, a subarray in square ones.
fn element(dtype: &DType, bytes: &[u8]) -> String {
    if !dtype.fields().is_empty() {
        let fields = dtype.fields().iter().map(|field| {
            let place = field.offset()..field.offset() + field.dtype().itemsize();
            element(field.dtype(), bytes.get(place).unwrap_or_default())
        });
        return format!("({})", fields.collect::<Vec<_>>().join(", "));
    }
    if !dtype.shape().is_empty() {
        let items = bytes.chunks(dtype.base().itemsize().max(1)).map(|item| element(dtype.base(), item));
        return format!("[{}]", items.collect::<Vec<_>>().join(", "));
    }
    match dtype {
        DType::Scalar(scalar) => {
            let mut native = bytes.to_vec();
            let unit = match scalar.scalar_type() {
                ScalarType::Complex64 | ScalarType::Complex128 | ScalarType::Complex256 => native.len() / 2,
                ScalarType::Str(_) => 4,
                _ => native.len(),
            };
            if scalar.byte_order() == Some(ByteOrder::Big) && unit != 0 {
                native.chunks_mut(unit).for_each(<[u8]>::reverse);
            }
            scalar_text(scalar.scalar_type(), &native).unwrap_or_else(|| hex(bytes, ""))
        }
        _ => hex(bytes, ""),
    }
}

/// A scalar whose bytes are little-endian.
fn scalar_text(of: ScalarType, bytes: &[u8]) -> Option<String> {
    macro_rules! number {
        ($type:ty, $bytes:expr) => {
            <$type>::from_le_bytes($bytes.try_into().ok()?)
        };
    }
    Some(match of {
        ScalarType::Bool => (bytes != [0]).to_string(),
        ScalarType::Int8 => number!(i8, bytes).to_string(),
        ScalarType::Int16 => number!(i16, bytes).to_string(),
        ScalarType::Int32 => number!(i32, bytes).to_string(),
        ScalarType::Int64 => number!(i64, bytes).to_string(),
        ScalarType::UInt8 => number!(u8, bytes).to_string(),
        ScalarType::UInt16 => number!(u16, bytes).to_string(),
        ScalarType::UInt32 => number!(u32, bytes).to_string(),
        ScalarType::UInt64 => number!(u64, bytes).to_string(),
        ScalarType::Float16 => format!("{:?}", half(number!(u16, bytes))),
        ScalarType::Float32 => format!("{:?}", number!(f32, bytes)),
        ScalarType::Float64 => format!("{:?}", number!(f64, bytes)),
        ScalarType::Complex64 => {
            let (real, imaginary) = bytes.split_at_checked(4)?;
            format!("({:?}, {:?}i)", number!(f32, real), number!(f32, imaginary))
        }
        ScalarType::Complex128 => {
            let (real, imaginary) = bytes.split_at_checked(8)?;
            format!("({:?}, {:?}i)", number!(f64, real), number!(f64, imaginary))
        }
        ScalarType::Bytes(_) => quoted(trimmed(bytes)),
        ScalarType::Str(_) => {
            let chars = bytes.chunks(4).map(|char| char::from_u32(u32::from_le_bytes(char.try_into().ok()?)));
            let text: String = chars.collect::<Option<String>>()?;
            format!("{:?}", text.trim_end_matches('\0'))
        }
        ScalarType::Datetime64(step) | ScalarType::Timedelta64(step) => match (number!(i64, bytes), step) {
            (i64::MIN, _) => "NaT".to_owned(),
            (number, Some(step)) if matches!(of, ScalarType::Datetime64(_)) => date::moment(number, step),
            (number, Some(step)) => format!("{number} {step}"),
            (number, None) => number.to_string(),
        },
        _ => return None,
    })
}

fn trimmed(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    bytes.get(..end).unwrap_or_default()
}

/// A float of 16 bits: a sign, 5 bits of exponent, 10 of fraction.
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2_f32.powi(-24),
        0x1f if fraction == 0.0 => f32::INFINITY,
        0x1f => f32::NAN,
        _ => (1.0 + fraction / 1024.0) * 2_f32.powi(exponent - 15),
    }
}
