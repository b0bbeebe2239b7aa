//! [`Geometry`]: shape, chunkshape and blockshape.

use serde::{Deserialize, Serialize};

use super::dims::{Dims, negative, too_many};
use crate::error::{Error, Result, Segment, plural};
use crate::marker::MAX_DIMENSIONS;
use crate::with::dims;

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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "Shapes", try_from = "Shapes")]
pub struct Geometry {
    shape: Dims<i64>,
    chunkshape: Dims<i32>,
    blockshape: Dims<i32>,
}

/// The entries of a [`Geometry`], which are a part of each array metalayer.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename = "Geometry", deny_unknown_fields, expecting = "a geometry of 4 entries")]
pub(super) struct Shapes {
    pub(super) ndim: u8,
    #[serde(with = "dims")]
    pub(super) shape: Dims<i64>,
    #[serde(with = "dims")]
    pub(super) chunkshape: Dims<i32>,
    #[serde(with = "dims")]
    pub(super) blockshape: Dims<i32>,
}

impl From<Geometry> for Shapes {
    #[inline(always)]
    fn from(Geometry { shape, chunkshape, blockshape }: Geometry) -> Self {
        Shapes { ndim: shape.len() as u8, shape, chunkshape, blockshape }
    }
}

impl TryFrom<Shapes> for Geometry {
    type Error = Error;

    #[inline(always)]
    fn try_from(Shapes { ndim, shape, chunkshape, blockshape }: Shapes) -> Result<Self> {
        let ndim = usize::from(ndim);
        if ndim > MAX_DIMENSIONS {
            return Err(too_many(ndim));
        }
        for (name, count) in [("shape", shape.len()), ("chunkshape", chunkshape.len()), ("blockshape", blockshape.len())] {
            if count != ndim {
                return Err(Error::custom(format_args!("{name} has {count} dimension{}, but ndim is {ndim}", plural(count))));
            }
        }
        let geometry = Geometry { shape, chunkshape, blockshape };
        geometry.check_lengths()?;
        Ok(geometry)
    }
}

impl Geometry {
    /// Makes a geometry from three shapes, in elements.
    ///
    /// # Errors
    ///
    /// Fails if the shapes differ in the number of dimensions, there are more than 16 dimensions, a length is negative, or a chunk or block
    /// has length 0 in a dimension in which the array does not.
    pub fn new(shape: &[i64], chunkshape: &[i32], blockshape: &[i32]) -> Result<Self> {
        let shapes = Shapes {
            ndim: u8::try_from(shape.len()).unwrap_or(u8::MAX),
            shape: shape.try_into()?,
            chunkshape: chunkshape.try_into()?,
            blockshape: blockshape.try_into()?,
        };
        shapes.try_into()
    }

    /// Returns the number of dimensions, 0 to 16.
    pub fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// Returns the array's length in each dimension, in elements.
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// Returns a chunk's length in each dimension, in elements.
    pub fn chunkshape(&self) -> &[i32] {
        &self.chunkshape
    }

    /// Returns a block's length in each dimension, in elements.
    pub fn blockshape(&self) -> &[i32] {
        &self.blockshape
    }

    /// Checks that no length is negative, and that chunks and blocks have length 0 only in dimensions in which the array has length 0.
    #[inline(always)]
    fn check_lengths(&self) -> Result<()> {
        for (axis, ((&length, &chunk), &block)) in
            self.shape.iter().zip(self.chunkshape.iter()).zip(self.blockshape.iter()).enumerate()
        {
            if length < 0 || chunk < 0 || block < 0 || (length != 0 && (chunk == 0 || block == 0)) {
                return Err(self.wrong_length(axis));
            }
        }
        Ok(())
    }

    #[cold]
    fn wrong_length(&self, axis: usize) -> Error {
        let (length, chunk, block) = (self.shape[axis], self.chunkshape[axis], self.blockshape[axis]);
        let is_chunk = chunk < 0 || (chunk == 0 && block >= 0);
        let (name, what, part) = if is_chunk { ("chunkshape", "chunks", chunk) } else { ("blockshape", "blocks", block) };
        let (name, found) = if length < 0 { ("shape", length) } else { (name, part.into()) };
        if found < 0 {
            return negative(&found).within(Segment::Index(axis), None).field(name);
        }
        Error::custom(format_args!(
            "{name}[{axis}] is 0, but shape[{axis}] is {length}: only an axis of length 0 has empty {what}"
        ))
    }
}
