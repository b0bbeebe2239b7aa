//! Implements `arbitrary::Arbitrary` for the types of metadata that cannot derive it, so that fuzzers can generate them. Every generated
//! value is valid: its encoding can be decoded again.

use alloc::vec::Vec;

use arbitrary::{Arbitrary, Error, Result, Unstructured};

use crate::Geometry;
use crate::dtype::{DType, Struct, Subarray};
use crate::marker::MAX_DIMENSIONS;

/// Converts an error of a constructor into `IncorrectFormat`, which tells `arbitrary` that no valid value can be made from its random
/// bytes.
fn refused<T>(made: crate::Result<T>) -> Result<T> {
    made.map_err(|_| Error::IncorrectFormat)
}

impl<'a> Arbitrary<'a> for Geometry {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let (mut shape, mut chunkshape, mut blockshape) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..bytes.int_in_range(0..=MAX_DIMENSIONS)? {
            let length = bytes.int_in_range(0..=i64::MAX)?;
            // Only a dimension of length 0 may have chunks and blocks of length 0.
            let least = i32::from(length != 0);
            shape.push(length);
            chunkshape.push(bytes.int_in_range(least..=i32::MAX)?);
            blockshape.push(bytes.int_in_range(least..=i32::MAX)?);
        }
        refused(Geometry::new(&shape, &chunkshape, &blockshape))
    }
}

/// Generates scalars, and structures and subarrays that nest at most three levels deep.
impl<'a> Arbitrary<'a> for DType {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        dtype(bytes, 3)
    }
}

/// The dtype strings of scalars of each kind, some little-endian and some big-endian.
const SCALARS: [&str; 18] = [
    "|b1", "|i1", "|u1", "<i2", ">i2", "<i8", ">u8", "<f4", ">f8", "<c16", "|O", "|S5", "<U10", ">U1", "|V4", "<M8[ns]",
    ">m8[25s]", "bfloat16",
];

fn dtype(bytes: &mut Unstructured<'_>, depth: u8) -> Result<DType> {
    match bytes.int_in_range(0..=3)? {
        0 if depth > 0 => {
            let mut fields = Vec::new();
            for number in 0..bytes.int_in_range(0..=3)? {
                fields.push((alloc::format!("{number}{}", bytes.arbitrary::<char>()?), dtype(bytes, depth - 1)?));
            }
            let made = if bytes.arbitrary()? { Struct::packed(fields) } else { Struct::aligned(fields) };
            refused(made).map(DType::Struct)
        }
        1 if depth > 0 => {
            let shape = [bytes.int_in_range(0..=9)?, bytes.int_in_range(0..=9)?];
            refused(Subarray::new(dtype(bytes, depth - 1)?, &shape)).map(DType::Subarray)
        }
        _ => refused(bytes.choose(&SCALARS)?.parse()),
    }
}
