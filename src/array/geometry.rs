//! [`Geometry`]: shape, chunkshape and blockshape.

use core::fmt;
use core::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize, Serializer};

use super::lists::{List, Ndim, Written, negative};
use crate::de;
use crate::error::{Error, Result};
use crate::wire::MAX_DIMENSIONS;

/// The shape of an array, of its chunks and of the blocks in them: three lists of one length, 0 to 16, counted in
/// elements.
///
/// The lists are inline: a geometry does not allocate. It is always valid: no length is negative, and a chunk or block length is 0
/// only where the array's is 0. Whether the products of lengths fit is checked by [`grid`](Geometry::grid). A chunk may be larger
/// than the array, and a block larger than the chunk; the array or the chunk is then padded.
///
/// ```
/// let geometry = b2nd::Geometry::new(&[400, 3], &[110, 3], &[57, 3])?;
/// assert_eq!(geometry.ndim(), 2);
/// assert_eq!(geometry.shape(), [400, 3]);
///
/// let error = b2nd::Geometry::new(&[400, 3], &[110, 0], &[57, 3]).unwrap_err();
/// assert_eq!(error.to_string(), "chunkshape[1] is 0, shape[1] is 3: only an empty dimension has empty chunks");
/// # Ok::<(), b2nd::Error>(())
/// ```
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "WireGeometry")]
pub struct Geometry {
    pub(super) ndim: u8,
    pub(super) shape: [i64; MAX_DIMENSIONS],
    pub(super) chunkshape: [i32; MAX_DIMENSIONS],
    pub(super) blockshape: [i32; MAX_DIMENSIONS],
}

impl Geometry {
    /// No dimensions: one element.
    const SCALAR: Geometry =
        Geometry { ndim: 0, shape: [0; MAX_DIMENSIONS], chunkshape: [0; MAX_DIMENSIONS], blockshape: [0; MAX_DIMENSIONS] };

    /// A geometry of these three shapes, in elements.
    ///
    /// # Errors
    ///
    /// The shapes differ in rank or have more than 16 dimensions, a length is negative, or a chunk or block length is 0 where the
    /// array's is not.
    pub fn new(shape: &[i64], chunkshape: &[i32], blockshape: &[i32]) -> Result<Self> {
        let ndim = shape.len();
        if chunkshape.len() != ndim || blockshape.len() != ndim {
            return Err(Error::custom(format_args!(
                "shape has {ndim} dimensions, chunkshape {}, blockshape {}: they are of one rank",
                chunkshape.len(),
                blockshape.len()
            )));
        }
        let mut geometry = Geometry { ndim: checked_ndim(ndim)?, ..Geometry::SCALAR };
        geometry.shape[..ndim].copy_from_slice(shape);
        geometry.chunkshape[..ndim].copy_from_slice(chunkshape);
        geometry.blockshape[..ndim].copy_from_slice(blockshape);
        geometry.check_signs()?;
        geometry.check_zeros()?;
        Ok(geometry)
    }

    /// The number of dimensions, 0 to 16.
    #[inline]
    pub fn ndim(&self) -> usize {
        self.ndim as usize
    }

    /// The array's length in each dimension, in elements.
    #[inline]
    pub fn shape(&self) -> &[i64] {
        &self.shape[..self.ndim()]
    }

    /// A chunk's length in each dimension, in elements.
    #[inline]
    pub fn chunkshape(&self) -> &[i32] {
        &self.chunkshape[..self.ndim()]
    }

    /// A block's length in each dimension, in elements.
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

    /// An empty chunk or block holds nothing, so the array has to be empty too.
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
        Error::custom(format_args!("{name}[{index}] is 0, shape[{index}] is {length}: only an empty dimension has empty {what}"))
    }
}

/// The four entries of a [`Geometry`].
#[derive(Serialize, Deserialize)]
#[serde(rename = "Geometry", deny_unknown_fields, expecting = "a geometry of 4 entries")]
struct WireGeometry<Shape = List<i64>, Part = List<i32>> {
    #[serde(default)]
    ndim: Ndim,
    shape: Shape,
    chunkshape: Part,
    blockshape: Part,
}

impl TryFrom<WireGeometry> for Geometry {
    type Error = Error;

    fn try_from(wire: WireGeometry) -> Result<Self> {
        described("geometry", wire.ndim, &wire.shape, &wire.chunkshape, &wire.blockshape)
    }
}

impl Serialize for Geometry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (ndim, shape, chunkshape, blockshape) = self.entries();
        WireGeometry { ndim, shape, chunkshape, blockshape }.serialize(serializer)
    }
}

impl Geometry {
    /// The entries that are written of it: ndim and the lists.
    #[inline(always)]
    pub(super) fn entries(&self) -> (Ndim, Written<'_, i64>, Written<'_, i32>, Written<'_, i32>) {
        (Ndim(Some(self.ndim)), Written(self.shape()), Written(self.chunkshape()), Written(self.blockshape()))
    }
}

/// The geometry that the entries of a layout describe. `layout` is the layout's name in errors.
#[inline(always)]
pub(super) fn described(
    layout: &'static str,
    Ndim(ndim): Ndim,
    shape: &List<i64>,
    chunkshape: &List<i32>,
    blockshape: &List<i32>,
) -> Result<Geometry> {
    let (ndim, counts) = (ndim.map_or(shape.count, usize::from), [shape.count, chunkshape.count, blockshape.count]);
    let [a, b, c] = counts;
    if ndim > MAX_DIMENSIONS || a != ndim || b != ndim || c != ndim {
        return Err(de::wrong_rank(layout, ndim, counts));
    }
    let (shape, any_zero) = (shape.lengths, chunkshape.any_zero || blockshape.any_zero);
    let geometry = Geometry { ndim: ndim as u8, shape, chunkshape: chunkshape.lengths, blockshape: blockshape.lengths };
    if any_zero {
        check_zeros(layout, &geometry)?;
    }
    Ok(geometry)
}

#[cold]
fn check_zeros(layout: &'static str, geometry: &Geometry) -> Result<()> {
    geometry.check_zeros().map_err(|error| Error::custom(format_args!("{layout}: {error}")))
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

/// The number of dimensions, if an array can have that many.
fn checked_ndim(ndim: usize) -> Result<u8> {
    match u8::try_from(ndim) {
        Ok(small) if ndim <= MAX_DIMENSIONS => Ok(small),
        _ => Err(Error::custom(de::too_many_dimensions(ndim))),
    }
}
