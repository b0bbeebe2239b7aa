//! [`ArrayEditor`]: changes an array in its file.

pub(crate) mod append;
pub(crate) mod draft;

use std::ops::{Deref, Range};
use std::path::Path;

use b2nd::Grid;
use b2nd_frame::{Offset, Special};
use ndarray::{ArrayBase, ArrayViewMut, Data, Dimension};

use crate::array::Array;
use crate::edit::draft::Draft;
use crate::element::{self, Element};
use crate::error::{Error, Result};
use crate::read::along::all;
use crate::read::area::{Area, contiguous, extent, part, shared};
use crate::read::rows::Rows;
use crate::read::{in_bytes, lengths};
use crate::threads::in_batches;
use crate::write::{Packer, repeated, view};

/// The maximum number of chunks of a new shape. The index has 8 bytes per chunk, and is itself stored as a chunk, which must be smaller
/// than 2 GiB.
const MOST_CHUNKS: u64 = (i32::MAX / 8) as u64;

/// An editor that changes an array in its file: the values of a slice, and the length of each axis. It dereferences to [`Array`] for
/// reading.
///
/// Both files and the directories of sparse frames can be edited. The file is locked against other editors until the `ArrayEditor` is
/// dropped.
///
/// # What a crash leaves
///
/// Each change takes effect completely or not at all. Changed chunks, the index and the trailer are written after the end of the frame;
/// then a single write of the header's first 512 bytes makes them valid. (If no chunks are left, a new file replaces the old one.) In a
/// sparse frame, all of these are written to new files; then a single rename of `chunks.b2frame` makes the new files valid. After an error,
/// the file holds the old array, or the new array if only a step after the last write failed, such as the last sync. The `ArrayEditor` can
/// be used again, and then works on the array that the file holds. Unless the frame is sparse, replaced chunks leave gaps in the file, so
/// write a few large slices rather than many small ones. [`repack`](crate::repack) removes the gaps.
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
    draft: Draft,
    array: Array,
    /// The entries of the index of chunks.
    entries: Vec<Offset>,
    /// Whether the file may have changed since `array` was opened, so that it must be opened again.
    stale: bool,
}

impl ArrayEditor {
    /// Opens an array for editing: a file, or the directory of a sparse frame. Waits while another process or thread edits it, or has it
    /// open by [`File::open_shared`](b2nd_frame::File::open_shared).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Array::open`] and [`File::edit`](b2nd_frame::File::edit). Also fails if the frame has no array metalayer in
    /// the layout that C-Blosc2 has written since 2.7.0 (`b2nd upgrade` converts older layouts), if a block is longer than its chunk, or if
    /// the index of chunks cannot be read or does not have the number of chunks that follows from the array's shapes.
    pub fn open(path: impl AsRef<Path>) -> Result<ArrayEditor> {
        // The file is locked before it is read, so that all changes by other editors are read.
        let draft = Draft::open(path.as_ref())?;
        let array = draft.array()?;
        let entries = draft.entries().map_err(|error| array.error(error))?;
        if entries.len() as u64 != array.grid().nchunks() {
            let (expected, found) = (b2nd_store::text::count(array.grid().nchunks(), "chunk"), entries.len());
            return Err(array.error(Error::custom(format_args!("the array has {expected}, but the frame has {found}"))));
        }
        Ok(ArrayEditor { draft, array, entries, stale: false })
    }

    /// Replaces the values of a slice by `values`. The slice has one range per dimension. Returns when the new values are on stable
    /// storage.
    ///
    /// Chunks that lie completely in the slice are written without being read. Chunks that lie only partly in the slice are read first.
    /// Changed chunks are compressed with the codec and filters of the frame's header.
    ///
    /// # Errors
    ///
    /// Fails, for example, if the values have a different dtype than the array ([`Error::DType`]) or a different shape than the slice
    /// ([`Error::View`]), if the slice is not inside the array, if a chunk cannot be read or compressed, or if the file cannot be written.
    /// Also fails if the frame is not sparse, and unused bytes follow the metadata in the array's metalayer, as in some arrays that
    /// python-blosc2 squeezed before version 4. The array in the file is then unchanged, unless only a step after the last write failed.
    pub fn write_slice<T: Element, S: Data<Elem = T>, D: Dimension>(
        &mut self,
        slice: &[Range<i64>],
        values: &ArrayBase<S, D>,
    ) -> Result<()> {
        self.with_path(|this| {
            let swapped = this.array.swapped::<T>()?;
            this.array.check(slice)?;
            let expected = lengths(slice);
            if values.shape() != expected {
                return Err(Error::View { expected, found: values.shape().to_vec() });
            }
            let values = values.view().into_dyn();
            this.replace(slice, |area| {
                let mut part = contiguous(part(values.view(), area, |axis| slice[axis].start));
                element::stored(&mut part, swapped).to_vec()
            })
        })
    }

