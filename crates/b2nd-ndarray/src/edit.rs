//! [`ArrayEditor`]: changes an array in its file.

pub(crate) mod append;
mod draft;

use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};

use b2nd::Grid;
use b2nd::frame::{Offset, Special};
use ndarray::{ArrayBase, ArrayView, ArrayViewD, ArrayViewMut, Data, Dimension};

use crate::array::Array;
use crate::edit::draft::Draft;
use crate::element::{self, Element};
use crate::error::{Error, Result};
use crate::read::copy::copy;
use crate::read::lengths;
use crate::read::tiles::{Area, each_axis, shared};
use crate::write::{Packer, repeated, view};

/// The maximum number of chunks of an array. The index is stored as a chunk, which must be smaller than 2 GiB.
const MOST_CHUNKS: u64 = (i32::MAX / 8) as u64;

/// Copies the elements of a view, in C order.
fn contiguous<T: Clone>(view: ArrayViewD<'_, T>) -> Vec<T> {
    view.as_standard_layout().into_owned().into_raw_vec_and_offset().0
}

/// An editor that changes an array in its file: the values of a slice, and the length of each axis. It dereferences to [`Array`] for
/// reading.
///
/// Both files and the directories of sparse frames can be edited. The file is locked against other editors until the `ArrayEditor` is
/// dropped.
///
/// # What a crash leaves
///
/// Each change takes effect completely or not at all. Changed chunks, the index and the trailer are appended to the file; then a single
/// write of the header's first 512 bytes makes them valid. In a sparse frame, they are written to new files; then a single rename of
/// `chunks.b2frame` makes them valid. After an error, the file holds the old array, or the new array if only the last sync failed. The
/// `ArrayEditor` then shows the array that the file holds, and can be used again. Replaced chunks leave gaps in the file, so write a few
/// large slices rather than many small ones. [`repack`](crate::repack) removes the gaps.
///
/// ```
/// use b2nd_ndarray::{Array, ArrayEditor, s};
/// use ndarray::{Array2, array};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("array.b2nd");
/// b2nd_ndarray::write(&path, &Array2::<f32>::zeros((3, 3)), &Default::default())?;
///
/// let mut editor = ArrayEditor::open(&path)?;
/// editor.write_slice(&[1..3, 0..2], &array![[1.0_f32, 2.0], [3.0, 4.0]])?;
/// assert_eq!(editor.slice::<f32>(s![1, ..])?, array![1.0, 2.0, 0.0].into_dyn());
/// editor.resize(&[3, 4], f32::NAN)?;
/// editor.resize(&[2, 4], 0.0_f32)?;
/// drop(editor);
///
/// let values = Array::open(&path)?.slice::<f32>(s![1, ..])?;
/// assert_eq!(values.as_slice().map(|row| &row[..3]), Some(&[1.0, 2.0, 0.0][..]));
/// assert!(values[[3]].is_nan());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ArrayEditor {
    path: PathBuf,
    draft: Draft,
    array: Array,
    /// The entries of the index of chunks.
    entries: Vec<Offset>,
    /// Whether a failed commit may have changed the file, so that the array must be opened again.
    stale: bool,
}

impl ArrayEditor {
    /// Opens an array for editing: a file, or the directory of a sparse frame. Waits until other processes and threads have finished
    /// editing it.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Array::open`] and [`File::edit`](b2nd::frame::File::edit). Also fails if the array's metalayer does not have
    /// the released layout.
    pub fn open(path: impl AsRef<Path>) -> Result<ArrayEditor> {
        let path = path.as_ref();
        // The file is locked before it is read, so that all changes by other editors are read.
        let draft = Draft::open(path)?;
        let array = Array::open(path)?;
        let entries = draft.entries()?;
        if entries.len() as u64 != array.grid().nchunks() {
            let (expected, found) = (array.grid().nchunks(), entries.len());
            return Err(array.error(b2nd::Error::custom(format_args!("the array has {expected} chunks, the frame {found}"))));
        }
        Ok(ArrayEditor { path: path.to_owned(), draft, array, entries, stale: false })
    }

