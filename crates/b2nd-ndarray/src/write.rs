//! [`write`]: writes an array to a new frame.

use std::io::Read;
use std::ops::Range;
use std::path::Path;

use b2nd::{B2ndMeta, Geometry, Grid};
use b2nd_codec::Packed;
use b2nd_frame::{Chunk, ChunkHeader, Header, OneFile, Target, Writer};
use bytemuck::NoUninit;
use ndarray::{ArrayBase, ArrayView, ArrayViewD, Axis, Data, Dimension, Ix2};

use crate::array::Array;
use crate::element::{self, Element, scalar};
use crate::error::{Error, Result};
use crate::options::Options;
use crate::read::area::{extent, part, whole};
use crate::read::in_bytes;
use crate::read::rows::join_bytes;
use crate::shapes::check_block;
use crate::threads::{in_parallel, threads};

mod in_order;
use in_order::in_order;

/// The number of bytes of data that a thread usually compresses at a time.
const PART: usize = 1 << 20;

/// Writes an array of any memory layout to a new file. The file gets its name when it is complete. An existing file is an error unless
/// [`Options::overwrite`] is set.
///
/// Threads usually compress parts of chunks, about 1 MiB at a time. Finished parts are written while other parts are compressed.
///
/// # Errors
///
/// Fails, for example, if `options` are not valid for the array, if the codec or a filter is not available, if a chunk takes 2 GiB or more,
/// or if the file cannot be written. Also fails for the filter delta, because C-Blosc2 reads wrong values from slices of such arrays, and
/// for the filter bytedelta with a parameter of more than 127 (or, if it is 0, a typesize of more than 127), because python-blosc2 cannot
/// open such files. Most errors have the variant [`Error::File`]; [`Error::kind`] returns the error inside.
pub fn write<T: Element, S: Data<Elem = T>, D: Dimension>(
    path: impl AsRef<Path>,
    array: &ArrayBase<S, D>,
    options: &Options,
) -> Result<()> {
    written(path.as_ref(), meta_of(array, options), options, |packer, writer| packer.put(writer, &array.view().into_dyn()))
}

/// Writes a new file, to which `fill` appends the chunks. Adds the path to errors.
fn written(
    path: &Path,
    meta: Result<B2ndMeta>,
    options: &Options,
    fill: impl FnOnce(Packer, &mut Writer<OneFile>) -> Result<()>,
) -> Result<()> {
    let write = || {
        let (packer, header) = Packer::new(&meta?, options)?;
        let mut writer = options.create(path, header)?;
        fill(packer, &mut writer)?;
        Ok(writer.finish()?)
    };
    write().map_err(|error| Error::in_file(path, error))
}

/// Writes an array of any dtype to a new file. Its elements are given as bytes, in C order and in the dtype's byte order. The shapes in
/// `meta` are used; the shapes in `options` are ignored.
///
/// # Errors
///
/// Fails if the number of bytes does not match `meta` ([`Error::Length`]). Also returns the errors of [`write()`].
pub fn write_bytes(path: impl AsRef<Path>, meta: &B2ndMeta, bytes: &[u8], options: &Options) -> Result<()> {
    written(path.as_ref(), Ok(meta.clone()), options, |packer, writer| {
        let items = usize::try_from(packer.grid.nitems()).ok();
        let expected = items.and_then(|items| items.checked_mul(packer.itemsize));
        if expected != Some(bytes.len()) {
            return Err(Error::Length { expected: expected.unwrap_or(usize::MAX), found: bytes.len() });
        }
        packer.put(writer, &view(&whole(packer.grid.shape()), bytes, packer.itemsize)?)
    })
}