    /// Replaces the elements of a slice, for arrays of any dtype. The new elements are given as bytes, in C order and in the file's byte
    /// order.
    ///
    /// # Errors
    ///
    /// Fails if the number of bytes does not match the slice ([`Error::Length`]). Also returns the errors of
    /// [`write_slice`](ArrayEditor::write_slice).
    pub fn write_slice_bytes(&mut self, slice: &[Range<i64>], bytes: &[u8]) -> Result<()> {
        self.with_path(|this| {
            let itemsize = this.array.itemsize();
            let expected = this.array.check(slice)?.saturating_mul(itemsize);
            if bytes.len() != expected {
                return Err(Error::Length { expected, found: bytes.len() });
            }
            let values = view(slice, bytes, itemsize)?;
            this.replace(slice, |area| contiguous(part(values.view(), area, |axis| slice[axis].start)))
        })
    }

    /// Changes the array's shape. If an axis grows, its new elements have the given value. If an axis shrinks, the elements past its new
    /// end are removed. Returns when the change is on stable storage.
    ///
    /// Only chunks that contain both old and new elements are read. Chunks of only new elements are copies of one chunk. Removed elements
    /// do not come back: if the axis grows again, the new elements have the value that is given then.
    ///
    /// # Errors
    ///
    /// Fails, for example, if the value has a different dtype than the array ([`Error::DType`]); if the shape has a different number of
    /// dimensions, a negative length or too many chunks for an index; if the frame is not sparse, the new shape has chunks, and the shape
    /// is stored after the header's first 512 bytes, because other metalayers precede it, or unused bytes follow the metadata (see
    /// [`write_slice`](ArrayEditor::write_slice)); if a chunk cannot be read or compressed; or if the file cannot be written. The array in
    /// the file is then unchanged, unless only a step after the last write failed.
    pub fn resize<T: Element>(&mut self, shape: &[i64], value: T) -> Result<()> {
        let swapped = self.with_path(|this| this.array.swapped::<T>())?;
        self.resize_bytes(shape, element::stored(&mut [value], swapped))
    }

    /// Changes the array's shape like [`resize`](ArrayEditor::resize), for arrays of any dtype. `value` holds the bytes of the element that
    /// new elements are copies of, in the file's byte order.
    ///
    /// # Errors
    ///
    /// Fails if `value` does not have the length of one element. Also returns the errors of [`resize`](ArrayEditor::resize).
    pub fn resize_bytes(&mut self, shape: &[i64], value: &[u8]) -> Result<()> {
        self.with_path(|this| this.replace_shape(shape, value))
    }

