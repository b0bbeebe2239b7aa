//! Compares a frame with the array that its metalayer describes.

use b2nd::ArrayMeta;
use b2nd::dtype::DType;
#[cfg(feature = "std")]
use b2nd::{B2ndMeta, CatervaMeta, Geometry, Metalayer};

use super::Header;
use crate::error::{Error, Result};

/// The names of the metalayers that describe an array.
#[cfg(feature = "std")]
pub(crate) const ARRAY_NAMES: [&str; 2] = [B2ndMeta::<&str>::NAME, CatervaMeta::NAME];

impl Header {
    /// Checks that the typesize, chunksize and blocksize, and the number of chunks, match the array that the header describes. If there are
    /// no chunks, the chunksize and the blocksize are not checked. Does nothing if the frame holds no array.
    pub(crate) fn check_array(&self, nchunks: u64) -> Result<()> {
        let Some(array) = self.array()? else { return Ok(()) };
        let grid = array.geometry().grid()?;
        self.check_typesize(&array)?;
        if nchunks != grid.nchunks() {
            let expected = grid.nchunks();
            return Err(Error::custom(format_args!("chunks: expected {expected}, as the array's shapes say, found {nchunks}")));
        }
        if nchunks == 0 {
            return Ok(());
        }
        let typesize = i64::from(self.typesize());
        check("chunksize", "array's metalayer", grid.extchunknitems().saturating_mul(typesize), self.chunksize())?;
        check("blocksize", "array's metalayer", grid.blocknitems().saturating_mul(typesize), self.blocksize())
    }

    /// Returns the blocksize. If it is 0 and the frame holds an array, returns the length of the array's blocks instead.
    pub(crate) fn blocksize_of_array(&self) -> i32 {
        match self.geometry() {
            Ok(Some(geometry)) if self.blocksize == 0 => {
                let length = geometry.grid().map_or(0, |grid| grid.blocknitems().saturating_mul(self.typesize.into()));
                i32::try_from(length).unwrap_or(0)
            }
            _ => self.blocksize,
        }
    }

    /// Replaces a blocksize of 0 by the length of the array's blocks.
    #[cfg(feature = "std")]
    pub(crate) fn set_blocksize_of_array(&mut self) {
        self.blocksize = self.blocksize_of_array();
    }

    /// Checks that the array that the header describes has the same chunkshape and blockshape as another array.
    #[cfg(feature = "std")]
    pub(crate) fn check_same_chunks(&self, other: &Geometry) -> Result<()> {
        match self.geometry()? {
            Some(own) if (own.chunkshape(), own.blockshape()) != (other.chunkshape(), other.blockshape()) => {
                let [expected, found] = [other, &own].map(shapes);
                Err(Error::custom(format_args!("expected {expected}, as in the frame, found {found}: write the array again")))
            }
            _ => Ok(()),
        }
    }

    /// Returns true if both headers have the same array metalayers, typesize, blocksize and chunksize.
    #[cfg(feature = "std")]
    pub(crate) fn is_sized_like(&self, other: &Header) -> bool {
        let sizes = |header: &Header| (header.typesize(), header.blocksize(), header.chunksize());
        sizes(self) == sizes(other) && ARRAY_NAMES.iter().all(|name| self.metalayers().get(name) == other.metalayers().get(name))
    }

    /// Checks that the typesize fits the array's dtype, if this dtype is known.
    fn check_typesize(&self, array: &ArrayMeta<&str>) -> Result<()> {
        let Some(Ok(dtype)) = array.dtype().map(str::parse::<DType>) else { return Ok(()) };
        let typesize = i64::from(self.typesize());
        let itemsize = i64::try_from(dtype.itemsize()).unwrap_or(i64::MAX);
        // The itemsize of the dtype may be less than the typesize: C-Blosc2 writes |u1 if no dtype was given, and NumPy's string for a
        // structure can omit the padding of aligned structures inside it.
        let may_be_longer = array.dtype() == Some("|u1") || !matches!(dtype, DType::Scalar(_));
        if itemsize <= typesize && may_be_longer { Ok(()) } else { check("typesize", "array's metalayer", itemsize, typesize) }
    }

    /// Checks that the array's metalayer can be changed from that of `old` to that of this header without changes to the chunks: each
    /// element keeps its position. Dimensions whose length, chunk length and block length are 1 may be added or removed, as when C-Blosc2
    /// squeezes an array. The metalayer may also be removed.
    #[cfg(feature = "std")]
    pub(crate) fn check_replaced_array(&self, old: &Header, nchunks: impl FnOnce() -> Result<u64>) -> Result<()> {
        if self.is_sized_like(old) {
            return Ok(());
        }
        self.check_array(nchunks()?)?;
        // If the old metalayer cannot be decoded, the change repairs it.
        match (old.geometry(), self.geometry()?) {
            (Ok(Some(old)), Some(new)) if !axes(&old).eq(axes(&new)) => {
                let [before, after] = [&old, &new].map(|array| alloc::format!("{:?} in {}", array.shape(), shapes(array)));
                Err(Error::custom(format_args!(
                    "changing {before} to {after} may move, add or remove elements: write the array again"
                )))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(feature = "std")]
fn shapes(geometry: &Geometry) -> alloc::string::String {
    alloc::format!("chunks of {:?} and blocks of {:?}", geometry.chunkshape(), geometry.blockshape())
}

/// Returns the lengths of the array, chunks and blocks along each axis, except for axes on which all three lengths are 1.
#[cfg(feature = "std")]
fn axes(geometry: &Geometry) -> impl Iterator<Item = (i64, i32, i32)> {
    let chunks = geometry.chunkshape().iter().zip(geometry.blockshape());
    let axes = geometry.shape().iter().zip(chunks).map(|(&length, (&chunk, &block))| (length, chunk, block));
    axes.filter(|&axis| axis != (1, 1, 1))
}

/// Checks a length that a part of the frame, `source`, determines.
pub(crate) fn check(name: &str, source: &str, expected: i64, found: impl TryInto<i64>) -> Result<()> {
    let found = found.try_into().unwrap_or(i64::MAX);
    if expected == found {
        return Ok(());
    }
    Err(Error::custom(format_args!("{name}: expected {expected}, as the {source} says, found {found}")))
}