/// Writes an array of any dtype to a new file, like [`write_bytes`]. Its elements are read from `bytes`. The shapes in `meta` are used; the
/// shapes in `options` are ignored. The array is read and written in layers of chunks along its first axis. If a layer has few chunks,
/// several layers are in memory at the same time: as many as together have at most two chunks per thread.
///
/// ```
/// use std::io::{Read, repeat};
/// use b2nd::{B2ndMeta, Geometry};
///
/// # let path = std::env::temp_dir().join(format!("b2nd-ndarray-write-from-{}.b2nd", std::process::id()));
/// let meta = B2ndMeta::new(Geometry::new(&[1000, 3], &[100, 3], &[10, 3])?, "<f8");
/// b2nd_ndarray::write_from(&path, &meta, repeat(0).take(24_000), &b2nd_ndarray::Options::default())?;
/// let array = b2nd_ndarray::Array::open(&path)?;
/// assert_eq!(array.read::<f64>(&array.whole())?, ndarray::ArrayD::<f64>::zeros(vec![1000, 3]));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails if the reader fails, or has fewer bytes than the array ([`Error::Length`]) or more. Also returns the errors of [`write()`].
pub fn write_from(path: impl AsRef<Path>, meta: &B2ndMeta, mut bytes: impl Read, options: &Options) -> Result<()> {
    write_layers(path.as_ref(), Ok(meta.clone()), options, |data, length| {
        let read = bytes.by_ref().take((length - data.len()) as u64).read_to_end(data);
        read.map(drop).map_err(|error| b2nd_frame::Error::from(error).into())
    })
}

/// Writes an array of this shape to a new file, like [`write()`]. Its values come from an iterator over slabs, which are arrays of any
/// number of rows. Like [`write_from`], this keeps only some layers of chunks in memory, in addition to a slab and copies of it.
///
/// ```
/// use b2nd_ndarray::{Array, Options, write_slabs};
/// use ndarray::Array2;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("days.b2nd");
/// let days = (0..365).map(|day| Array2::from_elem((24, 10), day as f32));
/// write_slabs(&path, &[365 * 24, 10], days, &Options::default())?;
/// assert_eq!(Array::open(&path)?.slice::<f32>(b2nd_ndarray::s![-1, 0])?.first(), Some(&364.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails if the slabs together have fewer rows than the array ([`Error::Length`]) or more (rows without elements are not counted), or if a
/// slab's rows do not have the shape of the array's rows ([`Error::Rows`]). Also returns the errors of [`write()`].
pub fn write_slabs<T: Element, S: Data<Elem = T>, D: Dimension>(
    path: impl AsRef<Path>,
    shape: &[i64],
    slabs: impl IntoIterator<Item = ArrayBase<S, D>>,
    options: &Options,
) -> Result<()> {
    let (dtype, mut slabs) = (scalar::<T>()?, slabs.into_iter());
    let meta = options.geometry(shape, dtype.itemsize()).map(|geometry| B2ndMeta::new(geometry, dtype.to_string()));
    let row = shape.get(1..).unwrap_or_default();
    write_layers(path.as_ref(), meta, options, |data, length| {
        while data.len() < length {
            let Some(slab) = slabs.next() else { break };
            let found: Vec<_> = slab.shape().iter().map(|&length| i64::try_from(length).unwrap_or(i64::MAX)).collect();
            if found.len() != shape.len() || found.get(1..).unwrap_or_default() != row {
                return Err(Error::Rows { expected: row.to_vec(), found });
            }
            let slab = slab.as_standard_layout();
            data.extend_from_slice(bytemuck::cast_slice(slab.as_slice().unwrap_or_default()));
        }
        Ok(())
    })
}

