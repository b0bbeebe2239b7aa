//! Copies elements from C order into the order of a chunk (block after block) and back.

use core::fmt;
use core::ops::Range;

use super::{Dims, Grid, strides};
use crate::error::{Error, Result, plural};

/// Bytes that are contiguous both in a block and in a slice of the array. [`Grid::runs`] yields them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Run {
    /// The range of the bytes in the block's data.
    pub block: Range<usize>,
    /// The range of the bytes in the slice's elements, which are in C order.
    pub slice: Range<usize>,
}

impl Grid {
    /// Copies the elements of a decompressed chunk that are in `slice` to `out`. The rest of `out` is unchanged. To read a slice, call this
    /// for each chunk of [`chunks_in`](Grid::chunks_in).
    ///
    /// * `slice`: a range for each dimension of the array. To copy a whole chunk, use [`chunk_extent`](Grid::chunk_extent).
    /// * `itemsize`: the size of an element in bytes, usually the frame's typesize.
    /// * `data`: the decompressed chunk, `extchunknitems` elements.
    /// * `out`: the elements of the slice, in C order.
    ///
    /// # Errors
    ///
    /// Fails if the array has no such chunk, `slice` does not have one range per dimension, a range is not inside the array or ends before
    /// it starts, or `data` or `out` has the wrong length.
    ///
    /// ```
    /// let grid = b2nd::Geometry::new(&[3, 4], &[3, 3], &[2, 2])?.grid()?;
    /// // The array is abcd, efgh, ijkl. These are its two chunks of four blocks each; dots are padding.
    /// let chunks = [b"abefc.g.ij..k...", b"d.h.....l......."];
    ///
    /// let slice = [1..3, 1..4];
    /// let mut out = [0; 6];
    /// for number in grid.chunks_in(&slice)? {
    ///     let data = chunks[usize::try_from(number)?];
    ///     grid.unpack(number, &slice, 1, data, &mut out)?;
    /// }
    /// assert_eq!(&out, b"fghjkl");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unpack(&self, chunk: u64, slice: &[Range<i64>], itemsize: usize, data: &[u8], out: &mut [u8]) -> Result<()> {
        self.check_lengths(slice, itemsize, data, out)?;
        self.each_block(chunk, slice, itemsize, |base, run| {
            copy(&data[base + run.block.start..base + run.block.end], &mut out[run.slice]);
        })
    }

    /// Copies the elements of a slice that are in a chunk to `data`, the decompressed chunk. This is the inverse of
    /// [`unpack`](Grid::unpack).
    ///
    /// The rest of `data` is unchanged. Writers usually fill padding with zeros.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`unpack`](Grid::unpack).
    ///
    /// ```
    /// let grid = b2nd::Geometry::new(&[3, 4], &[3, 3], &[2, 2])?.grid()?;
    /// let mut data = *b"................";
    /// grid.pack(0, &[0..3, 0..4], 1, b"abcdefghijkl", &mut data)?;
    /// assert_eq!(&data, b"abefc.g.ij..k...");
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn pack(&self, chunk: u64, slice: &[Range<i64>], itemsize: usize, elements: &[u8], data: &mut [u8]) -> Result<()> {
        self.check_lengths(slice, itemsize, data, elements)?;
        self.each_block(chunk, slice, itemsize, |base, run| {
            copy(&elements[run.slice], &mut data[base + run.block.start..base + run.block.end]);
        })
    }

    /// Returns the byte ranges of the elements that are in both a block and a slice, in ascending order. Bytes that are contiguous in both
    /// make one run. Runs do not contain padding. Use this to decompress block by block, or to fill elements instead of copying them.
    ///
    /// # Errors
    ///
    /// Fails if the array has no such chunk, the chunk has no such block, `slice` does not have one range per dimension, a range is not
    /// inside the array or ends before it starts, or the slice or the block takes more than `isize::MAX` bytes.
    ///
    /// ```
    /// let grid = b2nd::Geometry::new(&[3, 4], &[3, 3], &[2, 2])?.grid()?;
    /// let mut out = *b"............";
    /// for run in grid.runs(0, 0, &[0..3, 0..4], 1)? {
    ///     out[run.slice].fill(b'x');
    /// }
    /// assert_eq!(&out, b"xx..xx......");
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn runs(
        &self,
        chunk: u64,
        block: u64,
        slice: &[Range<i64>],
        itemsize: usize,
    ) -> Result<impl Iterator<Item = Run> + Clone + fmt::Debug + use<>> {
        self.check_slice(slice)?;
        addressable("slice", count(slice), itemsize)?;
        addressable("block", self.blocknitems, itemsize)?;
        let Some(extent) = self.block_extent(chunk, block) else {
            let (nchunks, nblocks) = (self.nchunks(), self.blocks_per_chunk());
            return Err(Error::custom(format_args!(
                "block {block} of chunk {chunk} is out of range: the number of chunks is {nchunks}, that of their blocks {nblocks}"
            )));
        };
        Ok(Runs::new(&extent, &strides(&self.blockshape), slice, itemsize))
    }

    /// Calls `each` for the [`Run`]s in the blocks of a chunk. The first argument of `each` is the position of the block's first byte in
    /// the decompressed chunk.
    fn each_block(&self, chunk: u64, slice: &[Range<i64>], itemsize: usize, mut each: impl FnMut(usize, Run)) -> Result<()> {
        let in_block = strides(&self.blockshape);
        // Elements without bytes need no copies, so their blocks, of which there may be many, are not visited.
        for block in self.blocks_in(chunk, slice)?.take(if itemsize == 0 { 0 } else { usize::MAX }) {
            let Some(extent) = self.block_extent(chunk, block) else { continue };
            // The product does not overflow, since the chunk's bytes are in memory.
            let base = block as usize * self.blocknitems as usize * itemsize;
            Runs::new(&extent, &in_block, slice, itemsize).for_each(|run| each(base, run));
        }
        Ok(())
    }

    fn check_lengths(&self, slice: &[Range<i64>], itemsize: usize, data: &[u8], elements: &[u8]) -> Result<()> {
        self.check_slice(slice)?;
        for (what, expected, found) in [
            ("the chunk's data", addressable("chunk", self.extchunknitems, itemsize)?, data.len()),
            ("the slice's elements", addressable("slice", count(slice), itemsize)?, elements.len()),
        ] {
            if found != expected {
                return Err(Error::custom(format_args!("{what}: expected {expected} byte{}, found {found}", plural(expected))));
            }
        }
        Ok(())
    }
}