    /// Replaces the values of a slice, which has one range per dimension. Returns when the new values are on stable storage.
    ///
    /// Chunks that lie completely in the slice are only written. Chunks that lie only partly in the slice are read first. All changed
    /// chunks are compressed in parallel, with the codec and filters of the frame's header.
    ///
    /// # Errors
    ///
    /// Fails if the values have another type than the array ([`Error::DType`]) or another shape than the slice ([`Error::View`]), if the
    /// slice is not inside the array, if a chunk cannot be read or compressed, or if the file cannot be written. The array in the file is
    /// then unchanged.
    pub fn write_slice<T: Element, S: Data<Elem = T>, D: Dimension>(
        &mut self,
        slice: &[Range<i64>],
        values: &ArrayBase<S, D>,
    ) -> Result<()> {
        self.refresh()?;
        let swapped = self.array.swapped::<T>()?;
        self.array.check(slice)?;
        let expected = lengths(slice);
        if values.shape() != expected {
            return Err(Error::View { expected, found: values.shape().to_vec() });
        }
        let values = values.view().into_dyn();
        self.replace(slice, |area| {
            let mut part = values.view();
            part.slice_each_axis_inplace(|axis| each_axis(area, axis.axis.index(), 1, |index| slice[index].start));
            let mut part = contiguous(part);
            Ok(element::stored(&mut part, swapped).to_vec())
        })
    }

    /// Replaces the elements of a slice by elements of any type, given as bytes in C order and in the file's byte order.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Length`] if the number of bytes does not match the slice. Also returns the errors of
    /// [`write_slice`](ArrayEditor::write_slice).
    pub fn write_slice_bytes(&mut self, slice: &[Range<i64>], bytes: &[u8]) -> Result<()> {
        self.refresh()?;
        let itemsize = self.array.itemsize();
        let expected = self.array.check(slice)?.saturating_mul(itemsize);
        if bytes.len() != expected {
            return Err(Error::Length { expected, found: bytes.len() });
        }
        let shape: Vec<_> = slice.iter().map(|range| range.end - range.start).collect();
        let values = view(&shape, bytes, itemsize)?;
        self.replace(slice, |area| {
            let mut part = values.view();
            part.slice_each_axis_inplace(|axis| each_axis(area, axis.axis.index(), itemsize, |index| slice[index].start));
            Ok(contiguous(part))
        })
    }

    /// Changes the array's shape. New elements of axes that grow have the given value; axes that shrink are cut. Returns when the change is
    /// on stable storage.
    ///
    /// Only chunks that contain both old and new elements are read. New chunks are all copies of a single compressed chunk. Elements that
    /// were cut off do not come back: if the axis grows again, the new elements have the value that is then given.
    ///
    /// # Errors
    ///
    /// Fails if the value has another type than the array ([`Error::DType`]); if the shape has another number of dimensions, a negative
    /// length or too many chunks for an index; if other metalayers precede the array's metalayer, so that the header cannot be changed in
    /// one write; or if the file cannot be written. The array in the file is then unchanged.
    pub fn resize<T: Element>(&mut self, shape: &[i64], value: T) -> Result<()> {
        let swapped = self.array.swapped::<T>()?;
        self.resize_bytes(shape, element::stored(&mut [value], swapped))
    }