/// Writes an array whose elements come from `read`. `read` is called with a buffer and a number of bytes, and appends bytes until the
/// buffer has this number or more. At the end of the data, the buffer may have fewer.
fn write_layers(
    path: &Path,
    meta: Result<B2ndMeta>,
    options: &Options,
    mut read: impl FnMut(&mut Vec<u8>, usize) -> Result<()>,
) -> Result<()> {
    written(path, meta, options, |mut packer, writer| {
        let itemsize = packer.itemsize;
        let (items, mut shape) = (packer.grid.nitems(), packer.grid.shape().to_vec());
        let expected = usize::try_from(items).unwrap_or(usize::MAX).saturating_mul(itemsize);
        // An array with no dimensions has one row.
        let mut rows = if items == 0 { 0 } else { shape.first().copied().unwrap_or(1) };
        let row = items / rows.max(1);
        let geometry = packer.geometry;
        let in_chunk = geometry.chunkshape().first().map_or(1, |&rows| i64::from(rows));
        // Reads as many layers at a time as together have at most two chunks per thread, but at least one layer.
        let in_layer: i64 = packer.grid.chunks_per_dimension().iter().skip(1).product();
        let layers = i64::try_from(2 * threads()).unwrap_or(1) / in_layer.max(1);
        let step = in_chunk.saturating_mul(layers.max(1));
        // `data[..at]` has already been written, and so have `written` bytes before `data`.
        let (mut data, mut at, mut written) = (Vec::new(), 0, 0);
        while rows > 0 {
            let count = rows.min(step);
            let memory = || Error::Memory { items: row * count, itemsize };
            let length = usize::try_from(row * count).ok().and_then(|items| items.checked_mul(itemsize)).ok_or_else(memory)?;
            if data.len() - at < length {
                data.drain(..at);
                (written, at) = (written + at, 0);
                data.try_reserve_exact(length.saturating_sub(data.len())).map_err(|_| memory())?;
                read(&mut data, length)?;
            }
            let Some(layer) = data.get(at..at + length) else {
                return Err(Error::Length { expected, found: written + data.len() });
            };
            if let Some(first) = shape.first_mut() {
                *first = count;
            }
            packer.grid = Geometry::new(&shape, geometry.chunkshape(), geometry.blockshape())?.grid()?;
            packer.put(writer, &view(&whole(&shape), layer, itemsize)?)?;
            at += length;
            rows -= count;
        }
        data.drain(..at);
        read(&mut data, 1)?;
        if !data.is_empty() {
            return Err(Error::custom(format_args!("expected {}, found more", b2nd_store::text::count(expected, "byte"))));
        }
        Ok(())
    })
}

/// Views bytes as the elements of an area. The last axis holds the bytes of an element.
pub(crate) fn view<'a>(area: &[Range<i64>], bytes: &'a [u8], itemsize: usize) -> Result<ArrayViewD<'a, u8>> {
    Ok(ArrayView::from_shape(in_bytes(area, itemsize), bytes)?)
}

/// Returns the frame that [`write()`] would write to a file, for example for an HDF5 chunk or a message.
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
/// Returns the errors of [`write()`] that do not concern the file.
pub fn to_frame<T: Element, S: Data<Elem = T>, D: Dimension>(array: &ArrayBase<S, D>, options: &Options) -> Result<Vec<u8>> {
    let meta = meta_of(array, options)?;
    let (packer, header) = Packer::new(&meta, options)?;
    let mut writer = Writer::new(header);
    options.attach(&mut writer)?;
    packer.put(&mut writer, &array.view().into_dyn())?;
    Ok(writer.finish()?)
}

/// Returns the metalayer of a new file for this array.
pub(crate) fn meta_of<T: Element, S: Data<Elem = T>, D: Dimension>(
    array: &ArrayBase<S, D>,
    options: &Options,
) -> Result<B2ndMeta> {
    let dtype = scalar::<T>()?;
    let shape: Vec<_> = array.shape().iter().map(|&length| i64::try_from(length).unwrap_or(i64::MAX)).collect();
    Ok(B2ndMeta::new(options.geometry(&shape, dtype.itemsize())?, dtype.to_string()))
}

/// Compresses the elements of an array into chunks.
pub(crate) struct Packer {
    geometry: Geometry,
    grid: Grid,
    pub(crate) itemsize: usize,
    compressor: b2nd_frame::Compressor,
}

/// Compressed data: a whole chunk, or some blocks of a chunk.
enum Piece {
    Chunk(Vec<u8>),
    Part { number: u64, packed: Packed, is_last: bool },
}

impl Packer {
    /// Creates a packer for an array with this metalayer. Also creates the header of the array's frame.
    pub(crate) fn new(meta: &B2ndMeta, options: &Options) -> Result<(Packer, Header)> {
        let header = options.header(meta)?;
        Ok((Packer::of(&header, meta)?, header))
    }

    /// Creates a packer for an array whose frame has this header.
    pub(crate) fn of(header: &Header, meta: &B2ndMeta) -> Result<Packer> {
        let itemsize = usize::try_from(header.typesize()).unwrap_or(0);
        check_block(&meta.geometry, header.typesize().into())?;
        let (geometry, compressor) = (meta.geometry, crate::codec::compressor(header, meta)?);
        Ok(Packer { grid: geometry.grid()?, geometry, itemsize, compressor })
    }