/// Returns the number of elements of a slice. Its ranges must have been checked.
fn count(slice: &[Range<i64>]) -> i64 {
    slice.iter().map(|range| range.end - range.start).product()
}

/// Returns the number of bytes of `nitems` elements. Fails if this is more than `isize::MAX`.
fn addressable(what: &str, nitems: i64, itemsize: usize) -> Result<usize> {
    let bytes = usize::try_from(nitems).ok().and_then(|nitems| nitems.checked_mul(itemsize));
    bytes
        .filter(|&bytes| isize::try_from(bytes).is_ok())
        .ok_or_else(|| Error::custom(format_args!("{what}: {nitems} x {itemsize} bytes are more than memory can hold")))
}

/// Copies bytes between slices of the same length. Keep the separate cases for fixed sizes: they are faster than a call of `memcpy`.
#[inline]
fn copy(from: &[u8], to: &mut [u8]) {
    match from.len() {
        1 => fixed::<1>(from, to),
        2 => fixed::<2>(from, to),
        4 => fixed::<4>(from, to),
        8 => fixed::<8>(from, to),
        16 => fixed::<16>(from, to),
        _ => to.copy_from_slice(from),
    }
}

#[inline(always)]
fn fixed<const N: usize>(from: &[u8], to: &mut [u8]) {
    if let (Some(from), Some(to)) = (from.first_chunk::<N>(), to.first_chunk_mut::<N>()) {
        *to = *from;
    }
}

/// An iterator over the [`Run`]s of the elements that are in both a block and a slice.
#[derive(Clone, Debug)]
struct Runs {
    /// The dimensions along which runs repeat, the innermost first.
    axes: [Axis; crate::marker::MAX_DIMENSIONS],
    naxes: usize,
    /// The number of runs left.
    left: usize,
    /// The position of the next run in the block, in bytes.
    block: usize,
    /// The position of the next run in the slice, in bytes.
    slice: usize,
    /// A run's length in bytes.
    length: usize,
}

/// The runs along one dimension: their number, the index of the next run, and the distances in bytes from one run to the next, both in the
/// block and in the slice.
#[derive(Clone, Copy, Default, Debug)]
struct Axis {
    count: usize,
    at: usize,
    in_block: usize,
    in_slice: usize,
}

impl Runs {
    /// Computes the runs of a block with this extent. `in_block` are the block's strides in elements. No product overflows: the bytes are
    /// in memory, or their number has been checked to fit a `usize`.
    fn new(extent: &[Range<i64>], in_block: &[i64], slice: &[Range<i64>], itemsize: usize) -> Runs {
        let in_slice = strides(&Dims::from_fn(slice.len(), |index| slice[index].end - slice[index].start));
        let mut runs = Runs { axes: Default::default(), naxes: 0, left: 1, block: 0, slice: 0, length: itemsize };
        for index in (0..slice.len()).rev() {
            let (held, wanted) = (&extent[index], &slice[index]);
            let start = wanted.start.max(held.start);
            let shared = (wanted.end.min(held.end) - start).max(0) as usize;
            let in_block = in_block[index] as usize * itemsize;
            let in_slice = in_slice[index] as usize * itemsize;
            if shared == 0 {
                return Runs { left: 0, ..runs };
            }
            runs.block += (start - held.start) as usize * in_block;
            runs.slice += (start - wanted.start) as usize * in_slice;
            if (in_block, in_slice) == (runs.length, runs.length) {
                runs.length *= shared;
            } else if shared > 1 {
                runs.axes[runs.naxes] = Axis { count: shared, at: 0, in_block, in_slice };
                runs.naxes += 1;
                runs.left *= shared;
            }
        }
        runs
    }
}

impl Iterator for Runs {
    type Item = Run;

    #[inline]
    fn next(&mut self) -> Option<Run> {
        self.left = self.left.checked_sub(1)?;
        let run = Run { block: self.block..self.block + self.length, slice: self.slice..self.slice + self.length };
        for axis in &mut self.axes[..self.naxes] {
            axis.at += 1;
            if axis.at < axis.count {
                self.block += axis.in_block;
                self.slice += axis.in_slice;
                break;
            }
            axis.at = 0;
            self.block -= (axis.count - 1) * axis.in_block;
            self.slice -= (axis.count - 1) * axis.in_slice;
        }
        Some(run)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}