    /// Changes the array's shape like [`resize`](ArrayEditor::resize), for elements of any type. `value` holds the bytes of one element.
    ///
    /// # Errors
    ///
    /// Fails if `value` does not have the length of one element. Also returns the errors of [`resize`](ArrayEditor::resize).
    pub fn resize_bytes(&mut self, shape: &[i64], value: &[u8]) -> Result<()> {
        self.refresh()?;
        if value.len() != self.array.itemsize() {
            return Err(Error::Itemsize { expected: value.len(), found: self.array.itemsize() });
        }
        let old = *self.array.grid();
        if shape.len() != old.shape().len() {
            return Err(Error::Dimensions { expected: old.shape().len(), found: shape.len() });
        }
        let meta = self.draft.meta_of(shape)?;
        let new = meta.geometry.grid()?;
        if new.nchunks() > MOST_CHUNKS {
            let found = new.nchunks();
            return Err(b2nd::Error::custom(format_args!("shape: expected at most {MOST_CHUNKS} chunks, found {found}")).into());
        }
        if !self.draft.is_sparse() && new.nchunks() > 0 {
            self.draft.can_take(shape)?;
        }
        let packer = Packer::of(self.draft.header(), &meta)?;
        let done = self.resized(&old, &new, &packer, value);
        self.commit(shape, done)
    }

    /// Writes the chunks that differ between two grids of the array, and returns the new index.
    fn resized(&mut self, old: &Grid, new: &Grid, packer: &Packer, value: &[u8]) -> Result<Vec<Offset>> {
        let zeros = value.iter().all(|&byte| byte == 0);
        let count = usize::try_from(new.nchunks()).unwrap_or(usize::MAX);
        let mut entries = Vec::new();
        let memory = |_| Error::Memory { items: i64::try_from(count).unwrap_or(i64::MAX), itemsize: 8 };
        entries.try_reserve_exact(count).map_err(memory)?;
        let mut filled: Option<Vec<u8>> = None;
        let mut cut = Vec::new();
        for number in 0..new.nchunks() {
            let Some(coordinates) = new.chunk_coords(number) else { break };
            // The number of this chunk in the old grid, if the old grid has the chunk.
            let before = old.chunk_from_coords(&coordinates);
            let Some((before, entry)) = before.and_then(|before| Some((before, self.entry(before)?))) else {
                let chunk = match &mut filled {
                    Some(chunk) => chunk,
                    none => none.insert(packer.repeated(value)?),
                };
                entries.push(self.draft.put_chunk(chunk)?);
                continue;
            };
            let extents = old.chunk_extent(before).zip(new.chunk_extent(number));
            let grows = extents.is_some_and(|(old, new)| old.iter().zip(new.iter()).any(|(old, new)| new.end > old.end));
            if grows && !(zeros && entry == Offset::Special(Special::Zeros)) {
                cut.push((entries.len(), number));
            }
            entries.push(entry);
        }
        // Chunks at the old end of the array keep their elements. The rest of each chunk is filled with the value.
        for batch in cut.chunks(crate::threads().max(1)) {
            let packed = crate::in_parallel(batch.to_vec(), |(place, number)| {
                let area = new.chunk_extent(number).map(|extent| extent.to_vec()).unwrap_or_default();
                let kept: Area =
                    area.iter().zip(old.shape()).map(|(range, &length)| range.start..range.end.min(length)).collect();
                let held = self.array.read_bytes(&kept)?;
                Ok((place, self.packed(packer, number, &area, Some(value), &kept, &held)?))
            })?;
            for (place, chunk) in packed {
                let entry = self.draft.put_chunk(&chunk)?;
                if let Some(place) = entries.get_mut(place) {
                    *place = entry;
                }
            }
        }
        Ok(entries)
    }

    /// Replaces the chunks of a checked slice. `part` returns the elements of an area inside the slice.
    fn replace(&mut self, slice: &[Range<i64>], part: impl Fn(&[Range<i64>]) -> Result<Vec<u8>> + Sync + Send) -> Result<()> {
        if slice.iter().any(|range| range.is_empty()) {
            return Ok(());
        }
        let packer = Packer::of(self.draft.header(), self.draft.meta())?;
        let done = self.replaced(slice, &packer, part);
        let shape = self.array.grid().shape().to_vec();
        self.commit(&shape, done)
    }