    /// Compresses all chunks of the array and appends them to a frame. `view` holds the array's elements, or their bytes; the bytes of an
    /// element then lie along the last axis.
    ///
    /// Threads compress parts of chunks, or whole chunks for plugins. One thread at a time writes what is finished, in order, while the
    /// other threads continue.
    pub(crate) fn put<A, T>(&self, writer: &mut Writer<T>, view: &ArrayViewD<'_, A>) -> Result<()>
    where
        A: NoUninit + Send + Sync,
        T: Target + Send,
    {
        let origin = vec![0; self.grid.shape().len()];
        let (length, blocksize) = self.lengths()?;
        let blocks = length / blocksize.max(1);
        let is_whole = self.compressor.needs_all_parts();
        let step = if is_whole { blocks } else { PART / blocksize.max(1) }.max(1);
        let parts = (0..blocks.max(1)).step_by(step).map(move |first| first..(first + step).min(blocks));
        let parts =
            self.grid.chunks_in(&whole(self.grid.shape()))?.flat_map(|number| parts.clone().map(move |blocks| (number, blocks)));
        let pack = |(number, part): (u64, Range<usize>)| {
            let (is_last, fill) = (part.end == blocks, self.fill(number, view, &origin));
            let packed = self.compressor.part(length, part, fill)?;
            if is_whole {
                Ok(Piece::Chunk(self.compressor.join([packed], fill)?))
            } else {
                Ok(Piece::Part { number, packed, is_last })
            }
        };
        let mut begun: Option<Packed> = None;
        let write = |piece| match piece {
            Piece::Chunk(chunk) => Ok(writer.append(&Chunk::from_slice(&chunk)?)?),
            Piece::Part { number, packed, is_last } => {
                match &mut begun {
                    None => begun = Some(packed),
                    Some(first) => {
                        let (start, bytes) = first.follow(packed)?;
                        writer.put_part(start, &bytes)?;
                    }
                }
                let Some(mut first) = begun.take_if(|_| is_last) else { return Ok(()) };
                match self.compressor.seal(&mut first, self.fill(number, view, &origin))? {
                    Some(chunk) => writer.append(&Chunk::from_slice(&chunk)?)?,
                    None => {
                        writer.put_part(0, first.bytes())?;
                        writer.append_parts(&ChunkHeader::from_slice(first.bytes())?)?;
                    }
                }
                Ok(())
            }
        };
        in_order(parts, pack, write)
    }

    /// Returns the number of chunks of the array.
    pub(crate) fn nchunks(&self) -> u64 {
        self.grid.nchunks()
    }

    /// Compresses the chunk with this index. Its elements are read from `array`, which has the shape of the new array but can have other
    /// chunks.
    pub(crate) fn chunk_of(&self, number: u64, array: &Array) -> Result<Vec<u8>> {
        self.chunk(number, &array.read_bytes(&extent(&self.grid, number))?)
    }

    /// Returns a chunk in which each element, including padding, has this value.
    pub(crate) fn repeated(&self, value: &[u8]) -> Result<Vec<u8>> {
        Ok(self.compressor.chunk(&repeated(value, self.grid.extchunknitems())?)?)
    }

    /// Compresses a chunk whose elements, without padding, are given as bytes.
    pub(crate) fn chunk(&self, number: u64, elements: &[u8]) -> Result<Vec<u8>> {
        let extent = extent(&self.grid, number);
        let origin: Vec<_> = extent.iter().map(|range| range.start).collect();
        self.chunk_from(number, &view(&extent, elements, self.itemsize)?, &origin)
    }

    /// Compresses the chunk with this index. `view` contains the chunk's elements as bytes, and its first element has the coordinates
    /// `origin` in the array. Padding is zero.
    pub(crate) fn chunk_from(&self, number: u64, view: &ArrayViewD<'_, u8>, origin: &[i64]) -> Result<Vec<u8>> {
        let (length, blocksize) = self.lengths()?;
        let fill = self.fill(number, view, origin);
        if self.compressor.blocksize(length) != blocksize {
            // The blocksize in the frame's header can differ from the length of the array's blocks. The chunk is then compressed in one
            // call.
            let mut data = element::zeroed(length).ok_or_else(|| self.no_memory())?;
            data.chunks_mut(blocksize.max(1)).enumerate().for_each(|(block, place)| fill(block, place));
            return Ok(self.compressor.chunk(&data)?);
        }
        let blocks = length / blocksize.max(1);
        // There are up to four parts per thread, so that a thread that finishes early can take another part.
        let parts = if threads() == 1 { 1 } else { 4 * threads() };
        let step = blocks.div_ceil(parts).max(1);
        let parts = (0..blocks.max(1)).step_by(step).map(|first| first..first + step).collect();
        let parts = in_parallel(parts, |blocks| Ok(self.compressor.part(length, blocks, fill)?))?;
        Ok(self.compressor.join(parts, fill)?)
    }

    /// Returns the lengths of a chunk, with padding, and of a block in bytes.
    fn lengths(&self) -> Result<(usize, usize)> {
        let size = |items: i64| usize::try_from(items).ok()?.checked_mul(self.itemsize);
        size(self.grid.extchunknitems()).zip(size(self.grid.blocknitems())).ok_or_else(|| self.no_memory())
    }

    fn no_memory(&self) -> Error {
        Error::Memory { items: self.grid.extchunknitems(), itemsize: self.itemsize }
    }

    /// Returns a function that copies the elements of one block of a chunk from `view` to a buffer. The function's arguments are the index
    /// of the block and the buffer. The view's first element has the coordinates `origin` in the array. Padding is zero.
    fn fill<'a, A: NoUninit>(
        &'a self,
        number: u64,
        view: &'a ArrayViewD<'a, A>,
        origin: &'a [i64],
    ) -> impl Fn(usize, &mut [u8]) + Copy + 'a {
        move |block, place| {
            let Some(area) = self.grid.block_extent(number, block as u64) else { return place.fill(0) };
            let mut strides = vec![self.itemsize];
            let mut is_whole = true;
            for (range, &length) in area.iter().zip(self.grid.blockshape()).rev() {
                is_whole &= range.end - range.start == length;
                strides.push(strides.last().copied().unwrap_or(1) * usize::try_from(length).unwrap_or(0));
            }
            if !is_whole {
                place.fill(0);
            }
            if area.iter().any(|range| range.is_empty()) {
                return;
            }
            strides.reverse();
            let from = part(view.view(), &area, |axis| origin[axis]);
            let from = if from.ndim() > area.len() { join_bytes(from) } else { from };
            put_rows(from, strides.get(1..).unwrap_or_default(), place);
        }
    }
}

