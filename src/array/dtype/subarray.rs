//! [`Subarray`]: the dtype of an element that is itself a small array.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{DType, MAX_DEPTH, MAX_SIZE, Written};
use crate::error::{Error, Result};

/// The maximum number of dimensions in NumPy 2.
const MAX_SUBARRAY_DIMENSIONS: usize = 64;

/// A small array inside each element: values of one type, in a fixed shape.
///
/// ```
/// use b2nd::dtype::{DType, Subarray};
///
/// let matrix = Subarray::new("<f4".parse()?, &[2, 3])?;
/// assert_eq!(matrix.itemsize(), 24);
/// assert_eq!(DType::Subarray(matrix).to_string(), "('<f4', (2, 3))");
/// # Ok::<(), b2nd::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Subarray {
    pub(super) base: Box<DType>,
    shape: Vec<usize>,
    itemsize: usize,
    pub(super) depth: u8,
    pub(super) written: Written,
}

impl Subarray {
    /// Makes a subarray of this shape, whose values have the type `base`. `base` is converted to NumPy's spelling.
    ///
    /// # Errors
    ///
    /// Fails if
    ///
    /// * `shape` has no dimension or more than 64,
    /// * the array takes more than 2147483647 bytes, or a dimension is longer than 2147483647,
    /// * the product of the lengths, multiplied in order, overflows an `i64`,
    /// * `base` is a scalar or array of 0 bytes, or
    /// * the types nest more than 100 levels deep.
    pub fn new(base: DType, shape: &[usize]) -> Result<Subarray> {
        Subarray::of(base.into_canonical(), shape.to_vec()).map_err(|why| Error::custom(why).field("dtype"))
    }

    pub(super) fn of(base: DType, shape: Vec<usize>) -> Result<Subarray, String> {
        if shape.is_empty() || shape.len() > MAX_SUBARRAY_DIMENSIONS {
            return Err(format!("expected a subarray of 1 to {MAX_SUBARRAY_DIMENSIONS} dimensions, found {}", shape.len()));
        }
        if let Some(length) = shape.iter().find(|&&length| length > MAX_SIZE) {
            return Err(format!("a dimension has the length {length}, above NumPy's limit of {MAX_SIZE}"));
        }
        if base.itemsize() == 0 && !matches!(base, DType::Struct(_)) {
            return Err("the values of a subarray cannot be scalars or arrays of 0 bytes".into());
        }
        if base.depth() >= MAX_DEPTH {
            return Err(super::too_deep());
        }
        // Multiply in this order and in 64 bits, as NumPy does. A product that overflows is an error even if a later length is 0.
        let multiply = |product: i64, &factor: &usize| product.checked_mul(i64::try_from(factor).ok()?);
        let bytes = shape.iter().chain([&base.itemsize()]).try_fold(1, multiply).and_then(|bytes| usize::try_from(bytes).ok());
        match bytes.filter(|&bytes| bytes <= MAX_SIZE) {
            Some(itemsize) => Ok(Subarray { depth: base.depth() + 1, base: Box::new(base), shape, itemsize, written: None }),
            None => Err(format!("the lengths and the itemsize, multiplied in order, exceed NumPy's limit of {MAX_SIZE} bytes")),
        }
    }

    /// Returns the type of one value.
    pub fn base(&self) -> &DType {
        &self.base
    }

    /// Returns the length in each dimension. There are 1 to 64 dimensions.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the size of the subarray in bytes.
    pub fn itemsize(&self) -> usize {
        self.itemsize
    }
}