    fn replace_shape(&mut self, shape: &[i64], value: &[u8]) -> Result<()> {
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
            return Err(Error::custom(format_args!("the new shape needs {found} chunks; at most {MOST_CHUNKS} can be written")));
        }
        if !self.draft.is_sparse() && new.nchunks() > 0 {
            self.draft.can_take(shape)?;
        }
        let packer = Packer::of(self.draft.chunks.file().header(), &meta)?;
        let done = self.resized(&old, &new, &packer, value);
        self.commit(shape, done)
    }

    /// Writes the chunks that have new elements in the grid `new`, and returns the index for this grid.
    fn resized(&mut self, old: &Grid, new: &Grid, packer: &Packer, value: &[u8]) -> Result<Vec<Offset>> {
        let zeros = value.iter().all(|&byte| byte == 0);
        let items = new.nchunks() as i64;
        let mut entries = Vec::new();
        entries.try_reserve_exact(items as usize).map_err(|_| Error::Memory { items, itemsize: 8 })?;
        let mut filled: Option<Vec<u8>> = None;
        let mut cut = Vec::new();
        for number in 0..new.nchunks() {
            let Some(coordinates) = new.chunk_coords(number) else { break };
            // The index of this chunk in the old grid, if the old grid has the chunk.
            let before = old.chunk_from_coords(&coordinates);
            let Some((before, entry)) = before.and_then(|before| Some((before, *self.entries.get(before as usize)?))) else {
                let chunk = match &mut filled {
                    Some(chunk) => chunk,
                    none => none.insert(packer.repeated(value)?),
                };
                entries.push(self.draft.put_chunk(chunk)?);
                continue;
            };
            let grows = extent(old, before).iter().zip(extent(new, number)).any(|(old, new)| new.end > old.end);
            if grows && !(zeros && entry == Offset::Special(Special::Zeros)) {
                cut.push(number);
            }
            entries.push(entry);
        }
        // Chunks at the old end of the array keep their elements. The rest of each chunk is filled with the value.
        self.put(packer, &mut entries, cut, |array, number| {
            let whole = extent(new, number);
            let kept: Area = whole.iter().zip(old.shape()).map(|(range, &length)| range.start..range.end.min(length)).collect();
            let (held, items) = (array.read_bytes(&kept)?, whole.iter().map(|range| range.end - range.start).product());
            merged(packer.itemsize, &whole, || repeated(value, items), &kept, held)
        })?;
        Ok(entries)
    }

    /// Replaces the elements of a checked slice. `part` returns the new elements of an area inside the slice, as bytes.
    fn replace(&mut self, slice: &[Range<i64>], part: impl Fn(&[Range<i64>]) -> Vec<u8> + Sync + Send) -> Result<()> {
        if slice.iter().any(|range| range.is_empty()) {
            return Ok(());
        }
        let packer = Packer::of(self.draft.chunks.file().header(), &self.draft.meta)?;
        let mut entries = self.entries.clone();
        let numbers = self.array.grid().chunks_in(slice)?;
        let done = self.put(&packer, &mut entries, numbers, |array, number| {
            let whole = extent(array.grid(), number);
            let area = shared(&whole, slice);
            merged(packer.itemsize, &whole, || array.read_bytes(&whole), &area, part(&area))
        });
        let shape = self.array.grid().shape().to_vec();
        self.commit(&shape, done.map(|()| entries))
    }

    /// Writes chunks with these indices, and sets their entries in the index. `elements` returns the elements of a chunk as bytes.
    fn put(
        &mut self,
        packer: &Packer,
        entries: &mut [Offset],
        numbers: impl IntoIterator<Item = u64>,
        elements: impl Fn(&Array, u64) -> Result<Vec<u8>> + Sync + Send,
    ) -> Result<()> {
        let pack = |number| packer.chunk(number, &elements(&self.array, number)?);
        in_batches(numbers, pack, |number, chunk| {
            entries[number as usize] = self.draft.put_chunk(&chunk)?;
            Ok(())
        })
    }

    /// Commits an array of this shape with the index entries in `done`, and opens the array again. If `done` is an error or the commit
    /// fails, frees the space of new chunks that have not been committed, and returns the error.
    fn commit(&mut self, shape: &[i64], done: Result<Vec<Offset>>) -> Result<()> {
        self.stale = true;
        let done = done.and_then(|entries| self.draft.commit(shape, &entries)).inspect_err(|_| self.draft.chunks.rewind(0));
        done.and(self.refresh())
    }

    /// Opens the array again if the file may have changed, calls `work`, and adds the path of the file to its error.
    fn with_path<T>(&mut self, work: impl FnOnce(&mut ArrayEditor) -> Result<T>) -> Result<T> {
        let done = self.refresh().and_then(|()| work(self));
        done.map_err(|error| self.array.error(error))
    }

    /// Opens the array again if the file may have changed.
    fn refresh(&mut self) -> Result<()> {
        if self.stale {
            self.array = self.draft.array()?;
            self.entries = self.draft.entries()?;
            self.stale = false;
        }
        Ok(())
    }
}

impl Deref for ArrayEditor {
    type Target = Array;

    fn deref(&self) -> &Array {
        &self.array
    }
}

/// Returns the elements of `whole`, the area of a chunk, as bytes. Inside `area`, they come from `elements`; in the rest of the chunk, from
/// `old`, which returns elements for all of `whole`.
fn merged(
    itemsize: usize,
    whole: &[Range<i64>],
    old: impl FnOnce() -> Result<Vec<u8>>,
    area: &[Range<i64>],
    mut elements: Vec<u8>,
) -> Result<Vec<u8>> {
    if whole == area {
        return Ok(elements);
    }
    let mut merged = old()?;
    let (selected, shape): (_, Vec<_>) = (all(area), whole.iter().map(|range| range.end - range.start).collect());
    let view = ArrayViewMut::from_shape(in_bytes(area, itemsize), &mut elements)?;
    Rows::new(&selected, |axis| whole[axis].start, &shape, itemsize).each(view, &mut |start, row| {
        merged[start as usize..][..row.len()].copy_from_slice(row);
        Ok(())
    })?;
    Ok(merged)
}