/// Copies elements as bytes to a block whose axes have these strides, in bytes.
fn put_rows<A: NoUninit>(mut from: ArrayViewD<'_, A>, strides: &[usize], place: &mut [u8]) {
    let stride = strides.first().copied().unwrap_or(0).max(1);
    if from.ndim() > 2 {
        let parts = from.axis_iter(Axis(0)).zip(place.chunks_exact_mut(stride));
        parts.for_each(|(from, place)| put_rows(from, strides.get(1..).unwrap_or_default(), place));
        return;
    }
    // The view gets exactly two dimensions, because iterating over a dynamic number of dimensions is much slower.
    let stride = if from.ndim() == 2 { stride } else { place.len().max(1) };
    while from.ndim() < 2 {
        from = from.insert_axis(Axis(0));
    }
    let Ok(from) = from.into_dimensionality::<Ix2>() else { return };
    if let Some(all) = from.as_slice().map(bytemuck::cast_slice::<A, u8>).filter(|all| all.len() == place.len()) {
        return place.copy_from_slice(all);
    }
    for (row, place) in from.rows().into_iter().zip(place.chunks_exact_mut(stride)) {
        if let Some(row) = row.as_slice().map(bytemuck::cast_slice::<A, u8>) {
            place[..row.len()].copy_from_slice(row);
        } else {
            let elements = place.chunks_exact_mut(size_of::<A>().max(1));
            row.iter().zip(elements).for_each(|(element, place)| place.copy_from_slice(bytemuck::bytes_of(element)));
        }
    }
}

/// Returns `items` copies of an element.
pub(crate) fn repeated(value: &[u8], items: i64) -> Result<Vec<u8>> {
    let length = usize::try_from(items).ok().and_then(|items| items.checked_mul(value.len()));
    let mut bytes: Vec<u8> = length.and_then(element::zeroed).ok_or(Error::Memory { items, itemsize: value.len() })?;
    if value.iter().any(|&byte| byte != 0) {
        bytes.chunks_exact_mut(value.len()).for_each(|place| place.copy_from_slice(value));
    }
    Ok(bytes)
}
