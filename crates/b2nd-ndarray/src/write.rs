//! [`write`]: an array into a new frame.

use std::path::Path;

use b2nd::frame::{Chunk, Header, Target, Writer};
use b2nd::{B2ndMeta, Grid};
use bytemuck::{NoUninit, Zeroable};
use ndarray::{ArrayBase, ArrayView, ArrayViewD, ArrayViewMut, Data, Dimension, IxDyn};

use crate::codec::Compressor;
use crate::copy::copy;
use crate::error::{Error, Result};
use crate::options::Options;
use crate::tiles::{Area, each_axis};
use crate::value::{Value, scalar};

/// Writes an array of any layout into a new file, which replaces one of that name when it is complete.
///
/// Chunks are compressed in parallel, as many as there are threads.
///
/// # Errors
///
/// The shapes in `options` are not valid for the array, the codec or a filter is not there, the filter is delta (slices of such
/// arrays are read wrong by C-Blosc2), a chunk takes 2 GiB or more, or the file cannot be written.
pub fn write<T: Value, S: Data<Elem = T>, D: Dimension>(
    path: impl AsRef<Path>,
    array: &ArrayBase<S, D>,
    options: &Options,
) -> Result<()> {
    let meta = meta_of(array, options)?;
    let (packer, header) = Packer::new(&meta, options)?;
    let mut writer = Writer::create(path, header)?;
    options.attach(&mut writer)?;
    packer.put(&mut writer, &array.view().into_dyn(), 1)?;
    Ok(writer.finish()?)
}

/// Writes elements of any type, given as bytes in C order. The shapes are those of `meta`, not of `options`.
///
/// # Errors
///
/// [`Error::Length`] if the number of bytes is not what `meta` says, and those of [`write()`].
pub fn write_bytes(path: impl AsRef<Path>, meta: &B2ndMeta, bytes: &[u8], options: &Options) -> Result<()> {
    let (packer, header) = Packer::new(meta, options)?;
    let itemsize = usize::try_from(header.typesize()).unwrap_or(0);
    let items = usize::try_from(meta.geometry.grid()?.nitems()).ok();
    let expected = items.and_then(|items| items.checked_mul(itemsize));
    if expected != Some(bytes.len()) {
        return Err(Error::Length { expected: expected.unwrap_or(usize::MAX), found: bytes.len() });
    }
    let mut shape: Vec<_> = meta.geometry.shape().iter().map(|&length| usize::try_from(length).unwrap_or(0)).collect();
    match shape.last_mut() {
        Some(last) => *last *= itemsize,
        None => shape.push(itemsize),
    }
    let view = ArrayView::from_shape(IxDyn(&shape), bytes)?;
    let mut writer = Writer::create(path, header)?;
    options.attach(&mut writer)?;
    packer.put(&mut writer, &view, itemsize)?;
    Ok(writer.finish()?)
}

/// Makes the frame of an array in memory: what [`write()`] puts into a file, for an HDF5 chunk or a message.
///
/// ```
/// use b2nd_ndarray::{Array, Options, to_frame};
///
/// let tile = ndarray::array![[1_u16, 2], [3, 4]];
/// let frame = to_frame(&tile, &Options::default())?;
/// let array = Array::from_frame(frame)?;
/// assert_eq!(array.read::<u16>(&array.whole())?, tile.into_dyn());
/// # Ok::<(), b2nd_ndarray::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`write()`], but for the file.
pub fn to_frame<T: Value, S: Data<Elem = T>, D: Dimension>(array: &ArrayBase<S, D>, options: &Options) -> Result<Vec<u8>> {
    let meta = meta_of(array, options)?;
    let (packer, header) = Packer::new(&meta, options)?;
    let mut writer = Writer::new(header);
    options.attach(&mut writer)?;
    packer.put(&mut writer, &array.view().into_dyn(), 1)?;
    Ok(writer.finish()?)
}

