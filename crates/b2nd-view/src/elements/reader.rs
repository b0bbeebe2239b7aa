//! Reads the numbers of a dtype from bytes, one by one or in runs.

use b2nd::dtype::{ByteOrder, DType, ScalarType};

use super::number::Number;
use super::run::Run;

/// A function that reads a number from the bytes of an element.
pub type Read = fn(&[u8]) -> Number;

fn complex(real: f64, imaginary: f64) -> Number {
    if real.is_nan() || imaginary.is_nan() { Number::Nan } else { Number::Complex(real, imaginary) }
}

fn time(steps: i64) -> Number {
    if steps == i64::MIN { Number::Nan } else { Number::Integer(steps.into()) }
}

/// Reads the numbers of one type.
#[derive(Clone, Copy)]
pub(super) struct NumberReader {
    pub(super) size: usize,
    pub(super) one: Read,
    /// Reads numbers that follow each other.
    pub(super) run: fn(&[u8]) -> Run,
}

/// Converts a 16-bit float: a sign, 5 bits of exponent, 10 bits of fraction. The crate `half` is not used, because it needs zerocopy, which
/// takes long to compile.
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

/// Returns the function that reads numbers of this dtype, or `None` if the dtype is text, is not scalar or is not supported.
pub fn reader(dtype: &DType) -> Option<Read> {
    Some(reader_of(dtype)?.one)
}

pub(super) fn reader_of(dtype: &DType) -> Option<NumberReader> {
    let DType::Scalar(scalar) = dtype else { return None };
    scalar_reader(scalar.scalar_type(), scalar.byte_order() == Some(ByteOrder::Big))
}

/// Returns the reader of this type, or `None` for text and unsupported types.
pub(super) fn scalar_reader(of: ScalarType, is_big: bool) -> Option<NumberReader> {
    macro_rules! read {
        ($type:ty, $convert:expr, $one:expr, $run:expr) => {
            if is_big {
                read!($type, $convert, $one, $run, from_be_bytes)
            } else {
                read!($type, $convert, $one, $run, from_le_bytes)
            }
        };
        ($type:ty, $convert:expr, $one:expr, $run:expr, $from:ident) => {
            NumberReader {
                size: size_of::<$type>(),
                one: |bytes| $one($convert(<$type>::$from(first(bytes)))),
                run: |bytes| $run(bytes.chunks_exact(size_of::<$type>()).map(|bytes| $convert(<$type>::$from(first(bytes))))),
            }
        };
    }
    macro_rules! integer {
        ($type:ty, $convert:expr) => {
            read!($type, $convert, |number: i64| Number::Integer(number.into()), Run::integers)
        };
    }
    macro_rules! float {
        ($type:ty, $convert:expr) => {
            read!($type, $convert, |number: f64| if number.is_nan() { Number::Nan } else { Number::Float(number) }, Run::floats)
        };
    }
    macro_rules! pair {
        ($type:ty) => {
            if is_big { pair!($type, from_be_bytes) } else { pair!($type, from_le_bytes) }
        };
        ($type:ty, $from:ident) => {
            NumberReader {
                size: 2 * size_of::<$type>(),
                one: |bytes| complex(<$type>::$from(first(bytes)).into(), <$type>::$from(last(bytes)).into()),
                run: |bytes| {
                    let pairs = bytes.chunks_exact(2 * size_of::<$type>());
                    Run::complex(pairs.map(|bytes| [first(bytes), last(bytes)].map(|part| <$type>::$from(part).into())))
                },
            }
        };
    }
    Some(match of {
        ScalarType::Bool => integer!(u8, |byte| i64::from(byte != 0)),
        ScalarType::Int8 => integer!(i8, i64::from),
        ScalarType::Int16 => integer!(i16, i64::from),
        ScalarType::Int32 => integer!(i32, i64::from),
        ScalarType::Int64 => integer!(i64, i64::from),
        ScalarType::UInt8 => integer!(u8, i64::from),
        ScalarType::UInt16 => integer!(u16, i64::from),
        ScalarType::UInt32 => integer!(u32, i64::from),
        ScalarType::UInt64 => read!(u64, u64::from, |number: u64| Number::Integer(number.into()), Run::unsigned),
        ScalarType::Float16 => float!(u16, |bits| half(bits).into()),
        ScalarType::BFloat16 => float!(u16, |bits| f32::from_bits(u32::from(bits) << 16).into()),
        ScalarType::Float32 => float!(f32, f64::from),
        ScalarType::Float64 => float!(f64, f64::from),
        ScalarType::Complex64 => pair!(f32),
        ScalarType::Complex128 => pair!(f64),
        ScalarType::Datetime64(_) | ScalarType::Timedelta64(_) => read!(i64, i64::from, time, Run::times),
        _ => return None,
    })
}

fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

fn last<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.last_chunk().copied().unwrap_or([0; N])
}
