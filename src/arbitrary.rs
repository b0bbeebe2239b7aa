//! Implements `arbitrary::Arbitrary` for [`Geometry`], which cannot derive it: a generated geometry must be valid.

use alloc::vec::Vec;

use arbitrary::{Arbitrary, Error, Result, Unstructured};

use crate::Geometry;
use crate::marker::MAX_DIMENSIONS;

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
        Geometry::new(&shape, &chunkshape, &blockshape).map_err(|_| Error::IncorrectFormat)
    }
}