/// What the array's metalayer says of it.
pub(crate) fn meta_of<T: Value, S: Data<Elem = T>, D: Dimension>(array: &ArrayBase<S, D>, options: &Options) -> Result<B2ndMeta> {
    let dtype = scalar::<T>()?;
    let shape: Vec<_> = array.shape().iter().map(|&length| i64::try_from(length).unwrap_or(i64::MAX)).collect();
    Ok(B2ndMeta::new(options.geometry(&shape, dtype.itemsize())?, dtype.to_string()))
}

/// Makes chunks of elements.
pub(crate) struct Packer {
    grid: Grid,
    compressor: Compressor,
}

impl Packer {
    /// For the arrays of this metalayer; and the header of a frame of them.
    pub(crate) fn new(meta: &B2ndMeta, options: &Options) -> Result<(Packer, Header)> {
        let header = options.header(meta)?;
        Ok((Packer::of(&header, meta)?, header))
    }

    /// For an array whose frame has this header.
    pub(crate) fn of(header: &Header, meta: &B2ndMeta) -> Result<Packer> {
        Ok(Packer { grid: meta.geometry.grid()?, compressor: Compressor::new(header, meta)? })
    }

    /// Appends every chunk of a view to a frame. An element is `scale` entries of the view's last axis.
    pub(crate) fn put<A, T>(&self, writer: &mut Writer<T>, view: &ArrayViewD<'_, A>, scale: usize) -> Result<()>
    where
        A: NoUninit + Zeroable + Send + Sync,
        T: Target,
    {
        let whole: Vec<_> = self.grid.shape().iter().map(|&length| 0..length).collect();
        let mut numbers = self.grid.chunks_in(&whole)?;
        loop {
            let batch: Vec<_> = numbers.by_ref().take(crate::threads()).collect();
            if batch.is_empty() {
                return Ok(());
            }
            for chunk in crate::in_parallel(batch, |number| self.chunk(number, view, scale))? {
                writer.append(&Chunk::from_slice(&chunk)?)?;
            }
        }
    }

    pub(crate) fn chunk<A: NoUninit + Zeroable>(&self, number: u64, view: &ArrayViewD<'_, A>, scale: usize) -> Result<Vec<u8>> {
        self.compressor.compress(bytemuck::cast_slice(&pack(&self.grid, number, view, scale)?))
    }
}

/// The data of a chunk: block after block, their padding zero.
fn pack<A: Copy + Zeroable>(grid: &Grid, number: u64, view: &ArrayViewD<'_, A>, scale: usize) -> Result<Vec<A>> {
    let size = |items: i64| usize::try_from(items).ok().and_then(|items| items.checked_mul(scale));
    let memory = || Error::Memory { items: grid.extchunknitems(), itemsize: scale * size_of::<A>() };
    let (length, blocksize) = size(grid.extchunknitems()).zip(size(grid.blocknitems())).ok_or_else(memory)?;
    let mut data: Vec<A> = bytemuck::allocation::try_zeroed_vec(length).map_err(|()| memory())?;
    let mut shape: Vec<_> = grid.blockshape().iter().map(|&length| usize::try_from(length).unwrap_or(0)).collect();
    match shape.last_mut() {
        Some(last) => *last *= scale,
        None => shape.push(scale),
    }
    for (block, place) in (0..).zip(data.chunks_exact_mut(blocksize.max(1))) {
        let Some(extent) = grid.block_extent(number, block) else { break };
        let area: Area = extent.to_vec();
        if area.iter().any(|range| range.is_empty()) {
            continue;
        }
        let mut to = ArrayViewMut::from_shape(IxDyn(&shape), place)?;
        to.slice_each_axis_inplace(|axis| each_axis(&area, axis.axis.index(), scale, |index| area[index].start));
        let mut from = view.view();
        from.slice_each_axis_inplace(|axis| each_axis(&area, axis.axis.index(), scale, |_| 0));
        copy(from, to);
    }
    Ok(data)
}
