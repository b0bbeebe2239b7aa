//! [`Number`]: a value of an element as a number, for statistics and drawings. Elements are split into columns of such values.

use b2nd::dtype::{ByteOrder, DType, ScalarType};
use b2nd_frame::{Error, Result};

use super::run::Run;
use super::statistics::Tally;

/// The maximum number of values that a column has in one element.
const MOST_IN_ELEMENT: usize = 1 << 20;

/// A number of any type. Integers, booleans and times are exact. Floats of 16 and 32 bits are converted to `f64` without rounding.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub enum Number {
    /// NaN, or NaT (not a time).
    Nan,
    /// An integer; a boolean as 0 or 1; or a time as its stored count of units.
    Integer(i128),
    /// A float of any width.
    Float(f64),
    /// The real and the imaginary part.
    Complex(f64, f64),
}

impl Number {
    /// Converts the number to a float for drawing. A complex number is converted to its magnitude.
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Nan => f64::NAN,
            Number::Integer(number) => number as f64,
            Number::Float(number) => number,
            Number::Complex(real, imaginary) => real.hypot(imaginary),
        }
    }
}

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

/// Converts a 16-bit float: a sign, 5 bits of exponent, 10 bits of fraction.
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

fn reader_of(dtype: &DType) -> Option<NumberReader> {
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
        ($type:ty) => {
            read!($type, i64::from, |number: i64| Number::Integer(number.into()), Run::integers)
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
        ScalarType::Bool => read!(u8, |byte| i64::from(byte != 0), |number: i64| Number::Integer(number.into()), Run::integers),
        ScalarType::Int8 => integer!(i8),
        ScalarType::Int16 => integer!(i16),
        ScalarType::Int32 => integer!(i32),
        ScalarType::Int64 => integer!(i64),
        ScalarType::UInt8 => integer!(u8),
        ScalarType::UInt16 => integer!(u16),
        ScalarType::UInt32 => integer!(u32),
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

/// Describes where the scalars of a column are in each element: in one field, or in the whole element if elements are not structures.
pub struct Column {
    /// The path of the field, such as `a.b`, or `None` if elements are not structures.
    pub name: Option<String>,
    /// The type of a scalar, or `None` if it is not recorded in the file.
    pub dtype: Option<DType>,
    /// The size of a scalar in bytes.
    pub itemsize: usize,
    /// The dimensions of the subarray that the scalars of one element form. Empty if each element has one scalar.
    pub shape: Vec<usize>,
    /// The offsets of the scalars in an element, in bytes.
    pub offsets: Vec<usize>,
}

impl Column {
    /// Returns the bytes of each scalar, element by element. `elements` contains elements of `itemsize` bytes each.
    pub fn scalars<'a>(&'a self, elements: &'a [u8], itemsize: usize) -> impl Iterator<Item = &'a [u8]> {
        let places = move |element: &'a [u8]| {
            self.offsets.iter().map(move |&offset| element.get(offset..offset + self.itemsize).unwrap_or_default())
        };
        elements.chunks_exact(itemsize.max(1)).flat_map(places)
    }

    /// Computes statistics of the scalars in `elements`, which occur `times` times. If `keeps` is true, numbers are kept for
    /// [`Tally::quantiles`].
    pub fn tally(&self, elements: &[u8], itemsize: usize, times: u64, keeps: bool) -> Tally {
        let mut tally = Tally::new(keeps);
        let scalars = self.scalars(elements, itemsize);
        match self.dtype.as_ref().and_then(reader_of) {
            None => tally.add_bytes(scalars, times),
            Some(reader) if self.itemsize * self.offsets.len() == itemsize => tally.add_numbers(elements, times, reader),
            Some(reader) => tally.add_numbers(&scalars.flatten().copied().collect::<Vec<u8>>(), times, reader),
        }
        tally
    }
}

/// Returns the columns that elements consist of.
///
/// # Errors
///
/// Fails if a column has more than 2^20 values in one element.
pub fn columns(dtype: Option<&DType>, itemsize: usize) -> Result<Vec<Column>> {
    let mut columns = Vec::new();
    match dtype {
        Some(dtype) => descend(dtype, None, &[], &[0], &mut columns)?,
        None => columns.push(Column { name: None, dtype: None, itemsize, shape: Vec::new(), offsets: vec![0] }),
    }
    Ok(columns)
}

fn descend(dtype: &DType, name: Option<&str>, shape: &[usize], offsets: &[usize], columns: &mut Vec<Column>) -> Result<()> {
    if !dtype.fields().is_empty() {
        for field in dtype.fields() {
            let name = name.map_or_else(|| field.name().to_owned(), |name| format!("{name}.{}", field.name()));
            let offsets: Vec<_> = offsets.iter().map(|offset| offset + field.offset()).collect();
            descend(field.dtype(), Some(&name), shape, &offsets, columns)?;
        }
        return Ok(());
    }
    if !dtype.shape().is_empty() {
        let size = dtype.base().itemsize();
        let items = dtype.shape().iter().fold(1, |items: usize, &length| items.saturating_mul(length));
        let values = items.saturating_mul(offsets.len());
        if values > MOST_IN_ELEMENT {
            return Err(Error::custom(format_args!("an element holds {values} values; the limit is {MOST_IN_ELEMENT}")));
        }
        let offsets: Vec<_> = offsets.iter().flat_map(|offset| (0..items).map(move |item| offset + item * size)).collect();
        return descend(dtype.base(), name, &[shape, dtype.shape()].concat(), &offsets, columns);
    }
    columns.push(Column {
        name: name.map(str::to_owned),
        dtype: Some(dtype.clone()),
        itemsize: dtype.itemsize(),
        shape: shape.to_vec(),
        offsets: offsets.to_vec(),
    });
    Ok(())
}
