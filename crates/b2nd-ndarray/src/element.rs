//! [`Element`]: Rust types that arrays are made of.

use b2nd::dtype::{ByteOrder, DType, Scalar, ScalarType};
use bytemuck::Pod;
use num_complex::Complex;

use crate::error::{Error, Result};
use crate::huge_pages;

/// A Rust type for the elements of an array.
///
/// | Rust | dtype |
/// | --- | --- |
/// | `bool` | `bool` |
/// | `i8` to `i64`, `u8` to `u64`, `f32`, `f64` | `int8` to `int64`, `uint8` to `uint64`, `float32`, `float64` |
/// | `i64` | also `datetime64` and `timedelta64`: the number of units; [`Array::dtype`](crate::Array::dtype) has the unit |
/// | `Complex<f32>`, `Complex<f64>` | `complex64`, `complex128` |
/// | `half::f16`, `half::bf16` (feature `half`) | `float16`, `bfloat16` |
///
/// The trait is sealed. Structures and text are read as [`Elements`](crate::Elements).
pub trait Element: Copy + Send + Sync + 'static + sealed::Raw {
    /// The corresponding scalar type.
    const TYPE: ScalarType;
}

pub(crate) mod sealed {
    use bytemuck::{NoUninit, Pod, Zeroable};

    /// A type whose values can be stored as bytes.
    pub trait Raw: NoUninit + Zeroable {
        /// A type of the same size for which all bit patterns are valid, so that a file can be read into it: the type itself, or `u8` for
        /// `bool`.
        type Bits: Pod + Send + Sync;
        /// The number of bytes that are reversed together if the byte order differs: the size of the value, or the size of one part of a
        /// complex number.
        const SWAPPED: usize;
        /// Converts bits to values in the same memory.
        fn values(bits: Vec<Self::Bits>) -> Vec<Self>;
        /// Returns the bits of values, or `None` for types with invalid bit patterns.
        fn bits_mut(values: &mut [Self]) -> Option<&mut [Self::Bits]>;
    }
}

macro_rules! values {
    ($($(#[$cfg:meta])? $ty:ty: $scalar:ident, $swapped:literal;)*) => {
        $(
            $(#[$cfg])?
            impl Element for $ty {
                const TYPE: ScalarType = ScalarType::$scalar;
            }

            $(#[$cfg])?
            impl sealed::Raw for $ty {
                type Bits = $ty;
                const SWAPPED: usize = $swapped;

                fn values(bits: Vec<$ty>) -> Vec<$ty> {
                    bits
                }

                fn bits_mut(values: &mut [$ty]) -> Option<&mut [$ty]> {
                    Some(values)
                }
            }
        )*
    };
}

values! {
    i8: Int8, 1;
    i16: Int16, 2;
    i32: Int32, 4;
    i64: Int64, 8;
    u8: UInt8, 1;
    u16: UInt16, 2;
    u32: UInt32, 4;
    u64: UInt64, 8;
    f32: Float32, 4;
    f64: Float64, 8;
    Complex<f32>: Complex64, 4;
    Complex<f64>: Complex128, 8;
    #[cfg(feature = "half")] half::f16: Float16, 2;
    #[cfg(feature = "half")] half::bf16: BFloat16, 2;
}

impl Element for bool {
    const TYPE: ScalarType = ScalarType::Bool;
}

impl sealed::Raw for bool {
    type Bits = u8;
    const SWAPPED: usize = 1;

    fn values(bits: Vec<u8>) -> Vec<bool> {
        // The returned vector reuses the memory of `bits`.
        bits.into_iter().map(|bits| bits != 0).collect()
    }

    fn bits_mut(_values: &mut [bool]) -> Option<&mut [u8]> {
        None
    }
}

/// Returns the dtype of `T` in this machine's byte order.
pub(crate) fn scalar<T: Element>() -> Result<Scalar> {
    Ok(Scalar::new(T::TYPE, ByteOrder::NATIVE)?)
}

/// Checks that elements of this dtype can be read as `T`, and returns true if their byte order must be swapped.
pub(crate) fn swapped<T: Element>(dtype: Option<&DType>) -> Result<bool> {
    if let Some(DType::Scalar(scalar)) = dtype {
        let time = matches!(scalar.scalar_type(), ScalarType::Datetime64(_) | ScalarType::Timedelta64(_));
        if scalar.scalar_type() == T::TYPE || (time && T::TYPE == ScalarType::Int64) {
            return Ok(scalar.byte_order().is_some_and(|order| order != ByteOrder::NATIVE));
        }
    }
    let found = dtype.map_or_else(|| "of unknown dtype".to_owned(), DType::describe);
    let expected = DType::Scalar(scalar::<T>()?).describe();
    let expected = expected.split(", ").next().unwrap_or_default().to_owned();
    Err(Error::DType { expected, found })
}

/// Swaps the byte order of each value. In a complex number, each part is swapped separately.
pub(crate) fn swap<T: Element>(values: &mut [T::Bits]) {
    let bytes = bytemuck::cast_slice_mut::<T::Bits, u8>(values);
    match T::SWAPPED {
        2 => each::<2>(bytes),
        4 => each::<4>(bytes),
        8 => each::<8>(bytes),
        _ => {}
    }
}

/// Returns the bytes of values in the file's byte order. If `swapped` is true, this is not the machine's byte order, and the bytes of
/// `values` are swapped in place.
pub(crate) fn stored<T: Element>(values: &mut [T], swapped: bool) -> &[u8] {
    if swapped {
        if let Some(bits) = T::bits_mut(values) {
            swap::<T>(bits);
        }
    }
    bytemuck::cast_slice(values)
}

/// Reverses each group of `N` bytes. `N` is known at compile time, so that the compiler vectorizes the loop.
fn each<const N: usize>(bytes: &mut [u8]) {
    if let Ok(values) = bytemuck::try_cast_slice_mut::<u8, [u8; N]>(bytes) {
        values.iter_mut().for_each(|value| value.reverse());
    }
}

/// Allocates zeroed memory for values. Returns `None` if there is not enough memory.
pub(crate) fn zeroed<P: Pod>(items: usize) -> Option<Vec<P>> {
    let mut values = bytemuck::allocation::try_zeroed_vec(items).ok()?;
    huge_pages::advise(bytemuck::cast_slice_mut(&mut values));
    Some(values)
}
