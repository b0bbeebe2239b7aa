//! [`Value`]: Rust types that arrays are made of.

use b2nd::dtype::{ByteOrder, DType, Scalar, ScalarType};
use num_complex::Complex;

use crate::error::{Error, Result};

/// A Rust type whose values are an array's elements: `bool`, the integers up to 64 bits, `f32`, `f64`, and `Complex` of these.
pub trait Value: Copy {
    /// What NumPy calls it.
    const TYPE: ScalarType;

    /// The value that these bytes are, as many as it has, in either order.
    fn from_bytes(bytes: &[u8], order: ByteOrder) -> Self;

    /// Appends its bytes, the least significant first.
    fn put(self, bytes: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($ty:ty: $scalar:ident;)*) => {
        $(
            impl Value for $ty {
                const TYPE: ScalarType = ScalarType::$scalar;

                fn from_bytes(bytes: &[u8], order: ByteOrder) -> Self {
                    let mut array = [0; size_of::<$ty>()];
                    array.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
                    match order {
                        ByteOrder::Little => <$ty>::from_le_bytes(array),
                        ByteOrder::Big => <$ty>::from_be_bytes(array),
                    }
                }

                fn put(self, bytes: &mut Vec<u8>) {
                    bytes.extend_from_slice(&self.to_le_bytes());
                }
            }
        )*
    };
}

numbers! {
    i8: Int8;
    i16: Int16;
    i32: Int32;
    i64: Int64;
    u8: UInt8;
    u16: UInt16;
    u32: UInt32;
    u64: UInt64;
    f32: Float32;
    f64: Float64;
}

impl Value for bool {
    const TYPE: ScalarType = ScalarType::Bool;

    fn from_bytes(bytes: &[u8], _order: ByteOrder) -> Self {
        bytes.iter().any(|&byte| byte != 0)
    }

    fn put(self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(self));
    }
}

macro_rules! complex {
    ($($part:ty: $scalar:ident;)*) => {
        $(
            impl Value for Complex<$part> {
                const TYPE: ScalarType = ScalarType::$scalar;

                fn from_bytes(bytes: &[u8], order: ByteOrder) -> Self {
                    let (re, im) = bytes.split_at(bytes.len() / 2);
                    Complex::new(<$part>::from_bytes(re, order), <$part>::from_bytes(im, order))
                }

                fn put(self, bytes: &mut Vec<u8>) {
                    self.re.put(bytes);
                    self.im.put(bytes);
                }
            }
        )*
    };
}

complex! {
    f32: Complex64;
    f64: Complex128;
}

/// The type as it is written: little-endian.
pub(crate) fn scalar<T: Value>() -> Result<Scalar> {
    Ok(Scalar::new(T::TYPE, ByteOrder::Little)?)
}

/// The byte order of elements of this dtype, if a `T` can hold them.
pub(crate) fn order_of<T: Value>(dtype: Option<&DType>) -> Result<ByteOrder> {
    match dtype {
        Some(DType::Scalar(scalar)) if scalar.scalar_type() == T::TYPE => Ok(scalar.byte_order().unwrap_or(ByteOrder::Little)),
        other => {
            let found = other.map_or_else(|| "of no known type (Caterva)".to_owned(), DType::describe);
            let expected = DType::from(scalar::<T>()?).describe();
            let expected = expected.trim_end_matches(", little-endian").to_owned();
            Err(Error::DType { expected, found })
        }
    }
}
