//! Reads slices as bytes or as values, into new memory or into a view.

pub(crate) mod along;
pub(crate) mod area;
pub(crate) mod buffers;
pub(crate) mod chunks;
pub(crate) mod elements;
mod flat_data;
pub(crate) mod open_chunk;
pub(crate) mod parallel;
pub(crate) mod rows;
pub(crate) mod select;

use std::ops::Range;

use b2nd_frame::ChunkHeader;
use b2nd_store::text::count;
use bytemuck::Pod;
use ndarray::{ArrayD, ArrayViewMut, ArrayViewMutD, SliceInfoElem};

use crate::array::Array;
use crate::element::{self, Element};
use crate::error::{Error, Result};
use crate::read::along::{Along, all};
use crate::read::open_chunk::repeated;
use crate::read::parallel::Tiles;

/// Up to this length in bytes, slices are not compared with the length of the frame's data.
const UNCHECKED: u64 = 64 << 20;

impl Array {
    /// Reads the elements of a slice as bytes, in C order and in the file's byte order, for any dtype. Elements that were never written
    /// (uninitialized chunks) are zero.
    ///
    /// A block may be decompressed only up to the last element that the slice needs. Damage after this element is then not noticed;
    /// `b2nd check --data` decompresses everything.
    ///
    /// # Errors
    ///
    /// Fails if the slice has a different number of dimensions than the array, is not inside the array or does not fit into memory. Also
    /// fails if a chunk cannot be read, or needs a codec or filter that is not available.
    pub fn read_bytes(&self, slice: &[Range<i64>]) -> Result<Vec<u8>> {
        self.with_path(|| self.entries(&all(slice), self.itemsize()))
    }

    /// Reads a slice, given as one range per dimension. The result has the same number of dimensions. Bytes are swapped if the file has a
    /// different byte order than the machine.
    ///
    /// # Errors
    ///
    /// Fails if the elements are not of type `T` (then [`Error::kind`] usually returns [`Error::DType`]). Also returns the errors of
    /// [`read_bytes`](Array::read_bytes).
    pub fn read<T: Element>(&self, slice: &[Range<i64>]) -> Result<ArrayD<T>> {
        self.with_path(|| self.values(&all(slice)))
    }

    /// Reads a slice into a view of the same shape and any memory layout.
    ///
    /// # Errors
    ///
    /// Fails if the view has a different shape (then [`Error::kind`] returns [`Error::View`]). Also returns the errors of
    /// [`read`](Array::read). After an error, the content of the view is unspecified.
    pub fn read_into<T: Element>(&self, slice: &[Range<i64>], out: ArrayViewMutD<'_, T>) -> Result<()> {
        self.with_path(|| self.read_view(slice, out))
    }

    /// Returns the bytes of the element that all chunks in a slice repeat, or `None` if the first bytes of the chunks do not show this. The
    /// slice is not read. Also returns `None` if the slice has no elements or is not inside the array, and for a frame without an array
    /// metalayer.
    ///
    /// ```
    /// use b2nd_ndarray::{Array, Options};
    ///
    /// let steps = ndarray::Array2::from_shape_fn((100, 50), |(row, _)| u16::from(row >= 60));
    /// let options = Options { chunkshape: Some(vec![20, 50]), ..Options::default() };
    /// let array = Array::from_frame(b2nd_ndarray::to_frame(&steps, &options)?)?;
    /// assert_eq!(array.repeated(&[10..60, 0..50]), Some(vec![0, 0]));
    /// assert_eq!(array.repeated(&[50..70, 0..50]), None);
    /// # Ok::<(), b2nd_ndarray::Error>(())
    /// ```
    pub fn repeated(&self, slice: &[Range<i64>]) -> Option<Vec<u8>> {
        self.check(slice).ok().filter(|_| self.flat.is_none())?;
        // A chunk whose start is more than `longest` bytes before the next chunk is not special, or a gap follows it. Such a chunk is not
        // read here, since it would be read again with the slice.
        let longest = (ChunkHeader::MAX_LEN + self.itemsize()) as u64;
        let mut chunks = self.grid.chunks_in(slice).ok()?.map(|number| {
            self.stored_len(number).ok().filter(|&length| length <= longest)?;
            let mut chunk = self.store.chunk_reader(number, longest).ok()?;
            chunk.header().special()?;
            let special = self.check_chunk(&mut chunk).ok()??;
            let element = repeated(special, &mut chunk, self.itemsize()).ok()?;
            Some(if element.is_empty() { vec![0; self.itemsize()] } else { element.repeat(self.itemsize() / element.len()) })
        });
        let first = chunks.next()??;
        chunks.all(|other| other.as_ref() == Some(&first)).then_some(first)
    }

