//! [`Geometry`]: shape, chunkshape and blockshape.

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::hash::{Hash, Hasher};

use super::lists::negative;
use crate::error::{Error, Result};
use crate::limits::MAX_DIMENSIONS;

/// The shape of an array, of its chunks and of its blocks, in elements. Each of the three lists has one length per dimension; there are 0
/// to 16 dimensions.
///
/// The lists are stored inline, so a geometry does not allocate. A geometry is always valid: no length is negative, and a chunk or block
/// has length 0 only in a dimension in which the array has length 0. [`grid`](Geometry::grid) checks that the products of the lengths do
/// not overflow. A chunk may be larger than the array, and a block larger than the chunk; the array or the chunk is then padded.
///
/// ```
/// let geometry = b2nd::Geometry::new(&[400, 3], &[110, 3], &[57, 3])?;
/// assert_eq!(geometry.ndim(), 2);
/// assert_eq!(geometry.shape(), [400, 3]);
///
/// let error = b2nd::Geometry::new(&[400, 3], &[110, 0], &[57, 3]).unwrap_err();
/// assert_eq!(error.to_string(), "chunkshape[1] is 0, but shape[1] is 3: only an axis of length 0 has empty chunks");
/// # Ok::<(), b2nd::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Geometry {
    pub(super) ndim: u8,
    pub(super) shape: [i64; MAX_DIMENSIONS],
    pub(super) chunkshape: [i32; MAX_DIMENSIONS],
    pub(super) blockshape: [i32; MAX_DIMENSIONS],
}

impl Geometry {
    /// The geometry of an array without dimensions, which has one element.
    pub(super) const SCALAR: Geometry =
        Geometry { ndim: 0, shape: [0; MAX_DIMENSIONS], chunkshape: [0; MAX_DIMENSIONS], blockshape: [0; MAX_DIMENSIONS] };

    /// Makes a geometry from three shapes, in elements.
    ///
    /// # Errors
    ///
    /// Fails if the shapes differ in the number of dimensions, there are more than 16 dimensions, a length is negative, or a chunk or block
    /// has length 0 in a dimension in which the array does not.
    pub fn new(shape: &[i64], chunkshape: &[i32], blockshape: &[i32]) -> Result<Self> {
        let ndim = shape.len();
        if chunkshape.len() != ndim || blockshape.len() != ndim {
            return Err(Error::custom(format_args!(
                "the numbers of dimensions differ: shape has {ndim}, chunkshape {}, blockshape {}",
                chunkshape.len(),
                blockshape.len()
            )));
        }
        let Some(rank) = u8::try_from(ndim).ok().filter(|_| ndim <= MAX_DIMENSIONS) else {
            return Err(Error::custom(too_many_dimensions(ndim)));
        };
        let mut geometry = Geometry { ndim: rank, ..Geometry::SCALAR };
        geometry.shape[..ndim].copy_from_slice(shape);
        geometry.chunkshape[..ndim].copy_from_slice(chunkshape);
        geometry.blockshape[..ndim].copy_from_slice(blockshape);
        geometry.check_signs()?;
        geometry.check_zeros()?;
        Ok(geometry)
    }

    /// Returns the number of dimensions, 0 to 16.
    #[inline]
    pub fn ndim(&self) -> usize {
        self.ndim as usize
    }

    /// Returns the array's length in each dimension, in elements.
    #[inline]
    pub fn shape(&self) -> &[i64] {
        &self.shape[..self.ndim()]
    }

    /// Returns a chunk's length in each dimension, in elements.
    #[inline]
    pub fn chunkshape(&self) -> &[i32] {
        &self.chunkshape[..self.ndim()]
    }

    /// Returns a block's length in each dimension, in elements.
    #[inline]
    pub fn blockshape(&self) -> &[i32] {
        &self.blockshape[..self.ndim()]
    }

    fn check_signs(&self) -> Result<()> {
        let lists = [("chunkshape", self.chunkshape()), ("blockshape", self.blockshape())];
        let narrow = lists.iter().flat_map(|(name, list)| list.iter().map(|&length| (*name, i64::from(length))));
        let all = self.shape().iter().map(|&length| ("shape", length)).chain(narrow);
        for (position, (name, length)) in all.enumerate() {
            if length < 0 {
                let index = position % self.ndim();
                return Err(Error::custom(format_args!("{name}[{index}]: {}", negative(length))));
            }
        }
        Ok(())
    }

    /// Checks that chunks and blocks have length 0 only in dimensions in which the array has length 0.
    pub(super) fn check_zeros(&self) -> Result<()> {
        for index in 0..self.ndim() {
            if (self.chunkshape[index] == 0 || self.blockshape[index] == 0) && self.shape[index] != 0 {
                return Err(self.empty_chunk(index));
            }
        }
        Ok(())
    }

    #[cold]
    fn empty_chunk(&self, index: usize) -> Error {
        let (name, what) = if self.chunkshape[index] == 0 { ("chunkshape", "chunks") } else { ("blockshape", "blocks") };
        let length = self.shape[index];
        Error::custom(format_args!(
            "{name}[{index}] is 0, but shape[{index}] is {length}: only an axis of length 0 has empty {what}"
        ))
    }
}

impl PartialEq for Geometry {
    fn eq(&self, other: &Self) -> bool {
        self.shape() == other.shape() && self.chunkshape() == other.chunkshape() && self.blockshape() == other.blockshape()
    }
}

impl Eq for Geometry {}

impl Hash for Geometry {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.shape(), self.chunkshape(), self.blockshape()).hash(state);
    }
}

impl fmt::Debug for Geometry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shape, chunkshape, blockshape) = (self.shape(), self.chunkshape(), self.blockshape());
        write!(f, "Geometry {{ shape: {shape:?}, chunkshape: {chunkshape:?}, blockshape: {blockshape:?} }}")
    }
}

#[cold]
pub(super) fn too_many_dimensions(ndim: usize) -> String {
    format!("expected at most {MAX_DIMENSIONS} dimensions, found {ndim}")
}
