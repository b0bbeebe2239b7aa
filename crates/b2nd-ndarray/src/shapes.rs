//! Chooses the chunk and block shapes of a new array like python-blosc2.

use b2nd::Geometry;

use crate::error::{Error, Result};

/// The length of a block, in bytes, that python-blosc2 4.14.1 aims at on x86-64 Linux with 512 KiB of L2 cache.
const BLOCK: i64 = 128 << 10;
/// The length of a chunk, in bytes, that python-blosc2 aims at there if the processor has at most 16 MiB of L3 cache.
const CHUNK: i64 = 4 << 20;

/// The maximum length of a block, in bytes, that C-Blosc2 and this crate read.
const MAX_BLOCK: i64 = 536_866_816;

/// Returns the geometry of an array of this shape. Chunk and block shapes that are not given are chosen. `itemsize` is in bytes.
pub(crate) fn geometry(
    shape: &[i64],
    itemsize: usize,
    chunkshape: Option<&[i32]>,
    blockshape: Option<&[i32]>,
) -> Result<Geometry> {
    let itemsize = i64::try_from(itemsize.max(1)).unwrap_or(i64::MAX);
    let wide = |lengths: Option<&[i32]>| lengths.map(|lengths| lengths.iter().copied().map(i64::from).collect());
    let (given_chunks, given_blocks): (Option<Vec<_>>, Option<Vec<_>>) = (wide(chunkshape), wide(blockshape));
    let empty = shape.contains(&0);
    let blocks = given_blocks.unwrap_or_else(|| match given_chunks.as_deref().unwrap_or(shape) {
        largest if largest.contains(&0) => largest.to_vec(),
        largest => partition(BLOCK.max(itemsize) / itemsize, largest, &[]),
    });
    let chunks = given_chunks.unwrap_or_else(|| {
        if empty {
            return shape.iter().zip(&blocks).map(|(&length, &block)| length.max(block)).collect();
        }
        let blocksize = blocks.iter().product::<i64>().saturating_mul(itemsize).max(1);
        let chunksize = CHUNK.max(blocksize) / blocksize * blocksize;
        let chunks = partition(chunksize / itemsize, shape, &blocks);
        let whole = |(&chunk, (&length, &block)): (&i64, (&i64, &i64))| {
            length.min(if block > 0 { (chunk + block - 1) / block * block } else { chunk })
        };
        chunks.iter().zip(shape.iter().zip(&blocks)).map(whole).collect()
    });
    let narrow = |lengths: Vec<i64>| lengths.iter().map(|&length| i32::try_from(length).unwrap_or(i32::MAX)).collect::<Vec<_>>();
    let geometry = Geometry::new(shape, &narrow(chunks), &narrow(blocks))?;
    check_fit(&geometry)?;
    check_block(&geometry, itemsize)?;
    Ok(geometry)
}

/// Fails if a block is longer than its chunk along an axis.
pub(crate) fn check_fit(geometry: &Geometry) -> Result<()> {
    let mut axes = geometry.chunkshape().iter().zip(geometry.blockshape()).enumerate();
    match axes.find(|(_, (chunk, block))| block > chunk) {
        Some((axis, (chunk, block))) => Err(Error::custom(format_args!(
            "blockshape[{axis}] is {block}, but chunkshape[{axis}] is {chunk}: blocks must fit in chunks"
        ))),
        None => Ok(()),
    }
}

/// Fails if a block is longer than Blosc2 allows. `itemsize` is in bytes.
pub(crate) fn check_block(geometry: &Geometry, itemsize: i64) -> Result<()> {
    let lengths = geometry.blockshape().iter().map(|&length| i64::from(length));
    match lengths.fold(itemsize, i64::saturating_mul) {
        length if length > MAX_BLOCK => {
            Err(Error::custom(format_args!("blockshape: expected blocks of at most {MAX_BLOCK} bytes, found {length}")))
        }
        _ => Ok(()),
    }
}

/// Returns the shape of a box of at most about `nitems` elements, like python-blosc2's `compute_partition`. The box grows along the last
/// dimension first, and lengths that divide the shape are preferred. No length of `shape` may be 0. `least` is the shape of a block if the
/// box is a chunk, or else empty.
fn partition(nitems: i64, shape: &[i64], least: &[i64]) -> Vec<i64> {
    let mut left = nitems;
    let mut lengths = vec![1; shape.len()];
    for axis in (0..shape.len()).rev() {
        if left <= 1 {
            break;
        }
        let (size, least) = (shape[axis], least.get(axis).copied().unwrap_or(1));
        let mut length = size.max(least);
        if length <= left {
            if size % length != 0 {
                length = nearest_divisor(size, length);
            }
        } else {
            length = left.max(least);
            let divisor = if size % length == 0 { length } else { divisor_below(size, length) };
            if length / 2 < divisor && divisor < length * 2 {
                length = divisor;
            }
        }
        lengths[axis] = length;
        left /= length;
    }
    lengths
}

fn divisor_below(size: i64, from: i64) -> i64 {
    (1..=from).rev().find(|divisor| size % divisor == 0).unwrap_or(1)
}

fn nearest_divisor(size: i64, to: i64) -> i64 {
    if size > 100_000 {
        return divisor_below(size, to);
    }
    (1..=size).filter(|divisor| size % divisor == 0).min_by_key(|divisor| (divisor - to).abs()).unwrap_or(1)
}