    fn read_view<T: Element>(&self, slice: &[Range<i64>], mut out: ArrayViewMutD<'_, T>) -> Result<()> {
        let swapped = self.swapped::<T>()?;
        self.check(slice)?;
        let expected = lengths(slice);
        if out.shape() != expected {
            return Err(Error::View { expected, found: out.shape().to_vec() });
        }
        if out.is_empty() {
            return Ok(());
        }
        if let Some(bits) = out.as_slice_mut().and_then(T::bits_mut) {
            let view = ArrayViewMut::from_shape(in_bytes(slice, self.itemsize()), bytemuck::cast_slice_mut(bits))?;
            self.decode(all(slice), view, false)?;
            if swapped {
                element::swap::<T>(bits);
            }
            return Ok(());
        }
        // A view that is not contiguous in C order, or whose type has invalid bit patterns (`bool`), is filled chunk by chunk with copies.
        let origin = vec![0; slice.len()];
        let tiles = Tiles { origin: &origin, lengths: self.grid.chunkshape(), parallel: true, cells: 1 };
        tiles.each(all(slice), out, &|selected, mut part| {
            part.assign(&self.values::<T>(&selected)?);
            Ok(())
        })
    }

    /// Reads a slice in ndarray's notation. It can have steps, indices from the end, and single indices, which remove their dimension.
    ///
    /// ```
    /// use b2nd_ndarray::{Array, s};
    ///
    /// let array = Array::open("../../tests/data/grid/i4_2d.b2nd")?;
    /// let shape = array.geometry().shape();
    /// let last_row_backwards = array.slice::<i32>(s![-1, ..;-1])?;
    /// assert_eq!(last_row_backwards.shape(), [shape[1] as usize]);
    /// # Ok::<(), b2nd_ndarray::Error>(())
    /// ```
    ///
    /// Usually, only the blocks that hold an element of the slice are decompressed.
    ///
    /// # Errors
    ///
    /// Fails if the number of dimensions of the slice is not that of the array, or if an index is outside the array. Also returns the
    /// errors of [`read`](Array::read).
    ///
    /// # Panics
    ///
    /// Panics if a step is 0, as ndarray does.
    pub fn slice<T: Element>(&self, slice: impl AsRef<[SliceInfoElem]>) -> Result<ArrayD<T>> {
        self.with_path(|| {
            let (selected, rest) = self.bounds(slice.as_ref())?;
            let array = self.values(&selected)?;
            let plain = rest.iter().all(|element| matches!(element, SliceInfoElem::Slice { step: 1, .. }));
            Ok(if plain { array } else { array.slice_move(&rest[..]).as_standard_layout().into_owned() })
        })
    }

    /// Converts a slice in ndarray's notation. Returns the elements to read, and the slice to apply to the array of these elements, which
    /// can reverse, remove and insert axes.
    fn bounds(&self, slice: &[SliceInfoElem]) -> Result<(Vec<Along>, Vec<SliceInfoElem>)> {
        let shape = self.geometry().shape();
        let is_axis = |element: &&SliceInfoElem| !matches!(element, SliceInfoElem::NewAxis);
        let (mut axes, mut rest) = (Vec::new(), Vec::new());
        for element in slice {
            let axis = axes.len();
            let Some(&length) = shape.get(axis).filter(|_| is_axis(&element)) else {
                rest.extend(Some(*element).filter(|element| !is_axis(&element)));
                continue;
            };
            match *element {
                SliceInfoElem::Index(index) => {
                    let at = from_end(index as i64, length);
                    if !(0..length).contains(&at) {
                        return Err(Error::Index { axis, index: index as i64, length });
                    }
                    axes.push(Along::Steps(at..at + 1, 1));
                    rest.push(SliceInfoElem::Index(0));
                }
                SliceInfoElem::Slice { start, end, step } => {
                    let bounds = [start as i64, end.map_or(length, |end| end as i64)];
                    if let Some(&index) = bounds.iter().find(|index| !(-length..=length).contains(*index)) {
                        return Err(Error::Index { axis, index, length });
                    }
                    let [start, end] = bounds.map(|index| from_end(index, length));
                    let (end, every) = (end.max(start), i64::try_from(step.unsigned_abs()).unwrap_or(i64::MAX).max(1));
                    // A slice with a negative step starts at the last element of its range, so the lowest index that it contains may be
                    // after `start`.
                    let first = if step < 0 && end > start { start + (end - 1 - start) % every } else { start };
                    axes.push(Along::Steps(first..end, every));
                    rest.push(SliceInfoElem::Slice { start: 0, end: None, step: step.signum() });
                }
                SliceInfoElem::NewAxis => {}
            }
        }
        let found = slice.iter().filter(is_axis).count();
        if found == shape.len() { Ok((axes, rest)) } else { Err(Error::Dimensions { expected: shape.len(), found }) }
    }