    fn replaced(
        &mut self,
        slice: &[Range<i64>],
        packer: &Packer,
        part: impl Fn(&[Range<i64>]) -> Result<Vec<u8>> + Sync + Send,
    ) -> Result<Vec<Offset>> {
        let mut entries = self.entries.clone();
        let mut numbers = self.array.grid().chunks_in(slice)?;
        loop {
            let batch: Vec<_> = numbers.by_ref().take(crate::threads().max(1)).collect();
            if batch.is_empty() {
                return Ok(entries);
            }
            let packed = crate::in_parallel(batch, |number| {
                let whole = self.array.grid().chunk_extent(number).map(|extent| extent.to_vec()).unwrap_or_default();
                let area = shared(&whole, slice);
                Ok((number, self.packed(packer, number, &whole, None, &area, &part(&area)?)?))
            })?;
            for (number, chunk) in packed {
                let entry = self.draft.put_chunk(&chunk)?;
                if let Some(place) = usize::try_from(number).ok().and_then(|number| entries.get_mut(number)) {
                    *place = entry;
                }
            }
        }
    }

    /// Compresses the chunk that covers `whole`. The part `area` has the given elements. The rest has `value`, or the array's old elements
    /// if `value` is `None`.
    fn packed(
        &self,
        packer: &Packer,
        number: u64,
        whole: &[Range<i64>],
        value: Option<&[u8]>,
        area: &[Range<i64>],
        elements: &[u8],
    ) -> Result<Vec<u8>> {
        let itemsize = self.array.itemsize();
        let shape = |area: &[Range<i64>]| area.iter().map(|range| range.end - range.start).collect::<Vec<_>>();
        let origin: Vec<_> = whole.iter().map(|range| range.start).collect();
        let part = view(&shape(area), elements, itemsize)?;
        if whole == area {
            return packer.chunk_from(number, &part, &origin, itemsize);
        }
        let mut held = match value {
            Some(value) => {
                let items = shape(whole).iter().product::<i64>();
                let memory = || Error::Memory { items, itemsize };
                let count = usize::try_from(items).map_err(|_| memory())?;
                repeated(value, count).ok_or_else(memory)?
            }
            None => self.array.read_bytes(whole)?,
        };
        let all = view(&shape(whole), &held, itemsize)?.raw_dim();
        let mut place = ArrayViewMut::from_shape(all.clone(), &mut held)?;
        place.slice_each_axis_inplace(|axis| each_axis(area, axis.axis.index(), itemsize, |index| origin[index]));
        copy(part, place);
        let held: ArrayViewD<'_, u8> = ArrayView::from_shape(all, &held)?;
        packer.chunk_from(number, &held, &origin, itemsize)
    }

    /// Commits the new chunks. If writing them failed, releases their space and returns the error.
    fn commit(&mut self, shape: &[i64], done: Result<Vec<Offset>>) -> Result<()> {
        let committed = done.and_then(|entries| {
            self.draft.commit(shape, &entries)?;
            Ok(entries)
        });
        self.stale = true;
        match committed {
            Ok(entries) => {
                self.array = Array::open(&self.path)?;
                (self.entries, self.stale) = (entries, false);
                Ok(())
            }
            Err(error) => {
                self.draft.rewind(0);
                Err(error)
            }
        }
    }

    /// Opens the array again if the file may have changed.
    fn refresh(&mut self) -> Result<()> {
        if self.stale {
            self.array = Array::open(&self.path)?;
            self.entries = self.draft.entries()?;
            self.stale = false;
        }
        Ok(())
    }

    fn entry(&self, number: u64) -> Option<Offset> {
        self.entries.get(usize::try_from(number).ok()?).copied()
    }
}

impl Deref for ArrayEditor {
    type Target = Array;

    fn deref(&self) -> &Array {
        &self.array
    }
}