    /// Checks a selection and reads its elements as values.
    pub(crate) fn values<T: Element>(&self, selected: &[Along]) -> Result<ArrayD<T>> {
        let swapped = self.swapped::<T>()?;
        let mut bits: Vec<T::Bits> = self.entries(selected, 1)?;
        if swapped {
            element::swap::<T>(&mut bits);
        }
        let lengths: Vec<_> = selected.iter().map(Along::len).collect();
        Ok(ArrayD::from_shape_vec(lengths, T::values(bits))?)
    }

    /// Checks a selection and reads its elements. Each element takes `count` entries of the result: its length in bytes if `P` is `u8`, or
    /// 1 if `P` has the size of an element.
    pub(crate) fn entries<P: Pod>(&self, selected: &[Along], count: usize) -> Result<Vec<P>> {
        let slice: Vec<_> = selected.iter().map(Along::range).collect();
        self.check(&slice)?;
        let mut lengths: Vec<_> = selected.iter().map(Along::len).collect();
        let count = lengths.iter().try_fold(count, |count, &length| count.checked_mul(length));
        let memory = || Error::Memory { items: lengths.iter().map(|&length| length as i64).product(), itemsize: self.itemsize() };
        let mut entries = count.and_then(element::zeroed).ok_or_else(memory)?;
        if !entries.is_empty() {
            lengths.push(self.itemsize());
            let view = ArrayViewMut::from_shape(lengths, bytemuck::cast_slice_mut(&mut entries))?;
            self.decode(selected.to_vec(), view, true)?;
        }
        Ok(entries)
    }

    /// Checks that a slice is inside the array, and returns its number of elements.
    pub(crate) fn check(&self, slice: &[Range<i64>]) -> Result<usize> {
        // A damaged shape can claim any number of chunks, so the last chunk of the slice is compared with the index.
        let last = self.grid.chunks_in(slice)?.last();
        if let Some(last) = last.filter(|_| self.flat.is_none()) {
            let found = self.store.offsets()?.len();
            if last >= found {
                let missing = Error::custom(format_args!("the frame has only {}", count(found, "chunk")));
                return Err(Error::in_chunk(last, missing));
            }
        }
        let items = slice.iter().map(|range| range.end - range.start).product::<i64>();
        let bytes = u64::try_from(items).unwrap_or(0).saturating_mul(self.itemsize() as u64);
        // The typesize in a damaged header can make a small array larger than memory.
        let stored = u64::try_from(self.header().nbytes()).unwrap_or(0);
        if bytes > stored.max(UNCHECKED) && self.flat.is_none() {
            let (bytes, stored) = (count(bytes, "byte"), count(stored, "byte"));
            return Err(Error::custom(format_args!("the selected range spans {bytes}, but the header says {stored} of data")));
        }
        usize::try_from(items).map_err(|_| Error::Memory { items, itemsize: self.itemsize() })
    }

    /// Checks that the elements can be read as `T`, and returns true if their byte order must be swapped.
    pub(crate) fn swapped<T: Element>(&self) -> Result<bool> {
        let swapped = element::swapped::<T>(self.dtype())?;
        let (expected, found) = (size_of::<T>(), self.itemsize());
        if expected == found { Ok(swapped) } else { Err(Error::Itemsize { expected, found }) }
    }
}

/// Returns the shape of a checked slice.
pub(crate) fn lengths(slice: &[Range<i64>]) -> Vec<usize> {
    slice.iter().map(|range| usize::try_from(range.end - range.start).unwrap_or(0)).collect()
}

/// Returns the shape of a view of a slice's elements as bytes. The last axis holds the bytes of an element.
pub(crate) fn in_bytes(slice: &[Range<i64>], itemsize: usize) -> Vec<usize> {
    [lengths(slice), vec![itemsize]].concat()
}

/// Resolves an index: a negative one counts from the end.
fn from_end(index: i64, length: i64) -> i64 {
    if index < 0 { index + length } else { index }
}
